//! Parameters that make no instrument.

use crate::common::{BAR, plan, run};
use ictus_sweep::{Plan, Summary, Sweep, TABLE};
use tempfile::tempdir;

#[test]
fn refused_samples_get_a_row_and_the_others_go_on() {
    let place = tempdir().expect("a folder");
    let string = BAR.replace("format = 1", "format = 1\nscheme = \"leapfrog\"").replace(
        "[[gesture]]",
        "[[resonator]]\nid = \"wire\"\nkind = \"string\"\nlength_m = 0.65\ntension_n = 80\ndensity_kg_m = 0.005\n\
         points = 40\nports = { middle = 0.5 }\n[[tap]]\nfrom = \"wire.middle\"\n[[gesture]]",
    );
    // 400 points are too fine for an explicit string of the higher tensions
    let plan = Plan { text: string, ..plan(&["wire.points=40,400", "wire.tension_n=10,80,300"], 6) };
    let plan = Plan { order: ictus_sweep::Order::Grid, ..plan };
    let summary = run(&plan, place.path(), 2).expect("a sweep");
    let text = std::fs::read_to_string(place.path().join(TABLE)).expect("the table");
    assert!(summary.refused > 0 && summary.ok > 0 && summary.done() == 6, "{summary:?}\n{text}");
    let refused: Vec<&str> = text.lines().filter(|line| line.contains(",refused,")).collect();
    assert_eq!(refused.len() as u64, summary.refused);
    assert!(refused.iter().all(|line| line.contains(",,refused,400,") && line.contains("wire")), "{text}");
    assert!(!place.path().join("000/000005.wav").exists());
    assert_eq!(run(&plan, place.path(), 1).expect("nothing to do"), Summary { found: 6, ..summary });
}

#[test]
fn plans_that_cannot_work_are_refused_at_once() {
    let cases: &[(&[&str], &[&str])] = &[
        (&[], &["nothing is varied"]),
        (&["hardnes=0..1"], &["hardnes=0..1", "hardnes"]),
        (&["hardness=0..2"], &["hardness", "expected a number from 0 to 1"]),
        (&["hardness=0..1", "hardness=0..0.5"], &["twice"]),
        (&["mallet.mass_kg=-1..1"], &["mallet.mass_kg", "positive"]),
        (&["mallet.mass=1..2"], &["mass"]),
        (&["mallet.mass_kg=1m..2m"], &["mallet.mass_kg", "does not measure that"]),
        (&["bar=0..1"], &["bar"]),
        (&["bar.decay_s[7]=0..1"], &["bar.decay_s[7]"]),
        (&["felt.method=gradient,gradiant"], &["gradiant"]),
        (&["oversampling=1..4"], &["oversampling"]),
        (&["format=1,2"], &["format"]),
    ];
    for (vary, parts) in cases {
        let error = Sweep::new(plan(vary, 10)).expect_err(&format!("{vary:?}")).to_string();
        assert!(parts.iter().all(|part| error.contains(part)), "{vary:?}: {error}");
        assert!(!error.contains("--set"), "{vary:?}: {error}");
    }
    let base = plan(&["hardness=0..1"], 10);
    let set = vec![("hardness".to_owned(), "0.5".to_owned())];
    let others: [(&str, Plan); 5] = [
        ("at least one sample", Plan { count: Some(0), ..base.clone() }),
        ("number of samples", Plan { count: None, ..base.clone() }),
        ("--seconds", Plan { seconds: Some(f64::NAN), ..base.clone() }),
        ("both set and varied", Plan { settings: set, ..base.clone() }),
        ("sample rate", Plan { sample_rate: 10, ..base }),
    ];
    for (part, plan) in others {
        let error = Sweep::new(plan).expect_err(part).to_string();
        assert!(error.contains(part), "{part}: {error}");
    }
}

#[test]
fn controls_named_like_columns_are_refused() {
    let text = BAR.replace("id = \"hardness\"", "id = \"lufs\"");
    let error = Sweep::new(Plan { text, ..plan(&["lufs=0..1"], 3) }).expect_err("a clash").to_string();
    assert!(error.contains("column"), "{error}");
}
