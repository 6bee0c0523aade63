//! Everything `ictus bench` measures: `cargo bench -p ictus-bench`, or a part of it: `cargo bench -p ictus-bench -- string`.

use ictus_bench::{Meter, cases, table};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let mut lines = Vec::new();
    for case in cases() {
        if words.is_empty() || words.iter().any(|word| case.name.contains(word.as_str())) {
            match case.run(Meter::THOROUGH) {
                Ok(measured) => lines.extend(measured),
                Err(why) => eprintln!("{}: {why}", case.name),
            }
        }
    }
    print!("{}", table(&lines));
}
