//! No function is longer than a screen or two.

use std::path::Path;
use std::process::Command;

/// Most lines of a function, with its signature and closing brace.
const MOST_LINES: usize = 80;

/// The name of the function that a line begins, and how far the line is indented.
fn beginning(line: &str) -> Option<(usize, &str)> {
    let mut rest = line.trim_start();
    let indent = line.len() - rest.len();
    if let Some(public) = rest.strip_prefix("pub") {
        // pub(crate), pub(in path)
        rest = public.strip_prefix('(').map_or(public, |scope| scope.split_once(')').map_or(scope, |(_, rest)| rest));
        rest = rest.strip_prefix(' ')?;
    }
    while let Some(shorter) =
        ["const ", "async ", "unsafe ", "extern \"C\" "].iter().find_map(|word| rest.strip_prefix(word))
    {
        rest = shorter;
    }
    let name = rest.strip_prefix("fn ")?;
    let end = name.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(name.len());
    Some((indent, &name[..end]))
}

/// Line, name and length of every function of a formatted source text: it ends with a closing brace as far to the left as
/// its first line begins, or, without a body, with that line.
fn functions(text: &str) -> Vec<(usize, &str, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let length = |first: usize, indent: usize| {
        let ends = |line: &&str| line.len() == indent + 1 && line.ends_with('}') && line.trim_start() == "}";
        let one_line = lines[first].ends_with([';', '}']);
        if one_line { 1 } else { lines[first..].iter().position(ends).map_or(1, |lines| lines + 1) }
    };
    let numbered = lines.iter().enumerate();
    let beginnings = numbered.filter_map(|(first, line)| beginning(line).map(|(indent, name)| (first, indent, name)));
    beginnings.map(|(first, indent, name)| (first + 1, name, length(first, indent))).collect()
}

#[test]
fn no_function_is_longer_than_eighty_lines() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let listed = Command::new("git").args(["ls-files", "*.rs"]).current_dir(&root).output().expect("git runs");
    let files = String::from_utf8(listed.stdout).expect("names in UTF-8");
    let mut checked = 0;
    let mut long = Vec::new();
    for file in files.lines() {
        // a file that is being moved is listed, but not there
        let Ok(text) = std::fs::read_to_string(root.join(file)) else { continue };
        for (line, name, length) in functions(&text) {
            checked += 1;
            if length > MOST_LINES {
                long.push(format!("{file}:{line}: `{name}` has {length} lines"));
            }
        }
    }
    assert!(checked > 1000, "only {checked} functions found");
    assert!(long.is_empty(), "split these by what they do, at most {MOST_LINES} lines each:\n{}", long.join("\n"));
}

/// What a body must implement stays small: speed and gestures go to `FastResonator` and `Capabilities`.
#[test]
fn a_resonator_has_eight_required_methods_and_at_most_three_optional_ones() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ictus-core/src/resonator.rs");
    let text = std::fs::read_to_string(path).expect("the contract of a body");
    let (_, rest) = text.split_once("pub trait Resonator").expect("the trait");
    let (body, _) = rest.split_once("\n}\n").expect("the end of the trait");
    let lines: Vec<&str> = body.lines().collect();
    let methods: Vec<(&str, bool)> = (0..lines.len())
        .filter_map(|first| {
            let (_, name) = beginning(lines[first])?;
            let signature = lines[first..].iter().find(|line| line.ends_with([';', '{', '}'])).expect("its end");
            Some((name, signature.ends_with(';')))
        })
        .collect();
    let required = methods.iter().filter(|(_, required)| *required).count();
    assert_eq!(required, 8, "{methods:?}");
    assert!(methods.len() - required <= 3, "{methods:?}");
}

#[test]
fn functions_are_found_with_their_lengths() {
    let text = "pub(crate) const fn one() {}\n\
                trait T {\n    fn none(&self);\n    fn two(\n        &self,\n    ) {\n        if x {\n        }\n    }\n}\n\
                unsafe extern \"C\" fn three() {\n}\nlet function = fn_pointer;\n";
    assert_eq!(functions(text), [(1, "one", 1), (3, "none", 1), (4, "two", 6), (11, "three", 2)]);
}
