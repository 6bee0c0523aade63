//! Rivals in C++: compiled by every compiler that is installed, and timed in processes of their own, run by run.

use crate::measure::{Contestant, Meter, Run};
use crate::scratch::Scratch;
use ictus_core::BLOCK;
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::rc::Rc;

/// What times a class: see there.
pub(crate) const FRAME: &str = include_str!("../faust/timed.cpp");
/// Where a compiler stands for its name: each is tried, because neither is the faster for all loops.
const COMPILERS: [&str; 2] = ["g++", "clang++"];
/// Used where neither is installed by its name.
const ANY: &str = "c++";
/// What most people would compile with.
pub(crate) const FAST: &[&str] = &["-O3", "-march=native", "-ffast-math"];
/// The same without fused products and without reordered sums.
pub(crate) const EXACT: &[&str] = &["-O3", "-march=native", "-ffp-contract=off"];

/// The compilers that take part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Compilers {
    present: Vec<String>,
    absent: Vec<String>,
}

/// A file to compile.
pub(crate) struct Source {
    /// Its settings, for the table; empty for none.
    pub settings: String,
    pub code: PathBuf,
    pub flags: Vec<String>,
}

/// Programs that do the same thing, of which the fastest counts.
pub(crate) struct Rivals {
    /// With their settings, and with the compilers that did not take part.
    programs: Vec<(String, Timed)>,
}

/// Nanoseconds of a call of ours, nanoseconds of a sample of the fastest rival, and its settings.
pub(crate) type Raced<const N: usize> = ([f64; N], f64, String);

/// A running program that times itself whenever it gets a line.
struct Timed {
    child: Child,
    ask: ChildStdin,
    answer: BufReader<ChildStdout>,
    _folder: Rc<Scratch>,
}

impl Compilers {
    /// Those of this machine.
    pub fn installed() -> Result<Self, String> {
        Self::among(&COMPILERS, ANY)
    }

    /// Those of `names` that run, or else `any`.
    fn among(names: &[&str], any: &str) -> Result<Self, String> {
        let (mut present, absent): (Vec<String>, Vec<String>) =
            names.iter().map(|name| (*name).to_owned()).partition(|name| runs(name));
        if present.is_empty() && runs(any) {
            present.push(any.to_owned());
        }
        if present.is_empty() {
            return Err(format!("no C++ compiler is installed ({}): apt install g++ clang", absent.join(", ")));
        }
        Ok(Self { present, absent })
    }
}

impl Rivals {
    /// Compiles every source with every compiler and starts what comes out. A compiler that fails on a source is left out, as long as another program remains.
    pub fn new(compilers: &Compilers, folder: &Rc<Scratch>, sources: &[Source]) -> Result<Self, String> {
        let (mut programs, mut failures) = (Vec::new(), Vec::new());
        for source in sources {
            // side by side: there are two at most
            let compiling = compilers.present.iter().map(|compiler| {
                let program = source.code.with_extension(format!("{}.program", compiler.replace('+', "x")));
                let mut command = Command::new(compiler);
                command.arg(format!("-DBLOCK={BLOCK}")).args(&source.flags).arg("-o").arg(&program).arg(&source.code);
                (compiler, spawn(compiler, "apt install g++ clang", &mut command), program)
            });
            for (compiler, child, program) in compiling.collect::<Vec<_>>() {
                let done = child.and_then(|child| finish(compiler, child));
                match done.and_then(|()| Timed::start(&program, folder)) {
                    Ok(timed) => programs.push((label(compiler, &source.settings), timed)),
                    Err(why) => failures.push(why),
                }
            }
        }
        if programs.is_empty() {
            return Err(failures.into_iter().next().unwrap_or_else(|| "there is nothing to compile".to_owned()));
        }
        let absent = compilers.absent.iter().map(|name| format!("no {name}"));
        let failed = failures.len();
        let remarks: Vec<String> = absent.chain((failed > 0).then(|| format!("{failed} not compiled"))).collect();
        let remark = if remarks.is_empty() { String::new() } else { format!(" ({})", remarks.join(", ")) };
        programs.iter_mut().for_each(|(name, _)| *name += &remark);
        Ok(Self { programs })
    }

