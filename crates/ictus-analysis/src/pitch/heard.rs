//! The pitch a listener would name: of a whole sound, which may be a phrase, a bell or noise.
//!
//! The sound is cut into overlapping pieces. Each loud piece names a note, by the first rule that applies:
//!
//! 1. *fundamental*: the piece repeats, and the partials that carry it are harmonics of a note that sounds itself, or of which four
//!    of the second to sixth do (a missing fundamental);
//! 2. *strike note* of a bell: partials at ½, 0.6 and either ¼ or ¾ of a nominal; the note is half the nominal. The tierce, 0.6, has
//!    no octave as the third of a minor chord of strings has \[Terhardt & Seewann 1984\];
//! 3. *strike note* of a kettledrum: partials near 1 : 1.5 : 2 and none at 3, of which the lowest is the note \[Rossing 1982\];
//! 4. *strongest* partial, of bars, glasses and plates.
//!
//! Where the pieces agree on a note of the kinds 2 to 4, it must be carried: the partials that make it hold half of the partials' power, the strongest one a third of it. Among the dozens of partials of a gong some lie at the places of
//! a bell's by chance, and the strongest is one of many; no listener hears a note there.
//!
//! Pieces without partials that stand out are noise. Where the pieces agree, that is the note; where they do not, there are several.

use super::partial::partial;
use super::{Peak, cents, period, settle};
use crate::spectrum::Spectrum;
use crate::{Sample, Window, finite};

/// Length of a piece and distance of their starts, seconds.
const PIECE_S: f64 = 0.5;
const HOP_S: f64 = 0.25;
/// Pieces this far below the loudest, as a share of its power (25 dB), decide nothing.
const QUIET: f64 = 3e-3;
/// Lowest and highest pitch, Hz.
const RANGE_HZ: (f64, f64) = (25.0, 12_000.0);
/// Partials further below the strongest than this are not heard as such, dB.
const PARTIAL_DB: f64 = 30.0;
/// Most partials used.
const PARTIALS: usize = 24;
/// Share of a piece's power that its strongest partials must hold; of noise they hold a few per cent.
const TONAL_SHARE: f64 = 0.3;
/// How well a piece must repeat to have a fundamental.
const CLARITY: f64 = 0.8;
/// Share of the partials' power that must be harmonic.
const HARMONIC_SHARE: f64 = 0.7;
/// A partial is a harmonic if it is this near, as a share.
const NEAR: f64 = 0.012;
/// Partials of bells and drums are this near to their place.
const ROUGHLY: f64 = 0.03;
/// Share of the partials' power that those of a strike note must hold …
const STRIKE_SHARE: f64 = 0.5;
/// … and that the strongest partial must hold to be a note.
const STRONGEST_SHARE: f64 = 1.0 / 3.0;
/// Partials of a bell and of a kettledrum, as ratios to the strike note.
const BELL: [f64; 5] = [0.5, 1.0, 1.2, 1.5, 2.0];
const DRUM: [f64; 3] = [1.0, 1.5, 2.0];
/// Pieces within this distance, cents, say the same note.
const SAME_CENTS: f64 = 60.0;
/// Share of all pieces, by weight, that must say the same note.
const AGREED: f64 = 0.6;
/// Noise bandwidth of the Nuttall window, bins of the unpadded transform.
const NUTTALL_BINS: f64 = 1.976;

/// How a note comes about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The sound repeats; its partials are harmonics.
    Fundamental,
    /// A bell or a kettledrum: partials that are no harmonics, but suggest one.
    Strike,
    /// The loudest of partials that are no harmonics.
    Strongest,
}

impl Kind {
    /// In one word, or two.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fundamental => "fundamental",
            Self::Strike => "strike note",
            Self::Strongest => "strongest partial",
        }
    }
}

/// What a listener would say about the pitch of a sound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Heard {
    /// One note.
    Note {
        /// Its frequency, Hz.
        hz: f64,
        /// How it comes about.
        kind: Kind,
    },
    /// More than one, one after the other, or one that glides.
    SeveralNotes,
    /// No partial stands out, or none that can be heard as a pitch.
    Noise,
    /// Nothing to be heard.
    Silence,
}

impl Heard {
    /// The note, Hz, if there is one.
    pub fn hz(&self) -> Option<f64> {
        match self {
            Self::Note { hz, .. } => Some(*hz),
            _ => None,
        }
    }

    /// Why there is no note.
    pub fn reason(&self) -> Option<&'static str> {
        match self {
            Self::Note { .. } => None,
            Self::SeveralNotes => Some("several notes"),
            Self::Noise => Some("no single pitch"),
            Self::Silence => Some("silence"),
        }
    }
}

