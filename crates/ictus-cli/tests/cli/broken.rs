//! Broken input: a clear error that fits one screen, exit code 2, no panic, no output file.

use crate::common::{GOOD, TempFolder, stderr};
use std::process::Output;

/// Lines of a terminal window.
const SCREEN: usize = 24;

fn assert_refused(place: &TempFolder, output: &Output, name: &str, expected: &[&str]) {
    let text = stderr(output);
    assert_eq!(output.status.code(), Some(2), "{name}: {text}");
    assert!(!text.contains("panicked"), "{name}: {text}");
    assert!(text.lines().count() <= SCREEN, "{name}: more than a screen\n{text}");
    for expected in expected {
        assert!(text.contains(expected), "{name}: expected `{expected}` in\n{text}");
    }
    let left: Vec<String> = place.files().into_iter().filter(|file| file.contains("wav")).collect();
    assert!(left.is_empty(), "{name}: left {left:?} behind");
}

/// Each row: a name, what to replace in the good file, with what, and what the error must say.
#[test]
fn broken_files_are_refused_with_help() {
    let cases: &[(&str, &str, &str, &[&str])] = &[
        ("bad toml", "format = 1", "format = = 1", &["broken.toml:1"]),
        ("unclosed string", "\"Test bar\"", "\"Test bar", &["broken.toml:2"]),
        ("missing format", "format = 1", "", &["format"]),
        ("future format", "format = 1", "format = 2", &["format", "1"]),
        ("unknown top-level key", "title =", "titel =", &["titel", "title"]),
        ("unknown key", "frequency_hz = [", "frequenzy_hz = [", &["frequenzy_hz", "frequency_hz"]),
        ("unknown kind", "kind = \"modes\"", "kind = \"mode\"", &["mode", "modes"]),
        ("missing key", "mass_kg = 0.02\n", "\n", &["mass_kg"]),
        (
            "negative mass",
            "mass_kg = 0.02",
            "mass_kg = -0.02",
            &["mallet.mass_kg", "-0.02", "positive", "broken.toml:7"],
        ),
        ("zero mass", "mass_kg = 0.02", "mass_kg = 0.0", &["mallet.mass_kg", "positive"]),
        ("not a number", "mass_kg = 0.02", "mass_kg = nan", &["mallet.mass_kg", "nan"]),
        ("infinite", "mass_kg = 0.02", "mass_kg = inf", &["mallet.mass_kg", "inf"]),
        ("wrong type", "mass_kg = 0.02", "mass_kg = true", &["mallet.mass_kg"]),
        ("list for a number", "mass_kg = 0.02", "mass_kg = [0.02]", &["mallet.mass_kg"]),
        ("wrong unit", "mass_kg = 0.02", "mass_kg = \"3 mm\"", &["mallet.mass_kg", "3 mm"]),
        ("negative decay", "[1.8, 0.7, 0.3]", "[1.8, -0.7, 0.3]", &["bar.decay_s[1]", "-0.7", "positive"]),
        ("list of another length", "[1.8, 0.7, 0.3]", "[1.8, 0.7]", &["bar", "decay_s", "3", "2"]),
        ("empty list", "[440.0, 1212.9, 2377.7]", "[]", &["frequency_hz"]),
        ("shape of another length", "strike = [1.0, -0.6, 0.3]", "strike = [1.0]", &["strike"]),
        ("zero length", "length_m = 0.65", "length_m = 0.0", &["wire.length_m", "positive"]),
        ("port off the string", "middle = 0.5", "middle = 1.5", &["middle", "1.5"]),
        ("too many points", "ports = { middle", "points = 1000000000\nports = { middle", &["points"]),
        ("unstable grid", "format = 1", "format = 1\nscheme = \"leapfrog\"", &[]),
        ("unknown port", "\"bar.strike\"]", "\"bar.stike\"]", &["stike", "strike"]),
        ("unknown body", "[\"mallet\",", "[\"malet\",", &["malet", "mallet"]),
        ("wall against wall", "[\"mallet\", \"bar.strike\"]", "[\"wall\", \"wall\"]", &["wall"]),
        ("same port twice", "[\"mallet\", \"bar.strike\"]", "[\"mallet\", \"mallet\"]", &["mallet"]),
        ("duplicate id", "id = \"bar\"", "id = \"mallet\"", &["mallet"]),
        ("exponent below one", "exponent = 2.3", "exponent = 0.5", &["exponent", "0.5"]),
        ("throwing what is no mass", "what = \"mallet\"", "what = \"bar\"", &["bar"]),
        ("tap of nothing", "from = \"bar.air\"", "from = \"air\"", &["air"]),
        ("force of a port", "gain = 2.0", "quantity = \"force\"", &["force"]),
        ("control of nothing", "contact.stiffness", "contact.stifness", &["stifness", "stiffness"]),
        ("control of itself", "contact.stiffness", "hardness.default", &["hardness"]),
        ("cyclic interaction id", "id = \"contact\"", "id = \"wall\"", &["wall"]),
        ("bad scheme", "format = 1", "format = 1\nscheme = \"leapfog\"", &["leapfog", "leapfrog"]),
        ("bad oversampling", "format = 1", "format = 1\noversampling = 3", &["oversampling", "3"]),
        ("endless", "format = 1", "format = 1\nseconds = 1e9", &["seconds"]),
    ];
    for (name, from, to, expected) in cases {
        assert!(GOOD.contains(from), "{name}: `{from}` is not in the good file");
        let mut text = GOOD.replacen(from, to, 1);
        if *name == "unstable grid" {
            text = text.replace("ports = { middle", "points = 5000\nports = { middle");
        }
        let place = TempFolder::new();
        place.write("broken.toml", &text);
        let output = place.run(&["render", "broken.toml", "-o", "out.wav"]);
        assert_refused(&place, &output, name, expected);
    }
}

