//! A surface of pixels, for PNG. Every shape is anti-aliased by how much of a pixel it covers.

use super::color::{PAPER, Rgb};
use super::font;
use super::surface::{Anchor, Rect, Surface, TextStyle};

pub(super) struct Bitmap {
    width: usize,
    height: usize,
    pixels: Vec<Rgb>,
    /// Coverage of the shape being drawn; zero between shapes.
    mask: Vec<f32>,
}

impl Bitmap {
    pub(super) fn new((width, height): (u32, u32)) -> Self {
        let (width, height) = (width as usize, height as usize);
        Self { width, height, pixels: vec![PAPER; width * height], mask: vec![0.0; width * height] }
    }

    pub(super) fn png(&self) -> Vec<u8> {
        png(self.width, &self.pixels)
    }

    #[cfg(test)]
    pub(super) fn pixel(&self, x: usize, y: usize) -> Rgb {
        self.pixels[y * self.width + x]
    }

    fn blend(&mut self, x: i64, y: i64, color: Rgb, coverage: f64) {
        if x < 0 || y < 0 || x >= self.width as i64 || y >= self.height as i64 || coverage <= 0.0 {
            return;
        }
        let pixel = &mut self.pixels[y as usize * self.width + x as usize];
        let mix = |under: u8, over: u8| {
            (f64::from(under) + (f64::from(over) - f64::from(under)) * coverage.min(1.0)).round() as u8
        };
        *pixel = Rgb(mix(pixel.0, color.0), mix(pixel.1, color.1), mix(pixel.2, color.2));
    }

    /// Whole pixels between two positions, cut to the picture.
    fn span(from: f64, to: f64, limit: usize) -> std::ops::Range<usize> {
        let clamp = |x: f64| x.clamp(0.0, limit as f64) as usize;
        clamp(from.floor())..clamp(to.ceil())
    }

    /// Raises the mask along a segment; the joints of a line are then covered once, not twice.
    fn cover_segment(&mut self, a: (f64, f64), b: (f64, f64), half: f64) {
        let reach = half + 1.0;
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        let square = dx * dx + dy * dy;
        for y in Self::span(a.1.min(b.1) - reach, a.1.max(b.1) + reach, self.height) {
            for x in Self::span(a.0.min(b.0) - reach, a.0.max(b.0) + reach, self.width) {
                let (px, py) = (x as f64 + 0.5 - a.0, y as f64 + 0.5 - a.1);
                let along = if square > 0.0 { ((px * dx + py * dy) / square).clamp(0.0, 1.0) } else { 0.0 };
                let distance = libm::hypot(px - along * dx, py - along * dy);
                let coverage = (half + 0.5 - distance).clamp(0.0, 1.0).min(2.0 * half) as f32;
                let mask = &mut self.mask[y * self.width + x];
                *mask = mask.max(coverage);
            }
        }
    }

    /// Paints the masked pixels near the points, and clears the mask.
    fn paint_mask(&mut self, points: &[(f64, f64)], half: f64, color: Rgb) {
        let fold =
            |f: fn(f64, f64) -> f64, start: f64, get: fn(&(f64, f64)) -> f64| points.iter().map(get).fold(start, f);
        let reach = half + 1.0;
        let left = fold(f64::min, f64::INFINITY, |p| p.0) - reach;
        let right = fold(f64::max, f64::NEG_INFINITY, |p| p.0) + reach;
        let top = fold(f64::min, f64::INFINITY, |p| p.1) - reach;
        let bottom = fold(f64::max, f64::NEG_INFINITY, |p| p.1) + reach;
        for y in Self::span(top, bottom, self.height) {
            for x in Self::span(left, right, self.width) {
                let coverage = std::mem::take(&mut self.mask[y * self.width + x]);
                self.blend(x as i64, y as i64, color, f64::from(coverage));
            }
        }
    }
}

impl Surface for Bitmap {
    fn fill(&mut self, area: Rect, color: Rgb) {
        for y in Self::span(area.y, area.bottom(), self.height) {
            let tall = overlap(y as f64, area.y, area.bottom());
            for x in Self::span(area.x, area.right(), self.width) {
                self.blend(x as i64, y as i64, color, tall * overlap(x as f64, area.x, area.right()));
            }
        }
    }

    fn line(&mut self, points: &[(f64, f64)], width: f64, color: Rgb) {
        for pair in points.windows(2) {
            self.cover_segment(pair[0], pair[1], 0.5 * width);
        }
        if points.len() > 1 {
            self.paint_mask(points, 0.5 * width, color);
        }
    }

    fn disc(&mut self, center: (f64, f64), radius: f64, color: Rgb) {
        self.cover_segment(center, center, radius);
        self.paint_mask(&[center], radius, color);
    }

    fn bars(&mut self, left: f64, bars: &[(f64, f64)], color: Rgb) {
        for (i, &(top, bottom)) in bars.iter().enumerate() {
            self.fill(Rect { x: left + i as f64, y: top, width: 1.0, height: bottom - top }, color);
        }
    }

    fn text(&mut self, at: (f64, f64), text: &str, style: TextStyle) {
        let back = match style.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => 0.5,
            Anchor::End => 1.0,
        } * font::width(text, style.size);
        let below = 0.5 * font::CAPITAL * style.size;
        let mut drawn = Vec::new();
        if style.upwards {
            font::rasterize(text, style.size, (0.0, 0.0), |x, y, coverage| drawn.push((y, -x, coverage)));
        } else {
            font::rasterize(text, style.size, (0.0, 0.0), |x, y, coverage| drawn.push((x, y, coverage)));
        }
        // Text sits on whole pixels, where it is sharpest.
        let (x, y) = if style.upwards { (at.0 + below, at.1 + back) } else { (at.0 - back, at.1 + below) };
        for (dx, dy, coverage) in drawn {
            self.blend(
                x.round() as i64 + i64::from(dx),
                y.round() as i64 + i64::from(dy),
                style.color,
                f64::from(coverage),
            );
        }
    }

    fn image(&mut self, at: (f64, f64), width: usize, pixels: &[Rgb]) {
        for (i, &color) in pixels.iter().enumerate() {
            self.blend(at.0.round() as i64 + (i % width) as i64, at.1.round() as i64 + (i / width) as i64, color, 1.0);
        }
    }
}

/// How much of the pixel at `at` lies between two positions.
fn overlap(at: f64, from: f64, to: f64) -> f64 {
    ((at + 1.0).min(to) - at.max(from)).clamp(0.0, 1.0)
}

/// Pixels as the bytes of a PNG file.
pub(super) fn png(width: usize, pixels: &[Rgb]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width as u32, (pixels.len() / width.max(1)) as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    // Flat areas pack best as they are.
    encoder.set_filter(png::FilterType::NoFilter);
    encoder.set_compression(png::Compression::Default);
    let rows: Vec<u8> = pixels.iter().flat_map(|p| [p.0, p.1, p.2]).collect();
    let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(&rows));
    written.expect("a vector takes any number of bytes");
    bytes
}
