//! `ictus sweep`.

use crate::common::{GOOD, TempFolder, json, stderr, stdout};

const SHORT: [&str; 10] =
    ["sweep", "good.toml", "--seconds", "0.02", "-n", "6", "--vary", "hardness=0..1", "-o", "set"];

#[test]
fn a_sweep_leaves_sounds_a_table_and_its_recipe() {
    let place = TempFolder::new();
    place.write("good.toml", GOOD);
    let output = place.run(&SHORT);
    let text = stderr(&output);
    assert!(output.status.success(), "{text}");
    assert!(stdout(&output).is_empty(), "words belong on stderr");
    for word in ["6 samples of Test bar", "1 key varied", "6 rendered", "samples/s", "wrote set"] {
        assert!(text.contains(word), "expected `{word}` in\n{text}");
    }
    for name in ["set/000/000005.wav", "set/table.csv", "set/sweep.json", "set/instrument.toml"] {
        assert!(place.path(name).is_file(), "{name}");
    }
    let table = std::fs::read_to_string(place.path("set/table.csv")).expect("the table");
    assert_eq!(table.lines().count(), 7);

    let output = place.run(&[&SHORT[..], &["--json"]].concat());
    let report = json(&output);
    assert_eq!((&report["samples"], &report["ok"], &report["found"]), (&6.into(), &6.into(), &6.into()));
    let output = place.run(&[&SHORT[..], &["--seed", "3"]].concat());
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("`seed` is 0 there and 3 now"), "{}", stderr(&output));
}

#[test]
fn bad_sweeps_are_refused_with_help() {
    let cases: &[(&str, &[&str], &[&str])] = &[
        ("no range", &["--vary", "hardness"], &["KEY=LOW..HIGH"]),
        ("backwards", &["--vary", "hardness=1..0"], &["not below"]),
        ("not a number", &["--vary", "hardness=nan..1"], &["finite"]),
        ("unknown key", &["--vary", "hardnes=0..1"], &["hardnes=0..1", "did you mean `hardness`"]),
        ("out of range", &["--vary", "mallet.mass_kg=-1g..1g"], &["mallet.mass_kg", "positive"]),
        ("no samples", &["-n", "0", "--vary", "hardness=0..1"], &["-n"]),
        ("no number", &["--vary", "hardness=0..1"], &["-n"]),
        (
            "no grid",
            &["-n", "7", "--order", "grid", "--vary", "hardness=0..1", "--vary", "bar.mass_kg=1..2"],
            &["-n 4"],
        ),
        ("no threads", &["-n", "2", "-j", "0", "--vary", "hardness=0..1"], &["--jobs"]),
        ("floats in FLAC", &["-n", "2", "--flac", "--format", "32f", "--vary", "hardness=0..1"], &["FLAC"]),
        ("nothing", &["-n", "2"], &["--vary"]),
    ];
    for (name, arguments, expected) in cases {
        let place = TempFolder::new();
        place.write("good.toml", GOOD);
        let output = place.run(&[&["sweep", "good.toml", "-o", "set"], *arguments].concat());
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{name}: {text}");
        assert!(expected.iter().all(|part| text.contains(part)), "{name}: {text}");
        assert!(!text.contains("panicked") && !place.path("set").exists(), "{name}: {text}");
    }
}

#[test]
fn folders_that_cannot_be_used_are_told() {
    let place = TempFolder::new();
    place.write("good.toml", GOOD);
    let run = |folder: &str| place.run(&[&SHORT[..8], &["-o", folder]].concat());
    for (folder, word) in [(".", "good.toml"), ("good.toml", "good.toml"), ("good.toml/set", "good.toml/set")] {
        let output = run(folder);
        assert_eq!(output.status.code(), Some(2), "{folder}");
        assert!(stderr(&output).contains(word), "{folder}: {}", stderr(&output));
    }
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_reported_and_the_sweep_resumes_later() {
    // a device that is always full
    if !std::path::Path::new("/dev/full").exists() {
        return;
    }
    let place = TempFolder::new();
    place.write("good.toml", GOOD);
    assert!(place.run(&SHORT).status.success());
    let sound = place.path("set/000/000002.wav");
    std::fs::remove_file(&sound).expect("removed");
    std::os::unix::fs::symlink("/dev/full", &sound).expect("a link");
    let output = place.run(&SHORT);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("000002.wav") && stderr(&output).contains("to resume"), "{}", stderr(&output));
    std::fs::remove_file(&sound).expect("removed");
    assert!(place.run(&SHORT).status.success(), "it resumes when there is space again");
}

#[test]
fn a_sweep_of_which_nothing_comes_out_fails() {
    let place = TempFolder::new();
    place.write("good.toml", GOOD.replace("format = 1", "format = 1\nscheme = \"leapfrog\""));
    let vary = ["--vary", "wire.points=5000,6000", "--vary", "wire.tension_n=90,100", "--order", "grid"];
    let output = place.run(&[&["sweep", "good.toml", "-o", "set", "--seconds", "0.01"], &vary[..]].concat());
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("every sample was rejected"), "{}", stderr(&output));
    let table = std::fs::read_to_string(place.path("set/table.csv")).expect("the table");
    assert_eq!(table.matches(",refused,").count(), 4, "{table}");
}

#[test]
fn the_recipe_of_the_book_works() {
    let page = include_str!("../../../../docs/book/src/sweep.md");
    let recipe = page.split("```").nth(1).and_then(|block| block.strip_prefix("sh\nictus ")).expect("a command");
    let words: Vec<&str> = recipe.split_whitespace().filter(|word| *word != "\\").collect();
    let words: Vec<&str> = words.iter().map(|word| if *word == "100" { "3" } else { word }).collect();
    let place = TempFolder::new();
    let output = place.run(&words);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stderr(&output).contains("3 rendered"), "{}", stderr(&output));
    assert!(page.contains("bars/table.csv") && place.path("bars/table.csv").is_file());
}