    /// Starts what is not started yet, which takes longer than a quick run.
    pub fn started(
        started: &mut Option<Self>,
        meter: Meter,
        start: impl FnOnce() -> Result<Self, String>,
    ) -> Result<&mut Self, String> {
        if meter.is_quick() {
            return Err("compiling takes longer than a quick run".to_owned());
        }
        Ok(match started {
            Some(rivals) => rivals,
            none => none.insert(start()?),
        })
    }

    /// Races `ours` against all of them.
    pub fn race<const N: usize>(&mut self, meter: Meter, ours: [Contestant; N]) -> Raced<N> {
        let (names, mut theirs) = self.runs();
        let mut ours: Vec<_> = ours.into_iter().map(|run| move |calls: usize| run(calls)).collect();
        let mut all: Vec<Contestant> = ours.iter_mut().map(|run| run as Contestant).collect();
        all.extend(theirs.iter_mut().map(|run| run as Contestant));
        let times = meter.race_all(all);
        let (time, name) = fastest(&times[N..], &names);
        (std::array::from_fn(|i| times[i]), time, name)
    }

    /// Races them against `others`. Nanoseconds of a sample of the fastest of either side, and the settings of the fastest other.
    pub fn race_rivals(&mut self, meter: Meter, others: &mut Self) -> ([f64; 2], String) {
        let ((names, mut ours), (other_names, mut theirs)) = (self.runs(), others.runs());
        let mut all: Vec<Contestant> = ours.iter_mut().map(|run| run as Contestant).collect();
        all.extend(theirs.iter_mut().map(|run| run as Contestant));
        let times = meter.race_all(all);
        let (one, _) = fastest(&times[..names.len()], &names);
        let (other, name) = fastest(&times[names.len()..], &other_names);
        ([one, other], name)
    }

    /// Their settings, and what runs them.
    fn runs(&mut self) -> (Vec<String>, Vec<impl FnMut(usize) -> Run>) {
        let (names, programs): (Vec<String>, Vec<&mut Timed>) =
            self.programs.iter_mut().map(|(name, program)| (name.clone(), program)).unzip();
        (names, programs.into_iter().map(|program| move |calls| program.run(calls)).collect())
    }
}

/// The least time that is a number, and the name beside it.
fn fastest(times: &[f64], names: &[String]) -> (f64, String) {
    let known = times.iter().zip(names).filter(|(time, _)| time.is_finite());
    let least = known.min_by(|(one, _), (other, _)| one.total_cmp(other));
    least.map_or((f64::NAN, "no answer".to_owned()), |(time, name)| (*time, name.clone()))
}

fn label(compiler: &str, settings: &str) -> String {
    if settings.is_empty() { compiler.to_owned() } else { format!("{compiler}, {settings}") }
}

