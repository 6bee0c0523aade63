//! Pictures: waveforms, spectrograms, energy ledgers, curves and grids of curves, as PNG or SVG by file extension.
//!
//! All share one look: light ground, thin dark lines, a palette that readers of every colour vision can tell apart,
//! axes with units. The font is built in, so a picture needs nothing from the system and is the same everywhere.
//!
//! The drawing surface is our own: it needs rectangles, lines, text and one image, with anti-aliasing and positions
//! between pixels. Two small files do that with fewer dependencies and finer lines than a plotting library would.
//!
//! ```no_run
//! use ictus_analysis::plot::{Axis, Curve, Lines, lines};
//! let plot = Lines::new("Convergence", Axis::log("Step h (s)"), Axis::log("Error (m)"))
//!     .with(Curve::new("midpoint", vec![(1e-3, 2e-5), (5e-4, 5e-6)]).marked());
//! lines("order.svg".as_ref(), &plot)?;
//! # Ok::<(), ictus_analysis::plot::PlotError>(())
//! ```

mod axis;
mod bitmap;
mod color;
mod comparison;
mod energy;
mod font;
mod frame;
mod heat_map;
mod lines;
mod spectrogram;
mod surface;
mod svg;
mod waveform;

pub use axis::{Axis, Scale};
pub use color::{PALETTE, Rgb, heat};
pub use comparison::{Side, comparison};
pub use energy::{EnergyCurves, energy};
pub use heat_map::{HeatMap, heat_maps};
pub use lines::{Curve, Lines, Stroke, lines, panels};
pub use spectrogram::{Sheet, spectrogram, spectrogram_sheet};
pub use waveform::waveform;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use surface::Surface;

/// Width and height of a picture, pixels.
pub const SIZE: (u32, u32) = (1200, 700);

/// Why a picture could not be made.
#[derive(Debug)]
pub enum PlotError {
    /// The file's name ends in neither `.png` nor `.svg`.
    UnknownKind(PathBuf),
    /// The file could not be written.
    Io {
        /// The file.
        path: PathBuf,
        /// What happened.
        error: io::Error,
    },
}

impl fmt::Display for PlotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownKind(path) => write!(f, "{}: pictures end in .png or .svg", path.display()),
            Self::Io { path, error } => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for PlotError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::UnknownKind(_) => None,
            Self::Io { error, .. } => Some(error),
        }
    }
}

/// Draws on the surface that the file's extension asks for, and writes the file.
fn picture(path: &Path, size: (u32, u32), draw: impl FnOnce(&mut dyn Surface)) -> Result<(), PlotError> {
    let kind = path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
    let bytes = match kind.as_deref() {
        Some("png") => {
            let mut bitmap = bitmap::Bitmap::new(size);
            draw(&mut bitmap);
            bitmap.png()
        }
        Some("svg") => {
            let mut svg = svg::Svg::new(size);
            draw(&mut svg);
            svg.finish()
        }
        _ => return Err(PlotError::UnknownKind(path.to_owned())),
    };
    crate::file::write(path, &bytes).map_err(|error| PlotError::Io { path: path.to_owned(), error })
}

#[cfg(test)]
mod tests;
