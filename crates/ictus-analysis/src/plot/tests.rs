use super::*;
use crate::file::scratch::Folder;
use std::f64::consts::TAU;

fn ringing(seconds: f64, rate: f64) -> Vec<f32> {
    let modes = [(220.0, 2.5, 0.4), (607.0, 1.2, 0.25), (1190.0, 0.8, 0.2), (3900.0, 0.3, 0.15), (9000.0, 0.1, 0.1)];
    let at =
        |t: f64| modes.iter().map(|(hz, t60, a)| a * libm::exp(-6.9 * t / t60) * libm::sin(TAU * hz * t)).sum::<f64>();
    (0..(seconds * rate) as usize).map(|n| at(n as f64 / rate) as f32).collect()
}

fn curve(f: impl Fn(f64) -> f64, from: f64, to: f64) -> Vec<(f64, f64)> {
    (0..=400).map(|i| from + (to - from) * f64::from(i) / 400.0).map(|x| (x, f(x))).collect()
}

fn stereo(rate: f64) -> Vec<f32> {
    let left = ringing(2.0, rate);
    left.iter().enumerate().flat_map(|(n, &l)| [l, 0.6 * left[n.saturating_sub(900)]]).collect()
}

fn waves() -> Lines {
    let decay = |x: f64| libm::exp(-x) * libm::sin(8.0 * x);
    Lines::new("A damped oscillation and its envelope", Axis::linear("Time (ms)"), Axis::linear("Displacement (m)"))
        .with(Curve::new("displacement", curve(move |x| 2e-4 * decay(x), 0.0, 5.0)))
        .with(Curve::new("envelope", curve(|x| 2e-4 * libm::exp(-x), 0.0, 5.0)).dashed())
        .with(Curve::new("a third", curve(|x| 1e-4 * libm::cos(x), 0.0, 5.0)))
        .with(Curve::new("a fourth", curve(|x| -1e-4 * libm::cos(2.0 * x), 0.0, 5.0)).stroke(Stroke::Dotted))
        .with(Curve::new("a fifth", curve(|x| 5e-5 * libm::cos(3.0 * x), 0.0, 5.0)))
}

fn convergence() -> Lines {
    let steps: Vec<f64> = (0..7).map(|i| 1e-3 / f64::from(1 << i)).collect();
    let errors = |p: f64, c: f64| steps.iter().map(|&h| (h, c * libm::pow(h, p))).collect::<Vec<_>>();
    Lines::new("Convergence", Axis::log("Step h (s)"), Axis::log("Error (m)"))
        .with(Curve::new("midpoint, order 2.00", errors(2.0, 1.0)).marked())
        .with(Curve::new("Störmer, order 4.00", errors(4.0, 9.0)).marked())
        .with(Curve::new("h²", errors(2.0, 0.3)).dashed())
}

fn ledger(draw: impl FnOnce(&EnergyCurves<'_>)) {
    let time: Vec<f64> = (0..48_000).map(|n| f64::from(n) / 48_000.0).collect();
    let supplied: Vec<f64> = time.iter().map(|t| 1.84e-3 * (t / 0.05).min(1.0)).collect();
    let dissipated: Vec<f64> = time.iter().zip(&supplied).map(|(t, s)| s * (1.0 - libm::exp(-3.0 * t))).collect();
    let stored: Vec<f64> = supplied.iter().zip(&dissipated).map(|(s, d)| s - d).collect();
    let residual: Vec<f64> =
        (0..48_000).map(|n: i32| 1e-19 * f64::from(n * 7919 % 1000 - 500) * libm::sqrt(f64::from(n))).collect();
    draw(&EnergyCurves {
        time: &time,
        stored: &stored,
        supplied: &supplied,
        dissipated: &dissipated,
        residual: &residual,
    });
}

/// Every kind of picture into a folder, with the given extension.
fn draw_all(folder: &Path, extension: &str) {
    let rate = 48_000.0;
    let file = |name: &str| folder.join(format!("{name}.{extension}"));
    waveform(&file("waveform"), "Steel bar, felt mallet", &ringing(2.0, rate), 1, rate).unwrap();
    waveform(&file("stereo"), "Steel bar, felt mallet", &stereo(rate), 2, rate).unwrap();
    waveform(&file("short"), "The first 10 ms", &ringing(0.01, rate), 1, rate).unwrap();
    spectrogram(&file("spectrogram"), "Steel bar, felt mallet", &ringing(2.0, rate), rate).unwrap();
    ledger(|curves| energy(&file("energy"), "Energy of a struck bar", curves).unwrap());
    lines(&file("lines"), &waves()).unwrap();
    lines(&file("log"), &convergence()).unwrap();
    panels(&file("panels"), "Four pictures in one", 2, &[waves(), convergence(), waves(), convergence()]).unwrap();
    panels(&file("row"), "Three in a row", 3, &[convergence(), waves(), convergence()]).unwrap();
}

#[test]
fn every_picture_is_drawn_in_both_kinds() {
    // `ICTUS_PLOTS=folder` keeps the pictures to look at.
    let scratch = Folder::new("plots");
    let kept = std::env::var_os("ICTUS_PLOTS").map(PathBuf::from);
    let folder = kept.as_deref().unwrap_or(scratch.path());
    draw_all(folder, "png");
    draw_all(folder, "svg");
    for entry in std::fs::read_dir(folder).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        assert!(bytes.starts_with(b"\x89PNG") || bytes.starts_with(b"<svg "));
        assert!(bytes.len() > 3000);
    }
}

