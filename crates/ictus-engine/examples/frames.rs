//! Plays a preset frame by frame, for `scripts/check-frames` to count the instructions of each:
//! `frames PRESET FROM COUNT`.
//!
//! Every frame is played as an instrument plays it ([`played`]), and once more by a twin that takes every step by itself ([`stepped`]), with whose median costs are compared.
//! Prints a line for every frame: whether there is sound around it.

use ictus_engine::{Patch, Player, presets};
use ictus_instrument::load;
use std::error::Error;

const RATE: u32 = 48_000;
/// Frames of a block in which the first sound is searched.
const BLOCK: usize = 64;
/// Fainter blocks are silence.
const SILENCE: f32 = 1e-4;

#[inline(never)]
fn played(player: &mut Player, frame: &mut [[f32; 2]]) {
    player.render(frame);
}

#[inline(never)]
fn stepped(player: &mut Player, frame: &mut [[f32; 2]]) {
    player.render(frame);
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [name, from, count] = words.as_slice() else {
        return Err("usage: frames PRESET FROM COUNT".into());
    };
    let preset = presets::ALL.iter().find(|preset| preset.stem == name).ok_or(format!("no preset {name}"))?;
    let patch = Patch::compile(&load(preset.stem, preset.text, &[])?, RATE)?;
    let mut player = Player::new(&patch);
    player.audit(false);
    let mut frame = [[0.0; 2]];
    for _ in 0..from.parse()? {
        player.render(&mut frame);
    }
    let mut twin = player.clone();
    twin.step_singly();
    let mut frames = vec![[0.0; 2]; count.parse()?];
    for now in frames.chunks_exact_mut(1) {
        played(&mut player, now);
        stepped(&mut twin, &mut frame);
    }
    for block in frames.chunks(BLOCK) {
        let sounds = block.iter().flatten().any(|x| x.abs() > SILENCE);
        for _ in block {
            println!("{}", u8::from(sounds));
        }
    }
    Ok(())
}
