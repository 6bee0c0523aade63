//! The whole snare drum: its ledger closes, its wires sizzle, and none of them sticks.

use ictus_analysis::Window;
use ictus_analysis::spectrum::Spectrum;
use ictus_core::ContactId;
use ictus_engine::{Patch, Player, presets};
use ictus_instrument::load;

const RATE: u32 = 48_000;
const SECONDS: f64 = 1.0;

/// Frames of a block: a stroke keeps wires pressed for tens of them.
const BLOCK: usize = 8;

/// Plays the preset with settings; calls a closure with the player every [`BLOCK`] frames; returns the sum of both channels.
fn play(settings: &[(&str, &str)], seconds: f64, mut each: impl FnMut(&Patch, &Player)) -> Vec<f64> {
    let preset = presets::find("snare-wires").expect("the preset");
    let settings: Vec<(String, String)> = settings.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect();
    let loaded = load(preset.stem, preset.text, &settings).unwrap_or_else(|error| panic!("{error}"));
    let patch = Patch::compile(&loaded, RATE).unwrap_or_else(|error| panic!("{error}"));
    let mut player = Player::new(&patch);
    let mut frames = vec![[0.0_f32; 2]; (seconds * f64::from(RATE)) as usize];
    for block in frames.chunks_mut(BLOCK) {
        player.render(block);
        each(&patch, &player);
    }
    frames.iter().map(|[left, right]| f64::from(left + right)).collect()
}

/// The contacts between wires and head.
fn wire_contacts(patch: &Patch) -> Vec<ContactId> {
    let model = patch.model();
    model
        .contact_names()
        .filter(|name| name.starts_with("snares["))
        .filter_map(|name| model.find_contact(name))
        .collect()
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
    let (mut least, mut most, mut pressed) = (0.0f64, 0.0f64, 0);
    let mut contacts = Vec::new();
    let on = play(&[], SECONDS, |patch, player| {
        let state = player.state();
        if contacts.is_empty() {
            contacts = wire_contacts(patch);
        }
        for &contact in &contacts {
            let force = state.contact_force(contact);
            (least, most) = (least.min(force), most.max(force));
            pressed += usize::from(force > 0.0);
        }
        assert!(state.ledger.max_residual_rel() < 1e-9, "{:e}", state.ledger.max_residual_rel());
        assert_eq!((state.counts.missed, state.counts.quarantined), (0, 0));
    });
    assert!(contacts.len() > 200, "ten wires with a row of contacts each: {}", contacts.len());
    println!("wires: {least:e} to {most:e} N, pressed in {pressed} blocks");
    assert!(most > 1e-3 && pressed > 1000, "the wires hardly touch: at most {most} N, {pressed} blocks");
    assert!(least >= 0.0, "a wire pulls: {least} N");
    let off = play(&[("snares.lift", "[[0, -0.01]]")], SECONDS, |_, player| {
        let touching = contacts.iter().find(|&&contact| player.state().contact_force(contact) != 0.0);
        assert_eq!(touching, None, "a wire touches with the strainer off");
    });
    let (on, off) = (sizzle(&on), sizzle(&off));
    println!("above 2 kHz: {on:.1} dB with wires, {off:.1} dB with the strainer off");
    assert!(on - off >= 10.0, "{on} dB with wires, {off} dB without");
}

/// After the last stroke the wires come to rest, and what their contacts hold is what they are pressed with: nothing.
#[test]
fn no_wire_sticks() {
    let once = [("accent.repeat.times", "1"), ("ghost.repeat.times", "1"), ("rimshot.at_s", "9")];
    let mut held = (0.0f64, 0.0f64);
    let mut most: f64 = 0.0;
    play(&once, 2.5, |patch, player| {
        let (model, state) = (patch.model(), player.state());
        // the strokes are over after a second; before that something is held, afterwards nothing
        if !state.steps.is_multiple_of(100 * BLOCK as u64) {
            return;
        }
        let contacts = wire_contacts(patch);
        assert!(contacts.len() > 200);
        let now = contacts.iter().map(|&contact| state.contact_energy(model, contact)).sum();
        held = (now, state.ledger.total.supplied.value());
        most = most.max(now);
    });
    let (held, supplied) = held;
    println!("{held:e} J left in the contacts, {most:e} J at most, of {supplied:e} J");
    assert!(most > 0.0, "no wire was ever pressed");
    assert!(held < 1e-6 * supplied, "{held:e} J of {supplied:e} J");
}
