//! Moving pictures: frames drawn like all plots, put together as an animated PNG.

use crate::outcome::Picture;
use ictus_analysis::plot::PlotError;
use rayon::prelude::*;
use std::io;
use std::path::{Path, PathBuf};

/// Frames with a name and a pace.
#[derive(Clone, Debug)]
pub struct Animation {
    /// What follows the figure's id in the file's name.
    pub name: &'static str,
    /// The frames; all of the same size.
    pub frames: Vec<Picture>,
    /// How long each is shown, milliseconds.
    pub frame_ms: u16,
}

/// A picture in memory, three bytes per pixel.
struct Bitmap {
    width: usize,
    height: usize,
    bytes: Vec<u8>,
}

/// The part of a frame that differs from the one before.
struct Patch {
    x: usize,
    y: usize,
    width: usize,
    height: usize,
}

impl Animation {
    /// The file's bytes. `folder` takes the frames while they are drawn.
    pub fn apng(&self, folder: &Path) -> Result<Vec<u8>, PlotError> {
        let frames: Vec<Bitmap> = (0..self.frames.len())
            .into_par_iter()
            .map(|i| {
                let path = folder.join(format!(".{}-{}-{i}.png", self.name, std::process::id()));
                let drawn = rasterise(&self.frames[i], &path);
                let _ = std::fs::remove_file(&path);
                drawn
            })
            .collect::<Result<_, _>>()?;
        encode(&frames, self.frame_ms).map_err(|error| io_error(folder, error))
    }
}

/// An animated PNG of frames that exist as PNG files, all of one size.
pub fn join(files: &[PathBuf], frame_ms: u16) -> Result<Vec<u8>, PlotError> {
    let frames = files.iter().map(|path| read(path)).collect::<Result<Vec<_>, _>>()?;
    let folder = files.first().map_or(Path::new(""), PathBuf::as_path);
    encode(&frames, frame_ms).map_err(|error| io_error(folder, error))
}

fn io_error(path: &Path, error: impl std::error::Error + Send + Sync + 'static) -> PlotError {
    PlotError::Io { path: PathBuf::from(path), error: io::Error::other(error) }
}

fn rasterise(picture: &Picture, path: &Path) -> Result<Bitmap, PlotError> {
    picture.draw(path)?;
    read(path)
}

fn read(path: &Path) -> Result<Bitmap, PlotError> {
    let file = std::fs::File::open(path).map_err(|error| io_error(path, error))?;
    let mut reader = png::Decoder::new(io::BufReader::new(file)).read_info().map_err(|error| io_error(path, error))?;
    let mut bytes = vec![0; reader.output_buffer_size()];
    let info = reader.next_frame(&mut bytes).map_err(|error| io_error(path, error))?;
    bytes.truncate(info.buffer_size());
    Ok(Bitmap { width: info.width as usize, height: info.height as usize, bytes })
}

fn encode(frames: &[Bitmap], frame_ms: u16) -> Result<Vec<u8>, png::EncodingError> {
    let mut out = Vec::new();
    let Some(first) = frames.first() else { return Ok(out) };
    let mut encoder = png::Encoder::new(&mut out, first.width as u32, first.height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    // flat areas pack best as they are
    encoder.set_filter(png::FilterType::NoFilter);
    encoder.set_compression(png::Compression::Best);
    encoder.set_animated(frames.len() as u32, 0)?;
    encoder.set_frame_delay(frame_ms, 1000)?;
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&first.bytes)?;
    for pair in frames.windows(2) {
        let patch = difference(&pair[0], &pair[1]);
        writer.reset_frame_position()?;
        writer.set_frame_dimension(patch.width as u32, patch.height as u32)?;
        writer.set_frame_position(patch.x as u32, patch.y as u32)?;
        writer.write_image_data(&cut(&pair[1], &patch))?;
    }
    writer.finish()?;
    Ok(out)
}

/// The smallest rectangle that holds all differences; one pixel if there are none.
fn difference(before: &Bitmap, after: &Bitmap) -> Patch {
    let (mut left, mut top, mut right, mut bottom) = (after.width, after.height, 0, 0);
    for (i, (a, b)) in before.bytes.chunks_exact(3).zip(after.bytes.chunks_exact(3)).enumerate() {
        if a != b {
            let (x, y) = (i % after.width, i / after.width);
            (left, right) = (left.min(x), right.max(x + 1));
            (top, bottom) = (top.min(y), bottom.max(y + 1));
        }
    }
    if right == 0 {
        return Patch { x: 0, y: 0, width: 1, height: 1 };
    }
    Patch { x: left, y: top, width: right - left, height: bottom - top }
}

fn cut(bitmap: &Bitmap, patch: &Patch) -> Vec<u8> {
    let rows = patch.y..patch.y + patch.height;
    let row = |y: usize| 3 * (y * bitmap.width + patch.x)..3 * (y * bitmap.width + patch.x + patch.width);
    rows.flat_map(|y| bitmap.bytes[row(y)].iter().copied()).collect()
}
