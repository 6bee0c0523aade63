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

/// A file beside `tests/all.rs` is a part of it or a program of its own: otherwise its tests would not run.
#[test]
fn every_file_of_tests_is_run() {
    let mut programs = 0;
    for entry in std::fs::read_dir(root().join("crates")).expect("the crates") {
        let folder = entry.expect("a crate").path();
        let Ok(all) = std::fs::read_to_string(folder.join("tests/all.rs")) else {
            continue;
        };
        programs += 1;
        let manifest = read(&folder.join("Cargo.toml"));
        for file in std::fs::read_dir(folder.join("tests")).expect("its tests") {
            let path = file.expect("a file").path();
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let named = all.lines().any(|line| line == format!("mod {stem};"))
                || manifest.contains(&format!("[[test]]\nname = \"{stem}\"\n"));
            assert!(named || path.extension().is_none_or(|end| end != "rs"), "{} is not run", path.display());
        }
    }
    assert_eq!(programs, 5);
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
            ictus_engine::Patch::compile(&loaded, 48_000).unwrap_or_else(|error| panic!("{name}: {error}"));
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

/// The tables of shapes and materials in the book are those of the code. `ICTUS_BLESS=1` writes them.
#[test]
fn the_tables_of_objects_are_those_of_the_code() {
    let path = root().join("docs/book/src/objects.md");
    let page = read(&path);
    let mut expected = page.clone();
    for (name, table) in [("shapes", shapes()), ("materials", materials())] {
        let (open, close) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
        let start = expected.find(&open).expect("a place for the table") + open.len();
        let end = expected.find(&close).expect("the end of the table");
        expected.replace_range(start..end, &table);
    }
    if std::env::var_os("ICTUS_BLESS").is_some() {
        std::fs::write(&path, &expected).expect("a writable tree");
    } else {
        assert_eq!(page, expected, "ICTUS_BLESS=1 writes the tables");
    }
}

fn shapes() -> String {
    let mut text = "\n| shape | key | meaning | unit | default |\n|---|---|---|---|---|\n".to_owned();
    for shape in ictus_objects::shapes() {
        text += &format!("| **`{}`** | | {} | | |\n", shape.name, shape.what);
        for key in shape.keys {
            let unit = ictus_instrument::Dimension::of_key(key.name).map_or("", |dimension| dimension.unit);
            let default = key.default.map_or("required".to_owned(), |value| format!("`{value}`"));
            text += &format!("| | `{}` | {} | {unit} | {default} |\n", key.name, key.what);
        }
        text += &format!("| | port | {} | | |\n", shape.point);
    }
    text + "\n"
}

fn materials() -> String {
    let mut text = "\n| material | density kg/m³ | Young GPa | Poisson | `damping_1_s` | `loss_factor` | `viscous_s` | T60 at 1 kHz |\n\
                    |---|---|---|---|---|---|---|---|\n"
        .to_owned();
    for material in ictus_objects::materials() {
        let ictus_objects::Material { name, density_kg_m3, young_pa, poisson, damping } = material;
        let loss = format!("{:.5}", damping.b / std::f64::consts::PI);
        let loss = loss.trim_end_matches('0');
        let viscous = if damping.c == 0.0 { "0".to_owned() } else { format!("{:.1e}", damping.c) };
        text += &format!(
            "| `{name}` | {density_kg_m3} | {} | {poisson} | {} | {loss} | {viscous} | {:.2} s |\n",
            young_pa / 1e9,
            damping.a,
            damping.decay_s(1000.0)
        );
    }
    text + "\n"
}