#[test]
fn pictures_are_the_same_every_time() {
    let folder = Folder::new("same");
    let (a, b) = (folder.path().join("a.png"), folder.path().join("b.png"));
    lines(&a, &waves()).unwrap();
    lines(&b, &waves()).unwrap();
    assert_eq!(std::fs::read(a).unwrap(), std::fs::read(b).unwrap());
}

#[test]
fn nothing_bad_happens_with_nothing_or_nonsense() {
    let folder = Folder::new("nothing");
    let file = |name: &str| folder.path().join(name);
    waveform(&file("a.png"), "", &[], 2, 48_000.0).unwrap();
    waveform(&file("a.svg"), "", &[f32::NAN; 5000], 1, 48_000.0).unwrap();
    spectrogram::<f32>(&file("b.png"), "", &[], 48_000.0).unwrap();
    spectrogram(&file("b.svg"), "", &[0.0f32; 100], 44_100.0).unwrap();
    let none = EnergyCurves { time: &[], stored: &[], supplied: &[], dissipated: &[], residual: &[] };
    energy(&file("c.png"), "", &none).unwrap();
    panels(&file("d.png"), "", 0, &[]).unwrap();
    let odd = Lines::new("", Axis::log(""), Axis::linear(""))
        .with(Curve::new("", vec![(0.0, 1.0), (-1.0, f64::NAN), (1.0, f64::INFINITY)]))
        .with(Curve::new("one", vec![(1.0, 1.0)]).marked());
    lines(&file("e.svg"), &odd).unwrap();
}

#[test]
fn other_extensions_are_an_error_and_write_nothing() {
    let folder = Folder::new("extension");
    let error = lines(&folder.path().join("a.jpeg"), &waves()).unwrap_err();
    assert!(error.to_string().ends_with("a.jpeg: pictures end in .png or .svg"), "{error}");
    assert!(folder.names().is_empty());
    assert!(matches!(lines(&folder.path().join("no/a.png"), &waves()), Err(PlotError::Io { .. })));
}

#[test]
fn a_tone_is_dark_in_the_spectrogram_where_it_sounds() {
    let rate = 48_000.0;
    let tone: Vec<f32> = (0..96_000).map(|n| (0.5 * libm::sin(TAU * 1000.0 * f64::from(n) / rate)) as f32).collect();
    let folder = Folder::new("tone");
    let path = folder.path().join("tone.png");
    spectrogram(&path, "", &tone, rate).unwrap();
    let decoder = png::Decoder::new(std::fs::File::open(path).unwrap());
    let mut reader = decoder.read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size()];
    reader.next_frame(&mut pixels).unwrap();
    // In a column in the middle of the picture, the darkest pixel below the top margin and above the axis.
    let brightness = |y: usize| (0..3).map(|c| u32::from(pixels[(y * 1200 + 600) * 3 + c])).sum::<u32>();
    let darkest = (30..600).min_by_key(|&y| brightness(y)).unwrap();
    // 30 Hz to 24 kHz over the height of the frame, which starts at the margin and leaves 57 pixels for the axis.
    let (top, height) = (22.0, 700.0 - 44.0 - 57.0);
    let expected = top + height * (1.0 - libm::log(1000.0 / 30.0) / libm::log(24_000.0 / 30.0));
    assert!((darkest as f64 - expected).abs() < 8.0, "row {darkest} instead of {expected}");
}

#[test]
fn lines_cover_the_pixels_they_run_through() {
    let mut bitmap = bitmap::Bitmap::new((20, 20));
    bitmap.line(&[(2.0, 10.5), (18.0, 10.5)], 1.0, Rgb(0, 0, 0));
    assert_eq!(bitmap.pixel(10, 10), Rgb(0, 0, 0));
    assert_eq!(bitmap.pixel(10, 12), color::PAPER);
    bitmap.fill(surface::Rect { x: 0.0, y: 0.0, width: 1.5, height: 1.0 }, Rgb(0, 0, 0));
    assert_eq!(bitmap.pixel(0, 0), Rgb(0, 0, 0));
    assert!((120..=130).contains(&bitmap.pixel(1, 0).0));
}
