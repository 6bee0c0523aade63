//! The same folder, byte for byte, whatever happens on the way.

use crate::common::{BAR, contents, plan, run};
use ictus_sweep::{Container, Error, Order, Plan, Summary, Sweep, TABLE};
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use tempfile::tempdir;

const KEYS: [&str; 3] = ["hardness=0..1", "mallet.mass_kg=5g..50g:log", "bar.mass_kg=0.05,0.11,200 g"];

#[test]
fn the_number_of_threads_changes_nothing() {
    let place = tempdir().expect("a folder");
    for order in [Order::Random, Order::Sobol, Order::Grid] {
        let plan = Plan { order, ..plan(&KEYS, 27) };
        let folders = [1, 2, 7].map(|jobs| {
            let folder = place.path().join(format!("{}-{jobs}", order.name()));
            assert_eq!(run(&plan, &folder, jobs).expect("a sweep").ok, 27);
            contents(&folder)
        });
        assert_eq!(folders[0].len(), 27 + 3);
        assert!(folders[0].contains_key("000/000026.wav"));
        assert!(folders.iter().all(|folder| *folder == folders[0]), "{}", order.name());
    }
}

/// So many samples that a busy machine does not end them all before it hears of the stop.
const MANY: u64 = 200;

#[test]
fn a_stopped_sweep_is_gone_on_with() {
    let place = tempdir().expect("a folder");
    let plan = plan(&KEYS, MANY);
    let (whole, pieces) = (place.path().join("whole"), place.path().join("pieces"));
    run(&plan, &whole, 2).expect("a sweep");
    let sweep = Sweep::new(plan).expect("a plan");
    let mut found = 0;
    for until in [1, 5, 6, 19] {
        let stop = AtomicBool::new(false);
        let halt = |summary: &Summary| stop.store(summary.done() >= until, Ordering::Relaxed);
        let Err(Error::Interrupted { done }) = sweep.run(&pieces, 3, &stop, &halt) else { panic!("not stopped") };
        assert!((until..MANY).contains(&done) && done >= found, "{until}: {done}");
        found = done;
    }
    let summary = sweep.run(&pieces, 3, &AtomicBool::new(false), &|_| {}).expect("the rest");
    assert_eq!(summary, Summary { ok: MANY, found, ..Summary::default() });
    assert_eq!(contents(&whole), contents(&pieces));
    let again = sweep.run(&pieces, 1, &AtomicBool::new(false), &|_| {}).expect("nothing to do");
    assert_eq!(again.found, MANY);
}

#[test]
fn whatever_a_crash_leaves_is_mended() {
    let place = tempdir().expect("a folder");
    let folder = place.path().join("sweep");
    let plan = plan(&KEYS, 12);
    run(&plan, &folder, 2).expect("a sweep");
    let whole = contents(&folder);
    let table = folder.join(TABLE);
    let text = fs::read_to_string(&table).expect("the table");
    let line = |n: usize| text.match_indices('\n').nth(n).map_or(0, |(at, _)| at + 1);
    let damage: [(&str, &dyn Fn()); 6] = [
        ("a row cut short", &|| fs::write(&table, &text[..line(6) + 9]).expect("written")),
        ("a header cut short", &|| fs::write(&table, &text[..7]).expect("written")),
        ("no table", &|| fs::remove_file(&table).expect("removed")),
        ("no instrument", &|| fs::remove_file(folder.join("instrument.toml")).expect("removed")),
        ("a lost sound", &|| fs::remove_file(folder.join("000/000004.wav")).expect("removed")),
        ("half a sound", &|| {
            fs::write(&table, &text[..line(9)]).expect("written");
            fs::write(folder.join("000/.000009.wav.77-0.part"), "RIFF").expect("written");
        }),
    ];
    for (what, damage) in damage {
        damage();
        let summary = run(&plan, &folder, 2).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(summary.ok, 12, "{what}");
        assert_eq!(contents(&folder), whole, "{what}");
    }
}

#[test]
fn other_settings_are_refused_and_longer_sweeps_go_on() {
    let place = tempdir().expect("a folder");
    let folder = place.path().join("sweep");
    let first = plan(&KEYS, 9);
    run(&first, &folder, 2).expect("a sweep");
    let before = contents(&folder);
    let others: [(&str, Plan); 8] = [
        ("seed", Plan { seed: 1, ..first.clone() }),
        ("samples", Plan { count: Some(8), ..first.clone() }),
        ("order", Plan { order: Order::Sobol, ..first.clone() }),
        ("vary", plan(&KEYS[..2], 9)),
        ("seconds", Plan { seconds: Some(0.1), ..first.clone() }),
        ("sample_rate", Plan { sample_rate: 44_100, ..first.clone() }),
        ("format", Plan { container: Container::Flac, ..first.clone() }),
        ("another text", Plan { text: BAR.replace("1.5 }", "1.6 }"), ..first.clone() }),
    ];
    for (what, other) in others {
        let error = run(&other, &folder, 1).expect_err(what).to_string();
        assert!(error.contains(what), "{what}: {error}");
    }
    assert_eq!(contents(&folder), before);
    let longer = run(&Plan { count: Some(13), ..first.clone() }, &folder, 2).expect("four more");
    assert_eq!(longer, Summary { ok: 13, found: 9, ..Summary::default() });
    let whole = place.path().join("whole");
    run(&Plan { count: Some(13), ..first }, &whole, 2).expect("a sweep");
    assert_eq!(contents(&folder), contents(&whole));
}

#[test]
fn folders_of_others_and_of_running_sweeps_are_left_alone() {
    let place = tempdir().expect("a folder");
    let plan = plan(&KEYS, 3);
    fs::write(place.path().join("letter.txt"), "dear").expect("written");
    let error = run(&plan, place.path(), 1).expect_err("not empty").to_string();
    assert!(error.contains("letter.txt"), "{error}");
    let error = run(&plan, &place.path().join("letter.txt"), 1).expect_err("a file").to_string();
    assert!(error.contains("letter.txt"), "{error}");
    let folder = place.path().join("sweep");
    run(&plan, &folder, 1).expect("a sweep");
    let table = fs::File::open(folder.join(TABLE)).expect("the table");
    table.lock().expect("locked");
    let error = run(&plan, &folder, 1).expect_err("locked").to_string();
    assert!(error.contains("another sweep"), "{error}");
    drop(table);
    let text = fs::read_to_string(folder.join(TABLE)).expect("the table");
    fs::write(folder.join(TABLE), text.replace("\n1,", "\n7,")).expect("written");
    let error = run(&plan, &folder, 1).expect_err("a strange row").to_string();
    assert!(error.contains("table.csv:3"), "{error}");
}
