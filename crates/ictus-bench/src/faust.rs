//! Programs written in Faust: scalar and in vectors of 32 and of 64, each by every C++ compiler.

use crate::programs::{Compilers, FAST, FRAME, Rivals, Source, run, write};
use crate::scratch::Scratch;
use std::process::Command;
use std::rc::Rc;

/// Settings by name. `-lv 0` and `-dfs` were never faster.
const SETTINGS: [(&str, &[&str]); 3] = [
    ("scalar", &[]),
    ("-vec -vs 32", &["-vec", "-lv", "1", "-vs", "32"]),
    ("-vec -vs 64", &["-vec", "-lv", "1", "-vs", "64"]),
];
const FAUST: &str = "faust";

/// Translates a program with each of the settings, compiles and starts what comes out.
pub(crate) fn start(name: &str, source: &str) -> Result<Rivals, String> {
    start_with(FAUST, name, source)
}

fn start_with(faust: &str, name: &str, source: &str) -> Result<Rivals, String> {
    let folder = Rc::new(Scratch::new(&format!("faust-{name}"))?);
    let (frame, source) = (write(&folder, "timed.cpp", FRAME)?, write(&folder, "source.dsp", source)?);
    let mut sources = Vec::new();
    for (settings, flags) in SETTINGS {
        let code = folder.path().join(format!("code{}.cpp", flags.concat()));
        let mut command = Command::new(faust);
        command.arg("-double").args(flags).arg("-a").arg(&frame).arg(&source).arg("-o").arg(&code);
        run(faust, "apt install faust", &mut command)?;
        let flags = FAST.iter().map(|&flag| flag.to_owned()).collect();
        sources.push(Source { settings: settings.to_owned(), code, flags });
    }
    Rivals::new(&Compilers::installed()?, &folder, &sources)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_faust_is_said_with_a_way_out() {
        let words = start_with("no-such-faust", "missing", "process = _;").err().expect("it is not there");
        assert_eq!(words, "no-such-faust is not installed: apt install faust");
    }
}
