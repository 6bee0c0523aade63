//! The live loop of the book's page "Embedding": what stands between the marks is what stands there.

// -- the page
use ictus_engine::{Action, AudioInput, Event, InputId, Io, Patch, Player, Time};

struct Bowed {
    player: Player,
    force: InputId,
    speed: InputId,
}

impl Bowed {
    /// Once, on any thread: reads, checks, compiles, allocates.
    fn new(text: &str) -> Result<Self, ictus_instrument::Error> {
        let loaded = ictus_instrument::load("bow.toml", text, &[])?;
        let patch = Patch::compile(&loaded, 48_000)?;
        let mut player = Player::new(&patch);
        player.audit(false); // the energy ledger costs time; the sound is the same without it
        let input = |name| patch.find_input(name).expect("the file has a bow");
        Ok(Self { player, force: input("bow.normal_n"), speed: input("bow.speed_m_s") })
    }

    /// In every callback, on the audio thread: allocates nothing, locks nothing, cannot fail. One sample of `speed` per frame.
    fn callback(&mut self, speed: &[f32], left: &mut [f32], right: &mut [f32]) {
        let press = Action::Input { input: self.force, value: 1.2, ramp_s: None };
        let events = [Event::new(Time::frame(self.player.frame()), press)];
        let inputs = [AudioInput { input: self.speed, samples: speed }];
        self.player.process(&events, Io { inputs: &inputs, buses: &mut [left, right] });
    }
}
// -- end

const BOW: &str = r#"
    format = 1
    [[resonator]]
    id = "string"
    kind = "string"
    length_m = 0.33
    frequency_hz = 220
    density_kg_m = 0.001
    modes = 40
    decay = [[196, 1.4], [5000, 1.3]]
    ports = { bow = 0.12, bridge = 0.97 }
    [[interaction]]
    id = "bow"
    kind = "friction"
    between = ["string.bow", "wall"]
    stiffness_n_m = 1e4
    sticking = 0.8
    sliding = 0.3
    stribeck_m_s = 0.1
    normal_n = 0.5
    speed_m_s = 0
    [[tap]]
    from = "string.bridge"
"#;

#[test]
fn the_live_loop_of_the_book_plays() {
    let mut bowed = Bowed::new(BOW).expect("a valid file");
    let (mut left, mut right) = ([0.0f32; 480], [0.0f32; 480]);
    let mut loudest = 0.0f32;
    for _ in 0..50 {
        bowed.callback(&[0.2; 480], &mut left, &mut right);
        loudest = left.iter().fold(loudest, |most, x| most.max(x.abs()));
    }
    assert!(loudest > 1e-3, "{loudest}");
    assert_eq!(bowed.player.event_counts().refused(), 0);
    assert!(Bowed::new("format = 2").is_err());
}

#[test]
fn the_page_holds_the_loop_that_is_tested() {
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/book/src/embedding.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let block = page.split("```rust\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a block of Rust");
    let tested = include_str!("embedding.rs").split("// -- the page\n").nth(1);
    let tested = tested.and_then(|rest| rest.split("// -- end").next()).expect("the marks");
    assert_eq!(block, tested, "docs/book/src/embedding.md and tests/embedding.rs differ");
}
