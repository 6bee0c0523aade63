//! The documents are true: paths exist, examples load.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn paths_named_in_the_architecture_exist() {
    let text = read(&root().join("ARCHITECTURE.md"));
    let paths: Vec<&str> = text.split('`').skip(1).step_by(2).filter(|word| word.contains('/')).collect();
    assert!(paths.len() > 10, "found {paths:?}");
    for path in paths {
        assert!(root().join(path).exists(), "ARCHITECTURE.md names {path}, which does not exist");
    }
}

/// Every TOML block of the book and the README that is a whole instrument must load and compile.
#[test]
fn instruments_in_the_book_load() {
    let mut pages: Vec<PathBuf> = vec![root().join("README.md")];
    let book = root().join("docs/book/src");
    pages.extend(std::fs::read_dir(book).expect("the book").map(|entry| entry.expect("a page").path()));
    let mut count = 0;
    for page in pages.iter().filter(|page| page.extension().is_some_and(|end| end == "md")) {
        let text = read(page);
        for block in text.split("```toml\n").skip(1) {
            let block = block.split("```").next().unwrap_or_default();
            if !block.contains("format = 1") {
                continue;
            }
            let name = page.display().to_string();
            let loaded = ictus_instrument::load(&name, block, &[]).unwrap_or_else(|error| panic!("{name}: {error}"));
            ictus_engine::Instrument::compile(&loaded, 48_000).unwrap_or_else(|error| panic!("{name}: {error}"));
            count += 1;
        }
    }
    assert!(count >= 3, "the book shows only {count} instruments");
}

#[test]
fn every_chapter_is_in_the_summary() {
    let book = root().join("docs/book/src");
    let summary = read(&book.join("SUMMARY.md"));
    for entry in std::fs::read_dir(&book).expect("the book") {
        let name = entry.expect("a page").file_name().to_string_lossy().into_owned();
        if name.ends_with(".md") && name != "SUMMARY.md" {
            assert!(summary.contains(&name), "{name} is not in SUMMARY.md");
        }
    }
}
