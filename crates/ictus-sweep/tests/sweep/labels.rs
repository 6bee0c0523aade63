//! What the table says is what a render of the same parameters does.

use crate::common::{BAR, columns, contents, plan, run};
use ictus_analysis::{level, wav};
use ictus_engine::{Patch, Player};
use ictus_sweep::{Container, Plan, Sweep};
use tempfile::tempdir;

fn number(text: &str) -> f64 {
    text.parse().unwrap_or_else(|_| panic!("`{text}` is not a number"))
}

#[test]
fn rows_agree_with_a_render_of_their_own() {
    let place = tempdir().expect("a folder");
    let plan = plan(&["hardness=0..1", "throw.velocity_m_s=0.5 m/s..4 m/s:log", "bar.mass_kg=50 g,200 g"], 6);
    let sweep = Sweep::new(plan.clone()).expect("a plan");
    run(&plan, place.path(), 2).expect("a sweep");
    let table = columns(place.path());
    for index in 0..6 {
        let cell = |name: &str| table[name][index as usize].as_str();
        let values = sweep.values(index);
        let keys = ["hardness", "throw.velocity_m_s", "bar.mass_kg"];
        assert!(keys.iter().zip(&values).all(|(key, value)| cell(key) == value));
        assert!(["0.05", "0.2"].contains(&cell("bar.mass_kg")), "in SI");
        let settings: Vec<_> =
            keys.iter().zip(&values).map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
        let loaded = ictus_instrument::load("bar.toml", BAR, &settings).expect("it loads");
        let patch = Patch::compile(&loaded, 48_000).expect("it compiles");
        let mut player = Player::new(&patch);
        let (mut samples, mut peak, mut contacts, mut steps) = (Vec::new(), 0.0f64, 0, 0);
        for _ in 0..2400 {
            let mut frame = [[0.0f32; 2]];
            player.render(&mut frame);
            samples.extend(frame[0]);
            let force = player.state().contact_force(patch.interactions()[0]).abs();
            peak = peak.max(force);
            contacts += u64::from(force > 0.0 && steps == 0);
            steps += u64::from(force > 0.0);
        }
        assert!(peak > 1.0, "the mallet touched the bar");
        assert_eq!((cell("index"), cell("status"), cell("error")), (index.to_string().as_str(), "ok", ""));
        assert_eq!((number(cell("length_s")), cell("pitch_hz")), (0.05, ""));
        assert_eq!(number(cell("peak_force_n")), peak);
        assert_eq!(number(cell("peak_force_n.felt")), peak);
        assert_eq!((number(cell("contacts")), contacts), (1.0, 1), "one blow");
        assert!((number(cell("contact_s")) * 48_000.0 - steps as f64).abs() < 1e-6);
        let ledger = player.ledger();
        assert_eq!(number(cell("energy_peak_j")), ledger.peak);
        let thrown = 0.5 * 0.02 * number(cell("throw.velocity_m_s")) * number(cell("throw.velocity_m_s"));
        assert!((number(cell("energy_in_j")) / thrown - 1.0).abs() < 1e-12, "the mallet's ½ m v²");
        let left = number(cell("energy_in_j")) - number(cell("energy_lost_j")) - number(cell("energy_left_j"));
        assert!(left.abs() < 1e-12 * thrown);
        assert!(number(cell("residual")) < 1e-12);
        assert!((number(cell("peak_dbfs")) - level::peak_dbfs(&samples).expect("a level")).abs() < 6e-4);
        assert!((number(cell("lufs")) - level::loudness_lufs(&samples, 2, 48_000.0).expect("a loudness")).abs() < 6e-4);
        let file = wav::read_file(&place.path().join(cell("file"))).expect("the sound");
        let expected =
            wav::to_bytes(wav::Format { channels: 2, sample_rate: 48_000, encoding: plan.encoding }, &samples);
        assert_eq!(file, wav::read(expected.expect("a WAV").as_slice()).expect("read"));
    }
}

#[test]
fn flac_files_have_the_same_table() {
    let place = tempdir().expect("a folder");
    let (wav, flac) = (place.path().join("wav"), place.path().join("flac"));
    let plan = Plan { pitch: true, seconds: Some(0.3), ..plan(&["hardness=0..1"], 3) };
    run(&plan, &wav, 1).expect("a sweep");
    run(&Plan { container: Container::Flac, ..plan }, &flac, 2).expect("a sweep");
    let text = |folder| std::fs::read_to_string(std::path::Path::join(folder, "table.csv")).expect("the table");
    assert_eq!(text(&wav), text(&flac).replace(".flac", ".wav"));
    assert!(columns(&wav)["pitch_hz"].iter().all(|hz| (number(hz) / 440.0 - 1.0).abs() < 1e-3));
    let sounds: Vec<String> = contents(&flac).into_keys().filter(|name| name.contains('/')).collect();
    assert_eq!(sounds, ["000/000000.flac", "000/000001.flac", "000/000002.flac"]);
}

#[test]
fn length_seed_and_settings_can_be_varied_and_set() {
    let place = tempdir().expect("a folder");
    let mut plan = plan(&["seconds=0.01..0.02", "seed=1..100:int"], 5);
    plan.settings = vec![("hardness".into(), "1".into())];
    run(&plan, place.path(), 2).expect("a sweep");
    let table = columns(place.path());
    for (varied, length) in table["seconds"].iter().zip(&table["length_s"]) {
        assert!((number(varied) - number(length)).abs() <= 0.5 / 48_000.0);
    }
    assert!(table["seed"].iter().all(|seed| (1..=100).contains(&seed.parse::<i32>().expect("a whole number"))));
}
