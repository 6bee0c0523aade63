//! Runs the commands of README.md and of the book, page by page, in order, each page in an empty folder.
//!
//! | in a page | the test |
//! |---|---|
//! | a fenced `sh` block, or an indented block that begins with a command | runs it with `sh -e`; it must succeed |
//! | `<!-- not run: REASON -->` in the line before | leaves it out |
//! | a `toml` or `json` block after a paragraph that says "Save this as `NAME`" | writes it to NAME |
//! | a `toml` block after a paragraph that says "Add this to `NAME`" | appends it to NAME |

use crate::common::{TempFolder, stdout};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::Instant;

/// What a page does.
#[derive(Debug, PartialEq)]
enum Step {
    Run { line: usize, script: String },
    Save { name: String, text: String },
    Append { name: String, text: String },
}

/// Words that begin an indented block of commands.
const COMMANDS: [&str; 4] = ["ictus", "cargo", "scripts/", "$ "];

/// Reads the steps of a page.
fn steps(page: &str) -> Result<Vec<Step>, String> {
    let lines: Vec<&str> = page.lines().collect();
    let (mut steps, mut paragraph, mut left_out) = (Vec::new(), String::new(), false);
    let mut n = 0;
    while n < lines.len() {
        let (line, first) = (lines[n], n + 1);
        n += 1;
        let (language, block) = if let Some(language) = line.strip_prefix("```") {
            let end = lines[n..].iter().position(|line| line.starts_with("```"));
            let end = n + end.ok_or_else(|| format!("line {first}: a block without end"))?;
            let block = lines[n..end].join("\n");
            n = end + 1;
            (language.trim(), block)
        } else if line.starts_with("    ")
            && (first < 2 || lines[first - 2].trim().is_empty())
            && COMMANDS.iter().any(|command| line.trim_start().starts_with(command))
        {
            let end = lines[n..].iter().position(|line| !line.starts_with("    ")).map_or(lines.len(), |k| n + k);
            let block: Vec<&str> = lines[first - 1..end].iter().map(|line| &line[4..]).collect();
            n = end;
            ("sh", block.join("\n"))
        } else {
            if let Some(reason) = line.strip_prefix("<!-- not run:") {
                if reason.trim_end_matches("-->").trim().is_empty() {
                    return Err(format!("line {first}: `not run` needs a reason"));
                }
                left_out = true;
            } else if !line.trim().is_empty() {
                // a paragraph is what follows the last empty line
                if first < 2 || lines[first - 2].trim().is_empty() {
                    paragraph.clear();
                }
                paragraph += line;
                paragraph.push(' ');
                left_out = false;
            }
            continue;
        };
        let named = |words: &str| {
            let name = paragraph.split_once(words)?.1.split_once('`')?.0;
            Some(name.to_owned())
        };
        match language {
            "sh" | "bash" | "console" if !left_out => {
                let script: Vec<&str> = block.lines().map(|line| line.strip_prefix("$ ").unwrap_or(line)).collect();
                steps.push(Step::Run { line: first, script: script.join("\n") });
            }
            "toml" | "json" => {
                let text = block + "\n";
                if let Some(name) = named("ave this as `") {
                    steps.push(Step::Save { name, text });
                } else if let Some(name) = named("dd this to `") {
                    steps.push(Step::Append { name, text });
                }
            }
            "" if COMMANDS[..3].iter().any(|command| block.starts_with(command)) => {
                return Err(format!("line {first}: a block of commands needs the language `sh`"));
            }
            _ => {}
        }
        left_out = false;
        paragraph.clear();
    }
    Ok(steps)
}

/// The text of a file that a page (from the root of the tree) has its reader save, with all that is added to it.
pub fn saved_file(page: &str, wanted: &str) -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(page);
    let text = std::fs::read_to_string(page).expect("a readable page");
    let mut file = String::new();
    for step in steps(&text).expect("a readable page") {
        match step {
            Step::Save { name, text } if name == wanted => file = text,
            Step::Append { name, text } if name == wanted => file += &text,
            _ => {}
        }
    }
    file
}

