//! Scenes: they show what the state says, and arrive on another thread.

use ictus_engine::{Action, ContactPlace, ContactState, Event, InputId, Patch, Player, Scene, Time, presets, scenes};

const RATE: u32 = 48_000;

fn patch_of(text: &str) -> Patch {
    let loaded = ictus_instrument::load("test.toml", text, &[]).expect("a valid file");
    Patch::compile(&loaded, RATE).expect("it compiles")
}

fn preset(stem: &str) -> Patch {
    patch_of(presets::find(stem).expect("a preset").text)
}

/// Everything that a state says is in the scene of every preset.
#[test]
fn scenes_show_what_the_state_says() {
    let (mut lines, mut maps, mut contacts) = (0, 0, 0);
    for of in presets::ALL {
        let (stem, patch) = (of.stem, preset(of.stem));
        let mut player = Player::new(&patch);
        player.audit(false);
        let mut scene = Scene::new(&patch);
        let mut block = vec![[0.0f32; 2]; 2400];
        for _ in 0..8 {
            player.render(&mut block);
            assert!(player.scene(&mut scene));
            let (state, model) = (player.state(), patch.model());
            assert_eq!((scene.frame, scene.meter), (player.frame(), player.meter()), "{stem}");
            for (line, view) in scene.strings.iter().zip(patch.strings()) {
                let Some(profile) = state.profile(model, view.body) else { continue };
                let most = profile.iter().fold(1e-300, |most: f64, u| most.max(u.abs()));
                assert_eq!(line.positions_m.last(), Some(&view.length), "{stem}");
                for (x, u) in line.positions_m.iter().zip(&line.displacements_m) {
                    let at = x / view.length * (profile.len() - 1) as f64;
                    let (i, rest) =
                        ((at as usize).min(profile.len() - 2), at - (at as usize).min(profile.len() - 2) as f64);
                    let expected = profile[i] + rest * (profile[i + 1] - profile[i]);
                    assert!((u - expected).abs() <= 1e-9 * most, "{stem}: {u} for {expected} at {x} m");
                }
                lines += usize::from(most > 1e-9);
            }
            for (map, view) in scene.surfaces.iter().zip(patch.surfaces()) {
                assert_eq!(map.displacements_m.len(), map.columns * map.rows);
                let shape = state.surface_shape(model, view.body, view.which).expect("a surface");
                let middle = map.displacements_m[map.rows / 2 * map.columns + map.columns / 2];
                let centre = [map.columns, map.rows].map(|n| ((n / 2) as f64 + 0.5) / n as f64);
                let at = if view.round { centre.map(|x| 2.0 * x - 1.0) } else { centre };
                assert!((middle - shape.read(at)).abs() <= 1e-12 * middle.abs(), "{stem}");
                maps += usize::from(middle.abs() > 1e-12);
            }
            for (motion, view) in scene.contacts.iter().zip(patch.contacts()) {
                let force = state.contact_force(view.contact);
                assert!(motion.force_n == force || motion.state == ContactState::Apart, "{stem}: {}", view.id);
                contacts += usize::from(motion.state != ContactState::Apart);
            }
            assert_eq!(scene.ports.len(), patch.ports().len());
        }
        assert_eq!(patch.contacts().len(), patch.contact_count(), "{stem}");
        assert!(patch.contacts().iter().all(|view| view.between.iter().all(|end| !end.is_empty())), "{stem}");
    }
    assert!(lines > 20 && maps > 20 && contacts > 100, "{lines} lines, {maps} maps, {contacts} contacts");
}

#[test]
fn a_bow_sticks_and_slides_where_it_rubs() {
    let patch = preset("violin-bow");
    let mut player = Player::new(&patch);
    let mut scene = Scene::new(&patch);
    let bow = patch.contacts().iter().position(|view| view.id == "bow").expect("a bow");
    assert!(
        matches!(patch.contacts()[bow].place, Some(ContactPlace::String { position_m, .. }) if position_m > 0.0),
        "{:?}",
        patch.contacts()[bow]
    );
    player.render(&mut vec![[0.0; 2]; 24_000]);
    let (mut sticks, mut slides) = (0, 0);
    for _ in 0..4800 {
        player.render(&mut [[0.0; 2]; 1]);
        player.scene(&mut scene);
        let motion = scene.contacts[bow];
        match motion.state {
            ContactState::Sticking => sticks += 1,
            ContactState::Sliding => {
                slides += 1;
                assert!(motion.velocity_m_s.abs() > 1e-3);
            }
            other => panic!("{other:?}"),
        }
        assert!(motion.normal_n > 0.0);
    }
    // Helmholtz motion: the string sticks for most of a period
    assert!(sticks > slides && slides > 48, "{sticks} samples stick, {slides} slide");
}

/// The coin of the berimbau is a barrier that the hand moves.
#[test]
fn barriers_are_drawn_where_they_stand_now() {
    let patch = preset("berimbau-coin");
    let mut player = Player::new(&patch);
    let mut scene = Scene::new(&patch);
    player.scene(&mut scene);
    let height = |scene: &Scene| scene.strings[0].barriers_m[0][0];
    let (first, file) = (height(&scene), patch.strings()[0].barriers[0][0]);
    assert!(first.0 == file.0 && (first.1 - file.1).abs() < 1e-12, "{first:?} for {file:?}");
    let lift = patch.inputs().position(|input| input.path == "coin.lift").expect("an input lifts it");
    let (low, high) = patch.inputs().nth(lift).expect("it").range;
    let to = |value| Action::Input { input: InputId::new(lift), value, ramp_s: Some(0.0) };
    player.schedule(&[Event::new(Time::frame(0), to(low)), Event::new(Time::frame(12_000), to(high))]);
    let mut heights = [0.0; 2];
    for height_m in &mut heights {
        player.render(&mut [[0.0; 2]; 4800]);
        player.render(&mut [[0.0; 2]; 4800]);
        player.scene(&mut scene);
        *height_m = height(&scene).1;
    }
    assert!(
        high - low > 1e-4 && (heights[1] - heights[0] - (high - low)).abs() < 1e-9,
        "{heights:?}: {low} to {high}, {:?}",
        player.event_counts()
    );
}

#[test]
fn scenes_arrive_on_another_thread() {
    let patch = preset("struck-bar");
    let mut player = Player::new(&patch);
    let (mut sender, mut receiver) = scenes(&patch, 60.0);
    let surface = std::thread::spawn(move || {
        let (mut seen, mut last) = (0, 0);
        while last < 24_000 {
            let (scene, fresh) = receiver.latest();
            assert!(scene.frame >= last, "back in time");
            last = scene.frame;
            seen += u64::from(fresh);
        }
        seen
    });
    let mut sent = 0;
    // beyond the end, so that the last one is seen
    while player.frame() < 48_000 {
        player.render(&mut [[0.0; 2]; 128]);
        sent += u64::from(player.send_scene(&mut sender));
    }
    assert!((59..=61).contains(&sent), "{sent} scenes in a second");
    let seen = surface.join().expect("no panic");
    assert!((1..=sent).contains(&seen), "{seen} of {sent}");
    let mut other = Scene::new(&preset("struck-bar"));
    assert!(!player.scene(&mut other), "of another patch");
}
