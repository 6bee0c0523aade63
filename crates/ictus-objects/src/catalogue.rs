//! The shapes as a table, for people: names, parameters, units, defaults. The file format and the book use these names.

/// A shape in the table.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Name in files.
    pub name: &'static str,
    /// What it is.
    pub what: &'static str,
    /// Its parameters.
    pub keys: &'static [Key],
    /// What the coordinates of a point mean.
    pub point: &'static str,
}

/// A parameter of a shape.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Name in files.
    pub name: &'static str,
    /// What it is.
    pub what: &'static str,
    /// Its value where the file gives none; `None` if one must be given.
    pub default: Option<&'static str>,
}

/// All shapes.
pub fn shapes() -> &'static [Entry] {
    SHAPES
}

const fn key(name: &'static str, what: &'static str) -> Key {
    Key { name, what, default: None }
}

const fn with_default(name: &'static str, what: &'static str, default: &'static str) -> Key {
    Key { name, what, default: Some(default) }
}

const ALONG: &str = "x along it, 0 to 1";
const RECTANGLE: &str = "x along the length, y along the width, 0 to 1";
const DISC: &str = "x, y from the centre (0, 0) to the rim, x² + y² = 1";
const SURFACE: Key = key("thickness_m", "thickness");

const SHAPES: &[Entry] = &[
    Entry {
        name: "bar",
        what: "bar in bending",
        keys: &[
            key("length_m", "length"),
            key("width_m", "width; matters to the mass only"),
            key("thickness_m", "thickness in the direction of motion"),
            with_default("ends", "`free_free`, `clamped_free` (clamped at x = 0), `supported`", "free_free"),
        ],
        point: ALONG,
    },
    Entry {
        name: "string",
        what: "stiff string between supports",
        keys: &[key("length_m", "speaking length"), key("diameter_m", "diameter"), key("tension_n", "tension")],
        point: ALONG,
    },
    Entry {
        name: "rectangular_membrane",
        what: "membrane on a frame",
        keys: &[
            key("length_m", "side in x"),
            key("width_m", "side in y"),
            SURFACE,
            key("tension_n_m", "tension per length of rim"),
        ],
        point: RECTANGLE,
    },
    Entry {
        name: "circular_membrane",
        what: "membrane on a hoop",
        keys: &[key("radius_m", "radius"), SURFACE, key("tension_n_m", "tension per length of rim")],
        point: DISC,
    },
    Entry {
        name: "kettledrum",
        what: "membrane on a kettle, with the air above and below it; `frequency_hz` is its principal tone, mode (1, 1), and sets the tension",
        keys: &[
            key("radius_m", "radius"),
            SURFACE,
            key("tension_n_m", "tension per length of rim"),
            key("depth_m", "volume of the kettle over the area of the head"),
        ],
        point: "x, y as of `circular_membrane`; with z > 0 a place in the air, in radii from the centre: its acceleration is the pressure there, Pa",
    },
    Entry {
        name: "rectangular_plate",
        what: "rectangular plate",
        keys: &[
            key("length_m", "side in x"),
            key("width_m", "side in y"),
            SURFACE,
            with_default("edges", "`free`, `supported`, `clamped`", "free"),
        ],
        point: RECTANGLE,
    },
    Entry {
        name: "circular_plate",
        what: "circular plate",
        keys: &[key("radius_m", "radius"), SURFACE, with_default("edge", "`free`, `clamped`, `supported`", "free")],
        point: DISC,
    },
    Entry {
        name: "ring",
        what: "ring bending in its plane, moving along its radius",
        keys: &[
            key("radius_m", "mean radius"),
            key("thickness_m", "thickness along the radius"),
            key("width_m", "width along the axis; matters to the mass only"),
        ],
        point: "x once around, 0 to 1",
    },
    Entry {
        name: "glass",
        what: "wine glass, bowl or bell: a cylinder held at its foot, moving along its radius",
        keys: &[key("radius_m", "radius"), key("height_m", "height of the wall"), SURFACE],
        point: "x once around, y from foot to rim, 0 to 1",
    },
    Entry {
        name: "box_cavity",
        what: "air in a box; without material",
        keys: &[
            key("length_m", "side in x"),
            key("width_m", "side in y"),
            key("height_m", "side in z"),
            with_default("absorption", "share of sound the walls absorb, 0 to 1", "0"),
        ],
        point: "x, y, z, 0 to 1; pressure",
    },
    Entry {
        name: "tube",
        what: "air in a narrow tube; without material",
        keys: &[
            key("length_m", "length"),
            key("radius_m", "radius"),
            with_default("ends", "`open_open`, `open_closed` (open at x = 0), `closed_closed`", "open_closed"),
        ],
        point: "x along it, 0 to 1; motion of the air",
    },
    Entry {
        name: "chain",
        what: "masses in a row with springs and dampers between them; the material adds its decay",
        keys: &[
            key("masses_kg", "list of n masses"),
            key("springs_n_m", "list of n + 1 springs: wall to first, between neighbours, last to wall; 0 for none"),
            with_default(
                "dampers_n_s_m",
                "list of n + 1 dampers beside the springs; with it `material` may be left out",
                "none",
            ),
        ],
        point: "x = i/(n − 1) is mass i",
    },
];
