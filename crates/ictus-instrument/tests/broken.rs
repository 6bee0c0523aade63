//! Broken files: every rule, with the code, the line and the words of its error.

use crate::common::{BAR, EVERYTHING, SURFACES, TANPURA};
use ictus_instrument::{Error, load};

/// Makes one edit to a file that is otherwise valid.
fn broken(text: &str, from: &str, to: &str) -> Error {
    assert!(text.contains(from), "the file has no {from:?}");
    match load("broken.toml", &text.replacen(from, to, 1), &[]) {
        Err(error) => error,
        Ok(_) => panic!("{from:?} -> {to:?} loads"),
    }
}

pub type Case = (&'static str, &'static str, &'static str, usize, &'static str, &'static str);

/// Each case: from, to, code, line, part of the message, part of the help.
pub fn check(text: &str, cases: &[Case]) {
    for (from, to, code, line, message, help) in cases {
        let error = broken(text, from, to);
        let got = (error.code(), error.line_column().map_or(0, |p| p.0));
        assert_eq!(got, (*code, *line), "{to:?}: {error}");
        assert!(error.message().contains(message), "{to:?}: {error}");
        assert!(error.help_text().unwrap_or_default().contains(help), "{to:?}: help {:?}", error.help_text());
        assert!(!error.is_warning() && error.file() == "broken.toml");
    }
}

#[test]
#[rustfmt::skip] // One case per line reads as a table.
fn the_top_level() {
    check(
        BAR,
        &[
            ("format = 1", "", "instrument::missing_key", 0, "`format` is missing", "format = 1"),
            ("format = 1", "format = 2", "instrument::format", 1, "`format` is 2, expected 1", ""),
            ("format = 1", "format = \"1\"", "instrument::format", 1, "`format` is \"1\", expected 1", ""),
            ("format = 1", "format = ", "instrument::syntax", 1, "line 1 is not valid TOML", ""),
            ("title = ", "titel = ", "instrument::unknown_key", 2, "the top level has no key `titel`", "did you mean `title`?"),
            ("title = ", "title = 3 #", "instrument::wrong_type", 2, "`title` is 3, expected text in quotes", ""),
            ("title = ", "oversampling = 3 #", "instrument::out_of_range", 2, "`oversampling` is 3, expected 1, 2, 4 or 8", ""),
            ("title = ", "seed = -1 #", "instrument::out_of_range", 2, "`seed` is -1, expected a whole number", ""),
            ("title = ", "seed = 18446744073709551616 #", "instrument::out_of_range", 2, "`seed` is 18446744073709551616", ""),
            ("title = ", "seconds = 0 #", "instrument::out_of_range", 2, "`seconds` is 0, expected a positive time", ""),
            ("title = ", "seconds = 3601 #", "instrument::out_of_range", 2, "at most 3600 s", ""),
            ("title = ", "gravity_m_s2 = nan #", "instrument::out_of_range", 2, "`gravity_m_s2` is NaN, expected a finite acceleration", ""),
            ("title = ", "scheme = \"midpiont\" #", "instrument::unknown_value", 2, "expected one of `midpoint`, `leapfrog`", "did you mean `midpoint`?"),
            ("title = ", "title = 1\ntitle = ", "instrument::syntax", 3, "duplicate key", ""),
            ("[[gesture]]", "[gesture]", "instrument::wrong_type", 24, "`gesture` is a table, expected a list", "[[gesture]]"),
            ("[[tap]]\nfrom = \"bar.air\"\nquantity = \"velocity\"", "", "instrument::missing_key", 0, "the file has no `[[tap]]`", ""),
        ],
    );
    let error = load("empty.toml", "format = 1", &[]).expect_err("no resonator");
    assert!(error.message().contains("the file has no `[[resonator]]`"), "{error}");
}

#[test]
#[rustfmt::skip] // One case per line reads as a table.
fn the_preset_block() {
    check(
        EVERYTHING,
        &[
            ("\"Everything, All At Once\"", "\"Everything, All At Once And More\"", "instrument::out_of_range", 11, "`preset.name` has 32 characters", ""),
            ("\"Prepared\"", "\"prepared\"", "instrument::unknown_value", 12, "`preset.category` is \"prepared\"", "did you mean `Prepared`?"),
            ("category = \"Prepared\"", "", "instrument::missing_key", 10, "`preset.category` is missing", ""),
            ("\"dense\"", "7", "instrument::wrong_type", 13, "`preset.tags[1]` is 7, expected text", ""),
        ],
    );
}

#[test]
#[rustfmt::skip] // One case per line reads as a table.
fn ids() {
    check(
        BAR,
        &[
            ("id = \"mallet\"", "", "instrument::missing_key", 4, "`resonator[0].id` is missing", ""),
            ("id = \"mallet\"", "id = 3", "instrument::wrong_type", 5, "`resonator[0].id` is 3, expected text", ""),
            ("id = \"mallet\"", "id = \"bar\"", "instrument::duplicate_id", 10, "the id `bar` is used twice, by a resonator and a resonator", ""),
            ("id = \"hardness\"", "id = \"bar\"", "instrument::duplicate_id", 33, "by a resonator and a control", ""),
            ("id = \"mallet\"", "id = \"a.b\"", "instrument::bad_name", 5, "the id \"a.b\" is not usable, expected 1 to 64 letters", ""),
            ("id = \"mallet\"", "id = \"\"", "instrument::bad_name", 5, "the id \"\" is not usable", ""),
            ("id = \"mallet\"", "id = \"a234567890123456789012345678901234567890123456789012345678901234-\"", "instrument::bad_name", 5, "is not usable", ""),
            ("id = \"mallet\"", "id = \"wall\"", "instrument::bad_name", 5, "the id `wall` is reserved", ""),
            ("id = \"mallet\"", "id = \"seed\"", "instrument::bad_name", 5, "the id `seed` is reserved", ""),
        ],
    );
}

#[test]
#[rustfmt::skip] // One case per line reads as a table.
fn masses_and_modes() {
    check(
        BAR,
        &[
            ("kind = \"mass\"", "kind = \"masss\"", "instrument::unknown_value", 6, "`mallet.kind` is \"masss\", expected one of `mass`, `modes`, `string`", "did you mean `mass`?"),
            ("kind = \"mass\"", "", "instrument::missing_key", 4, "`mallet.kind` is missing", ""),
            ("mass_kg = 0.02", "mass_kg = 0", "instrument::out_of_range", 7, "`mallet.mass_kg` is 0, expected a positive mass", ""),
            ("mass_kg = 0.02", "mass_kg = inf", "instrument::out_of_range", 7, "`mallet.mass_kg` is inf, expected a finite mass", ""),
            ("mass_kg = 0.02", "mass_kg = true", "instrument::wrong_type", 7, "`mallet.mass_kg` is true, expected a number in kg, or text such as \"20 g\"", ""),
            ("mass_kg = 0.02", "mass_kg = 2026-01-01", "instrument::wrong_type", 7, "`mallet.mass_kg` is 2026-01-01", ""),
            ("mass_kg = 0.02", "mass_kg = \"3 m\"", "instrument::unit", 7, "`mallet.mass_kg` is \"3 m\", expected a mass in kg, such as \"20 g\"", ""),
            ("mass_kg = 0.02", "mass_kg = 1\nstiffness_n_m = -1", "instrument::out_of_range", 8, "`mallet.stiffness_n_m` is -1, expected a stiffness of zero or more", ""),
            ("mass_kg = 0.02", "", "instrument::missing_key", 4, "`mallet.mass_kg` is missing", "mass_kg = \"20 g\""),
            ("mass_kg = 0.02", "mass_kg = 1\nports = {}", "instrument::unknown_key", 8, "`mallet` has no key `ports`", ""),
            ("frequency_hz = [", "freqency_hz = [", "instrument::unknown_key", 12, "`bar` has no key `freqency_hz`", "did you mean `frequency_hz`?"),
            ("[440.0, ", "[-440.0, ", "instrument::out_of_range", 12, "`bar.frequency_hz[0]` is -440, expected a frequency of zero or more", ""),
            ("[440.0, 1212.9, 2377.7]", "[]", "instrument::length", 12, "`bar.frequency_hz` is a list of 0, expected 1 to 100000 frequencies", ""),
            ("[440.0, 1212.9, 2377.7]", "440.0", "instrument::wrong_type", 12, "`bar.frequency_hz` is 440, expected a list", ""),
            ("[440.0, 1212.9", "[440.0, \"H4\"", "instrument::unit", 12, "`bar.frequency_hz[1]` is \"H4\", expected a frequency in Hz, such as \"A4\"", ""),
            ("0.7, 0.3]", "-0.7, 0.3]", "instrument::out_of_range", 13, "`bar.decay_s[1]` is -0.7, expected a positive time", ""),
            ("0.7, 0.3]", "nan, 0.3]", "instrument::out_of_range", 13, "`bar.decay_s[1]` is NaN, expected a positive time", ""),
            ("[1.8, 0.7, 0.3]", "0", "instrument::out_of_range", 13, "`bar.decay_s` is 0, expected a positive time", ""),
            ("[1.8, 0.7, 0.3]", "true", "instrument::wrong_type", 13, "expected a number or a list of numbers", ""),
            ("[1.8, 0.7, 0.3]", "[1.8, 0.7]", "instrument::length", 13, "`bar.decay_s` has 2 values, but `bar.frequency_hz` has 3", ""),
            ("[0.11, 0.11, 0.11]", "[0.11]", "instrument::length", 14, "`bar.mass_kg` has 1 values, but `bar.frequency_hz` has 3", ""),
            ("[0.11, 0.11, 0.11]", "[[0.11], 1, 1]", "instrument::wrong_type", 14, "`bar.mass_kg[0]` is a list of 1, expected a number in kg", ""),
            ("[0.8, 0.5, 0.2]", "[0.8, 0.5]", "instrument::length", 15, "`bar.ports.air` has 2 values, but `bar.frequency_hz` has 3", ""),
            ("[0.8, 0.5, 0.2]", "[0.8, 0.5, inf]", "instrument::out_of_range", 15, "`bar.ports.air[2]` is inf, expected a finite number", ""),
            ("air = [0.8", "\"a.b\" = [0.8", "instrument::bad_name", 15, "`bar.ports` has the name \"a.b\"", ""),
            ("ports = {", "discretisation = \"exakt\"\nports = {", "instrument::unknown_value", 15, "`bar.discretisation` is \"exakt\"", "did you mean `exact`?"),
        ],
    );
}

#[test]
#[rustfmt::skip] // One case per line reads as a table.
fn strings() {
    check(
        EVERYTHING,
        &[
            ("length_m = 0.65", "length_m = \"3 kg\"", "instrument::unit", 43, "`wire.length_m` is \"3 kg\", expected a length in m, such as \"3 mm\"", ""),
            ("frequency_hz = \"E2\"", "frequency_hz = \"E2\"\ntension_n = 80", "instrument::conflict", 45, "`wire` has both `tension_n` and `frequency_hz`", ""),
            ("frequency_hz = \"E2\"", "", "instrument::missing_key", 40, "`wire` has neither `tension_n` nor `frequency_hz`", ""),
            ("frequency_hz = \"E2\"", "frequency_hz = 1e200", "instrument::out_of_range", 45, "asks for a tension of inf N", ""),
            ("[100, 8.0]]", "[2000, 8.0]]", "instrument::out_of_range", 47, "`wire.decay` gives 2000 Hz twice", ""),
            ("[[2000, 0.5]", "[[2000, 9]", "instrument::out_of_range", 47, "expected the higher frequency to decay no slower", ""),
            ("[[2000, 0.5]", "[[2000, -1]", "instrument::out_of_range", 47, "`wire.decay[0][1]` is -1, expected a positive time", ""),
            ("[[2000, 0.5]", "[[\"3 s\", 0.5]", "instrument::unit", 47, "`wire.decay[0][0]` is \"3 s\", expected a frequency", ""),
            ("[[2000, 0.5], ", "[", "instrument::wrong_type", 47, "`wire.decay` is a list of 1, expected a list of 2", ""),
            ("kelvin_voigt_s = 1e-8", "damping_1_s = 1", "instrument::conflict", 47, "both `decay` and damping coefficients", ""),
            ("scheme = \"midpoint\"", "scheme = \"leapfrog\"", "instrument::conflict", 48, "`wire.kelvin_voigt_s` is 1e-8, which the leapfrog scheme cannot do", ""),
            ("points = 200", "points = 2", "instrument::out_of_range", 50, "`wire.points` is 2, expected a whole number from 3 to 100000", ""),
            ("points = 200", "points = 200.0", "instrument::wrong_type", 50, "`wire.points` is 200, expected a whole number", ""),
            ("bridge = 0.98", "bridge = 1", "instrument::out_of_range", 51, "`wire.ports.bridge` is 1, expected a number strictly between 0 and 1", ""),
            ("bridge = 0.98", "bridge = [1]", "instrument::wrong_type", 51, "`wire.ports.bridge` is a list of 1, expected a number", ""),
        ],
    );
}

#[test]
#[rustfmt::skip] // One case per line reads as a table.
fn interactions() {
    check(
        BAR,
        &[
            ("[\"mallet\", \"bar.strike\"]", "[\"malet\", \"bar.strike\"]", "instrument::unknown_reference", 19, "`malet-bar.strike.between[0]` is \"malet\", but there is no resonator `malet`", "did you mean `mallet`? (resonators: `mallet`, `bar`)"),
            ("[\"mallet\", \"bar.strike\"]", "[\"mallet\", \"bar.strik\"]", "instrument::unknown_reference", 19, "`bar` has no port `strik`", "did you mean `strike`? (ports of `bar`: `strike`, `air`)"),
            ("[\"mallet\", \"bar.strike\"]", "[\"mallet\", \"bar\"]", "instrument::unknown_reference", 19, "`bar` needs a port", "write one of `bar.strike`, `bar.air`"),
            ("[\"mallet\", \"bar.strike\"]", "[\"mallet.x\", \"bar.strike\"]", "instrument::unknown_reference", 19, "`mallet` is a mass with one port", "write `mallet`"),
            ("[\"mallet\", \"bar.strike\"]", "[\"wall\", \"wall\"]", "instrument::conflict", 19, "`wall-wall` is between two walls, expected at least one port", ""),
            ("[\"mallet\", \"bar.strike\"]", "[\"mallet\", \"mallet\"]", "instrument::conflict", 19, "`mallet-mallet` is between `mallet` and itself", ""),
            ("[\"mallet\", \"bar.strike\"]", "[\"mallet\"]", "instrument::wrong_type", 19, "`interaction[0].between` is a list of 1, expected a list of 2", ""),
            ("[\"mallet\", \"bar.strike\"]", "\"mallet\"", "instrument::wrong_type", 19, "`interaction[0].between` is \"mallet\", expected a list of 2", ""),
            ("exponent = 2.3", "exponent = 0.9", "instrument::out_of_range", 21, "`mallet-bar.strike.exponent` is 0.9, expected a number from 1 to 5", ""),
            ("gap_m = 0.001", "gap_m = \"1 ms\"", "instrument::unit", 22, "`ms` does not measure that", ""),
            ("gap_m = 0.001", "damping_s_m = 1\nmethod = \"quadratised\"", "instrument::conflict", 22, "`mallet-bar.strike.damping_s_m` is 1, but the quadratised methods have no damping", "gradient"),
            ("kind = \"collision\"", "kind = \"spring\"", "instrument::unknown_key", 20, "has no key `stiffness`", "did you mean `stiffness_n_m`?"),
        ],
    );
    // The knob of the bar drives the contact, so a bad stiffness needs a file without it.
    let plain = &BAR[..BAR.find("[[control]]").expect("the control")];
    check(
        plain,
        &[
            ("4.0e8", "-4.0e8", "instrument::out_of_range", 20, "`mallet-bar.strike.stiffness` is -4e8, expected a positive number", ""),
            ("4.0e8", "\"3 N/m\"", "instrument::wrong_type", 20, "`mallet-bar.strike.stiffness` is \"3 N/m\", expected a number", ""),
            ("stiffness = 4.0e8", "", "instrument::missing_key", 17, "`mallet-bar.strike.stiffness` is missing", ""),
        ],
    );
    check(
        EVERYTHING,
        &[(
            "stiffness_n_m = \"2 kN/m\"\ndamping_n_s_m = 0.01",
            "stiffness_n_m = 0",
            "instrument::out_of_range",
            79,
            "`wire.bridge-bar.air` has no stiffness and no damping",
            "",
        )],
    );
}

#[test]
#[rustfmt::skip] // One case per line reads as a table.
fn modal_strings() {
    check(
        TANPURA,
        &[
            ("modes = 60", "modes = 0", "instrument::out_of_range", 15, "`wire.modes` is 0, expected a whole number from 1 to 100000", ""),
            ("modes = 60", "modes = 100001", "instrument::out_of_range", 15, "`wire.modes` is 100001", ""),
            ("modes = 60", "modes = [440]", "instrument::wrong_type", 15, "`wire.modes` is a list of 1, expected a whole number", ""),
            ("modes = 60", "points = 60\nmodes = 60", "instrument::conflict", 16, "`wire` has both `points` and `modes`, expected one of them", ""),
        ],
    );
}

#[test]
#[rustfmt::skip] // One case per line reads as a table.
fn barriers() {
    check(
        TANPURA,
        &[
            ("[[barrier]]\nid = \"bridge\"\non = \"wire\"", "[[barrier]]\nid = \"bridge\"\non = \"wier\"", "instrument::unknown_reference", 28, "`bridge.on` is \"wier\", but there is no such string", "did you mean `wire`? (strings: `wire`, `neck`)"),
            ("id = \"bridge\"\non = \"wire\"", "id = \"bridge\"\non = \"ball\"", "instrument::unknown_reference", 28, "`bridge.on` is \"ball\", but only a string can have a barrier", "strings: `wire`, `neck`"),
            ("id = \"bridge\"\non = \"wire\"", "id = \"bridge\"\non = \"wire.end\"", "instrument::unknown_reference", 28, "there is no such string", "did you mean `wire`?"),
            ("id = \"bridge\"\non = \"wire\"", "id = \"bridge\"\non = \"frets\"", "instrument::unknown_reference", 28, "`bridge.on` is \"frets\", but there is no such string", ""),
            ("id = \"bridge\"\non = \"wire\"", "id = \"bridge\"", "instrument::missing_key", 26, "`bridge.on` is missing", ""),
            ("id = \"bridge\"", "id = \"neck\"", "instrument::duplicate_id", 27, "the id `neck` is used twice, by a resonator and a barrier", ""),
            ("id = \"bridge\"", "id = \"b.1\"", "instrument::bad_name", 27, "the id \"b.1\" is not usable", ""),
            ("[[barrier]]\nid = \"bridge\"", "[barrier]\nid = \"bridge\"", "instrument::syntax", 35, "", ""),
            ("profile = {", "# profile = {", "instrument::missing_key", 26, "`bridge` has no shape, expected one of `flat`, `profile`, `frets`, `points`", ""),
            ("profile = {", "flat = { height_m = 0 }\nprofile = {", "instrument::conflict", 26, "`bridge` has `flat`, `profile`, expected exactly one of `flat`, `profile`, `frets`, `points`", ""),
            ("profile = {", "shape = {", "instrument::unknown_key", 29, "`bridge` has no key `shape`", ""),
            ("density = 1e10", "densty = 1e10", "instrument::unknown_key", 31, "`bridge` has no key `densty`", "did you mean `density`?"),
            ("density = 1e10", "side = \"left\"", "instrument::unknown_value", 31, "`bridge.side` is \"left\", expected one of `below`, `above`", ""),
            ("density = 1e10", "", "instrument::missing_key", 26, "`bridge` has neither `stiffness` nor `density`", ""),
            ("density = 1e10", "density = 1e10\nstiffness = 1", "instrument::conflict", 31, "`bridge` has both `stiffness` and `density`, expected one of them", ""),
            ("density = 1e10", "density = 0", "instrument::out_of_range", 31, "`bridge.density` is 0, expected a positive number", ""),
            ("density = 1e10", "stiffness = -1", "instrument::out_of_range", 31, "`bridge.stiffness` is -1, expected a positive number", ""),
            ("exponent = 1.3", "exponent = 5.1", "instrument::out_of_range", 32, "`bridge.exponent` is 5.1, expected a number from 1 to 5", ""),
            ("damping_s_m = 0.5", "damping_s_m = -0.5", "instrument::out_of_range", 33, "`bridge.damping_s_m` is -0.5, expected a damping of zero or more", ""),
            ("damping_s_m = 0.5", "damping_s_m = 0.5\nmethod = \"quadratised\"", "instrument::conflict", 33, "`bridge.damping_s_m` is 0.5, but the quadratised methods have no damping, expected 0", "gradient"),
            ("damping_s_m = 0.5", "method = \"newton\"", "instrument::unknown_value", 33, "expected one of `gradient`, `quadratised`, `quadratised_corrected`", ""),
            ("to = 0.03", "to = 0", "instrument::out_of_range", 30, "`bridge.to` is 0, expected more than `from`, 0", ""),
            ("to = 0.03", "to = 1.03", "instrument::out_of_range", 30, "`bridge.to` is 1.03, expected a number from 0 to 1", ""),
            ("to = 0.03", "from = 1", "instrument::out_of_range", 30, "`bridge.from` is 1, expected less than `to`, 1", ""),
            ("from = 0.04", "from = 0.05", "instrument::out_of_range", 39, "`barrier.to` is 0.05, expected more than `from`, 0.05", ""),
            ("from = 0.04", "from = \"4 mm\"", "instrument::wrong_type", 38, "`barrier.from` is \"4 mm\", expected a number", ""),
        ],
    );
}

#[test]
#[rustfmt::skip] // One case per line reads as a table.
fn shapes_of_barriers() {
    check(
        TANPURA,
        &[
            ("flat = { height_m = \"-1 mm\" }", "flat = {}", "instrument::missing_key", 37, "`barrier.flat.height_m` is missing", "height_m = \"3 mm\""),
            ("flat = { height_m = \"-1 mm\" }", "flat = { height_m = inf }", "instrument::out_of_range", 37, "`barrier.flat.height_m` is inf, expected a finite length", ""),
            ("flat = { height_m = \"-1 mm\" }", "flat = { height_m = \"1 s\" }", "instrument::unit", 37, "`barrier.flat.height_m` is \"1 s\", expected a length in m", ""),
            ("flat = { height_m = \"-1 mm\" }", "flat = -0.001", "instrument::wrong_type", 37, "`barrier.flat` is -0.001, expected a table", ""),
            ("flat = { height_m = \"-1 mm\" }", "flat = { height_m = 0, count = 3 }", "instrument::unknown_key", 37, "`barrier.flat` has no key `count`", ""),
            ("[\"-0.1 mm\", 0.01, -4.0]", "[]", "instrument::length", 29, "`bridge.profile.height_m` is a list of 0, expected 1 to 8 coefficients", ""),
            ("[\"-0.1 mm\", 0.01, -4.0]", "[1, 2, 3, 4, 5, 6, 7, 8, 9]", "instrument::length", 29, "`bridge.profile.height_m` is a list of 9, expected 1 to 8 coefficients", ""),
            ("[\"-0.1 mm\", 0.01, -4.0]", "-0.001", "instrument::wrong_type", 29, "`bridge.profile.height_m` is -0.001, expected a list", ""),
            ("\"-0.1 mm\", 0.01", "nan, 0.01", "instrument::out_of_range", 29, "`bridge.profile.height_m[0]` is NaN, expected a finite length", ""),
            ("\"-0.1 mm\", 0.01", "0, inf", "instrument::out_of_range", 29, "`bridge.profile.height_m[1]` is inf, expected a finite number", ""),
            ("\"-0.1 mm\", 0.01", "0, \"1 mm\"", "instrument::wrong_type", 29, "`bridge.profile.height_m[1]` is \"1 mm\", expected a number", ""),
            ("count = 3", "count = 0", "instrument::out_of_range", 46, "`frets.frets.count` is 0, expected a whole number from 1 to 48", ""),
            ("count = 3", "count = 49", "instrument::out_of_range", 46, "`frets.frets.count` is 49, expected a whole number from 1 to 48", ""),
            ("height_m = \"-1.5 mm\"", "height_m = [0, 0]", "instrument::length", 46, "`frets.frets.height_m` has 2 values, but `frets.frets.count` is 3", ""),
            ("height_m = \"-1.5 mm\"", "height_m = [0, \"1 kg\", 0]", "instrument::unit", 46, "`frets.frets.height_m[1]` is \"1 kg\", expected a length", ""),
            ("height_m = \"-1.5 mm\"", "height_m = true", "instrument::wrong_type", 46, "`frets.frets.height_m` is true, expected a number or a list of numbers", ""),
            ("stiffness = 1e9", "stiffness = 1e9\nfrom = 0.1", "instrument::conflict", 48, "`frets` has `from`, which goes with `flat` or `profile`, not with `frets`", ""),
            ("stiffness = 1e9", "stiffness = 1e9\nto = 0.1", "instrument::conflict", 48, "`frets` has `to`, which goes with `flat` or `profile`, not with `frets`", ""),
            ("stiffness = 1e9", "density = 1e9", "instrument::conflict", 47, "`frets` has `density`, which goes with `flat` or `profile`, not with `frets`", ""),
            ("stiffness = 1e7", "density = 1e7", "instrument::conflict", 53, "`barrier#2` has `density`, which goes with `flat` or `profile`, not with `points`", ""),
            ("[[0.2, \"1 mm\"], [0.7, 2e-3]]", "[]", "instrument::length", 52, "`barrier#2.points` is a list of 0, expected 1 to 2000 points", ""),
            ("[0.7, 2e-3]", "[0.2, 2e-3]", "instrument::out_of_range", 52, "`barrier#2.points[1][0]` is 0.2, expected a position after 0.2", ""),
            ("[0.7, 2e-3]", "[1, 2e-3]", "instrument::out_of_range", 52, "`barrier#2.points[1][0]` is 1, expected a number strictly between 0 and 1", ""),
            ("[[0.2, ", "[[0, ", "instrument::out_of_range", 52, "`barrier#2.points[0][0]` is 0, expected a number strictly between 0 and 1", ""),
            ("[0.7, 2e-3]", "[0.7, \"2 s\"]", "instrument::unit", 52, "`barrier#2.points[1][1]` is \"2 s\", expected a length", ""),
            ("[0.7, 2e-3]", "[\"7 mm\", 2e-3]", "instrument::wrong_type", 52, "`barrier#2.points[1][0]` is \"7 mm\", expected a number", ""),
            ("[0.7, 2e-3]", "0.7", "instrument::wrong_type", 52, "`barrier#2.points[1]` is 0.7, expected a list of 2", ""),
            ("[[0, 0], [\"0.5 s\", \"0.4 mm\"]]", "[]", "instrument::length", 41, "`barrier.lift` is a list of 0, expected at least 1 point", ""),
            ("[\"0.5 s\", \"0.4 mm\"]", "[0, \"0.4 mm\"]", "instrument::out_of_range", 41, "`barrier.lift[1][0]` is 0, expected a time after 0 s", ""),
            ("[\"0.5 s\", \"0.4 mm\"]", "[\"0.5 s\", \"0.4 N\"]", "instrument::unit", 41, "`barrier.lift[1][1]` is \"0.4 N\", expected a length", ""),
            ("lift = [[0, 0]", "lift = [[-1, 0]", "instrument::out_of_range", 41, "`barrier.lift[0][0]` is -1, expected a time of zero or more", ""),
        ],
    );
}

#[test]
#[rustfmt::skip] // One case per line reads as a table.
fn fingers() {
    check(
        TANPURA,
        &[
            ("[[finger]]\non = \"neck\"", "[[finger]]\non = \"ball\"", "instrument::unknown_reference", 56, "`finger.on` is \"ball\", but only a string can be pressed", "strings: `wire`, `neck`"),
            ("[[finger]]\non = \"neck\"", "[[finger]]\non = \"nek\"", "instrument::unknown_reference", 56, "`finger.on` is \"nek\", but there is no such string", "did you mean `neck`?"),
            ("position = 0.13", "", "instrument::missing_key", 55, "`finger.position` is missing", ""),
            ("position = 0.13", "position = 1", "instrument::out_of_range", 57, "`finger.position` is 1, expected a number strictly between 0 and 1", ""),
            ("position = 0.13", "position = \"3 mm\"", "instrument::wrong_type", 57, "`finger.position` is \"3 mm\", expected a number or a curve [[s, number], …]", ""),
            ("position = 0.13", "position = []", "instrument::length", 57, "`finger.position` is a list of 0, expected at least 1 point", ""),
            ("[\"1 s\", 0.25]", "[\"0 s\", 0.25]", "instrument::out_of_range", 63, "`finger#2.position[1][0]` is \"0 s\", expected a time after 0 s", ""),
            ("[\"1 s\", 0.25]", "[\"1 s\", 0]", "instrument::out_of_range", 63, "`finger#2.position[1][1]` is 0, expected a number strictly between 0 and 1", ""),
            ("[\"1 s\", 0.25]", "0.25", "instrument::wrong_type", 63, "`finger#2.position[1]` is 0.25, expected a list of 2", ""),
            ("side = \"below\"", "side = \"behind\"", "instrument::unknown_value", 62, "`finger#2.side` is \"behind\", expected one of `below`, `above`", ""),
            ("[[0, 0], [0.1, \"4 N\"], [1, 0]]", "[]", "instrument::length", 58, "`finger.force` is a list of 0, expected at least 1 point", ""),
            ("[[0, 0], [0.1, \"4 N\"], [1, 0]]", "3", "instrument::wrong_type", 58, "`finger.force` is 3, expected a list", ""),
            ("[0.1, \"4 N\"]", "[0.1, -4]", "instrument::out_of_range", 58, "`finger.force[1][1]` is -4, expected a force of zero or more", ""),
            ("[0.1, \"4 N\"]", "[0.1, \"4 m\"]", "instrument::unit", 58, "`finger.force[1][1]` is \"4 m\", expected a force in N", ""),
            ("[1, 0]]", "[0.1, 0]]", "instrument::out_of_range", 58, "`finger.force[2][0]` is 0.1, expected a time after 0.1 s", ""),
            ("position = 0.13", "position = 0.13\nmass_kg = 0", "instrument::out_of_range", 58, "`finger.mass_kg` is 0, expected a positive mass", ""),
            ("position = 0.13", "position = 0.13\ndamping_n_s_m = -1", "instrument::out_of_range", 58, "`finger.damping_n_s_m` is -1, expected a damping of zero or more", ""),
            ("position = 0.13", "position = 0.13\nstiffness = 0", "instrument::out_of_range", 58, "`finger.stiffness` is 0, expected a positive number", ""),
            ("position = 0.13", "position = 0.13\nexponent = 0.5", "instrument::out_of_range", 58, "`finger.exponent` is 0.5, expected a number from 1 to 5", ""),
            ("position = 0.13", "position = 0.13\ndamping_s_m = -1", "instrument::out_of_range", 58, "`finger.damping_s_m` is -1", ""),
            ("position = 0.13", "position = 0.13\nradius_m = 0", "instrument::out_of_range", 58, "`finger.radius_m` is 0, expected a positive length", ""),
            ("position = 0.13", "position = 0.13\nwidth_m = 0", "instrument::out_of_range", 58, "`finger.width_m` is 0, expected a positive length", ""),
            ("position = 0.13", "position = 0.13\nheight_m = nan", "instrument::out_of_range", 58, "`finger.height_m` is NaN, expected a finite length", ""),
            ("position = 0.13", "position = 0.13\nhold_n_m = 0", "instrument::out_of_range", 58, "`finger.hold_n_m` is 0, expected a positive stiffness", ""),
            ("position = 0.13", "position = 0.13\nmethod = \"gradient\"", "instrument::unknown_key", 58, "`finger` has no key `method`", ""),
            ("from = \"bridge\"\nquantity = \"force\"", "from = \"bridge\"", "instrument::unknown_reference", 69, "`tap#2.from` is \"bridge\", a barrier, which has only a force", "quantity = \"force\""),
            ("from = \"finger#2\"\nquantity = \"force\"", "from = \"finger#2\"", "instrument::unknown_reference", 73, "`tap#3.from` is \"finger#2\", a finger, which has only a force", "quantity = \"force\""),
            ("from = \"bridge\"", "from = \"brige\"", "instrument::unknown_reference", 69, "`tap#2.from` is \"brige\", but only interactions, barriers and fingers have a force", "did you mean `bridge`? (contacts: `wire.pluck-ball`, `bridge`, `barrier`, `frets`, `barrier#2`, `finger`, `finger#2`)"),
        ],
    );
    let wall = TANPURA.replace("\"ball\"]", "\"bridge\"]");
    let error = load("broken.toml", &wall, &[]).expect_err("a barrier is no port");
    assert!(error.message().contains("there is no resonator `bridge`"), "{error}");
}

#[test]
#[rustfmt::skip] // One case per line reads as a table.
fn gestures() {
    check(
        BAR,
        &[
            ("what = \"mallet\"", "what = \"bar\"", "instrument::unknown_reference", 26, "`throw.what` is \"bar\", but only a mass can be thrown", "`mallet`"),
            ("what = \"mallet\"", "what = \"malet\"", "instrument::unknown_reference", 26, "there is no such mass", "did you mean `mallet`?"),
            ("what = \"mallet\", ", "", "instrument::missing_key", 26, "`throw.what` is missing", ""),
            ("velocity_m_s = 1.5", "velocity_ms = 1.5", "instrument::unknown_key", 26, "`throw` has no key `velocity_ms`", "did you mean `velocity_m_s`?"),
            ("at_s = 0.0", "at_s = -1", "instrument::out_of_range", 25, "`throw.at_s` is -1, expected a time of zero or more", ""),
            ("throw = {", "# throw = {", "instrument::missing_key", 24, "`gesture[0]` does nothing, expected one of `throw`", ""),
            ("throw = {", "strike = { what = \"mallet\", duration_s = 1, force_n = 1 }\nthrow = {", "instrument::conflict", 24, "`throw` has `throw`, `strike`, expected exactly one", ""),
            ("at_s = 0.0", "repeat = { times = 0, every_s = 1 }", "instrument::out_of_range", 25, "`throw.repeat.times` is 0, expected a whole number from 1 to 100000", ""),
            ("at_s = 0.0", "repeat = { times = 2, every_s = 1, jitter_s = 1 }", "instrument::out_of_range", 25, "`throw.repeat.jitter_s` is 1, expected less than `every_s`, 1", ""),
            ("at_s = 0.0", "repeat = { times = 2, every_s = 1, vary = 2 }", "instrument::out_of_range", 25, "`throw.repeat.vary` is 2, expected a number from 0 to 1", ""),
        ],
    );
    check(
        EVERYTHING,
        &[
            ("pluck = { what = \"wire.pluck\", force_n = \"1.2 N\", ", "pluck = { what = \"wire.pluck\", ", "instrument::conflict", 98, "`pluck` is not a clear pluck", ""),
            ("shape = \"sine\"", "force_n = 1", "instrument::conflict", 101, "`pluck#2` is not a clear pluck", ""),
            (", impulse_n_s = \"5 mN s\"", "", "instrument::conflict", 104, "`strike` has neither of `force_n` and `impulse_n_s`", ""),
            (", impulse_n_s = \"5 mN s\"", ", impulse_n_s = 1, force_n = 1", "instrument::conflict", 104, "`strike` has both of", ""),
            ("[[0, 0], [\"10 ms\", \"1 N\"], [0.02, 0]]", "[]", "instrument::length", 110, "`force#2.curve` is a list of 0, expected at least 1 point", ""),
            ("[0.02, 0]]", "[0.01, 0]]", "instrument::out_of_range", 110, "`force#2.curve[2][0]` is 0.01, expected a time after 0.01 s", ""),
            ("[[0, 0], [\"10 ms\"", "[[-1, 0], [\"10 ms\"", "instrument::out_of_range", 110, "`force#2.curve[0][0]` is -1, expected a time of zero or more", ""),
            ("\"1 N\"]", "\"1 m/s\"]", "instrument::unit", 110, "`force#2.curve[1][1]` is \"1 m/s\", expected a force", ""),
            ("[0.02, 0]]", "[0.02, 0, 1]]", "instrument::wrong_type", 110, "`force#2.curve[2]` is a list of 3, expected a list of 2", ""),
            ("[[0, \"10 cm/s\"], [0.1, 0]]", "[[0, 1]]", "instrument::length", 113, "`velocity.curve` is a list of 1, expected at least 2 points", ""),
        ],
    );
}

#[test]
#[rustfmt::skip] // One case per line reads as a table.
fn taps_and_controls() {
    check(
        BAR,
        &[
            ("from = \"bar.air\"", "from = \"bar.aid\"", "instrument::unknown_reference", 29, "`tap.from` is \"bar.aid\", but `bar` has no port `aid`", "did you mean `air`?"),
            ("from = \"bar.air\"", "from = \"mallet-bar.strike\"", "instrument::unknown_reference", 29, "an interaction, which has only a force", "quantity = \"force\""),
            ("quantity = \"velocity\"", "quantity = \"force\"", "instrument::unknown_reference", 29, "`tap.from` is \"bar.air\", but only interactions, barriers and fingers have a force", "`mallet-bar.strike`"),
            ("quantity = \"velocity\"", "quantity = \"speed\"", "instrument::unknown_value", 30, "`tap.quantity` is \"speed\"", ""),
            ("quantity = \"velocity\"", "pan = 1.5", "instrument::out_of_range", 30, "`tap.pan` is 1.5, expected a number from -1 to 1", ""),
            ("quantity = \"velocity\"", "gain = inf", "instrument::out_of_range", 30, "`tap.gain` is inf, expected a finite number", ""),
            ("default = 0.5", "default = 1.5", "instrument::out_of_range", 34, "`hardness.default` is 1.5, expected a number from 0 to 1", ""),
            ("id = \"hardness\"", "", "instrument::missing_key", 32, "`control[0].id` is missing", ""),
        ],
    );
}

#[test]
fn a_string_and_a_bank_without_ports_say_so() {
    let text = BAR.replace("ports = {", "# ports = {");
    let error = load("broken.toml", &text, &[]).expect_err("no ports");
    assert!(error.message().contains("`bar` has no ports"), "{error}");
}

/// A knob writes over what stands in the file, and would be blamed for it.
fn without_knobs(text: &str) -> &str {
    text.split_once("[[control]]").map_or(text, |(before, _)| before)
}

#[test]
#[rustfmt::skip] // One case per line reads as a table.
fn surfaces() {
    check(
        without_knobs(SURFACES),
        &[
            ("beta = 1.5", "beta = 5", "instrument::out_of_range", 28, "`rolling.texture.beta` is 5, expected a number from 0 to 4", ""),
            ("beta = 1.5", "betta = 1.5", "instrument::unknown_key", 28, "`betta`", "did you mean `beta`?"),
            ("height_m = \"20 µm\"", "height_m = -1", "instrument::out_of_range", 28, "expected a length of zero or more", ""),
            ("coarsest_m = \"2 cm\", ", "", "instrument::missing_key", 28, "`rolling.texture.coarsest_m` is missing", "coarsest_m ="),
            ("finest_m = \"0.2 mm\", ", "", "instrument::missing_key", 28, "`rolling.texture.finest_m` is missing", "finest_m ="),
            ("finest_m = \"0.2 mm\"", "finest_m = 1e-10", "instrument::out_of_range", 28, "expected at least 1e-9", ""),
            ("coarsest_m = \"2 cm\"", "coarsest_m = \"0.1 mm\"", "instrument::out_of_range", 28, "expected at least `finest_m`, 0.0002", ""),
            ("coarsest_m = \"2 cm\"", "coarsest_m = 1", "instrument::out_of_range", 28, "expected at most 4096 times `finest_m`, 0.8192", ""),
            ("radius_m = \"5 mm\", ", "", "instrument::missing_key", 28, "but only a body with a `radius_m` turns", ""),
            ("radius_m = \"5 mm\"", "radius_m = 0", "instrument::out_of_range", 28, "expected a positive length", ""),
            ("[1e-4, \"5 µm\"]", "[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]", "instrument::length", 28, "expected at most 32 values", ""),
            ("beta = 1.5", "poles_per_decade = 0", "instrument::out_of_range", 28, "`rolling.texture.poles_per_decade` is 0, expected a whole number from 1 to 32", ""),
            ("beta = 1.5", "poles_per_decade = 2.5", "instrument::wrong_type", 28, "`rolling.texture.poles_per_decade`", ""),
            ("speed_m_s = [[0, \"50 cm/s\"], [2, 0]]", "carried_by = \"plate\"", "instrument::unknown_reference", 29, "`rolling.carried_by` is \"plate\", expected the id of a mass", ""),
            ("speed_m_s = [[0, \"50 cm/s\"], [2, 0]]", "carried_by = \"bal\"", "instrument::unknown_reference", 29, "expected the id of a mass", "did you mean `ball`?"),
            ("[[0, \"50 cm/s\"], [2, 0]]", "1\ncarried_by = \"ball\"", "instrument::conflict", 30, "has both `speed_m_s` and `carried_by`", ""),
            ("speed_m_s = [[0, \"50 cm/s\"], [2, 0]]", "weight_spread = 1", "instrument::unknown_key", 29, "`weight_spread`", ""),
            ("mass_kg = 0.3\nports", "mass_kg = 0.3\nweight_spread = 2\nports", "instrument::out_of_range", 20, "`plate.weight_spread` is 2, expected a number from 0 to 1", ""),
            ("seed = 7", "seed = -7", "instrument::out_of_range", 28, "expected a whole number", ""),
            ("speed_m_s = [[0, \"50 cm/s\"], [2, 0]]", "", "instrument::missing_key", 28, "`rolling` has a `texture` that never moves, expected a `speed_m_s`", "speed_m_s = 0.5"),
            ("texture = { height_m", "# {", "instrument::missing_key", 29, "`rolling` has a `speed_m_s`, expected a `texture` beside it", "texture = {"),
            ("[[0, \"50 cm/s\"], [2, 0]]", "[[2, 1], [1, 0]]", "instrument::out_of_range", 29, "expected a time after 2 s", ""),
            ("[[0, \"50 cm/s\"], [2, 0]]", "\"50 cm\"", "instrument::unit", 29, "expected a velocity in m/s", ""),
            ("[[0, \"50 cm/s\"], [2, 0]]", "[]", "instrument::length", 29, "expected at least 1 point", ""),
            ("[[0, 0], [\"1 s\", \"-5 cm\"]]", "[]", "instrument::length", 27, "expected at least 1 point", ""),
            ("kind = \"collision\"", "kind = \"spring\"", "instrument::unknown_key", 26, "", ""),
        ],
    );
}

#[test]
#[rustfmt::skip] // One case per line reads as a table.
fn scattered_throws() {
    check(
        without_knobs(SURFACES),
        &[
            ("[\"grit\", \"ball\"]", "[]", "instrument::length", 41, "expected 1 to 1000 masses", ""),
            ("[\"grit\", \"ball\"]", "[\"grit\", \"bal\"]", "instrument::unknown_reference", 41, "`rain.what[1]` is \"bal\", but there is no such mass", "ball"),
            ("[\"grit\", \"ball\"]", "[\"plate\"]", "instrument::unknown_reference", 41, "but only a mass can be thrown", ""),
            ("[\"grit\", \"ball\"]", "\"grit\"", "instrument::wrong_type", 41, "expected a list", ""),
            ("[[0, 200], [\"2 s\", 0]]", "[[0, 200]]", "instrument::length", 41, "expected at least 2 points", ""),
            ("[[0, 200], [\"2 s\", 0]]", "[[0, 200], [0, 100]]", "instrument::out_of_range", 41, "expected a time after 0 s", ""),
            ("[[0, 200], [\"2 s\", 0]]", "[[0, 1e5], [2, 0]]", "instrument::limit", 41, "`rain.rate_hz` makes 100000 events 2 times, expected at most 100000", ""),
            ("[[0, 200], [\"2 s\", 0]]", "[[0, -1], [2, 0]]", "instrument::out_of_range", 41, "expected a frequency of zero or more", ""),
            ("[\"-10 cm/s\", -3]", "[0, -3]", "instrument::out_of_range", 41, "expected two velocities of one sign", ""),
            ("[\"-10 cm/s\", -3]", "[1, -3]", "instrument::out_of_range", 41, "expected two velocities of one sign", ""),
            ("[\"-10 cm/s\", -3]", "[-3, -1]", "instrument::out_of_range", 41, "the slower first", ""),
            ("[\"-10 cm/s\", -3]", "[-3]", "instrument::wrong_type", 41, "", ""),
            ("exponent = 1.4", "exponent = 6", "instrument::out_of_range", 41, "`rain.exponent` is 6, expected a number from 0 to 5", ""),
            ("exponent = 1.4", "rate = 1.4", "instrument::unknown_key", 41, "`rate`", "did you mean `rate_hz`?"),
        ],
    );
}
