//! What a player adds to the physics: the same model stepped in the core and played through `process`, both without meter; and what the meter adds.

use super::{Case, Measured};
use crate::line::Line;
use crate::measure::{Meter, repeated};
use crate::scene::RATE;
use ictus_core::{ContactId, FreeRun, State, step};
use ictus_engine::{Io, Patch, Player};

/// Frames of a block.
const BLOCK: usize = 64;
/// A block of the player may take so many times what the core takes.
const MOST: f64 = 1.15;
/// And with its meter so many times what it takes without.
const METERED: f64 = 1.03;

/// A mass pressed against a bar of 30 modes: the contact stays closed.
const HELD: &str = r#"
    format = 1
    [[resonator]]
    id = "mass"
    kind = "mass"
    mass_kg = "20 g"
    [[resonator]]
    id = "bar"
    kind = "modes"
    frequency_hz = FREQUENCIES
    decay_s = 0.5
    mass_kg = 0.1
    ports = { tip = WEIGHTS }
    [[interaction]]
    id = "contact"
    kind = "collision"
    between = ["mass", "bar.tip"]
    stiffness = 1e7
    exponent = 1.5
    [[gesture]]
    force = { what = "mass", curve = [[0, 20], [1, 20]] }
    [[tap]]
    from = "bar.tip"
"#;

/// 100 modes under a force that changes in every step for a day.
const DRIVEN: &str = r#"
    format = 1
    [[resonator]]
    id = "bar"
    kind = "modes"
    frequency_hz = FREQUENCIES
    decay_s = 0.5
    mass_kg = 0.1
    ports = { tip = WEIGHTS }
    [[gesture]]
    force = { what = "bar.tip", curve = [[0, 0], [80000, 1]] }
    [[tap]]
    from = "bar.tip"
"#;

pub(super) fn cases() -> [Case; 4] {
    [
        Case::new("player, held contact", held),
        Case::new("player, 100 modes under a force curve", driven),
        Case::new("player's meter, held contact", |name, meter| metered(name, meter, (HELD, 30))),
        Case::new("player's meter, 100 modes under a force curve", |name, meter| metered(name, meter, (DRIVEN, 100))),
    ]
}

fn patch(text: &str, modes: usize) -> Result<Patch, String> {
    let list = |value: &dyn Fn(usize) -> f64| format!("{:?}", (0..modes).map(value).collect::<Vec<_>>());
    let text = text
        .replace("FREQUENCIES", &list(&|i| 200.0 * 1.03f64.powi(i as i32) + 17.0 * i as f64))
        .replace("WEIGHTS", &list(&|i| if i % 2 == 0 { 1.0 } else { -0.8 }));
    let loaded = ictus_instrument::load("bench.toml", &text, &[]).map_err(|error| error.to_string())?;
    Patch::compile(&loaded, RATE as u32).map_err(|error| error.to_string())
}

/// A player some milliseconds into its sound, without ledger, and the contact of its force.
fn started(patch: &Patch) -> Result<(Player, ContactId), String> {
    let name = patch.model().contact_names().find(|name| name.starts_with("force on"));
    let force = name.and_then(|name| patch.model().find_contact(name)).ok_or("no force")?;
    let mut player = Player::new(patch);
    player.audit(false);
    player.render(&mut [[0.0; 2]; 4800]);
    Ok((player, force))
}

fn block(player: &mut Player) {
    let (mut left, mut right) = ([0.0f32; BLOCK], [0.0f32; BLOCK]);
    player.process(&[], Io { inputs: &[], buses: &mut [&mut left, &mut right] });
    std::hint::black_box((left, right));
}

fn line(name: &str, [core, player]: [f64; 2]) -> Line {
    let per_sample = 1.0 / BLOCK as f64;
    Line::new(name, player * per_sample, "ns/sample").against("the core", core * per_sample).goal(1.0 / MOST)
}

fn held(name: &str, meter: Meter) -> Measured {
    let patch = patch(HELD, 30)?;
    let (mut player, _) = started(&patch)?;
    player.measure(false);
    let mut state = player.state().clone();
    let tip = patch.model().find_body("bar").ok_or("no bar")?;
    let mut in_core = repeated(|| {
        for _ in 0..BLOCK {
            step(patch.model(), &mut state);
            std::hint::black_box(state.velocity(patch.model(), tip, 0));
        }
    });
    let mut in_player = repeated(|| block(&mut player));
    let times = meter.race([&mut in_core, &mut in_player]);
    Ok(vec![line(name, times)])
}

fn driven(name: &str, meter: Meter) -> Measured {
    let patch = patch(DRIVEN, 100)?;
    let (mut player, force) = started(&patch)?;
    player.measure(false);
    let mut state: State = player.state().clone();
    let tip = patch.model().find_body("bar").ok_or("no bar")?;
    let mut free_run = FreeRun::new(patch.model(), &[(tip, 0)]);
    let mut now = 0.0;
    let mut in_core = repeated(|| {
        let mut left = BLOCK;
        while left > 0 {
            if let Some(inputs) = free_run.inputs(force) {
                for input in inputs.iter_mut().take(left) {
                    now += 1e-9;
                    *input = now;
                }
            }
            let taken = free_run.run(patch.model(), &mut state, left);
            if taken == 0 {
                state.set_input(force, now);
                step(patch.model(), &mut state);
            }
            left -= taken.max(1);
        }
        std::hint::black_box(&state);
    });
    let mut in_player = repeated(|| block(&mut player));
    let times = meter.race([&mut in_core, &mut in_player]);
    Ok(vec![line(name, times)])
}

/// Frames between two readings of the meter: sixty a second.
const READING: u64 = 800;

/// Blocks with the meter, which is read sixty times a second, against blocks without.
fn metered(name: &str, meter: Meter, (text, modes): (&str, usize)) -> Measured {
    let patch = patch(text, modes)?;
    let ((mut with, _), (mut without, _)) = (started(&patch)?, started(&patch)?);
    without.measure(false);
    let mut read = 0;
    let mut with_meter = repeated(|| {
        block(&mut with);
        if with.frame() >= read + READING {
            read = with.frame();
            std::hint::black_box(with.meter());
        }
    });
    let mut without_meter = repeated(|| block(&mut without));
    let [without, with] = meter.race([&mut without_meter, &mut with_meter]).map(|time| time / BLOCK as f64);
    Ok(vec![Line::new(name, with, "ns/sample").against("without", without).goal(1.0 / METERED)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_contact_is_held_and_the_force_acts() {
        let held = patch(HELD, 30).expect("a patch");
        let (player, _) = started(&held).expect("a player");
        assert_eq!(player.meter().contacts, 1, "the contact");
        let driven = patch(DRIVEN, 100).expect("a patch");
        let (mut player, _) = started(&driven).expect("a player");
        let before = player.free_run_steps();
        block(&mut player);
        assert!(player.free_run_steps() > before, "blocks are taken under a force curve");
    }
}