/// One piece's vote.
struct Vote {
    start: usize,
    weight: f64,
    hz: f64,
    kind: Kind,
    /// Its partials hold enough of the piece's power.
    carried: bool,
}

/// The pitch of a sound as a listener would name it.
pub fn heard<S: Sample>(signal: &[S], sample_rate: f64) -> Heard {
    let signal = finite(signal);
    let length = ((PIECE_S * sample_rate) as usize).min(signal.len());
    let hop = ((HOP_S * sample_rate) as usize).max(1);
    let starts = (0..=signal.len() - length).step_by(hop);
    let power = |start: usize| signal[start..start + length].iter().map(|x| x * x).sum::<f64>();
    let pieces: Vec<(usize, f64)> = starts.map(|start| (start, power(start))).collect();
    let loudest = pieces.iter().fold(0.0f64, |most, piece| most.max(piece.1));
    if loudest < 1e-16 || length < 64 {
        return Heard::Silence;
    }
    let (mut votes, mut noise) = (Vec::new(), 0.0);
    for (start, power) in pieces.into_iter().filter(|piece| piece.1 > QUIET * loudest) {
        let weight = power.sqrt();
        match name(&signal[start..start + length], sample_rate) {
            Some((hz, kind, carried)) => votes.push(Vote { start, weight, hz, kind, carried }),
            None => noise += weight,
        }
    }
    let total: f64 = votes.iter().map(|vote| vote.weight).sum();
    if votes.is_empty() || noise > total {
        return Heard::Noise;
    }
    let share = |hz: f64| agreeing(&votes, hz).map(|vote| vote.weight).sum::<f64>() / total;
    let shares: Vec<f64> = votes.iter().map(|vote| share(vote.hz)).collect();
    let most = (0..votes.len()).max_by(|&a, &b| shares[a].total_cmp(&shares[b])).unwrap_or(0);
    if shares[most] < AGREED {
        // partials that take turns at being the strongest make no notes
        let named: f64 = votes.iter().filter(|vote| vote.kind != Kind::Strongest).map(|vote| vote.weight).sum();
        return if named > 0.5 * total { Heard::SeveralNotes } else { Heard::Noise };
    }
    let carried: f64 = agreeing(&votes, votes[most].hz).filter(|vote| vote.carried).map(|vote| vote.weight).sum();
    if carried < 0.5 * shares[most] * total {
        return Heard::Noise;
    }
    // the loudest of those that agree, measured exactly
    let loudest = agreeing(&votes, votes[most].hz).max_by(|a, b| a.weight.total_cmp(&b.weight));
    let best = loudest.unwrap_or(&votes[most]);
    let free = &signal[best.start..];
    let exact = match best.kind {
        Kind::Fundamental => settle(free, sample_rate, best.hz),
        Kind::Strike | Kind::Strongest => partial(free, sample_rate, best.hz).map_or(best.hz, |found| found.hz),
    };
    let hz = if cents(best.hz, exact).abs() < SAME_CENTS { exact } else { best.hz };
    Heard::Note { hz, kind: best.kind }
}

/// The votes for a note.
fn agreeing(votes: &[Vote], hz: f64) -> impl Iterator<Item = &Vote> {
    votes.iter().filter(move |vote| cents(hz, vote.hz).abs() < SAME_CENTS)
}

/// The note of one piece, and whether it is carried; `None` if it is noise.
fn name(piece: &[f64], sample_rate: f64) -> Option<(f64, Kind, bool)> {
    let spectrum = Spectrum::of(piece, sample_rate, Window::Nuttall);
    let inside = |peak: &Peak| peak.hz >= RANGE_HZ.0 && peak.hz <= RANGE_HZ.1;
    let peaks: Vec<Peak> = spectrum.peaks(-200.0, PARTIALS).into_iter().filter(inside).collect();
    let strongest = *peaks.first()?;
    let all: f64 = spectrum.amplitude.iter().map(|a| a * a).sum();
    let padding = 2.0 * spectrum.amplitude.len() as f64 / piece.len() as f64;
    let partials = Partials(peaks.into_iter().filter(|peak| peak.db > strongest.db - PARTIAL_DB).collect());
    let tonal: f64 = partials.0.iter().take(6).map(power).sum::<f64>() * NUTTALL_BINS * padding / all.max(1e-300);
    if tonal < TONAL_SHARE {
        return None;
    }
    let repeats = period(piece, sample_rate).filter(|found| found.1 >= CLARITY).map(|found| sample_rate / found.0);
    if let Some(hz) = repeats.filter(|&hz| partials.carry(hz)) {
        return Some((hz, Kind::Fundamental, true));
    }
    let strike = partials.bell().map(|hz| (hz, &BELL[..]));
    if let Some((hz, places)) = strike.or_else(|| partials.drum(strongest.hz).map(|hz| (hz, &DRUM[..]))) {
        let at = |place: &f64| place * hz;
        return Some((
            hz,
            Kind::Strike,
            partials.share(&places.iter().map(at).collect::<Vec<_>>(), ROUGHLY) >= STRIKE_SHARE,
        ));
    }
    Some((strongest.hz, Kind::Strongest, partials.share(&[strongest.hz], NEAR) >= STRONGEST_SHARE))
}

