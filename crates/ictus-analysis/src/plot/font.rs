//! The built-in font: sizes of text and coverage of its pixels.

use ab_glyph::{Font, FontRef, ScaleFont, point};
use std::sync::LazyLock;

static SANS: LazyLock<FontRef<'static>> = LazyLock::new(|| {
    FontRef::try_from_slice(include_bytes!("../../assets/DejaVuSans.ttf")).expect("the built-in font is sound")
});

/// Font families for SVG: the built-in one and one of the same widths.
pub(super) const FAMILIES: &str = "DejaVu Sans, Verdana, sans-serif";

/// Height of capitals as a fraction of the font size.
pub(super) const CAPITAL: f64 = 0.73;

/// Width of a line of text, pixels.
pub(super) fn width(text: &str, size: f64) -> f64 {
    let font = SANS.as_scaled(scale(size));
    text.chars().map(|c| f64::from(font.h_advance(font.glyph_id(c)))).sum()
}

/// Calls `plot(x, y, coverage)` for each pixel of a text whose baseline starts at the origin.
pub(super) fn rasterize(text: &str, size: f64, offset: (f64, f64), mut plot: impl FnMut(i32, i32, f32)) {
    let font = SANS.as_scaled(scale(size));
    let mut x = offset.0 as f32;
    for c in text.chars() {
        let id = font.glyph_id(c);
        let glyph = id.with_scale_and_position(scale(size), point(x, offset.1 as f32));
        if let Some(outline) = font.outline_glyph(glyph) {
            let corner = outline.px_bounds().min;
            outline.draw(|dx, dy, coverage| {
                plot(corner.x as i32 + dx as i32, corner.y as i32 + dy as i32, coverage);
            });
        }
        x += font.h_advance(id);
    }
}

/// The library's scale is the height of a line; a font size is the em.
fn scale(size: f64) -> f32 {
    let em = SANS.units_per_em().expect("an outline font has an em");
    size as f32 * SANS.height_unscaled() / em
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_font_has_every_sign_that_plots_use() {
        for c in "aZ09−·×|¢ΔσωτδµΩπ⁰¹²³⁴⁵⁶⁷⁸⁹⁻√≤≥→‖".chars() {
            assert_ne!(SANS.glyph_id(c).0, 0, "{c}");
        }
    }

    #[test]
    fn text_is_as_wide_as_it_is_drawn() {
        let (mut left, mut right) = (i32::MAX, 0);
        rasterize("Waveform", 20.0, (0.0, 0.0), |x, _, coverage| {
            if coverage > 0.3 {
                (left, right) = (left.min(x), right.max(x));
            }
        });
        assert!((f64::from(right - left) - width("Waveform", 20.0)).abs() < 4.0);
    }
}
