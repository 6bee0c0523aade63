//! A hot loop for so many steps, with the instructions every machine has: what `scripts/check-instructions` counts.
//!
//! `instructions contact|ringing|plate STEPS`

use ictus_bench::scene::{Pushed, Touching};
use ictus_core::FreeRun;
use ictus_kernels::{Level, force};
use std::hint::black_box;
use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [name, steps] = words.as_slice() else {
        return usage();
    };
    let Ok(steps) = steps.parse() else {
        return usage();
    };
    force(Level::Baseline);
    match name.as_str() {
        // a bank of modes with a mass pressed on it: prediction, Newton, motion
        "contact" => {
            let scene = Touching::new(300, 2.3);
            black_box(scene.pressed().after(steps));
        }
        // the same with the mass away: blocks
        "ringing" => {
            let scene = Touching::new(300, 2.3);
            let mut playing = scene.apart();
            playing.free_run(&mut FreeRun::new(&scene.model, &[(scene.bank, 0)]), steps);
            black_box(playing);
        }
        // the stencils of a grid
        "plate" => {
            let scene = Pushed::surface(40, true);
            black_box(scene.playing().after(steps));
        }
        _ => return usage(),
    }
    ExitCode::SUCCESS
}

fn usage() -> ExitCode {
    eprintln!("usage: instructions contact|ringing|plate STEPS");
    ExitCode::from(2)
}
