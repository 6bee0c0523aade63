//! `ictus repro`: published figures, run again and judged.

use crate::cli::Repro;
use crate::failure::{CHECK_FAILED, Failure};
use ictus_experiments::metric::short;
use ictus_experiments::{FIGURES, Figure, Metric, Outcome, Values, report};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub fn run(options: &Repro) -> Result<ExitCode, Failure> {
    if options.list {
        return list(options.json);
    }
    let figures = wanted(options)?;
    let runs = with_settings(&figures, &options.settings)?;
    let out = &options.out;
    std::fs::create_dir_all(out).map_err(|error| Failure::file(out, "create", &error))?;
    let started = std::time::Instant::now();
    let mut outcomes = Vec::new();
    for outcome in ictus_experiments::run_all(&runs) {
        outcomes.push(outcome.map_err(|error| plain(&error))?);
    }
    ictus_experiments::write_all(&runs, &outcomes, out)?;
    if !options.json && !options.quiet {
        for ((figure, _), outcome) in runs.iter().zip(&outcomes) {
            eprint!("{}", table(figure, outcome));
        }
    }
    if options.all {
        write_page(&runs, &outcomes, out)?;
    }
    if options.json {
        let figures: Vec<Value> = runs.iter().zip(&outcomes).map(|((f, v), o)| object(f, v, o)).collect();
        let text = serde_json::to_string_pretty(&figures).unwrap_or_default();
        writeln!(std::io::stdout().lock(), "{text}").map_err(|_| Failure::Hangup)?;
    }
    let failed = outcomes.iter().flat_map(|o| &o.metrics).filter(|metric| metric.pass == Some(false)).count();
    if !options.quiet {
        let page = if options.all { format!(", report {}", out.join("index.html").display()) } else { String::new() };
        let seconds = started.elapsed().as_secs_f64();
        let verdict = if failed == 0 { "all met".to_owned() } else { format!("{failed} NOT met") };
        eprintln!("{} in {seconds:.1} s: {verdict}; files in {}{page}", counted(runs.len()), out.display());
    }
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::from(CHECK_FAILED) })
}

fn counted(figures: usize) -> String {
    if figures == 1 { "1 figure".into() } else { format!("{figures} figures") }
}

fn plain(error: &impl std::fmt::Display) -> Failure {
    Failure::Plain { message: error.to_string(), help: None }
}

fn list(as_json: bool) -> Result<ExitCode, Failure> {
    let mut out = std::io::stdout().lock();
    let printed = if as_json {
        let parameters = |figure: &Figure| -> Vec<Value> {
            let one = |p: &ictus_experiments::Parameter| json!({"name": p.name, "default": p.default, "unit": p.unit, "meaning": p.meaning});
            figure.parameters.iter().map(one).collect()
        };
        let figures: Vec<Value> = FIGURES
            .iter()
            .map(|f| json!({"figure": f.id, "paper": f.paper, "title": f.title, "parameters": parameters(f)}))
            .collect();
        writeln!(out, "{}", serde_json::to_string_pretty(&figures).unwrap_or_default())
    } else {
        let width = FIGURES.iter().map(|f| f.id.len()).max().unwrap_or(0);
        FIGURES.iter().try_for_each(|f| writeln!(out, "{:<width$}  {}", f.id, f.title))
    };
    printed.map_err(|_| Failure::Hangup)?;
    Ok(ExitCode::SUCCESS)
}

/// The figures named on the command line.
fn wanted(options: &Repro) -> Result<Vec<&'static Figure>, Failure> {
    let Some(word) = &options.figure else {
        if options.all {
            return Ok(FIGURES.to_vec());
        }
        return Err(Failure::new(
            "no figure named",
            "name a figure or a paper, or use --all; `ictus repro --list` shows them",
        ));
    };
    let word = word.to_lowercase();
    if let Some(figure) = ictus_experiments::find(&word) {
        return Ok(vec![figure]);
    }
    let paper = ictus_experiments::of_paper(&word);
    if !paper.is_empty() {
        return Ok(paper);
    }
    let names = FIGURES.iter().flat_map(|f| [f.id, f.paper]);
    let likeness = |name: &str| strsim::jaro_winkler(name, &word);
    let nearest = names.max_by(|a, b| likeness(a).total_cmp(&likeness(b))).unwrap_or("");
    Err(Failure::new(
        format!("there is no figure or paper `{word}`"),
        format!("did you mean `{nearest}`? `ictus repro --list` shows all figures"),
    ))
}

/// Each figure takes the settings it knows; a setting that none knows is an error.
fn with_settings(
    figures: &[&'static Figure],
    settings: &[(String, String)],
) -> Result<Vec<(&'static Figure, Values)>, Failure> {
    let knows = |figure: &Figure, name: &str| figure.parameters.iter().any(|p| p.name == name);
    let mut runs = Vec::new();
    for &figure in figures {
        let orphan = |name: &str| !figures.iter().any(|f| knows(f, name));
        let own: Vec<_> = settings.iter().filter(|(name, _)| knows(figure, name) || orphan(name)).cloned().collect();
        let values = figure.values(&own).map_err(|error| Failure::new(error.to_string(), parameters(figure)))?;
        runs.push((figure, values));
    }
    Ok(runs)
}

fn parameters(figure: &Figure) -> String {
    let mut text = format!("parameters of {}:", figure.id);
    for p in figure.parameters {
        let unit = if p.unit.is_empty() { String::new() } else { format!(" {}", p.unit) };
        text += &format!("\n    {:<14} {}{unit}: {}", p.name, short(p.default), p.meaning);
    }
    text
}

fn write_page(runs: &[(&'static Figure, Values)], outcomes: &[Outcome], out: &Path) -> Result<(), Failure> {
    let all: Vec<report::Run> = runs.iter().zip(outcomes).map(|((f, v), o)| (*f, v, o)).collect();
    let path = out.join("index.html");
    let page = report::html(&all, out).map_err(|error| Failure::file(out, "read", &error))?;
    std::fs::write(&path, page).map_err(|error| Failure::file(&path, "write", &error))
}

fn table(figure: &Figure, outcome: &Outcome) -> String {
    let width = outcome.metrics.iter().map(|m| m.name.chars().count()).max().unwrap_or(0);
    let mut text = format!("{}: {}\n", figure.id, figure.title);
    for metric in &outcome.metrics {
        let verdict = match metric.pass {
            Some(true) => "met",
            Some(false) => "NOT MET",
            None => "–",
        };
        let measured = short(metric.measured);
        text += &format!("  {:<width$}  {measured:>10}  {:<18}  {verdict}\n", metric.name, metric.wanted());
    }
    text + "\n"
}

fn object(figure: &Figure, values: &Values, outcome: &Outcome) -> Value {
    let metric = |m: &Metric| {
        json!({
            "name": m.name,
            "claim": m.claim,
            "reference": m.reference(),
            "measured": m.measured,
            "tolerance": m.tolerance(),
            "test": m.test(),
            "pass": m.pass,
        })
    };
    let changed: serde_json::Map<String, Value> =
        values.changed().map(|(p, x)| (p.name.to_owned(), json!(x))).collect();
    json!({
        "figure": figure.id,
        "metrics": outcome.metrics.iter().map(metric).collect::<Vec<_>>(),
        "set": changed,
    })
}
