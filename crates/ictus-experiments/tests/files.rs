//! What is written can be read.

use ictus_experiments::animation::Animation;
use ictus_experiments::{FIGURES, Outcome, Table, find, papers, report};
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

/// Nothing on the page is wider than a phone: pictures and tables scroll in boxes of their own, and the rest wraps.
#[test]
fn the_page_fits_a_phone() {
    let folder = tempfile::tempdir().unwrap();
    let outcome = d21_2(folder.path());
    let figure = find("d21-2").unwrap();
    let values = figure.defaults();
    let page = report::html(&[(figure, &values, &outcome)], folder.path()).unwrap();
    assert!(page.contains("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"));
    for (what, opening) in [("<table", "<div class=\"scroll\">"), ("<svg", "<figure class=\"scroll\" tabindex=\"0\">")]
    {
        assert!(page.contains(what), "no {what}");
        for (at, _) in page.match_indices(what) {
            assert!(page[..at].trim_end().ends_with(opening), "{what} outside of a scroll container");
        }
    }
    let style = page.split("<style>").nth(1).and_then(|rest| rest.split("</style>").next()).unwrap();
    for rule in
        [".scroll{overflow-x:auto", "svg,img{max-width:100%", "overflow-wrap:break-word", "@media(max-width:44rem)"]
    {
        assert!(style.contains(rule), "the style lacks {rule}");
    }
}

/// Every paper that has figures is explained on the page, before its first figure.
#[test]
fn every_paper_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    let (values, outcome) = (find("d21-2").unwrap().defaults(), Outcome::default());
    let runs: Vec<report::Run> = FIGURES.iter().map(|figure| (*figure, &values, &outcome)).collect();
    let page = report::html(&runs, folder.path()).unwrap();
    for figure in FIGURES {
        let paper = papers::find(figure.paper).unwrap_or_else(|| panic!("{} belongs to no paper", figure.id));
        let explained = page.find(&format!("<section class=\"paper\" id=\"{}\">", paper.id)).expect(paper.id);
        let shown = page.find(&format!("<h3 id=\"{}\">", figure.id)).expect(figure.id);
        assert!(explained < shown, "{} comes before its paper", figure.id);
    }
    for paper in papers::PAPERS {
        for text in [paper.does, paper.reproduced] {
            assert!(text.split_whitespace().count() >= 20, "{}: {text}", paper.id);
        }
        assert!(page.matches(paper.does.split(['\'', '&']).next().unwrap()).count() == 1, "{}", paper.id);
    }
    assert_eq!(papers::PAPERS.iter().filter(|paper| paper.id != "handbook").count(), 5);
}

#[test]
fn a_folder_that_is_not_there_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let figure = find("d21-2").unwrap();
    let outcome = figure.run(&figure.defaults()).unwrap();
    assert!(outcome.write(figure.id, &folder.path().join("missing")).is_err());
}