/// Power of a partial, of arbitrary unit.
fn power(peak: &Peak) -> f64 {
    libm::pow(10.0, 0.1 * peak.db)
}

/// What is heard of a piece as partials, strongest first.
struct Partials(Vec<Peak>);

impl Partials {
    fn near(&self, hz: f64, reach: f64) -> Option<&Peak> {
        self.0.iter().find(|peak| (peak.hz / hz - 1.0).abs() < reach)
    }

    fn there(&self, hz: f64) -> bool {
        self.near(hz, ROUGHLY).is_some()
    }

    /// Share of the power that lies at some of these frequencies.
    fn share(&self, places: &[f64], reach: f64) -> f64 {
        let counts = |peak: &&Peak| places.iter().any(|hz| (peak.hz / hz - 1.0).abs() < reach);
        self.0.iter().filter(counts).map(power).sum::<f64>() / self.0.iter().map(power).sum::<f64>()
    }

    /// True if they are harmonics of a note that sounds itself, or of which four of the second to sixth do.
    fn carry(&self, hz: f64) -> bool {
        let harmonic = |peak: &&Peak| {
            let number = (peak.hz / hz).round().max(1.0);
            (peak.hz / (number * hz) - 1.0).abs() < NEAR
        };
        let carried = self.0.iter().filter(harmonic).map(power).sum::<f64>() / self.0.iter().map(power).sum::<f64>();
        let numbers = (2..=6).filter(|&number| self.near(f64::from(number) * hz, NEAR).is_some()).count();
        carried > HARMONIC_SHARE && hz >= RANGE_HZ.0 && (self.near(hz, NEAR).is_some() || numbers >= 4)
    }

    /// The strike note of a bell.
    fn bell(&self) -> Option<f64> {
        let nominal = self.0.iter().find(|nominal| {
            let hz = nominal.hz;
            let tierce = self.there(0.6 * hz) && self.near(1.2 * hz, NEAR).is_none();
            self.there(0.5 * hz) && tierce && (self.there(0.25 * hz) || self.there(0.75 * hz))
        });
        nominal.map(|nominal| 0.5 * nominal.hz)
    }

