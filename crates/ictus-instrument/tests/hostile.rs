//! Input made to hurt: refused or loaded, never a panic, an overflow of the stack or an endless wait.

use crate::common::{BAR, EVERYTHING, INPUTS, OBJECTS, SURFACES, TANPURA};
use ictus_instrument::load;
use proptest::prelude::*;

fn code(text: &str) -> String {
    load("hostile.toml", text, &[]).expect_err("hostile").code().to_owned()
}

#[test]
fn deep_nesting_is_refused() {
    for (open, close) in [("[", "]"), ("{ a = ", "}")] {
        let text = format!("format = 1\nx = {}{}", open.repeat(100_000), close.repeat(100_000));
        assert_eq!(code(&text), "instrument::limit");
        assert_eq!(code(&format!("x = {}", open.repeat(100_000))), "instrument::limit");
    }
    assert_eq!(code(&format!("{}x = 1", "a.".repeat(100_000))), "instrument::limit");
    assert_eq!(code(&format!("{}x = 1", "\"=\".".repeat(100_000))), "instrument::limit");
    assert_eq!(code(&format!("[{}x]", "a.".repeat(100_000))), "instrument::limit");
    let settings = [("seed".to_owned(), "[".repeat(100_000))];
    assert!(load("hostile.toml", BAR, &settings).is_err());
}

#[test]
fn large_files_are_refused() {
    assert_eq!(code(&" ".repeat((16 << 20) + 1)), "instrument::limit");
    assert_eq!(code(&format!("format = 1\n{}", "[[tap]]\n".repeat(10_001))), "instrument::limit");
    let modes = format!("[{}]", "1,".repeat(100_001));
    assert_eq!(code(&BAR.replace("[440.0, 1212.9, 2377.7]", &modes)), "instrument::length");
    let maps = "{ to = \"seed\", range = [1, 2] },".repeat(10_001);
    let start = BAR.find("map = ").expect("the map");
    assert_eq!(code(&format!("{}map = [{maps}]", &BAR[..start])), "instrument::limit");
}

/// A file with `count` barriers of 2000 points each.
fn comb(count: usize, more: &str) -> String {
    let points: String = (1..=2000).map(|n| format!("[{}, 0],", f64::from(n) / 2001.0)).collect();
    let barrier = format!("[[barrier]]\non = \"wire\"\npoints = [{points}]\nstiffness = 1\n");
    format!("{TANPURA}\n{}{more}", barrier.repeat(count))
}

#[test]
fn barrier_points_are_limited() {
    // The file itself has 5 points and frets.
    assert!(load("large.toml", &comb(4, ""), &[]).is_ok());
    assert_eq!(code(&comb(5, "")), "instrument::limit");
    let longer = comb(1, "").replace("points = [[0.000", "points = [[0.0001, 0], [0.000");
    assert_eq!(code(&longer), "instrument::length");
    let fret = "[[barrier]]\non = \"neck\"\nfrets = { count = 48, height_m = 0 }\nstiffness = 1\n";
    assert!(load("large.toml", &format!("{TANPURA}\n{}", fret.repeat(200)), &[]).is_ok());
    assert_eq!(code(&format!("{TANPURA}\n{}", fret.repeat(210))), "instrument::limit");
}

#[test]
fn the_largest_bank_loads() {
    let list = |x: &str| format!("[{}]", format!("{x},").repeat(100_000));
    let text = format!(
        "format = 1\n[[resonator]]\nid = \"b\"\nkind = \"modes\"\nfrequency_hz = {}\ndecay_s = 1\nmass_kg = 1\nports = {{ a = {} }}\n[[tap]]\nfrom = \"b.a\"\n",
        list("100.5"),
        list("-0.5")
    );
    assert!(load("large.toml", &text, &[]).is_ok());
}

#[test]
fn a_path_of_many_dots_is_refused_quickly() {
    let to = "a.".repeat(1 << 20);
    let start = BAR.find("map = ").expect("the map");
    let text = format!("{}map = [{{ to = \"{to}\", range = [1, 2] }}]", &BAR[..start]);
    let error = load("hostile.toml", &text, &[]).expect_err("hostile");
    assert_eq!(error.code(), "instrument::unknown_reference");
    assert!(error.message().len() < 2000);
}

#[test]
fn strange_texts_are_refused() {
    for text in
        ["", "\0", "\u{feff}", "format = 1\r", "=", "[[", "é = 1", "format = 0x", "a = '''", "format = 1\n[resonator]"]
    {
        assert!(load("strange.toml", text, &[]).is_err(), "{text:?}");
    }
}

/// One edit: put, cut or copy at a place given as a share of the text.
#[derive(Debug, Clone)]
enum Edit {
    Put(f64, String),
    Cut(f64, usize),
    Copy(f64, f64, usize),
}