/// Does what the page says; returns what failed.
fn follow(page: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(page).expect("a readable page");
    let steps = match steps(&text) {
        Ok(steps) => steps,
        Err(fault) => return vec![format!("{}: {fault}", page.display())],
    };
    let place = TempFolder::new();
    let program = PathBuf::from(place.command().get_program());
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = program.parent().map(Path::to_owned).into_iter().chain(std::env::split_paths(&path));
    let path = std::env::join_paths(folders).expect("a search path");
    let mut failures = Vec::new();
    for step in steps {
        match step {
            Step::Save { name, text } => place.write(&name, text),
            Step::Append { name, text } => {
                let before = std::fs::read_to_string(place.path(&name)).unwrap_or_default();
                place.write(&name, before + "\n" + &text);
            }
            Step::Run { line, script } => {
                let mut shell = Command::new("sh");
                let shell = shell.args(["-e", "-c", &script]).current_dir(place.folder.path());
                let shell = shell.env("PATH", &path).env("NO_COLOR", "1").stdin(Stdio::null());
                let clock = Instant::now();
                let output = shell.output().expect("a shell");
                println!("{}:{line}: {:.1} s", page.display(), clock.elapsed().as_secs_f64());
                if !output.status.success() {
                    let said = String::from_utf8_lossy(&output.stderr);
                    failures.push(format!("{}:{line}: {}\n{script}\n{said}", page.display(), output.status));
                }
            }
        }
    }
    failures
}

/// README.md and the pages of the book.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let book = std::fs::read_dir(root.join("docs/book/src")).expect("the book");
    let book = book.map(|entry| entry.expect("a page").path());
    let mut pages: Vec<PathBuf> = book.filter(|path| path.extension().is_some_and(|end| end == "md")).collect();
    pages.push(root.join("README.md"));
    pages.sort();
    pages
}

/// Commands within a line are not run, because many leave something to the reader; what they name must exist.
#[test]
fn commands_named_in_the_text_exist() {
    let place = TempFolder::new();
    let help = stdout(&place.run(&["--help"]));
    let verbs: Vec<&str> = help.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let figures = stdout(&place.run(&["repro", "--list"]));
    let mut named = 0;
    for page in pages() {
        let text = std::fs::read_to_string(&page).expect("a readable page");
        for span in text.split('`').filter_map(|span| span.strip_prefix("ictus ")).filter(|span| !span.contains('\n')) {
            let words: Vec<&str> = span.split_whitespace().collect();
            assert!(words.first().is_some_and(|verb| verbs.contains(verb)), "{}: `ictus {span}`", page.display());
            named += 1;
            if let ["repro", figure, ..] = words[..]
                && figure.starts_with(|c: char| c.is_ascii_lowercase())
            {
                let known = figures.lines().any(|line| line.trim_start().starts_with(figure));
                assert!(known, "{}: there is no figure {figure}", page.display());
            }
        }
    }
    assert!(named > 20, "{named} commands");
}

#[cfg(unix)]
#[test]
fn every_command_of_the_readme_and_the_book_succeeds() {
    let left = Mutex::new(pages().into_iter());
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some(page) = left.lock().expect("no panic").next() else { return };
                    let failed = follow(&page);
                    failures.lock().expect("no panic").extend(failed);
                }
            });
        }
    });
    let failures = failures.into_inner().expect("no panic");
    assert!(failures.is_empty(), "{} blocks failed:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn pages_are_read_as_described() {
    let page = "Save this as `a.toml`:\n\n```toml\nx = 1\n```\n\nThen\n\n    ictus check a.toml\n    ictus list\n\nand a formula\n\n    f = k x\n\n\
                <!-- not run: takes minutes -->\n```sh\nictus bench\n```\n\n```sh\nictus list > a\n```\n\nAdd this to `a.toml`:\n\n```toml\ny = 2\n```\n";
    let expected = [
        Step::Save { name: "a.toml".into(), text: "x = 1\n".into() },
        Step::Run { line: 9, script: "ictus check a.toml\nictus list".into() },
        Step::Run { line: 21, script: "ictus list > a".into() },
        Step::Append { name: "a.toml".into(), text: "y = 2\n".into() },
    ];
    assert_eq!(steps(page), Ok(expected.into()));
    assert!(steps("<!-- not run: -->\n```sh\nictus\n```\n").is_err(), "a reason is needed");
    assert!(steps("```\nictus list\n```\n").is_err(), "a language is needed");
    assert!(steps("```sh\nictus list\n").is_err(), "an end is needed");
}

#[cfg(unix)]
#[test]
fn a_failing_command_is_found() {
    let place = TempFolder::new();
    place.write("page.md", "```sh\nictus list\nictus show nothing-like-it > mine.toml\nictus list\n```\n");
    let failures = follow(&place.path("page.md"));
    assert_eq!(failures.len(), 1, "{failures:?}");
    assert!(failures[0].contains("nothing-like-it"), "{failures:?}");
}
