//! The `ictus` command: renders, audits, checks and lists instruments.

mod cli;
mod commands;
mod failure;
mod measure;
mod preset_name;
mod quantity;
mod session;
mod source;
mod table;
mod usage;

use clap::Parser;
use cli::{Cli, Command};
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // clap's own codes: 0 for help and version, 2 for bad usage
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let done = match cli.command.unwrap_or_default() {
        Command::Render(options) => commands::render::run(&options),
        Command::Audit(options) => commands::audit::run(&options),
        Command::Film(options) => commands::film::run(&options),
        Command::Check(options) => commands::check::run(&options),
        Command::List(options) => commands::list::run(&options),
        Command::Show(options) => commands::show::run(&options),
        Command::Extract(options) => commands::extract::run(&options),
        Command::Map(options) => commands::map::run(&options),
        Command::Repro(options) => commands::repro::run(&options),
        Command::Sweep(options) => commands::sweep::run(&options),
        Command::Bench(options) => commands::bench::run(&options),
        Command::Schema => commands::schema::run(),
    };
    match done {
        Ok(code) => code,
        Err(failure) => {
            failure.print();
            failure.exit_code()
        }
    }
}