fn runs(program: &str) -> bool {
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Writes a file into a folder.
pub(crate) fn write(folder: &Scratch, name: &str, text: &str) -> Result<PathBuf, String> {
    let path = folder.path().join(name);
    std::fs::write(&path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    Ok(path)
}

/// Runs a program to its end.
pub(crate) fn run(program: &str, install: &str, command: &mut Command) -> Result<(), String> {
    finish(program, spawn(program, install, command)?)
}

fn spawn(program: &str, install: &str, command: &mut Command) -> Result<Child, String> {
    let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    child.map_err(|error| match error.kind() {
        ErrorKind::NotFound => format!("{program} is not installed: {install}"),
        _ => format!("cannot run {program}: {error}"),
    })
}

fn finish(program: &str, child: Child) -> Result<(), String> {
    let output = child.wait_with_output().map_err(|error| format!("cannot wait for {program}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let words = String::from_utf8_lossy(&output.stderr);
    Err(format!("{program} failed: {}", words.lines().next().unwrap_or("without a word")))
}

impl Timed {
    fn start(program: &Path, folder: &Rc<Scratch>) -> Result<Self, String> {
        let pipes = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = pipes.map_err(|error| format!("cannot run {}: {error}", program.display()))?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(ask), Some(answer)) => {
                Ok(Self { child, ask, answer: BufReader::new(answer), _folder: folder.clone() })
            }
            _ => Err("a program without pipes".to_owned()),
        }
    }

    /// One short run, as long as so many samples; not a number of seconds if the program has died.
    fn run(&mut self, samples: usize) -> Run {
        let mut line = String::new();
        let asked = self.ask.write_all(b"\n").and_then(|()| self.answer.read_line(&mut line));
        match asked {
            Ok(_) => parsed(&line, samples),
            Err(_) => parsed("", samples),
        }
    }
}

/// What a program answers: nanoseconds of a sample, and whether another program used its core.
fn parsed(line: &str, samples: usize) -> Run {
    let mut words = line.split_whitespace();
    let nanoseconds = words.next().and_then(|word| word.parse::<f64>().ok()).unwrap_or(f64::NAN);
    Run { seconds: 1e-9 * nanoseconds * samples as f64, disturbed: words.next() == Some("disturbed") }
}

impl Drop for Timed {
    fn drop(&mut self) {
        // it would end by itself when its input does; this makes sure before its folder goes
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: &str = "no-such-compiler";

    #[test]
    fn missing_compilers_are_named() {
        let words = Compilers::among(&[NONE], NONE).expect_err("there is none");
        assert_eq!(words, format!("no C++ compiler is installed ({NONE}): apt install g++ clang"));
        // a program that every system has and that knows --version stands for a compiler
        let one = Compilers::among(&[NONE, "cargo"], NONE).expect("one of them");
        assert_eq!((one.present, one.absent), (vec!["cargo".to_owned()], vec![NONE.to_owned()]));
        let other = Compilers::among(&[NONE], "cargo").expect("the other");
        assert_eq!(other.present, ["cargo"]);
    }

    #[test]
    fn a_compiler_that_fails_is_an_error_with_its_words() {
        let folder = Rc::new(Scratch::new("programs-fail").expect("a folder"));
        let compilers = Compilers { present: vec!["cargo".to_owned()], absent: Vec::new() };
        let code = write(&folder, "none.cpp", "int main() {}").expect("a file");
        let source = Source { settings: String::new(), code, flags: Vec::new() };
        let words = Rivals::new(&compilers, &folder, &[source]).err().expect("cargo compiles no C++");
        assert!(words.starts_with("cargo failed: "), "{words}");
        let absent = Compilers { present: vec![NONE.to_owned()], absent: Vec::new() };
        let source = Source { settings: String::new(), code: PathBuf::new(), flags: Vec::new() };
        let words = Rivals::new(&absent, &folder, &[source]).err().expect("it is not there");
        assert!(words.starts_with(&format!("{NONE} is not installed")), "{words}");
    }

    #[test]
    fn answers_are_read() {
        let run = parsed("12.5 undisturbed 1e-3\n", 4);
        assert!((run.seconds - 5e-8).abs() < 1e-20 && !run.disturbed, "{run:?}");
        assert!(parsed("12.5 disturbed 0\n", 1).disturbed);
        assert!(parsed("", 1).seconds.is_nan() && parsed("killed\n", 1).seconds.is_nan());
    }

    #[test]
    fn the_fastest_counts_and_a_dead_program_does_not() {
        let names = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(fastest(&[f64::NAN, 3.0, 2.0], &names), (2.0, "c".to_owned()));
        assert!(fastest(&[f64::NAN], &names).0.is_nan());
        assert_eq!((label("g++", ""), label("g++", "scalar")), ("g++".to_owned(), "g++, scalar".to_owned()));
    }
}