    /// The strike note of a kettledrum: the lowest of three in its ratios, one of which is the strongest.
    fn drum(&self, strongest_hz: f64) -> Option<f64> {
        let places = [1.0, 1.0 / 1.5, 0.5].into_iter();
        let mut lowest = places.filter_map(|place| self.near(place * strongest_hz, ROUGHLY)).map(|peak| peak.hz);
        lowest.find(|&hz| {
            self.there(1.5 * hz) && self.there(2.0 * hz) && !self.there(0.5 * hz) && self.near(3.0 * hz, NEAR).is_none()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ictus_testkit::Draw;
    use std::f64::consts::TAU;

    const RATE: f64 = 48_000.0;

    /// Decaying partials (Hz, amplitude, T60), struck at the given times with all frequencies scaled.
    fn struck(partials: &[(f64, f64, f64)], strokes: &[(f64, f64)], seconds: f64) -> Vec<f64> {
        let at = |t: f64| {
            let stroke = |&(start, scale): &(f64, f64)| {
                let since = t - start;
                let mode = |&(hz, a, t60): &(f64, f64, f64)| {
                    a * libm::exp(-6.9078 * since / t60) * libm::sin(TAU * scale * hz * since)
                };
                if since < 0.0 { 0.0 } else { partials.iter().map(mode).sum::<f64>() }
            };
            strokes.iter().map(stroke).sum::<f64>()
        };
        (0..(seconds * RATE) as usize).map(|n| at(n as f64 / RATE)).collect()
    }

    fn assert_note(signal: &[f64], hz: f64, kind: Kind) {
        let found = heard(signal, RATE);
        let Heard::Note { hz: is, kind: how } = found else { panic!("{found:?} instead of {hz} Hz") };
        assert!(cents(hz, is).abs() < 20.0 && how == kind, "{found:?} instead of {hz} Hz, {kind:?}");
    }

    /// Hum, prime, tierce, quint, nominal and two above, the nominal of a church bell loudest.
    #[test]
    fn the_strike_note_of_a_bell_is_half_its_nominal() {
        let bell = [
            (220.0, 0.3, 9.0),
            (440.0, 0.25, 5.0),
            (528.0, 0.3, 4.0),
            (660.0, 0.1, 2.0),
            (880.0, 0.4, 2.5),
            (1320.0, 0.2, 1.0),
        ];
        assert_note(&struck(&bell, &[(0.1, 1.0)], 4.0), 440.0, Kind::Strike);
    }

    #[test]
    fn a_kettledrum_is_heard_at_its_principal_mode() {
        let drum = [(110.0, 0.5, 3.0), (165.5, 0.6, 2.0), (218.0, 0.4, 1.5), (268.0, 0.3, 1.0), (93.0, 0.1, 0.1)];
        assert_note(&struck(&drum, &[(0.1, 1.0), (1.2, 1.0)], 3.0), 110.0, Kind::Strike);
    }

    /// Partials of like strength at places without order, among which three lie as a kettledrum's.
    #[test]
    fn a_gong_has_no_note() {
        let mut draw = Draw::new(4);
        let mut gong: Vec<(f64, f64, f64)> =
            (0..40).map(|_| (100.0 * libm::pow(30.0, draw.uniform(0.0, 1.0)), draw.uniform(0.05, 0.1), 3.0)).collect();
        gong.extend([(400.0, 0.12, 3.0), (600.0, 0.1, 3.0), (800.0, 0.1, 3.0)]);
        let found = heard(&struck(&gong, &[(0.1, 1.0), (1.6, 1.0)], 3.0), RATE);
        assert_eq!(found.hz(), None, "{found:?}");
    }

    /// A rubbed glass swells; a hand bell has a twelfth.
    #[test]
    fn a_glass_and_a_hand_bell_are_heard_at_their_strongest_partial() {
        let swelling: Vec<f64> =
            (0..150_000).map(|n| (n as f64 / 150_000.0) * libm::sin(TAU * 660.0 * n as f64 / RATE)).collect();
        let found = heard(&swelling, RATE).hz().expect("a note");
        assert!(cents(660.0, found).abs() < 1.0, "{found}");
        let bell = [(523.25, 0.5, 4.0), (523.25 * 3.01, 0.2, 1.0), (523.25 * 4.6, 0.1, 0.5)];
        let found = heard(&struck(&bell, &[(0.0, 1.0), (1.5, 1.0)], 4.0), RATE).hz().expect("a note");
        assert!(cents(523.25, found).abs() < 5.0, "{found}");
    }

    #[test]
    fn a_phrase_has_several_notes_and_a_repeated_note_is_one() {
        let string: Vec<(f64, f64, f64)> = (1..10).map(|k| (196.0 * f64::from(k), 0.5 / f64::from(k), 0.8)).collect();
        let phrase = struck(&string, &[(0.0, 1.0), (1.0, 1.125), (2.0, 1.25), (3.0, 1.5)], 4.0);
        assert_eq!(heard(&phrase, RATE), Heard::SeveralNotes);
        assert_note(&struck(&string, &[(0.0, 1.0), (1.0, 1.0), (2.0, 1.0)], 3.0), 196.0, Kind::Fundamental);
    }

    #[test]
    fn noise_silence_and_subsonic_motion_have_no_pitch_but_a_reason() {
        let mut draw = Draw::new(1);
        let noise: Vec<f64> = (0..96_000).map(|_| draw.uniform(-0.5, 0.5)).collect();
        assert_eq!(heard(&noise, RATE).reason(), Some("no single pitch"));
        assert_eq!(heard(&[0.0f32; 48_000], RATE).reason(), Some("silence"));
        assert_eq!(heard::<f32>(&[], RATE), Heard::Silence);
        assert_eq!(heard(&[0.5f32; 7], RATE), Heard::Silence);
        let slow: Vec<f64> = (0..96_000).map(|n| libm::sin(TAU * 0.5 * n as f64 / RATE)).collect();
        assert_eq!(heard(&slow, RATE), Heard::Noise, "half a cycle per second is no pitch");
    }
}
