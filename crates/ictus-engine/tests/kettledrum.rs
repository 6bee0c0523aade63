//! The kettledrum that is promised: A2 with its fifth and octave, and a thud that goes first.

use ictus_analysis::{mono, pitch};
use ictus_engine::{Patch, Player, presets};
use ictus_instrument::ResonatorKind;

const RATE: u32 = 48_000;

fn first_second() -> (ictus_objects::Object, Vec<f64>) {
    let preset = presets::find("timpani").expect("a preset");
    let text: String =
        preset.text.lines().filter(|line| !line.starts_with("repeat =")).map(|line| format!("{line}\n")).collect();
    let loaded = ictus_instrument::load("timpani.toml", &text, &[]).expect("an instrument");
    let patch = Patch::compile(&loaded, RATE).expect("an instrument");
    let mut player = Player::new(&patch);
    let mut frames = vec![[0.0f32; 2]; RATE as usize];
    player.render(&mut frames);
    assert!(player.ledger().max_residual_rel() < 1e-12, "{:e}", player.ledger().max_residual_rel());
    let mut heads = loaded.spec.resonators.iter().filter_map(|resonator| match &resonator.kind {
        ResonatorKind::Object(object) => Some(object.description.build(1000.0, 60).expect("modes")),
        _ => None,
    });
    (heads.next().expect("a head"), mono(frames.as_flattened(), 2))
}

#[test]
fn the_principal_tone_leads_with_fifth_and_octave() {
    let (head, sound) = first_second();
    let rate = f64::from(RATE);
    let strongest = pitch::strongest(&sound, rate).expect("a partial");
    let cents = |from: f64, to: f64| pitch::cents(from, to);
    assert!(cents(110.0, strongest.hz).abs() < 3.0, "the strongest partial is {} Hz", strongest.hz);
    for (ratio, tolerance) in [(1.0, 3.0), (1.5, 15.0), (2.0, 15.0)] {
        let found = pitch::partial(&sound, rate, 110.0 * ratio).expect("a partial");
        let off = cents(110.0 * ratio, found.hz);
        println!(
            "{ratio}: {:.2} Hz, {off:+.1} cents, amplitude {:.4}, T60 {:?} s",
            found.hz,
            found.amplitude,
            found.t60_s()
        );
        assert!(off.abs() < tolerance, "{ratio}: {off} cents");
        // heard beside the principal tone: within 20 dB of it
        assert!(found.amplitude > 0.1 * strongest.amplitude, "{ratio}: {} of {}", found.amplitude, strongest.amplitude);
    }
    let decay = |label: (u32, u32)| head.modes.iter().find(|mode| mode.label == label).expect("a mode").decay_s;
    assert!(decay((0, 1)) < 0.25 * decay((1, 1)), "{} s, {} s", decay((0, 1)), decay((1, 1)));
    assert!(decay((1, 1)) < decay((2, 1)) && decay((2, 1)) < decay((3, 1)));
}
