//! A take in the making: the events that a player accepted, in order of arrival.

use crate::cue::Insertion;
use crate::event::Event;

/// Accepted events. Does not grow.
#[derive(Debug)]
pub(crate) struct Record {
    /// With the number of their cue in the order of arrival; none where a full queue dropped the cue before it acted.
    events: Vec<(u64, Option<Event>)>,
    most: usize,
}

/// A clone has space for as many events.
impl Clone for Record {
    fn clone(&self) -> Self {
        let mut clone = Self::new(self.most);
        clone.events.extend(&self.events);
        clone
    }
}

impl Record {
    /// With space for `most` events. Allocates.
    pub fn new(most: usize) -> Self {
        Self { events: Vec::with_capacity(most), most }
    }

    /// Adds an event whose cue was inserted so. False if the record is full.
    pub fn note(&mut self, event: Event, Insertion { arrival, dropped }: Insertion) -> bool {
        if let Some(dropped) = dropped
            && let Ok(place) = self.events.binary_search_by_key(&dropped, |(arrival, _)| *arrival)
        {
            self.events[place].1 = None;
        }
        let Some(arrival) = arrival else { return true };
        let fits = self.events.len() < self.most;
        if fits {
            self.events.push((arrival, Some(event)));
        }
        fits
    }

    /// The events that act, or wait.
    pub fn into_events(self) -> Vec<Event> {
        self.events.into_iter().filter_map(|(_, event)| event).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Action, Time};

    #[test]
    fn a_take_holds_neither_refused_nor_dropped_events() {
        let mut record = Record::new(3);
        let event = |frame| Event::new(Time::frame(frame), Action::AllOff);
        assert!(record.note(event(9), Insertion { arrival: Some(1), dropped: None }));
        assert!(record.note(event(8), Insertion { arrival: None, dropped: None }), "the queue lost it");
        assert!(record.note(event(3), Insertion { arrival: Some(4), dropped: Some(1) }));
        assert!(record.clone().note(event(4), Insertion { arrival: Some(5), dropped: None }), "a clone has its space");
        assert!(record.note(event(4), Insertion { arrival: Some(5), dropped: None }));
        assert!(!record.note(event(5), Insertion { arrival: Some(6), dropped: None }), "it is full");
        assert_eq!(record.into_events(), [event(3), event(4)]);
    }
}
