//! `ictus bench`.

use crate::common::{TempFolder, json, stderr, stdout};

const KEYS: [&str; 7] = ["against", "goal", "name", "pass", "ratio", "unit", "value"];

#[test]
fn lines_have_the_promised_shape() {
    let output = TempFolder::new().run(&["bench", "--json", "--quick", "x^2.3", "CLOCK", "1 mode,"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let report = json(&output);
    let lines = report.as_array().expect("an array");
    assert_eq!(lines.len(), 4, "{report:#}");
    for line in lines {
        let object = line.as_object().expect("an object");
        let mut keys: Vec<&str> = object.keys().map(String::as_str).collect();
        keys.sort_unstable();
        assert_eq!(keys, KEYS);
        assert!(line["name"].is_string() && line["unit"].is_string() && line["value"].as_f64() > Some(0.0), "{line}");
        let compared = line["against"].is_string();
        assert!(compared == line["ratio"].is_f64() && (compared || line["against"].is_null()), "{line}");
        assert_eq!(line["goal"].is_f64(), line["pass"].is_boolean(), "{line}");
    }
    assert_eq!(lines[1]["against"], "plain loop");
    let met = lines[1]["ratio"].as_f64() >= lines[1]["goal"].as_f64();
    assert_eq!(lines[1]["pass"], met, "{}", lines[1]);
}

#[test]
fn people_get_a_table_and_a_summary() {
    let output = TempFolder::new().run(&["bench", "--quick", "one after the other"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let table = stdout(&output);
    assert_eq!(table.lines().count(), 2, "{table}");
    assert!(table.contains("measured") && table.contains("libm"), "{table}");
    assert!(stderr(&output).contains("0 of 0 goals met"), "{}", stderr(&output));
}

#[test]
fn growth_and_presets_are_measured_on_request() {
    let output = TempFolder::new().run(&["bench", "--quick", "--json", "scale, 10 closed", "presets, marimba"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let report = json(&output);
    let names: Vec<&str> =
        report.as_array().expect("an array").iter().filter_map(|line| line["name"].as_str()).collect();
    assert_eq!(
        names,
        ["scale, 10 closed contacts on one body of 60 modes", "presets, marimba-bar", "presets, marimba-bar, audited"]
    );
}

#[test]
fn several_presets_have_a_summary() {
    let output = TempFolder::new().run(&["bench", "--quick", "presets, marimba", "presets, glockenspiel"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let words = stderr(&output);
    for how in ["2 presets without the ledger: mean load median ", "2 presets with the ledger: mean load median "] {
        assert!(words.contains(how), "expected {how} in\n{words}");
    }
}

#[test]
fn growth_is_drawn() {
    let folder = TempFolder::new();
    let output = folder.run(&["bench", "--quick", "scale, 1", "scale, 2 voices", "--plot", "pictures/growth"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let picture = std::fs::read(folder.path("pictures/growth/scale.png")).expect("a picture");
    assert!(picture.starts_with(b"\x89PNG") && picture.len() > 5000, "{} bytes", picture.len());
}

#[test]
fn without_curves_nothing_is_measured_to_draw() {
    let output = TempFolder::new().run(&["bench", "--quick", "clock", "--plot", "pictures"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("ictus bench scale --plot"), "{}", stderr(&output));
    assert!(stdout(&output).is_empty());
}

#[test]
fn a_name_that_fits_nothing_is_an_error_with_all_names() {
    let output = TempFolder::new().run(&["bench", "clock", "trombone"]);
    assert_eq!(output.status.code(), Some(2));
    let text = stderr(&output);
    for word in ["`trombone`", "contact, 30 modes, closed", "silent tail"] {
        assert!(text.contains(word), "expected {word} in\n{text}");
    }
    assert!(stdout(&output).is_empty());
}

#[test]
fn what_is_left_out_is_said() {
    let output = TempFolder::new().run(&["bench", "--quick", "--json", "pushed and heard"]);
    assert!(output.status.success());
    assert_eq!(json(&output), serde_json::json!([]));
    assert!(stderr(&output).contains("left out: "), "{}", stderr(&output));
}
