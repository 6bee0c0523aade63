//! Plans: the sound of a linked patch is that of a compiled one, and bytes that are no plan are refused.

use ictus_engine::{Patch, Plan, PlanError, Player, Results, presets};
use ictus_instrument::{Loaded, load};

const RATE: u32 = 48_000;

fn loaded(stem: &str, settings: &[(&str, &str)]) -> Loaded {
    let settings: Vec<(String, String)> = settings.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    load(stem, presets::find(stem).expect("a preset").text, &settings).expect("a valid file")
}

/// The first samples of a patch, as bits.
fn sound(patch: &Patch, frames: usize) -> Vec<u32> {
    let mut out = vec![[0.0f32; 2]; frames];
    Player::new(patch).render(&mut out);
    out.as_flattened().iter().map(|sample| sample.to_bits()).collect()
}

fn is_heard(bits: &[u32]) -> bool {
    bits.iter().any(|&bits| f32::from_bits(bits).abs() > 1e-5)
}

#[test]
fn every_preset_sounds_the_same_from_the_bytes_of_its_plan() {
    for preset in presets::ALL {
        let loaded = load(preset.stem, preset.text, &[]).expect("a preset loads");
        let plan = Plan::compile(&loaded, RATE).expect("a preset compiles");
        let bytes = plan.to_bytes();
        let read = Plan::from_bytes(&bytes).expect("its own bytes");
        assert_eq!(read.to_bytes(), bytes, "{}", preset.stem);
        let linked = read.link().expect("it links");
        let compiled = Patch::compile(&loaded, RATE).expect("a preset compiles");
        assert_eq!(sound(&linked, 2000), sound(&compiled, 2000), "{}", preset.stem);
        assert_eq!(linked.warnings().len(), compiled.warnings().len(), "{}", preset.stem);
    }
}

#[test]
fn a_plan_keeps_settings_and_sample_rate() {
    let loaded = loaded("marimba-bar", &[("hardness", "0.9"), ("seed", "7")]);
    let plan = Plan::compile(&loaded, 44_100).expect("it compiles");
    let linked = Plan::from_bytes(&plan.to_bytes()).expect("its own bytes").link().expect("it links");
    assert_eq!((linked.sample_rate(), plan.text()), (44_100, loaded.text()));
    let bits = sound(&linked, 20_000);
    assert!(is_heard(&bits));
    assert_eq!(bits, sound(&Patch::compile(&loaded, 44_100).expect("it compiles"), 20_000));
}

#[test]
fn results_serve_other_positions_of_knobs_without_changing_the_sound() {
    let results = Results::default();
    let at = |force: &str| loaded("tom", &[("force", force)]);
    Patch::compile_with(&at("0.2"), RATE, &results).expect("it compiles");
    Patch::compile_with(&loaded("marble-wood", &[]), RATE, &results).expect("it compiles");
    let kept = results.len();
    assert!(kept >= 2, "modes of the shapes and a rough profile: {kept}");
    Patch::compile_with(&loaded("marble-wood", &[]), RATE, &results).expect("it compiles");
    let again = Patch::compile_with(&at("0.9"), RATE, &results).expect("it compiles");
    assert_eq!(results.len(), kept, "nothing new was computed");
    let bits = sound(&again, 4000);
    assert!(is_heard(&bits));
    assert_eq!(bits, sound(&Patch::compile(&at("0.9"), RATE).expect("it compiles"), 4000));
    Patch::compile_with(&loaded("marble-wood", &[("seed", "99")]), RATE, &results).expect("it compiles");
    assert!(results.len() > kept, "another surface");
}

#[test]
fn results_do_not_outgrow_their_limit() {
    let results = Results::new(1000);
    Patch::compile_with(&loaded("marble-wood", &[]), RATE, &results).expect("it compiles");
    assert!(results.len() <= 1, "a profile takes a megabyte");
}

#[test]
fn bytes_that_are_no_plan_are_refused() {
    let bytes = Plan::compile(&loaded("marimba-bar", &[]), RATE).expect("it compiles").to_bytes();
    let refusal = |bytes: &[u8]| Plan::from_bytes(bytes).map(|_| ()).expect_err("damaged");
    assert_eq!(refusal(b"RIFF0000WAVE"), PlanError::NotAPlan);
    for end in 0..bytes.len() {
        let expected = if end < 8 { PlanError::NotAPlan } else { PlanError::Damaged };
        assert_eq!(refusal(&bytes[..end]), expected, "cut at {end}");
    }
    for place in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[place] ^= 0x10;
        refusal(&changed);
    }
    let version = bytes.windows(5).position(|window| window == b"ictus").expect("the magic word");
    let version = version + 8 + bytes[8..].windows(6).position(|window| window == b"ictus ").expect("the version");
    let mut other = bytes.clone();
    other[version] = b'I';
    let PlanError::OtherVersion { made_by } = refusal(&other) else { panic!("another engine made it") };
    assert!(made_by.starts_with("Ictus"), "{made_by}");
    assert_eq!(Plan::text_in(&other).expect("the text is there"), presets::find("marimba-bar").expect("a preset").text);
}
