//! Programs written in Faust, compiled with its best flags and timed in a process of their own, run by run.

use crate::measure::Run;
use crate::scratch::Scratch;
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::rc::Rc;

/// What the generated code is put into.
const FRAME: &str = include_str!("../faust/timed.cpp");
/// Of all that were tried, the best on one machine or another. Vectors of 32, `-lv 0` and `-dfs` were never faster.
const FLAGS: [&[&str]; 2] = [&[], &["-vec", "-lv", "1", "-vs", "64"]];
/// Of the C++ compiler.
const OPTIMISED: [&str; 3] = ["-O3", "-march=native", "-ffast-math"];
const COMPILER: &str = "c++";

/// A running program that times itself whenever it is asked.
pub(crate) struct Timed {
    child: Child,
    ask: ChildStdin,
    answer: BufReader<ChildStdout>,
    _folder: Rc<Scratch>,
}

/// Compiles a program with each set of flags, side by side, and starts what comes out.
pub(crate) fn start(name: &str, source: &str) -> Result<[Timed; FLAGS.len()], String> {
    let folder = Rc::new(Scratch::new(&format!("faust-{name}"))?);
    let write = |file: &str, text: &str| {
        let path = folder.path().join(file);
        std::fs::write(&path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        Ok::<PathBuf, String>(path)
    };
    let (frame, source) = (write("timed.cpp", FRAME)?, write("source.dsp", source)?);
    let compile = |flags: &[&str]| {
        let code = folder.path().join(format!("code{}.cpp", flags.concat()));
        let mut faust = Command::new("faust");
        faust.arg("-double").args(flags).arg("-a").arg(&frame).arg(&source).arg("-o").arg(&code);
        finish("faust", spawn("faust", "apt install faust", &mut faust)?)?;
        let program = code.with_extension("program");
        let mut compiler = Command::new(COMPILER);
        compiler.args(OPTIMISED).arg("-o").arg(&program).arg(&code);
        Ok::<_, String>((spawn(COMPILER, "apt install g++", &mut compiler)?, program))
    };
    let [one, other] = FLAGS.map(compile).map(|compiling| {
        let (child, program) = compiling?;
        finish(COMPILER, child).map(|()| program)
    });
    Ok([Timed::start(&one?, &folder)?, Timed::start(&other?, &folder)?])
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

    /// A sample of one short run; not a number of seconds if the program has died.
    pub fn sample(&mut self) -> Run {
        let mut line = String::new();
        let asked = self.ask.write_all(b"\n").and_then(|()| self.answer.read_line(&mut line));
        let mut words = line.split(' ').map(str::trim);
        let nanoseconds = asked.ok().and_then(|_| words.next()?.parse::<f64>().ok()).unwrap_or(f64::NAN);
        Run { seconds: 1e-9 * nanoseconds, disturbed: words.next() == Some("disturbed") }
    }
}

impl Drop for Timed {
    fn drop(&mut self) {
        // it would end by itself when its input does; this makes sure before its folder goes
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
