//! One name for one thing: fails on identifiers and file names that the vocabulary retires.
//!
//! An identifier is split into its words (`free_ports`, `FreeRun` → `free`, `run`), and a retired word fails wherever it occurs as one of them. Comments and
//! strings are not checked for words, but for a few phrases. The same word may have another meaning in another crate (an audio `frame`, a snare `wire`, the dataset `sweep`, a `sheet` of pictures), so each
//! table names the crates it applies to.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Retired words, the crates in which they are retired (empty: all), and the term to use.
const RETIRED: [(&[&str], &[&str], &str); 19] = [
    (&["books"], &[], "ledger, audit"),
    (&["performance", "score"], &[], "patch, voice, player, cue"),
    (&["coast", "coasts", "coasting", "coasted"], &[], "free run"),
    (&["gliding"], &[], "block scheduler"),
    (&["joint", "joints"], &[], "contact"),
    (&["strands"], &[], "string array"),
    (&["frame", "frames"], PHYSICS, "scheme"),
    (&["given", "known"], PHYSICS, "external force, scheduled force; foreseen or solved for other things"),
    (&["glide", "glides"], PHYSICS, "free run, advance"),
    (&["sweep", "sweeps"], PHYSICS, "housekeeping, pass"),
    (&["live"], PHYSICS, "active set"),
    (&["direct", "mixed", "turns"], PHYSICS, "small, general or non-monotone Newton, sequential fallback"),
    (&["wire", "wires"], PHYSICS, "endpoint"),
    (&["touches"], &[], "contact statistics, contact count"),
    (&["closing"], PHYSICS, "approach velocity"),
    (&["looks"], &[], "outputs, probes"),
    (&["watched", "heard", "placed", "asked", "seen"], PHYSICS, "outputs, probes, velocity_ports, …"),
    (&["alone", "strand"], PHYSICS, "single-port, isolated; string"),
    (&["sheet", "strip", "marks", "room"], PHYSICS, "grid layout, lane layout, scratch"),
];

const PHYSICS: &[&str] = &["ictus-kernels", "ictus-core"];

/// Retired as whole identifiers, because their words are not retired.
const RETIRED_WHOLE: [(&str, &str); 9] = [
    ("one_port", "single_port"),
    ("OnePort", "SinglePort"),
    ("glide", "advance, or what slides"),
    ("Known", "ScheduledForce, External, …: what is known"),
    ("Looks", "Outputs, Probes"),
    ("Row", "PortRow, TableRow, …: a row of what"),
    ("Push", "the force: StepForce, …"),
    ("Bank", "ModalBank, BankState, …: a bank of what"),
    ("Place", "Position, Folder, …: where"),
];

#[test]
fn retired_words_name_nothing() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = String::new();
    let mut files = 0;
    for path in sources(&root) {
        files += 1;
        let name = path.strip_prefix(&root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        let package = name.strip_prefix("crates/").and_then(|rest| rest.split('/').next()).unwrap_or_default();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        let file_name = std::iter::once((0, stem.to_string()));
        let text = if package.is_empty() { without_hash_comments(&text) } else { text };
        for (line, identifier) in file_name.chain(identifiers(&text)) {
            let Some((word, instead)) = retired(package, &identifier) else { continue };
            let place =
                if line == 0 { format!("{name} (file name)") } else { format!("{name}:{line}: `{identifier}`") };
            let _ = writeln!(found, "{place}: `{word}` is retired, use: {instead}");
        }
    }
    assert!(files > 100, "{files} source files found under {}", root.display());
    assert!(found.is_empty(), "the vocabulary retires these names:\n{found}");
}

