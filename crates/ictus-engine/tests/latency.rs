//! Oversampling delays the sound by whole frames, which can be removed exactly.

use ictus_engine::{Patch, Player};

const RATE: u32 = 48_000;

/// A bank struck by a short pulse at 10 ms, heard at once.
fn patch(oversampling: u32) -> Patch {
    let text = format!(
        "format = 1\noversampling = {oversampling}\n[[resonator]]\nid = \"bar\"\nkind = \"modes\"\nfrequency_hz = [600, 1700]\n\
         decay_s = 0.05\nmass_kg = 0.1\nports = {{ tip = [1.0, -0.6] }}\n\
         [[gesture]]\nat_s = 0.01\nstrike = {{ what = \"bar.tip\", impulse_n_s = 0.02, duration_s = \"1 ms\" }}\n\
         [[tap]]\nfrom = \"bar.tip\"\n"
    );
    let loaded = ictus_instrument::load("bar.toml", &text, &[]).expect("a valid file");
    Patch::compile(&loaded, RATE).expect("it compiles")
}

fn sound(patch: &Patch, skip: bool, frames: usize) -> Vec<f64> {
    let mut player = Player::new(patch);
    if skip {
        player.skip_latency();
    }
    let mut block = vec![[0.0f32; 2]; frames];
    player.render(&mut block);
    block.iter().map(|frame| f64::from(frame[0])).collect()
}

#[test]
fn a_stroke_lands_at_the_same_frame_at_every_oversampling() {
    let plain = sound(&patch(1), true, 2000);
    let peak = plain.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    assert!(peak > 0.01, "{peak}");
    for (oversampling, latency) in [(1, 0), (2, 35), (4, 52), (8, 61)] {
        let patch = patch(oversampling);
        assert_eq!(patch.latency_frames(), latency);
        let aligned = sound(&patch, true, 2000);
        let error = plain.iter().zip(&aligned).fold(0.0f64, |most, (a, b)| most.max((a - b).abs())) / peak;
        // half a frame would be 11 % of the peak at 1700 Hz
        println!("{oversampling}: {:.2} % of the peak apart", 100.0 * error);
        assert!(error < 0.02, "oversampling {oversampling}: {error} of the peak apart");
        let late = sound(&patch, false, 2000 + latency);
        assert!(late[latency..] == aligned[..], "skipping removes {latency} frames and nothing else");
    }
}
