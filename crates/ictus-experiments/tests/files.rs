//! What is written can be read.

use ictus_experiments::animation::Animation;
use ictus_experiments::{Outcome, Table, find, report};
use std::fs;
use std::path::Path;

fn d21_2(folder: &Path) -> Outcome {
    let figure = find("d21-2").unwrap();
    let outcome = figure.run(&figure.defaults()).unwrap();
    let files = outcome.write(figure.id, folder).unwrap();
    for file in &files {
        assert!(fs::metadata(file).unwrap().len() > 0, "{}", file.display());
    }
    outcome
}

#[test]
fn pictures_curves_and_metrics_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let outcome = d21_2(folder.path());
    let read = |name: &str| fs::read(folder.path().join(name)).unwrap();
    assert!(read("d21-2.png").starts_with(b"\x89PNG"));
    assert!(read("d21-2.svg").starts_with(b"<svg"));
    let metrics = String::from_utf8(read("d21-2-metrics.csv")).unwrap();
    assert_eq!(metrics.lines().count(), outcome.metrics.len() + 1);
    let curves = String::from_utf8(read("d21-2-k1e8.csv")).unwrap();
    let rows: Vec<&str> = curves.lines().collect();
    assert_eq!(rows[0], "step_s,error_nit_m,error_it1_m,error_it2_m");
    assert_eq!(rows.len(), 8, "seven rates");
    for row in &rows[1..] {
        assert!(row.split(',').all(|cell| cell.parse::<f64>().is_ok_and(f64::is_finite)), "{row}");
    }
}

#[test]
fn numbers_in_tables_keep_all_their_digits() {
    let table = Table::new("").with("a", vec![0.1 + 0.2, 1e-300]).with("b", vec![2.0]);
    let csv = table.csv();
    let rows: Vec<&str> = csv.lines().collect();
    assert_eq!(rows[0], "a,b");
    assert_eq!(rows[1].split(',').next().unwrap().parse::<f64>().unwrap(), 0.1 + 0.2);
    assert_eq!(rows[2], "1e-300,");
}

#[test]
fn animations_have_all_their_frames() {
    let figure = find("d21-3").unwrap();
    let outcome = figure.run(&figure.defaults()).unwrap();
    let whole = &outcome.animations[0];
    assert!(whole.frames.len() > 50);
    let short = Animation { frames: whole.frames[20..24].to_vec(), ..whole.clone() };
    let folder = tempfile::tempdir().unwrap();
    let bytes = short.apng(folder.path()).unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "no frames are left behind");
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    assert_eq!(reader.info().animation_control().unwrap().num_frames, 4);
    let mut buffer = vec![0; reader.output_buffer_size()];
    for i in 0..4 {
        reader.next_frame(&mut buffer).unwrap_or_else(|error| panic!("frame {i}: {error}"));
    }
}

#[test]
fn the_page_needs_no_other_file() {
    let folder = tempfile::tempdir().unwrap();
    let outcome = d21_2(folder.path());
    let figure = find("d21-2").unwrap();
    let values = figure.defaults();
    let page = report::html(&[(figure, &values, &outcome)], folder.path()).unwrap();
    assert!(page.contains("<svg") && page.contains("id=\"d21-2\"") && page.contains("doublings"));
    for outside in ["src=\"http", "href=\"http", "url(", "<link", "<script"] {
        assert!(!page.contains(outside), "{outside}");
    }
}

#[test]
fn a_folder_that_is_not_there_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let figure = find("d21-2").unwrap();
    let outcome = figure.run(&figure.defaults()).unwrap();
    assert!(outcome.write(figure.id, &folder.path().join("missing")).is_err());
}