/// Rust sources, tests, examples and benches of all crates, scripts and instruments, in order.
fn sources(root: &Path) -> Vec<PathBuf> {
    let kinds = ["src", "tests", "examples", "benches"];
    let packages = read(&root.join("crates")).into_iter();
    let folders = packages.flat_map(|package| kinds.map(|kind| package.join(kind))).filter(|folder| folder.is_dir());
    let mut files = files_in(folders.collect(), |path| path.extension().is_some_and(|extension| extension == "rs"));
    files.extend(files_in(vec![root.join("scripts"), root.join("instruments")], is_text));
    files
}

/// Files whose name ends in a source or text extension, and scripts, which have none.
fn is_text(path: &Path) -> bool {
    path.extension().is_none_or(|extension| ["rs", "md", "toml", "py", "sh"].iter().any(|known| extension == *known))
}

/// All files of the folders and their subfolders that `wanted` accepts, in order.
fn files_in(mut folders: Vec<PathBuf>, wanted: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in read(&folder) {
            if path.is_dir() {
                folders.push(path);
            } else if wanted(&path) {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

fn read(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries.map(|entry| entry.expect("a readable folder").path()).collect()
}

/// Phrases without a subject or a term of the field, and what to write instead. Files of instruments describe sounds to people and are left out but for the first few.
const PHRASES: [(&str, &str); 14] = [
    ("energy books", "ledger"),
    ("the books", "the ledger"),
    ("its books", "its ledger"),
    ("in the books", "in the ledger"),
    ("nobody", "name the subject"),
    ("somebody", "name the subject"),
    ("whoever", "name the subject"),
    ("is told", "takes, receives"),
    ("are told", "take, receive"),
    ("looked at", "examined, evaluated, recorded"),
    ("gone through", "traversed"),
    ("gone on with", "resumed"),
    ("to and fro", "in alternating direction, oscillates"),
    ("required above", "state the condition and who checks it"),
];
/// So many of them are retired in files of instruments too.
const ALSO_IN_INSTRUMENTS: usize = 4;

#[test]
fn retired_phrases_are_not_written() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut paths = sources(&root);
    paths.extend(files_in(vec![root.join("docs")], is_text));
    paths.extend(["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|name| root.join(name)));
    let mut found = String::new();
    for path in paths.iter().filter(|path| !path.ends_with("cli/vocabulary.rs")) {
        let name = path.strip_prefix(&root).unwrap_or(path).to_string_lossy().replace('\\', "/");
        let count = if name.starts_with("instruments/") { ALSO_IN_INSTRUMENTS } else { PHRASES.len() };
        let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{name}: {error}")).to_lowercase();
        for (line, text) in (1..).zip(text.lines()) {
            for (phrase, instead) in PHRASES[..count].iter().filter(|(phrase, _)| holds_words(text, phrase)) {
                let _ = writeln!(found, "{name}:{line}: \"{phrase}\", write: {instead}");
            }
        }
    }
    assert!(found.is_empty(), "plain technical English names who does what:\n{found}");
}

/// True if the phrase stands in the text with no letter beside it.
fn holds_words(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(at, _)| {
        let beside = [text[..at].chars().next_back(), text[at + phrase.len()..].chars().next()];
        !beside.into_iter().flatten().any(char::is_alphanumeric)
    })
}

/// The lines of a script or of TOML without what follows a `#`, and without words that are part of a path.
fn without_hash_comments(text: &str) -> String {
    let code = text.lines().map(|line| line.split('#').next().unwrap_or_default());
    code.flat_map(|line| line.split_inclusive(char::is_whitespace).filter(|word| !word.contains('/')).chain(["\n"]))
        .collect()
}

/// The retired word of an identifier and the term to use, if it has one.
fn retired(package: &str, identifier: &str) -> Option<(String, &'static str)> {
    if let Some((name, instead)) = RETIRED_WHOLE.iter().find(|(name, _)| *name == identifier) {
        return Some(((*name).to_owned(), instead));
    }
    words(identifier).into_iter().find_map(|word| {
        let applies = |packages: &[&str]| packages.is_empty() || packages.contains(&package);
        let entry = RETIRED.iter().find(|(words, packages, _)| words.contains(&word.as_str()) && applies(packages))?;
        Some((word, entry.2))
    })
}

/// The words of an identifier, in lower case.
fn words(identifier: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_lower = false;
    for c in identifier.chars() {
        if c == '_' || c.is_uppercase() && after_lower {
            words.push(String::new());
        }
        if c != '_' {
            words.last_mut().expect("at least one word").extend(c.to_lowercase());
        }
        after_lower = c.is_lowercase() || c.is_numeric();
    }
    words
}

/// Identifiers of Rust code with their lines, without comments, strings and characters.
fn identifiers(text: &str) -> Vec<(usize, String)> {
    let chars: Vec<char> = text.chars().collect();
    let (mut found, mut line, mut i) = (Vec::new(), 1, 0);
    while i < chars.len() {
        let end = match (chars[i], chars.get(i + 1)) {
            ('/', Some('/')) => skip(&chars, i, |at| chars[at] == '\n'),
            ('/', Some('*')) => skip(&chars, i + 2, |at| chars[at - 1] == '*' && chars[at] == '/') + 1,
            ('r', Some('"' | '#')) if raw_string(&chars, i + 1).is_some() => raw_string(&chars, i + 1).unwrap_or(i + 1),
            ('"', _) => quoted(&chars, i),
            // a lifetime has no closing quote
            ('\'', Some('\\')) => quoted(&chars, i),
            ('\'', _) if chars.get(i + 2) == Some(&'\'') => i + 3,
            (c, _) if c.is_alphanumeric() || c == '_' => {
                let end = skip(&chars, i, |at| !(chars[at].is_alphanumeric() || chars[at] == '_'));
                if !c.is_numeric() {
                    found.push((line, chars[i..end].iter().collect()));
                }
                end
            }
            _ => i + 1,
        };
        line += chars[i..end.min(chars.len())].iter().filter(|c| **c == '\n').count();
        i = end;
    }
    found
}

/// The first index from `start` on at which `ends` is true, or the end of the text.
fn skip(chars: &[char], start: usize, ends: impl Fn(usize) -> bool) -> usize {
    (start..chars.len()).find(|&at| ends(at)).unwrap_or(chars.len())
}

/// The index after a string or character that begins with the quote at `start`.
fn quoted(chars: &[char], start: usize) -> usize {
    let mut at = start + 1;
    while at < chars.len() && chars[at] != chars[start] {
        at += if chars[at] == '\\' { 2 } else { 1 };
    }
    at + 1
}

/// The index after a raw string whose hashes or quote begin at `start`, if it is one.
fn raw_string(chars: &[char], start: usize) -> Option<usize> {
    let hashes = chars[start..].iter().take_while(|c| **c == '#').count();
    if chars.get(start + hashes) != Some(&'"') {
        return None;
    }
    let closes =
        |at: usize| chars[at] == '"' && chars[at + 1..].iter().take(hashes).filter(|c| **c == '#').count() == hashes;
    Some(skip(chars, start + hashes + 1, closes) + 1 + hashes)
}

#[test]
fn identifiers_are_found_and_nothing_else() {
    let text = "/// books\nlet free_books = \"books \\\" books\"; // books\nr#\"books\"#; 'b'; &'books x;\n/* books */ r#known";
    let names: Vec<String> = identifiers(text).into_iter().map(|(line, name)| format!("{line} {name}")).collect();
    assert_eq!(names, ["2 let", "2 free_books", "3 books", "3 x", "4 r", "4 known"]);
    assert_eq!(words("FreeRun_AT_once2Twice"), ["free", "run", "at", "once2", "twice"]);
    assert!(retired("ictus-core", "HEARD_PORTS").is_some() && retired("ictus-analysis", "HEARD_PORTS").is_none());
    assert!(retired("ictus-analysis", "Coasting").is_some() && retired("ictus-core", "one_port").is_some());
}