fn edit() -> impl Strategy<Value = Edit> {
    let pieces = prop_oneof![
        "\\PC{0,6}",
        "[-0-9.eE\\[\\]{}\"',=\n#]{1,6}",
        proptest::sample::select(vec![
            "nan",
            "inf",
            "-1",
            "0",
            "1e999",
            "\"\"",
            "\"A4\"",
            "[[tap]]\n",
            "[[barrier]]\n",
            "[[finger]]\n",
            "flat = { height_m = 0 }\n",
            "points = [[0.1, 0]]\n",
            "[preset]\n",
            "id = \"bar\"\n",
            "true",
            "{ to = \"bar.decay_s[9]\" }",
            "[[1, 2], [3]]",
            "99999999999999999999999999999999999999999",
        ])
        .prop_map(str::to_owned),
    ];
    prop_oneof![
        (0.0..1.0f64, pieces).prop_map(|(at, text)| Edit::Put(at, text)),
        (0.0..1.0f64, 1usize..40).prop_map(|(at, len)| Edit::Cut(at, len)),
        (0.0..1.0f64, 0.0..1.0f64, 1usize..80).prop_map(|(from, to, len)| Edit::Copy(from, to, len)),
    ]
}

fn floor(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0)
}

fn ceil(text: &str, at: usize) -> usize {
    (at..text.len()).find(|i| text.is_char_boundary(*i)).unwrap_or(text.len())
}

fn apply(text: &mut String, edit: &Edit) {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
    let place = |text: &str, share: f64| floor(text, (share * text.len() as f64) as usize);
    let range = |text: &str, from: f64, len: usize| {
        let start = place(text, from);
        start..ceil(text, (start + len).min(text.len()))
    };
    match edit {
        Edit::Put(at, piece) => text.insert_str(place(text, *at), piece),
        Edit::Cut(at, len) => text.replace_range(range(text, *at, *len), ""),
        Edit::Copy(from, to, len) => {
            let piece = text[range(text, *from, *len)].to_owned();
            text.insert_str(place(text, *to), &piece);
        }
    }
}

/// Lines shuffled in or out change what is given more often than bytes do.
fn swap_values(text: &str, one: usize, other: usize) -> String {
    let values: Vec<&str> = text.lines().filter_map(|line| line.split_once('=')).map(|(_, value)| value).collect();
    let (a, b) = (values[one % values.len()], values[other % values.len()]);
    text.replacen(a, b, 1)
}

fn examine(text: &str, settings: &[(String, String)]) {
    match load("mutant.toml", text, settings) {
        Ok(loaded) => {
            for input in loaded.spec.inputs() {
                let (low, high) = input.limits;
                assert!(low <= input.range.0 && input.range.0 <= input.range.1 && input.range.1 <= high, "{input:?}");
            }
            let _ = loaded.error_at("bar.decay_s[1]", "test", "m", "l", None).line_column();
        }
        Err(error) => {
            assert!(!error.message().is_empty());
            let _ = error.line_column();
            let _ = miette::Diagnostic::labels(&error).map(Iterator::count);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutants_never_panic(edits in proptest::collection::vec(edit(), 1..4), which in 0usize..6) {
        let mut text = [BAR, EVERYTHING, TANPURA, SURFACES, OBJECTS, INPUTS][which].to_owned();
        for edit in &edits {
            apply(&mut text, edit);
        }
        examine(&text, &[]);
    }

    #[test]
    fn swapped_values_never_panic(one in any::<usize>(), other in any::<usize>()) {
        examine(&swap_values(EVERYTHING, one, other), &[]);
        examine(&swap_values(TANPURA, one, other), &[]);
        examine(&swap_values(SURFACES, one, other), &[]);
        examine(&swap_values(OBJECTS, one, other), &[]);
        examine(&swap_values(INPUTS, one, other), &[]);
    }

    #[test]
    fn any_setting_never_panics(
        id in "(mallet|bar|wire|hit|first|force|damping|close|tap|seed|wire.bridge-wall|pluck#2|jawari|barrier|barrier#2|index|finger|buzz|\\PC{0,4})",
        rest in "(\\.(mass_kg|height_m|points|flat|profile|frets|count|from|to|lift|position|force|on|decay_s|ports|air|what|curve|map|id|kind|between|\\PC{0,3})|\\[[0-3]\\]){0,3}",
        value in "(-?[0-9]{1,3}(\\.[0-9])?( ?(mm|g|N|s))?|nan|inf|A4|\\[1, 2\\]|\\{ a = 1 \\}|true|\\PC{0,6})",
    ) {
        examine(EVERYTHING, &[(format!("{id}{rest}"), value)]);
    }

    #[test]
    fn any_setting_of_an_object_never_panics(
        id in "(bar|string|drum|gong|ring|room|tube|chain|touch|knock)",
        rest in "(\\.(shape|material|morph|tuning|ports|strike|length_m|masses_kg|base|loss_factor|amount|bar|glass|contact_time_s|at_m_s|\\PC{0,3})|\\[[0-3]\\]){1,3}",
        value in "(-?[0-9]{1,3}(\\.[0-9])?( ?(mm|g|N|s|GPa))?|nan|inf|A4|oak|\\[1, 2\\]|\\{ base = \"oak\" \\}|true|\\PC{0,6})",
    ) {
        examine(OBJECTS, &[(format!("{id}{rest}"), value)]);
    }

    #[test]
    fn any_text_never_panics(text in "\\PC{0,200}") {
        examine(&text, &[]);
    }
}
