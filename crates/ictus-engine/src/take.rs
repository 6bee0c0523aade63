//! Takes: events with their times as lines of JSON, to be read by people and played again.
//!
//! The first line says the format and the sample rate, every other line is one event:
//!
//! ```json
//! {"take":1,"sample_rate":48000}
//! {"frame":0,"throw":{"port":"mallet","velocity_m_s":-1.5}}
//! {"at_s":0.5,"input":{"input":"bow.normal_n","value":1.2,"ramp_s":0.02}}
//! ```
//!
//! A time is a `frame`, with a `fraction` of a frame if need be, or `at_s` in seconds. The same take on the same patch gives the same samples.
//!
//! What depends on the machine is in a take too. Where several sources send events, the order of the lines is the order in which they arrived, which decides between
//! events of one time. The keys `adopt` and `shed` are reserved for the frame at which a player takes another patch and for voices that it lets go under overload.

use crate::event::{Action, Event, PortId, Time};
use crate::patch::Patch;
use crate::signal::InputId;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Version of the format that is written.
const FORMAT: u32 = 1;

/// Events in the order in which they are played.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Take {
    /// The events.
    pub events: Vec<Event>,
}

/// What is wrong with the text of a take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakeError {
    /// Counted from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: String,
}

impl fmt::Display for TakeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for TakeError {}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    take: u32,
    sample_rate: u32,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Line {
    #[serde(skip_serializing_if = "Option::is_none")]
    frame: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fraction: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_s: Option<f64>,
    // one of these is given
    #[serde(skip_serializing_if = "Option::is_none")]
    throw: Option<Throw>,
    #[serde(skip_serializing_if = "Option::is_none")]
    strike: Option<Strike>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pluck: Option<Pluck>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<Moved>,
    #[serde(skip_serializing_if = "Option::is_none")]
    knob: Option<Turned>,
    #[serde(skip_serializing_if = "Option::is_none")]
    all_off: Option<Nothing>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reset: Option<Nothing>,
    #[serde(skip_serializing_if = "Option::is_none")]
    save: Option<Slot>,
    #[serde(skip_serializing_if = "Option::is_none")]
    restore: Option<Slot>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Throw {
    port: String,
    velocity_m_s: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    position_m: Option<f64>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Strike {
    port: String,
    impulse_n_s: f64,
    duration_s: f64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pluck {
    port: String,
    force_n: f64,
    duration_s: f64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Moved {
    input: String,
    value: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ramp_s: Option<f64>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Turned {
    knob: String,
    position: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ramp_s: Option<f64>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Slot {
    slot: usize,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

impl Take {
    /// Reads a take for a patch.
    ///
    /// # Errors
    /// What is wrong with the first line that is: no JSON, an unknown key, port or input, another sample rate.
    pub fn parse(text: &str, patch: &Patch) -> Result<Self, TakeError> {
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let (first, header) = lines.next().ok_or_else(|| fault(0, "the take is empty".into(), HEADER))?;
        let header: Header = serde_json::from_str(header).map_err(|error| fault(first, error.to_string(), HEADER))?;
        if header.take != FORMAT {
            let message = format!("the take has format {}, expected {FORMAT}", header.take);
            return Err(fault(first, message, "a newer version of ictus may read it"));
        }
        if header.sample_rate != patch.sample_rate() {
            let message = format!("the take is at {} Hz, the sound at {} Hz", header.sample_rate, patch.sample_rate());
            return Err(fault(first, message, "render at the sample rate of the take (-r)"));
        }
        let event = |(index, text): (usize, &str)| {
            let read: Result<Line, _> = serde_json::from_str(text);
            let line = read.map_err(|error| unreadable(index, text, &error))?;
            Reader { patch, line: index }.event(line)
        };
        Ok(Self { events: lines.map(event).collect::<Result<_, _>>()? })
    }

    /// The text of the take, with the names of a patch. Events of ports and inputs that the patch does not have are left out: they did nothing.
    pub fn to_text(&self, patch: &Patch) -> String {
        let header = Header { take: FORMAT, sample_rate: patch.sample_rate() };
        let mut text = serde_json::to_string(&header).unwrap_or_default() + "\n";
        for event in &self.events {
            let Some(line) = line(*event, patch) else { continue };
            text += &serde_json::to_string(&line).unwrap_or_default();
            text.push('\n');
        }
        text
    }
}

const HEADER: &str = "begin with a line such as {\"take\":1,\"sample_rate\":48000}";
const LINE: &str = "write one event per line, such as {\"at_s\":0.5,\"strike\":{\"port\":\"bar.tip\",\"impulse_n_s\":0.02,\"duration_s\":0.002}}";

fn fault(index: usize, message: String, help: &str) -> TakeError {
    TakeError { line: index + 1, message, help: help.to_owned() }
}

/// What an event may have besides one of [`KINDS`].
const TIMES: [&str; 3] = ["frame", "fraction", "at_s"];
const KINDS: [&str; 9] = ["throw", "strike", "pluck", "input", "knob", "all_off", "reset", "save", "restore"];
/// What depends on the machine and will be written by players that do it.
const RESERVED: [&str; 2] = ["adopt", "shed"];

/// What is wrong with a line that is no event: first whether its kind is known.
fn unreadable(index: usize, text: &str, error: &serde_json::Error) -> TakeError {
    let keys: serde_json::Map<String, serde_json::Value> = serde_json::from_str(text).unwrap_or_default();
    let strange = keys.keys().find(|key| !TIMES.contains(&key.as_str()) && !KINDS.contains(&key.as_str()));
    match strange {
        Some(kind) if RESERVED.contains(&kind.as_str()) => {
            let message = format!("`{kind}` is reserved for a newer version of ictus");
            fault(index, message, "play the take with the version that recorded it, or remove the line")
        }
        Some(kind) => {
            let known = KINDS.map(|kind| format!("`{kind}`")).join(", ");
            fault(index, format!("there is no kind of event `{kind}`"), &format!("the kinds are {known}"))
        }
        None => fault(index, error.to_string(), LINE),
    }
}

/// Reads one line.
struct Reader<'a> {
    patch: &'a Patch,
    line: usize,
}

impl Reader<'_> {
    fn event(&self, line: Line) -> Result<Event, TakeError> {
        let at = self.time(&line)?;
        Ok(Event::new(at, self.action(line)?))
    }

    fn time(&self, line: &Line) -> Result<Time, TakeError> {
        let usable = |fraction: f64| (0.0..1.0).contains(&fraction);
        match (line.frame, line.at_s, line.fraction.unwrap_or(0.0)) {
            (Some(frame), None, fraction) if usable(fraction) => Ok(Time { frame, fraction }),
            (None, Some(seconds), 0.0) if (0.0..1e9).contains(&seconds) => {
                Ok(Time::frames(seconds * f64::from(self.patch.sample_rate())))
            }
            _ => Err(fault(
                self.line,
                "the event has no valid time".into(),
                "give `frame` (and `fraction`, 0 to 1), or `at_s`",
            )),
        }
    }

    fn action(&self, line: Line) -> Result<Action, TakeError> {
        let mut given = Vec::new();
        if let Some(Throw { port, velocity_m_s, position_m }) = line.throw {
            given.push(Action::Throw { port: self.port(&port)?, velocity_m_s, position_m });
        }
        if let Some(Strike { port, impulse_n_s, duration_s }) = line.strike {
            given.push(Action::Strike { port: self.port(&port)?, impulse_n_s, duration_s });
        }
        if let Some(Pluck { port, force_n, duration_s }) = line.pluck {
            given.push(Action::Pluck { port: self.port(&port)?, force_n, duration_s });
        }
        if let Some(Moved { input, value, ramp_s }) = line.input {
            given.push(Action::Input { input: self.input(&input)?, value, ramp_s });
        }
        if let Some(Turned { knob, position, ramp_s }) = line.knob {
            given.push(Action::Knob { knob: self.knob(&knob)?, position, ramp_s });
        }
        given.extend(line.all_off.map(|_| Action::AllOff));
        given.extend(line.reset.map(|_| Action::Reset));
        given.extend(line.save.map(|Slot { slot }| Action::Save { slot }));
        given.extend(line.restore.map(|Slot { slot }| Action::Restore { slot }));
        match given[..] {
            [action] => Ok(action),
            _ => Err(fault(self.line, format!("the event has {} actions, expected one", given.len()), LINE)),
        }
    }

    fn knob(&self, name: &str) -> Result<usize, TakeError> {
        let names = || self.patch.knobs().iter().map(|knob| knob.control.id.as_str());
        let knob = self.patch.find_knob(name).ok_or_else(|| {
            let known = names().collect::<Vec<_>>().join(", ");
            fault(self.line, format!("the instrument has no knob `{name}`"), &format!("its knobs are {known}"))
        })?;
        if self.patch.knobs()[knob].is_live() {
            return Ok(knob);
        }
        let message = format!("the knob `{name}` cannot be turned while the instrument sounds");
        Err(fault(self.line, message, "`ictus list --parameters` names what it drives; `--set` turns it before"))
    }

    fn port(&self, name: &str) -> Result<PortId, TakeError> {
        self.patch.find_port(name).ok_or_else(|| self.unknown("port", name, self.patch.ports()))
    }

    fn input(&self, name: &str) -> Result<InputId, TakeError> {
        let names = self.patch.inputs().map(|input| input.id.as_str());
        self.patch.find_input(name).ok_or_else(|| self.unknown("input", name, names))
    }

    fn unknown<'a>(&self, what: &str, name: &str, known: impl Iterator<Item = &'a str>) -> TakeError {
        let known = known.map(|known| format!("`{known}`")).collect::<Vec<_>>().join(", ");
        fault(self.line, format!("the instrument has no {what} `{name}`"), &format!("it has {known}"))
    }
}

/// An event with the names of a patch; none if it has no such port or input.
fn line(Event { at, action, .. }: Event, patch: &Patch) -> Option<Line> {
    let port_name = |port: PortId| patch.ports().nth(port.index()).map(str::to_owned);
    let fraction = (at.fraction != 0.0).then_some(at.fraction);
    let none = Line { frame: Some(at.frame), fraction, ..Line::default() };
    Some(match action {
        Action::Throw { port, velocity_m_s, position_m } => {
            Line { throw: Some(Throw { port: port_name(port)?, velocity_m_s, position_m }), ..none }
        }
        Action::Strike { port, impulse_n_s, duration_s } => {
            Line { strike: Some(Strike { port: port_name(port)?, impulse_n_s, duration_s }), ..none }
        }
        Action::Pluck { port, force_n, duration_s } => {
            Line { pluck: Some(Pluck { port: port_name(port)?, force_n, duration_s }), ..none }
        }
        Action::Input { input, value, ramp_s } => {
            let input = patch.inputs().nth(input.index())?.id.clone();
            Line { input: Some(Moved { input, value, ramp_s }), ..none }
        }
        Action::Knob { knob, position, ramp_s } => {
            let knob = patch.knobs().get(knob)?.control.id.clone();
            Line { knob: Some(Turned { knob, position, ramp_s }), ..none }
        }
        Action::AllOff => Line { all_off: Some(Nothing {}), ..none },
        Action::Reset => Line { reset: Some(Nothing {}), ..none },
        Action::Save { slot } => Line { save: Some(Slot { slot }), ..none },
        Action::Restore { slot } => Line { restore: Some(Slot { slot }), ..none },
    })
}
