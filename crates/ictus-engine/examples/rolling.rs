//! The pictures of the book's chapter on surfaces: `cargo run -p ictus-engine --example rolling -- docs/images`.

use ictus_analysis::plot::{Axis, Curve, Lines, lines, panels};
use ictus_core::{Profile, Roughness};
use ictus_engine::{Patch, Player};
use ictus_instrument::load;
use std::error::Error;
use std::path::Path;

const RATE: u32 = 96_000;
const SECONDS: f64 = 1.0;
const SEEDS: [&str; 3] = ["1", "2", "3"];

/// A steel ball of 5 mm radius on a plate, pressed by `press`.
const ROLLING: &str = r#"
    format = 1
    gravity_m_s2 = 9.81
    [[resonator]]
    id = "ball"
    kind = "mass"
    mass_kg = "4 g"
    [[resonator]]
    id = "plate"
    kind = "modes"
    frequency_hz = [820, 2150, 4300]
    decay_s = [0.3, 0.2, 0.1]
    mass_kg = 0.3
    ports = { under = [1.0, 0.7, -0.9] }
    [[interaction]]
    id = "rolling"
    kind = "collision"
    between = ["plate.under", "ball"]
    stiffness = 1e9
    damping_s_m = 30
    speed_m_s = 0.6
    texture = { height_m = "3 µm", beta = 2, coarsest_m = "10 mm", finest_m = "0.2 mm", radius_m = "5 mm" }
    [[gesture]]
    id = "press"
    force = { what = "ball", curve = [[0.0, -0.4]] }
    [[tap]]
    from = "plate.under"
"#;

/// Contacts that begin per second, and the share of the time in contact: means over the seeds.
fn rate(settings: &[(&str, String)]) -> Result<(f64, f64), Box<dyn Error>> {
    let (mut onsets, mut touching) = (0.0, 0.0);
    for seed in SEEDS {
        let mut settings: Vec<_> = settings.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
        settings.push(("seed".to_owned(), seed.to_owned()));
        let patch = Patch::compile(&load("rolling.toml", ROLLING, &settings)?, RATE)?;
        let contact = patch.interactions()[0];
        let mut player = Player::new(&patch);
        player.audit(false);
        let mut before = false;
        for _ in 0..(SECONDS * f64::from(RATE)) as usize {
            player.render(&mut [[0.0; 2]]);
            let now = player.state().contact_force(contact) > 0.0;
            onsets += f64::from(u8::from(now && !before));
            touching += f64::from(u8::from(now));
            before = now;
        }
    }
    let count = SEEDS.len() as f64 * SECONDS;
    Ok((onsets / count, touching / (count * f64::from(RATE))))
}

/// One curve: a setting from `from` to `to` in equal ratios.
fn sweep(label: &str, key: &str, from: f64, to: f64, press: f64) -> Result<Curve, Box<dyn Error>> {
    let mut points = Vec::new();
    for i in 0..=16 {
        let value = from * libm::pow(to / from, f64::from(i) / 16.0);
        let (onsets, touching) = rate(&[(key, value.to_string()), ("press.curve[0][1]", (-press).to_string())])?;
        println!("{label}: {key} {value:.3e}: {onsets:.0} /s, touching {touching:.2}");
        points.push((value, onsets));
    }
    Ok(Curve::new(label, points).marked())
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let folder = Path::new(&folder);
    let grades = [("weight alone, 0.04 N", 0.0), ("0.2 N more", 0.2), ("0.4 N more", 0.4)];
    let contacts = || Axis::linear("Contacts begun (1/s)");
    let mut speed = Lines::new("Roughness 3 µm", Axis::log("Speed (m/s)"), contacts());
    let mut rough = Lines::new("Speed 0.6 m/s", Axis::log("Rms roughness (m)"), contacts());
    for (label, press) in grades {
        speed = speed.with(sweep(label, "rolling.speed_m_s", 0.08, 1.6, press)?);
        rough = rough.with(sweep(label, "rolling.texture.height_m", 1e-7, 3e-5, press)?);
    }
    panels(&folder.join("surface-rates.png"), "A 4 g ball, radius 5 mm, on a rough plate", 2, &[speed, rough])?;

    let roughness = Roughness { height: 1e-5, beta: 2.0, coarsest: 5e-3, finest: 1e-4, density: Roughness::DENSITY };
    let profile = Profile::fractal(&roughness, 1);
    let trace = |profile: &Profile| {
        let height = |i: u32| profile.height(1e-5 * f64::from(i));
        (0..800).map(|i| (1e-2 * f64::from(i), 1e6 * height(i))).collect::<Vec<_>>()
    };
    let title = "What a round body feels of a rough profile";
    let mut plot = Lines::new(title, Axis::linear("Distance (mm)"), Axis::linear("Height (µm)"))
        .with(Curve::new("the surface", trace(&profile)));
    for (label, radius) in [("radius 0.5 mm", 5e-4), ("radius 5 mm", 5e-3), ("radius 50 mm", 5e-2)] {
        plot = plot.with(Curve::new(label, trace(&profile.clone().rolled(radius))));
    }
    lines(&folder.join("surface-profile.png"), &plot)?;
    Ok(())
}