#[test]
fn broken_bytes_are_refused() {
    let list = format!("[{}]", "1,".repeat(200_000));
    let many = GOOD.replace("[440.0, 1212.9, 2377.7]", &list);
    let cases: &[(&str, Vec<u8>, &[&str])] = &[
        ("empty file", Vec::new(), &["empty"]),
        ("only spaces", b"  \n\n".to_vec(), &[]),
        ("not text", vec![0xff, 0xfe, 0x00, 0x41], &["UTF-8"]),
        ("too many modes", many.into_bytes(), &["frequency_hz"]),
        ("deep nesting", [b"a = ".to_vec(), b"[".repeat(100_000)].concat(), &[]),
        ("too long", vec![b'#'; (16 << 20) + 1], &["16 MiB"]),
        ("a WAV", b"RIFF....WAVEfmt ".to_vec(), &[]),
    ];
    for (name, bytes, expected) in cases {
        let place = TempFolder::new();
        place.write("broken.toml", bytes);
        let output = place.run(&["render", "broken.toml", "-o", "out.wav"]);
        assert_refused(&place, &output, name, expected);
    }
}

#[test]
fn bad_usage_is_refused() {
    let cases: &[(&str, &[&str], &[&str])] = &[
        ("no such file", &["render", "nothing.toml"], &["nothing.toml"]),
        ("no such preset", &["render", "struk-bar"], &["struk-bar", "struck-bar"]),
        ("a folder", &["render", "."], &["folder"]),
        ("unwritable output", &["render", "good.toml", "-o", "no/such/folder/out.wav"], &["no/such/folder"]),
        ("output is a folder", &["render", "good.toml", "-o", "."], &[]),
        ("no seconds", &["render", "good.toml", "--seconds", "0"], &["--seconds"]),
        ("negative seconds", &["render", "good.toml", "--seconds", "-1"], &["--seconds"]),
        ("seconds not a number", &["render", "good.toml", "--seconds", "nan"], &["--seconds"]),
        ("endless", &["render", "good.toml", "--seconds", "1e12"], &["--seconds"]),
        ("absurd rate", &["render", "good.toml", "--sample-rate", "10"], &["sample rate", "10 Hz"]),
        ("no rate", &["render", "good.toml", "--sample-rate", "0"], &["sample rate"]),
        ("unknown setting", &["render", "good.toml", "--set", "hardnes=1"], &["hardnes", "hardness"]),
        ("setting out of range", &["render", "good.toml", "--set", "hardness=2"], &["hardness", "2"]),
        ("bad setting", &["render", "good.toml", "--set", "mallet.mass_kg=-1"], &["mallet.mass_kg", "-1", "--set"]),
        ("setting without value", &["render", "good.toml", "--set", "hardness"], &["KEY=VALUE"]),
        ("unknown command", &["rendr"], &["rendr", "render"]),
        ("unknown option", &["render", "--loud"], &["--loud"]),
        ("two on stdout", &["render", "good.toml", "-o", "-", "--json"], &["standard output"]),
        ("unknown preset to show", &["show", "zzz"], &["zzz"]),
        ("bad tolerance", &["audit", "good.toml", "--tolerance", "nan"], &["--tolerance"]),
    ];
    for (name, arguments, expected) in cases {
        let place = TempFolder::new();
        place.write("good.toml", GOOD);
        let output = place.run(arguments);
        assert_refused(&place, &output, name, expected);
    }
}

#[test]
fn a_folder_without_permission_gives_an_error_and_no_file() {
    // root may write anywhere, so a path through a file stands in for a locked folder
    let place = TempFolder::new();
    place.write("good.toml", GOOD);
    let output = place.run(&["render", "good.toml", "-o", "good.toml/out.wav"]);
    assert_refused(&place, &output, "a file for a folder", &["good.toml/out.wav"]);
    let output = place.run(&["render", "good.toml", "-o", "x.wav", "--plot", "good.toml/plots"]);
    assert_refused(&place, &output, "a file for the plot folder", &["good.toml/plots"]);
}
