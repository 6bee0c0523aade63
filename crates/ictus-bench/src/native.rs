//! The plain loops over a bank of modes in C++, compiled for this machine: what a careful user gets without an engine.

use crate::programs::{Compilers, EXACT, FAST, FRAME, Rivals, Source, write};
use crate::scratch::Scratch;
use std::rc::Rc;

const LOOPS: &str = include_str!("../native/bank.cpp");

/// Which loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loop {
    FedBack,
    Ringing,
    Pushed,
}

/// How it is written and compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// One mode after the other; the compiler may fuse and reorder.
    Plain,
    /// The same, or eight lanes; the compiler may fuse and reorder.
    Free,
    /// Eight lanes, nothing fused nor reordered: the same bits on every machine.
    EqualBits,
}

/// Settings by name: what the table calls them, and what is defined.
const PLAIN: (&str, &[&str]) = ("", &[]);
const INLINED: (&str, &[&str]) = ("inlined", &["-DINLINED"]);
const LANES: (&str, &[&str]) = ("eight lanes", &["-DINLINED", "-DLANES"]);

/// Compiles a loop over so many modes, which in lanes are a multiple of eight, and starts what comes out.
pub(crate) fn start(which: Loop, style: Style, modes: usize) -> Result<Rivals, String> {
    let compilers = Compilers::installed()?;
    let folder = Rc::new(Scratch::new(&format!("native-{which:?}-{style:?}-{modes}"))?);
    let text = FRAME.replace("<<includeIntrinsic>>", "").replace("<<includeclass>>", LOOPS);
    let sources = settings(style).iter().map(|&(settings, defined)| {
        let code = write(&folder, &format!("bank{}.cpp", settings.replace(' ', "-")), &text)?;
        Ok(Source { settings: settings.to_owned(), code, flags: flags(which, style, modes, defined) })
    });
    Rivals::new(&compilers, &folder, &sources.collect::<Result<Vec<Source>, String>>()?)
}

fn settings(style: Style) -> &'static [(&'static str, &'static [&'static str])] {
    match style {
        Style::Plain => &[PLAIN, INLINED],
        Style::Free => &[PLAIN, INLINED, LANES],
        Style::EqualBits => &[LANES],
    }
}

fn flags(which: Loop, style: Style, modes: usize, defined: &[&str]) -> Vec<String> {
    let which = match which {
        Loop::FedBack => "-DFED_BACK",
        Loop::Ringing => "-DRINGING",
        Loop::Pushed => "-DPUSHED",
    };
    let compiling = if style == Style::EqualBits { EXACT } else { FAST };
    let mut flags: Vec<String> = compiling.iter().chain(defined).map(|&flag| flag.to_owned()).collect();
    flags.extend([format!("-DMODES={modes}"), "-DRESTART".to_owned(), which.to_owned()]);
    flags
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Meter;

    #[test]
    fn equal_bits_allow_neither_fusing_nor_reordering() {
        let plain = flags(Loop::FedBack, Style::Plain, 96, PLAIN.1).join(" ");
        assert_eq!(plain, "-O3 -march=native -ffast-math -DMODES=96 -DRESTART -DFED_BACK");
        let exact = flags(Loop::Ringing, Style::EqualBits, 96, LANES.1).join(" ");
        assert!(exact.contains("-ffp-contract=off") && !exact.contains("fast-math") && exact.contains("-DLANES"));
        assert!(settings(Style::Free).contains(&LANES) && !settings(Style::Plain).contains(&LANES));
    }

    #[test]
    fn loops_compile_and_answer_where_there_is_a_compiler() {
        if Compilers::installed().is_err() {
            return;
        }
        for (which, style) in
            [(Loop::FedBack, Style::Plain), (Loop::Ringing, Style::EqualBits), (Loop::Pushed, Style::Free)]
        {
            let mut rivals = start(which, style, 64).expect("it compiles");
            let ([], time, name) = rivals.race(Meter::QUICK, []);
            assert!(time > 0.1 && time < 1e5, "{which:?}, {style:?}: {time} ns by {name}");
        }
    }
}
