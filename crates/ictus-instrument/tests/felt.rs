//! The interaction `felt`: what it means, what it leaves to defaults, what it refuses.

use crate::common::BAR;
use ictus_instrument::{Law, load};

/// The bar of the common file, struck by felt; the knob of that file drives the stiffness.
fn felt(keys: &str) -> String {
    let plain = BAR.replace("kind = \"collision\"", "kind = \"felt\"");
    assert!(plain.contains("exponent = 2.3\ngap_m = 0.001"));
    plain.replace("exponent = 2.3\ngap_m = 0.001", keys)
}

fn law(keys: &str) -> Law {
    load("felt.toml", &felt(keys), &[]).unwrap_or_else(|e| panic!("{e}")).spec.interactions[0].law
}

#[test]
fn keys_and_defaults() {
    let Law::Felt { exponent, hysteresis, relaxation_s, gap_m, .. } =
        law("exponent = 3\nhysteresis = 0.4\nrelaxation_s = \"0.2 ms\"\ngap_m = \"1 mm\"")
    else {
        panic!("felt")
    };
    assert_eq!((exponent, hysteresis, relaxation_s, gap_m), (3.0, 0.4, 2e-4, 1e-3));
    let Law::Felt { exponent, gap_m, .. } = law("hysteresis = 0\nrelaxation_s = 1") else { panic!("felt") };
    assert_eq!((exponent, gap_m), (2.5, 0.0));
}

#[test]
#[rustfmt::skip] // One case per line reads as a table.
fn what_is_refused() {
    for (keys, code, message) in [
        ("hysteresis = 1\nrelaxation_s = 1", "instrument::out_of_range", "`mallet-bar.strike.hysteresis` is 1, expected a number from 0 to below 1"),
        ("hysteresis = -0.1\nrelaxation_s = 1", "instrument::out_of_range", "expected a number from 0 to below 1"),
        ("hysteresis = nan\nrelaxation_s = 1", "instrument::out_of_range", "expected a number from 0 to below 1"),
        ("hysteresis = 0.5\nrelaxation_s = 0", "instrument::out_of_range", "`mallet-bar.strike.relaxation_s` is 0, expected a positive time"),
        ("hysteresis = 0.5\nrelaxation_s = inf", "instrument::out_of_range", "expected a finite time"),
        ("hysteresis = 0.5\nrelaxation_s = \"1 mm\"", "instrument::unit", "`mm` does not measure that"),
        ("hysteresis = 0.5", "instrument::missing_key", "`mallet-bar.strike.relaxation_s` is missing"),
        ("relaxation_s = 1", "instrument::missing_key", "`mallet-bar.strike.hysteresis` is missing"),
        ("hysteresis = 0.5\nrelaxation_s = 1\ndamping_s_m = 1", "instrument::unknown_key", "has no key `damping_s_m`"),
        ("hysteresis = 0.5\nrelaxation = 1", "instrument::unknown_key", "has no key `relaxation`"),
        ("hysteresis = 0.5\nrelaxation_s = 1\nexponent = 6", "instrument::out_of_range", "expected a number from 1 to 5"),
    ] {
        let error = load("felt.toml", &felt(keys), &[]).expect_err(keys);
        assert_eq!(error.code(), code, "{keys:?}: {error}");
        assert!(error.message().contains(message), "{keys:?}: {error}");
        assert!(error.line_column().is_some(), "{keys:?}: {error}");
    }
}
