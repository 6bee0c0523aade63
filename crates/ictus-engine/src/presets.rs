//! The presets that come with the engine: the files of `instruments/`, embedded.

/// A preset file.
#[derive(Debug)]
pub struct Preset {
    /// File name without ending.
    pub stem: &'static str,
    /// The file.
    pub text: &'static str,
}

impl Preset {
    /// Its display name: the `name` of the `[preset]` block.
    pub fn name(&self) -> &'static str {
        self.text.lines().find_map(|line| line.trim().strip_prefix("name = \"")?.strip_suffix('"')).unwrap_or(self.stem)
    }
}

macro_rules! presets {
    ($($stem:literal),* $(,)?) => {
        /// All presets, by name.
        pub const ALL: &[Preset] =
            &[$(Preset { stem: $stem, text: include_str!(concat!("../../../instruments/", $stem, ".toml")) }),*];
    };
}

presets![
    "balloon-rub",
    "banjo",
    "bass-hard-pluck",
    "bearing-glass",
    "berimbau-coin",
    "bottle",
    "bouncing-ball",
    "bouncing-mass",
    "brake-squeal",
    "breaking-plate",
    "cello-bow",
    "chladni-plate",
    "church-bell",
    "clavinet",
    "coin-table",
    "crumpled-paper",
    "cymbal",
    "door-hinge",
    "double-door",
    "flageolet",
    "fret-buzz",
    "fretless-backboard",
    "glass-finger",
    "glass-harmonica",
    "glockenspiel",
    "gong",
    "gravel-steps",
    "guitar-phrase",
    "hammered-string",
    "hand-bell",
    "harp-bray",
    "kalimba-buzzers",
    "marble-wood",
    "marimba-bar",
    "musical-saw",
    "newtons-cradle",
    "opera-gong",
    "piano-bass",
    "prepared-string",
    "scraped-board",
    "singing-bowl",
    "sitar-bridge",
    "sizzle-cymbal",
    "slack-string",
    "slap-bass",
    "slide-guitar",
    "snare-drum",
    "snare-wires",
    "squeaky-shoe",
    "stone-slab",
    "struck-bar",
    "tanpura-bridge",
    "tanpura-jivari",
    "tea-cup",
    "thumb-piano",
    "timpani",
    "timpani-glissando",
    "timpani-kettle",
    "tom",
    "tom-dive",
    "tromba-marina",
    "vibraphone-bow",
    "vibraphone-motor",
    "violin-bow",
    "wheel-brake",
    "whirling-wire",
    "wind-chime",
    "wine-glass",
    "wooden-ball-stairs",
    "xylophone-bar",
];

/// What plays when nothing is named.
pub const DEFAULT: &str = "struck-bar";

/// A preset by its file name without ending.
pub fn find(stem: &str) -> Option<&'static Preset> {
    ALL.iter().find(|preset| preset.stem == stem)
}
