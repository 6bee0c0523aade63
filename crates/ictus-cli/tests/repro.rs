//! `ictus repro`: exit codes, lists, JSON, settings.

use assert_cmd::Command;

fn repro(arguments: &[&str]) -> (Option<i32>, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let output =
        Command::cargo_bin("ictus").unwrap().arg("repro").args(arguments).current_dir(&folder).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn the_list_has_one_line_per_figure() {
    let (code, out, _) = repro(&["--list"]);
    assert_eq!(code, Some(0));
    for id in [
        "cw14-2",
        "cw14-3",
        "cw14-4",
        "d21-1",
        "d21-2",
        "d21-3",
        "d21-4",
        "d21-5",
        "d21-6",
        "d21-7",
        "d21-10",
        "so8-8.3",
        "so8-8.7",
        "so8-8.9",
        "fr-energy",
        "rb14-9",
    ] {
        assert_eq!(out.lines().filter(|line| line.split_whitespace().next() == Some(id)).count(), 1, "{id}");
    }
}

#[test]
fn json_is_an_array_with_an_object_per_figure() {
    let (code, out, _) = repro(&["d21-2", "--json"]);
    assert_eq!(code, Some(0));
    let figures: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(figures[0]["figure"], "d21-2");
    let metric = &figures[0]["metrics"][0];
    for field in ["name", "claim", "reference", "measured", "tolerance", "pass"] {
        assert!(!metric[field].is_null(), "{field}");
    }
}

#[test]
fn a_changed_parameter_is_measured_but_not_judged() {
    let (code, out, _) = repro(&["d21-2", "--json", "--set", "mass=0.02"]);
    assert_eq!(code, Some(0));
    let figures: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert!(figures[0]["metrics"][0]["pass"].is_null());
    assert_eq!(figures[0]["set"]["mass"], 0.02);
}

#[test]
fn mistakes_end_with_2_and_a_way_out() {
    for (arguments, said) in [
        (&["d21-11"][..], "did you mean `d21-1`"),
        (&[][..], "--list"),
        (&["d21-2", "--set", "weight=3"][..], "mass"),
        (&["d21-2", "--set", "mass=heavy"][..], "positive number"),
        (&["d21-2", "--set", "mass"][..], "KEY=VALUE"),
    ] {
        let (code, out, error) = repro(arguments);
        assert_eq!(code, Some(2), "{arguments:?}");
        assert!(error.contains(said), "{arguments:?}: {error}");
        assert!(out.is_empty());
    }
}

#[test]
fn a_small_map_is_drawn_and_told() {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::cargo_bin("ictus")
        .unwrap()
        .args(["map", "schelleng", "--json", "--set", "columns=2", "--set", "rows=3", "--set", "x_from=0.1"])
        .current_dir(&folder)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let map: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let cells = map["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 6);
    // a middling force a tenth from the end is what violinists use
    assert_eq!(cells[1]["regime"], "Helmholtz", "{cells:?}");
    assert!(folder.path().join("map/schelleng.png").exists() && folder.path().join("map/schelleng.csv").exists());
    for bad in
        [vec!["map", "chladni"], vec!["map", "schelleng", "--set", "rows=1"], vec!["map", "guettler", "--set", "x=1"]]
    {
        let output = Command::cargo_bin("ictus").unwrap().args(&bad).current_dir(&folder).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{bad:?}");
    }
}
