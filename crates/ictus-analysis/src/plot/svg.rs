//! A surface of shapes, for SVG.

use super::bitmap::png;
use super::color::{PAPER, Rgb};
use super::font;
use super::surface::{Anchor, Rect, Surface, TextStyle};
use std::fmt::Write;

pub(super) struct Svg {
    body: String,
}

impl Svg {
    pub(super) fn new(size: (u32, u32)) -> Self {
        let (w, h) = size;
        let mut svg = Self {
            body: format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" \
                 font-family=\"{}\">\n",
                font::FAMILIES
            ),
        };
        svg.fill(Rect::of(size), PAPER);
        svg
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        self.body.push_str("</svg>\n");
        self.body.into_bytes()
    }

    /// Writing to a string cannot fail.
    fn push(&mut self, shape: std::fmt::Arguments<'_>) {
        let _ = self.body.write_fmt(shape);
    }
}

impl Surface for Svg {
    fn fill(&mut self, r: Rect, color: Rgb) {
        let (x, y, w, h) = (round(r.x), round(r.y), round(r.width), round(r.height));
        self.push(format_args!("<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" fill=\"{}\"/>\n", hex(color)));
    }

    fn line(&mut self, points: &[(f64, f64)], width: f64, color: Rgb) {
        if points.len() < 2 {
            return;
        }
        self.push(format_args!("<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\"", hex(color)));
        self.push(format_args!(" stroke-linejoin=\"round\" points=\""));
        for (i, p) in points.iter().enumerate() {
            let gap = if i == 0 { "" } else { " " };
            self.push(format_args!("{gap}{},{}", round(p.0), round(p.1)));
        }
        self.push(format_args!("\"/>\n"));
    }

    fn disc(&mut self, center: (f64, f64), radius: f64, color: Rgb) {
        let (x, y) = (round(center.0), round(center.1));
        self.push(format_args!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{}\"/>\n", hex(color)));
    }

    fn bars(&mut self, left: f64, bars: &[(f64, f64)], color: Rgb) {
        // One outline, along the tops to the right and along the bottoms back.
        let x = |i: usize| round(left + i as f64 + 0.5);
        self.push(format_args!("<polygon fill=\"{}\" points=\"", hex(color)));
        for (i, bar) in bars.iter().enumerate() {
            self.push(format_args!("{},{} ", x(i), round(bar.0)));
        }
        for (i, bar) in bars.iter().enumerate().rev() {
            self.push(format_args!("{},{} ", x(i), round(bar.1)));
        }
        self.push(format_args!("\"/>\n"));
    }

    fn text(&mut self, at: (f64, f64), text: &str, style: TextStyle) {
        let anchor = match style.anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let below = 0.5 * font::CAPITAL * style.size;
        let (x, y) = (round(at.0), round(at.1));
        let turn = if style.upwards { " rotate(-90)" } else { "" };
        self.push(format_args!("<text transform=\"translate({x} {y}){turn}\" y=\"{}\" ", round(below)));
        self.push(format_args!("font-size=\"{}\" fill=\"{}\" text-anchor=\"{anchor}\">", style.size, hex(style.color)));
        for c in text.chars() {
            match c {
                '&' => self.body.push_str("&amp;"),
                '<' => self.body.push_str("&lt;"),
                '>' => self.body.push_str("&gt;"),
                c => self.body.push(c),
            }
        }
        self.push(format_args!("</text>\n"));
    }

    fn image(&mut self, at: (f64, f64), width: usize, pixels: &[Rgb]) {
        let height = pixels.len() / width.max(1);
        self.push(format_args!("<image x=\"{}\" y=\"{}\" width=\"{width}\" height=\"{height}\" ", at.0, at.1));
        self.push(format_args!("href=\"data:image/png;base64,{}\"/>\n", base64(&png(width, pixels))));
    }
}

/// A hundredth of a pixel is below visible resolution.
fn round(x: f64) -> f64 {
    (100.0 * x).round() / 100.0
}

fn hex(color: Rgb) -> String {
    format!("#{:02x}{:02x}{:02x}", color.0, color.1, color.2)
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let padded = [group[0], *group.get(1).unwrap_or(&0), *group.get(2).unwrap_or(&0)];
        let bits = u32::from_be_bytes([0, padded[0], padded[1], padded[2]]);
        for i in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * i)) as usize & 63];
            text.push(if i <= group.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_known_words() {
        assert_eq!(base64(b"Man"), "TWFu");
        assert_eq!(base64(b"Ma"), "TWE=");
        assert_eq!(base64(b"M"), "TQ==");
        assert_eq!(base64(b""), "");
    }

    #[test]
    fn words_cannot_break_the_markup() {
        let mut svg = Svg::new((10, 10));
        let style = TextStyle { size: 10.0, color: PAPER, anchor: Anchor::Start, upwards: false };
        svg.text((0.0, 0.0), "a<b & \"c\">", style);
        let text = String::from_utf8(svg.finish()).unwrap();
        assert!(text.contains("a&lt;b &amp; \"c\"&gt;"));
    }
}
