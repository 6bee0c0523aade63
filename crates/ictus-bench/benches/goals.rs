//! Everything `ictus bench` measures: `cargo bench -p ictus-bench`, or a part of it: `cargo bench -p ictus-bench -- string`.

use ictus_bench::{Meter, cases, measure, table};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let mut chosen = cases();
    chosen.retain(|case| words.is_empty() || words.iter().any(|word| case.name.contains(word.as_str())));
    let (lines, left_out) = measure(&chosen, Meter::THOROUGH, |_| {});
    print!("{}", table(&lines));
    for note in left_out {
        eprintln!("left out: {note}");
    }
}
