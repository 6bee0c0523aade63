//! Materials, shapes and the modes they make.

use crate::common::{TempFolder, json, stderr, stdout};

#[test]
fn materials_and_shapes_are_listed() {
    let place = TempFolder::new();
    let output = place.run(&["list", "--materials"]);
    let text = stdout(&output);
    assert!(output.status.success() && text.contains("rosewood") && text.contains("T60"), "{text}");
    let list = json(&place.run(&["list", "--materials", "--json", "wood"]));
    let names: Vec<&str> = list.as_array().expect("a list").iter().filter_map(|m| m["name"].as_str()).collect();
    assert_eq!(names, ["rosewood", "plywood"]);
    assert!(list[0]["young_pa"].as_f64() > Some(1e9));
    let output = place.run(&["list", "--shapes"]);
    let text = stdout(&output);
    for entry in ictus_objects::shapes() {
        assert!(text.contains(entry.name), "{text}");
    }
    assert_eq!(json(&place.run(&["list", "--shapes", "tube", "--json"]))[0]["keys"][2]["default"], "open_closed");
    let output = place.run(&["list", "--materials", "unobtainium"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("no material matches `unobtainium`"));
}

#[test]
fn check_shows_the_modes_a_shape_has() {
    let place = TempFolder::new();
    place.write(
        "bar.toml",
        "format = 1\n[[resonator]]\nid = \"bar\"\nkind = \"modes\"\nmaterial = \"rosewood\"\nfrequency_hz = \"A3\"\ntuning = [1, 4]\n\
         shape = { bar = { length_m = 0.3, width_m = 0.04, thickness_m = 0.01 } }\nports = { middle = 0.5 }\n\
         [[gesture]]\nstrike = { what = \"bar.middle\", impulse_n_s = 0.01, duration_s = 0.001 }\n[[tap]]\nfrom = \"bar.middle\"\n",
    );
    let output = place.run(&["check", "bar.toml", "--modes"]);
    let text = stdout(&output);
    assert!(text.contains("220.00 A3") && text.contains("880.00 A5") && text.contains("middle"), "{text}");
    let report = json(&place.run(&["check", "bar.toml", "--modes", "--json", "--set", "bar.length_m=20 cm"]));
    let modes = &report["modes"][0]["modes"];
    assert!((modes[0]["frequency_hz"].as_f64().expect("a number") - 220.0).abs() < 1e-6);
    assert_eq!(modes[1]["shape"]["middle"], 0.0);
    let output = place.run(&["check", "bar.toml", "--set", "bar.material=rosewod"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("did you mean `rosewood`?"), "{}", stderr(&output));
}
