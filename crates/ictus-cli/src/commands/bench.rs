//! `ictus bench`: how fast the engine is here, against plain loops, the machine's limits and Faust.

use crate::cli::Bench;
use crate::failure::{CHECK_FAILED, Failure};
use crate::session::progress_with;
use ictus_bench::{Case, Line, Meter, beginnings, cases, disturbed_share, measure, table, vectors};
use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

pub fn run(options: &Bench) -> Result<ExitCode, Failure> {
    let chosen = choose(&options.names)?;
    let meter = if options.quick { Meter::QUICK } else { Meter::THOROUGH };
    let clock = Instant::now();
    let all = beginnings(&chosen, meter) as u64;
    let bar = progress_with(options.quiet || options.json, all, "  {bar:30} {percent:>3} %  {msg}");
    let (lines, left_out) = measure(&chosen, meter, |case| {
        bar.set_message(case.name.clone());
        bar.inc(1);
    });
    bar.finish_and_clear();
    let text = if options.json {
        let text = serde_json::to_string_pretty(&lines);
        text.map_err(|error| Failure::new(format!("cannot write JSON: {error}"), "please report it"))? + "\n"
    } else {
        table(&lines)
    };
    write!(std::io::stdout(), "{text}").map_err(|_| Failure::Hangup)?;
    let missed = lines.iter().filter(|line| line.pass == Some(false)).count();
    if !options.quiet {
        for note in left_out {
            eprintln!("left out: {note}");
        }
        if !options.json {
            eprintln!("{}", summary(&lines, missed, clock.elapsed().as_secs_f64()));
        }
    }
    Ok(if options.check && missed > 0 { ExitCode::from(CHECK_FAILED) } else { ExitCode::SUCCESS })
}

/// The cases that a word names; without words, all but those on request.
fn choose(words: &[String]) -> Result<Vec<Case>, Failure> {
    let all = cases();
    let names = |case: &Case, word: &str| case.name.to_lowercase().contains(&word.to_lowercase());
    if let Some(word) = words.iter().find(|word| !all.iter().any(|case| names(case, word))) {
        let mut known: Vec<&str> = all.iter().map(|case| case.name.as_str()).collect();
        // seventy of them would hide the others
        known.retain(|name| !name.starts_with("presets, "));
        known.push("presets, and the name of one");
        let message = format!("no measurement has `{word}` in its name");
        return Err(Failure::new(message, format!("any part of these names:\n    {}", known.join("\n    "))));
    }
    let chosen = |case: &Case| match words {
        [] => !case.on_request,
        words => words.iter().any(|word| names(case, word)),
    };
    Ok(all.into_iter().filter(chosen).collect())
}

fn summary(lines: &[Line], missed: usize, seconds: f64) -> String {
    let judged = lines.iter().filter(|line| line.pass.is_some()).count();
    format!(
        "  {} of {judged} goals met in {seconds:.0} s · {} · goals in ns are for a 3 GHz core with AVX-512\n  \
         {:.0} % of the runs shared their core with another program; they count only where no undisturbed run exists",
        judged - missed,
        vectors(),
        100.0 * disturbed_share()
    )
}
