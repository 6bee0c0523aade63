//! Colours: ink and paper, the palette of curves, and the colour map of levels.
//!
//! The map runs through OKLab [Ottosson 2020], in which equal steps look equal: lightness falls evenly from paper to
//! almost black while the hue turns from sand over red to violet. Louder is darker, on every screen and in print.

use libm::{cbrt, pow};
use std::f64::consts::PI;

/// A colour as red, green and blue, 0 to 255 (sRGB).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rgb(pub u8, pub u8, pub u8);

pub(super) const PAPER: Rgb = Rgb(0xFC, 0xFC, 0xFA);
pub(super) const INK: Rgb = Rgb(0x22, 0x26, 0x2B);
pub(super) const SOFT_INK: Rgb = Rgb(0x55, 0x5B, 0x63);
pub(super) const GRID: Rgb = Rgb(0xE4, 0xE4, 0xDF);
pub(super) const FINE_GRID: Rgb = Rgb(0xF1, 0xF1, 0xED);

/// Colours of curves, in order of use: blue, vermilion, green, purple, ochre. They differ in lightness as well as in
/// hue, so that red-green and blue-yellow blind readers tell them apart.
pub const PALETTE: [Rgb; 5] =
    [Rgb(0x1B, 0x5F, 0xA8), Rgb(0xD2, 0x56, 0x14), Rgb(0x1A, 0x9E, 0x7A), Rgb(0x8E, 0x3B, 0x8C), Rgb(0xC7, 0x9A, 0x1E)];

/// Colour of a level between 0 (quiet, paper) and 1 (loud, almost black).
pub fn heat(level: f64) -> Rgb {
    let (l, a, b) = heat_lab(level);
    let linear = from_oklab(l, a, b);
    let byte = |x: f64| (255.0 * gamma(x.clamp(0.0, 1.0))).round() as u8;
    Rgb(byte(linear[0]), byte(linear[1]), byte(linear[2]))
}

/// Lightness, and the two colour axes of OKLab.
fn heat_lab(level: f64) -> (f64, f64, f64) {
    let t = if level.is_finite() { level.clamp(0.0, 1.0) } else { 0.0 };
    let lightness = 0.985 - 0.78 * t;
    // Colour is strongest in the middle, where the screen has room for it; the hue turns by 155 degrees.
    let chroma = 0.17 * libm::sin(PI * t) + 0.05 * t;
    let hue = (90.0 - 155.0 * t) * PI / 180.0;
    (lightness, chroma * libm::cos(hue), chroma * libm::sin(hue))
}

/// Linear red, green and blue of an OKLab colour.
fn from_oklab(l: f64, a: f64, b: f64) -> [f64; 3] {
    let cube = |x: f64| x * x * x;
    let (l, m, s) = (
        cube(l + 0.396_337_777_4 * a + 0.215_803_757_3 * b),
        cube(l - 0.105_561_345_8 * a - 0.063_854_172_8 * b),
        cube(l - 0.089_484_177_5 * a - 1.291_485_548_0 * b),
    );
    [
        4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s,
        -1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s,
        -0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701_0 * s,
    ]
}

fn gamma(x: f64) -> f64 {
    if x <= 0.003_130_8 { 12.92 * x } else { 1.055 * pow(x, 1.0 / 2.4) - 0.055 }
}

/// Perceived lightness of a colour, 0 to 1 (OKLab).
#[cfg_attr(not(test), expect(dead_code, reason = "the tests of the colours need it"))]
fn lightness(color: Rgb) -> f64 {
    let linear = |byte: u8| {
        let x = f64::from(byte) / 255.0;
        if x <= 0.040_45 { x / 12.92 } else { pow((x + 0.055) / 1.055, 2.4) }
    };
    let (r, g, b) = (linear(color.0), linear(color.1), linear(color.2));
    0.210_454_255_3 * cbrt(0.412_221_470_8 * r + 0.536_332_536_3 * g + 0.051_445_992_9 * b)
        + 0.793_617_785_0 * cbrt(0.211_903_498_2 * r + 0.680_699_545_1 * g + 0.107_396_956_6 * b)
        - 0.004_072_046_8 * cbrt(0.088_302_461_9 * r + 0.281_718_837_6 * g + 0.629_978_700_5 * b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_map_darkens_evenly_and_stays_within_the_screen() {
        let steps: Vec<f64> = (0..=100).map(|i| f64::from(i) / 100.0).collect();
        for &t in &steps {
            let (l, a, b) = heat_lab(t);
            let inside = from_oklab(l, a, b).iter().all(|x| (-0.02..=1.02).contains(x));
            assert!(inside, "level {t} is outside the screen's colours: {:?}", from_oklab(l, a, b));
        }
        for pair in steps.windows(2) {
            let fall = lightness(heat(pair[0])) - lightness(heat(pair[1]));
            assert!((fall - 0.0078).abs() < 0.006, "at {}: {fall}", pair[0]);
        }
        assert_eq!(heat(f64::NAN), heat(0.0));
        assert_eq!(heat(7.0), heat(1.0));
    }

    #[test]
    fn curves_stand_out_from_the_paper_and_from_each_other() {
        for color in PALETTE {
            assert!(lightness(PAPER) - lightness(color) > 0.2, "{color:?}");
        }
        // Neighbours in the order of use differ in lightness, for readers who see no hue at all.
        for pair in PALETTE.windows(2) {
            assert!((lightness(pair[0]) - lightness(pair[1])).abs() > 0.015, "{pair:?}");
        }
    }
}
