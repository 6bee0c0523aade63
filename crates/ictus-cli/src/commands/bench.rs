//! `ictus bench`: how fast the engine is here, against plain loops, the machine's limits, loops in C++ and Faust.

use crate::cli::Bench;
use crate::failure::{CHECK_FAILED, Failure};
use crate::session::progress_with;
use ictus_analysis::plot::{Axis, Curve, Lines, Rgb, lines as draw_lines};
use ictus_bench::{
    Case, Growth, Line, Meter, REAL_TIME, beginnings, cases, disturbed_share, growths, load_summary, measure, table,
    vectors,
};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

/// Of the line of real time: grey.
const LIMIT: Rgb = Rgb(0x80, 0x80, 0x80);
/// Of the picture beyond the first and the last number, as a factor.
const MARGIN: f64 = 1.3;

pub fn run(options: &Bench) -> Result<ExitCode, Failure> {
    let chosen = choose(&options.names)?;
    if let Some(folder) = &options.plot {
        if !chosen.iter().any(|case| case.name.starts_with(SCALE)) {
            return Err(Failure::new("nothing to draw: curves come from `scale`", "ictus bench scale --plot DIR"));
        }
        std::fs::create_dir_all(folder).map_err(|error| Failure::file(folder, "create the folder", &error))?;
    }
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
    if let Some(folder) = &options.plot {
        plot(folder, growths(&lines))?;
    }
    let missed = lines.iter().filter(|line| line.pass == Some(false)).count();
    if !options.quiet {
        for note in left_out {
            eprintln!("left out: {note}");
        }
        if !options.json {
            for summary in load_summary(&lines) {
                eprintln!("  {summary}");
            }
            eprintln!("{}", summary(&lines, missed, clock.elapsed().as_secs_f64()));
        }
    }
    Ok(if options.check && missed > 0 { ExitCode::from(CHECK_FAILED) } else { ExitCode::SUCCESS })
}

/// What the names of the cases on request begin with.
const SCALE: &str = "scale, ";
const PRESETS: &str = "presets, ";

/// Draws curves of cost, and the line of real time across them.
fn plot(folder: &Path, curves: Vec<Growth>) -> Result<(), Failure> {
    let numbers = || curves.iter().flat_map(|curve| &curve.points).map(|(number, _)| *number);
    // discs on the edge would be cut in half
    let [low, high] = [numbers().fold(f64::INFINITY, f64::min) / MARGIN, numbers().fold(0.0, f64::max) * MARGIN];
    let x = Axis::log("Number of contacts, bars, modes or voices").with_range(low, high);
    let mut picture = Lines::new("What a sample costs on one core", x, Axis::log("Time per sample (µs)"));
    let limit = vec![(low, REAL_TIME), (high, REAL_TIME)];
    picture.curves = curves.into_iter().map(|curve| Curve::new(curve.label, curve.points).marked()).collect();
    let limit = Curve::new(format!("real time at 48 kHz, {REAL_TIME:.1} µs"), limit).dashed().color(LIMIT);
    Ok(draw_lines(&folder.join("scale.png"), &picture.with(limit))?)
}

/// The cases that a word names; without words, all but those on request.
fn choose(words: &[String]) -> Result<Vec<Case>, Failure> {
    let all = cases();
    let names = |case: &Case, word: &str| case.name.to_lowercase().contains(&word.to_lowercase());
    if let Some(word) = words.iter().find(|word| !all.iter().any(|case| names(case, word))) {
        let mut known: Vec<&str> = all.iter().map(|case| case.name.as_str()).collect();
        // a hundred of them would hide the others
        known.retain(|name| !name.starts_with(PRESETS) && !name.starts_with(SCALE));
        known.extend(["scale, or one of: contacts, bars, mode, voice, growth", "presets, and the name of one"]);
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
        "  {} of {judged} goals met in {seconds:.0} s · {}\n  \
         {:.0} % of the runs shared their core with another program; they count only where no undisturbed run exists",
        judged - missed,
        vectors(),
        100.0 * disturbed_share()
    )
}
