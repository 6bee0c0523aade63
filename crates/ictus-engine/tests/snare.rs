//! The whole snare drum: its books close, its wires sizzle, and none of them sticks.

use ictus_analysis::Window;
use ictus_analysis::spectrum::Spectrum;
use ictus_engine::{Instrument, Performance, presets};
use ictus_instrument::load;

const RATE: u32 = 48_000;
const SECONDS: f64 = 1.0;

/// Plays the preset with settings; hands over the performance at the end and the sound of both sides.
fn play(settings: &[(&str, &str)], seconds: f64, look: impl FnOnce(&Instrument, &Performance)) -> Vec<f64> {
    let preset = presets::find("snare-wires").expect("the preset");
    let settings: Vec<(String, String)> = settings.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect();
    let loaded = load(preset.stem, preset.text, &settings).unwrap_or_else(|error| panic!("{error}"));
    let instrument = Instrument::compile(&loaded, RATE).unwrap_or_else(|error| panic!("{error}"));
    let mut performance = Performance::new(&instrument);
    let mut frames = vec![[0.0_f32; 2]; (seconds * f64::from(RATE)) as usize];
    performance.render(&mut frames);
    look(&instrument, &performance);
    frames.iter().map(|[left, right]| f64::from(left + right)).collect()
}

/// Level above 2 kHz, dB.
fn sizzle(sound: &[f64]) -> f64 {
    let spectrum = Spectrum::of(sound, f64::from(RATE), Window::Hann);
    let power: f64 =
        spectrum.points_db().iter().filter(|(hz, _)| *hz > 2000.0).map(|(_, db)| libm::pow(10.0, 0.1 * db)).sum();
    10.0 * libm::log10(power)
}

#[test]
fn wires_sizzle() {
    let mut least: f64 = 0.0;
    let on = play(&[], SECONDS, |instrument, performance| {
        let state = performance.state();
        assert!(state.ledger.max_residual_rel() < 1e-9, "{:e}", state.ledger.max_residual_rel());
        assert_eq!((state.counts.missed, state.counts.quarantined), (0, 0));
        assert!(instrument.contact_count() > 200, "ten wires with a row of contacts each");
    });
    let off = play(&[("snares.lift", "[[0, -0.01]]")], SECONDS, |instrument, performance| {
        let model = instrument.model();
        let names: Vec<String> = model.contact_names().map(str::to_owned).collect();
        for contact in names.iter().filter_map(|name| model.find_contact(name)) {
            least = least.min(performance.state().contact_force(contact));
        }
    });
    let (on, off) = (sizzle(&on), sizzle(&off));
    println!("above 2 kHz: {on:.1} dB with wires, {off:.1} dB with the strainer off");
    assert!(on - off >= 10.0, "{on} dB with wires, {off} dB without");
    assert!(least >= 0.0, "something pulls: {least} N");
}

/// After the last stroke the wires come to rest, and what their contacts hold is what they are pressed with: nothing.
#[test]
fn no_wire_sticks() {
    let once = [("accent.repeat.times", "1"), ("ghost.repeat.times", "1"), ("rimshot.at_s", "9")];
    play(&once, 2.5, |instrument, performance| {
        let (model, state) = (instrument.model(), performance.state());
        let peak = state.ledger.total.supplied.value();
        let names: Vec<String> =
            model.contact_names().filter(|name| name.starts_with("snares[")).map(str::to_owned).collect();
        assert!(names.len() > 200);
        let held: f64 = names
            .iter()
            .filter_map(|name| model.find_contact(name))
            .map(|contact| state.contact_energy(model, contact))
            .sum();
        println!("{held:e} J left in the contacts of {peak:e} J");
        assert!(held < 1e-6 * peak, "{held:e} J of {peak:e} J");
    });
}
