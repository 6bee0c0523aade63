//! What each command does when all is well.

use crate::common::{GOOD, TempFolder, json, stderr, stdout};

#[test]
fn no_arguments_render_the_default_preset() {
    let place = TempFolder::new();
    let output = place.run(&[]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(place.files(), ["ictus.wav"]);
    let text = stderr(&output);
    for word in ["ictus.wav", "dBFS", "real time", "closes to", "energy"] {
        assert!(text.contains(word), "expected `{word}` in\n{text}");
    }
    assert!(stdout(&output).is_empty(), "words belong on stderr");
}

#[test]
fn render_json_has_the_promised_keys() {
    let place = TempFolder::new();
    place.write("good.toml", GOOD);
    let output = place.run(&["render", "good.toml", "--json", "--seconds", "0.5", "-o", "a.wav"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let report = json(&output);
    assert_eq!(report["instrument"], "Test bar");
    assert_eq!(report["sample_rate"], 48_000);
    assert_eq!(report["seconds"], 0.5);
    assert_eq!(report["finite"], true);
    assert_eq!(report["sha256"].as_str().map(str::len), Some(64));
    for key in ["peak_dbfs", "rms_dbfs", "realtime_factor"] {
        assert!(report[key].is_f64(), "{key}: {report}");
    }
    for key in ["max_stored_j", "supplied_j", "dissipated_j", "max_residual_rel"] {
        assert!(report["energy"][key].is_f64(), "{key}: {report}");
    }
    for key in ["iterations_mean", "iterations_max", "missed"] {
        assert!(report["solver"][key].is_number(), "{key}: {report}");
    }
    assert!(report["energy"]["max_residual_rel"].as_f64() < Some(1e-12));
    assert!(report["energy"]["supplied_j"].as_f64() > Some(0.02), "the mallet was thrown");
    assert!(report["solver"]["iterations_max"].as_u64() > Some(0), "the mallet touched the bar");
}

#[test]
fn the_same_file_and_seed_give_the_same_bytes() {
    let place = TempFolder::new();
    place.write(
        "good.toml",
        GOOD.replace("velocity_m_s = 1.5 }", "velocity_m_s = 1.5 }\nrepeat = { times = 3, every_s = 0.1, vary = 0.5 }"),
    );
    let hash = |extra: &[&str]| {
        let arguments = [&["render", "good.toml", "--json", "--seconds", "0.5", "-o", "a.wav"], extra].concat();
        json(&place.run(&arguments))["sha256"].clone()
    };
    assert_eq!(hash(&[]), hash(&[]));
    assert_eq!(hash(&["--seed", "7"]), hash(&["--set", "seed=7"]));
    assert_ne!(hash(&["--seed", "7"]), hash(&["--seed", "8"]), "the seed varies repeated strokes");
    assert_ne!(hash(&[]), hash(&["--set", "hardness=1"]));
    assert_ne!(hash(&[]), hash(&["--set", "mallet.mass_kg=30 g"]));
}

#[test]
fn formats_stems_and_plots_are_written() {
    let place = TempFolder::new();
    place.write(
        "good.toml",
        GOOD.replace(
            "[[control]]",
            "[[tap]]\nid = \"touch\"\nfrom = \"contact\"\nquantity = \"force\"\ngain = 0.001\n\n[[control]]",
        ),
    );
    let sizes = ["16", "24", "32f"].map(|format| {
        let output = place.run(&["render", "good.toml", "-q", "--format", format, "--seconds", "0.1", "-o", "a.wav"]);
        assert!(output.status.success() && output.stderr.is_empty(), "{}", stderr(&output));
        std::fs::metadata(place.path("a.wav")).expect("a.wav").len()
    });
    assert!(sizes[0] < sizes[1] && sizes[1] < sizes[2], "{sizes:?}");
    let output = place.run(&["render", "good.toml", "--seconds", "0.2", "-o", "b.wav", "--stems", "--plot", "plots"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(place.files(), ["a.wav", "b.tap.wav", "b.touch.wav", "b.wav", "good.toml", "plots"]);
    for name in ["waveform.png", "spectrogram.png", "energy.png"] {
        let bytes = std::fs::read(place.path("plots").join(name)).expect(name);
        assert!(bytes.starts_with(b"\x89PNG") && bytes.len() > 5000, "{name}");
    }
}

#[test]
fn standard_input_and_output_carry_instrument_and_sound() {
    let place = TempFolder::new();
    let output = place
        .command()
        .args(["render", "-", "-o", "-", "--seconds", "0.1"])
        .stdin({
            place.write("good.toml", GOOD);
            std::fs::File::open(place.path("good.toml")).expect("the file")
        })
        .output()
        .expect("the command starts");
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(output.stdout.starts_with(b"RIFF"));
    assert_eq!(place.files(), ["good.toml"]);
}

#[test]
fn audit_passes_and_fails_by_its_tolerance() {
    let place = TempFolder::new();
    place.write("good.toml", GOOD);
    let output = place.run(&["audit", "good.toml", "--seconds", "0.3"]);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    let text = stdout(&output);
    for word in ["mallet", "bar", "contact", "total", "pass", "closes to"] {
        assert!(text.contains(word), "expected `{word}` in\n{text}");
    }
    let output = place.run(&["audit", "good.toml", "--seconds", "0.3", "--tolerance", "0", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(json(&output)["pass"], false);
    assert_eq!(json(&output)["elements"].as_array().map(Vec::len), Some(4));
}

#[test]
fn check_list_show_and_schema_answer() {
    let place = TempFolder::new();
    place.write("good.toml", GOOD);
    let output = place.run(&["check", "good.toml"]);
    assert!(output.status.success() && stdout(&output).contains("  ok\n"), "{}", stderr(&output));
    let output = place.run(&["list", "--json"]);
    let list = json(&output);
    assert!(list.as_array().is_some_and(|list| list.iter().any(|preset| preset["id"] == "struck-bar")), "{list}");
    let output = place.run(&["show", "struck-bar"]);
    place.write("mine.toml", stdout(&output));
    let output = place.run(&["check", "mine.toml"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let output = place.run(&["schema"]);
    assert!(json(&output)["properties"]["resonator"].is_object());
}

#[test]
fn absurd_parameters_end_finite_with_exit_code_3() {
    let place = TempFolder::new();
    place.write("good.toml", GOOD);
    let output = place.run(&[
        "render",
        "good.toml",
        "--json",
        "--seconds",
        "0.1",
        "-o",
        "a.wav",
        "--set",
        "throw.velocity_m_s=1e200",
    ]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let report = json(&output);
    assert_eq!(report["finite"], false);
    assert!(report["solver"]["quarantined"].as_u64() > Some(0), "{report}");
}

#[test]
fn rejected_forces_are_reported() {
    let place = TempFolder::new();
    let string = "format = 1\n[[resonator]]\nid = \"wire\"\nkind = \"string\"\nlength_m = 0.65\ndensity_kg_m = 6e-3\ntension_n = 100\n\
                  ports = { pull = 0.1, listen = 0.9 }\n[[tap]]\nfrom = \"wire.listen\"\n\
                  [[gesture]]\npluck = { what = \"wire.pull\", force_n = 1e200, duration_s = \"1 ms\" }\n";
    place.write("wire.toml", string);
    let output = place.run(&["render", "wire.toml", "--seconds", "0.1", "-o", "a.wav"]);
    assert!(output.status.success() && stderr(&output).contains("out of range or not finite"), "{}", stderr(&output));
    let report = json(&place.run(&["render", "wire.toml", "--seconds", "0.1", "-o", "a.wav", "--json"]));
    assert!(report["solver"]["refused_forces"].as_u64() > Some(10), "{report}");
}

#[cfg(target_os = "linux")]
#[test]
fn memory_stays_flat_over_an_hour() {
    let place = TempFolder::new();
    place.write("good.toml", GOOD);
    let peak_kb = |seconds: &str| {
        let mut child = place
            .command()
            .args(["render", "good.toml", "-q", "--sample-rate", "4000", "--seconds", seconds, "-o", "/dev/null"])
            .spawn()
            .expect("the command starts");
        let status = format!("/proc/{}/status", child.id());
        let mut peak = 0;
        while child.try_wait().expect("a child").is_none() {
            let text = std::fs::read_to_string(&status).unwrap_or_default();
            let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            peak = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(0).max(peak);
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        assert!(child.wait().expect("a child").success());
        peak
    };
    let (minutes, hour) = (peak_kb("300"), peak_kb("3600"));
    assert!(minutes > 0, "the short render ended before it was interrupted");
    assert!(hour < minutes + 2048, "{minutes} kB after five minutes, {hour} kB after an hour");
}

#[test]
fn a_string_on_a_grid_can_be_filmed() {
    let place = TempFolder::new();
    place.write(
        "good.toml",
        GOOD.replace(
            "[[control]]",
            "[[gesture]]\npluck = { what = \"wire.middle\", displacement_m = 0.002 }\n\n[[control]]",
        ),
    );
    let output = place.run(&["film", "good.toml", "--to", "0.002", "--frames", "4", "--out", "film"]);
    assert!(output.status.success(), "{}", stderr(&output));
    for name in ["wire-filmstrip.png", "wire-filmstrip.svg", "wire.apng"] {
        assert!(std::fs::metadata(place.path("film").join(name)).is_ok_and(|file| file.len() > 2000), "{name}");
    }
    let left = std::fs::read_dir(place.path("film")).expect("the folder").count();
    assert_eq!(left, 3, "nothing else is left behind");
    let output = place.run(&["film", "good.toml", "--from", "2", "--to", "1"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
}
