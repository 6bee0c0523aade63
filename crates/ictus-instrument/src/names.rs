//! Ids: who is called what, including the ids given to elements that the file leaves nameless.

use std::collections::BTreeMap;

use crate::barrier::SHAPES;
use crate::document::Node;
use crate::error::{Error, Source};
use crate::gesture::VERBS;
use crate::path::{self, Seg};

/// The sections of a file, by the key of their tables.
pub(crate) const SECTIONS: [&str; 10] =
    ["resonator", "interaction", "barrier", "wires", "finger", "gesture", "tap", "input", "modulator", "control"];
/// The keys of a gesture beside its verb.
const GESTURE_KEYS: [&str; 3] = ["id", "at_s", "repeat"];
/// The keys of a resonator beside its shape's own.
const OBJECT_KEYS: [&str; 18] = [
    "id",
    "kind",
    "shape",
    "material",
    "frequency_hz",
    "tuning",
    "decay_scale",
    "stretching",
    "max_hz",
    "max_modes",
    "morph",
    "ports",
    "microphones",
    "radiates",
    "discretisation",
    "decay",
    "points",
    "support",
];
/// The keys inside those shapes that are tables.
const SHAPE_KEYS: [&str; 2] = ["height_m", "count"];
/// Top-level keys, which paths name bare and which ids may therefore not use.
pub(crate) const TOP_LEVEL: [&str; 9] =
    ["format", "title", "scheme", "oversampling", "seed", "seconds", "fade_s", "gravity_m_s2", "preset"];
/// More elements than this are refused.
const MAX_ELEMENTS: usize = 10_000;

/// The ids of a file.
#[derive(Debug, Clone)]
pub(crate) struct Names {
    /// Per section and element: its id, or `resonator[0]` where there is none to be had.
    labels: [Vec<String>; SECTIONS.len()],
    by_id: BTreeMap<String, (usize, usize)>,
}

/// Longer names are refused, and longer paths name nothing: looking them up would cost length times length.
const MAX_NAME: usize = 64;
const MAX_PATH: usize = 1024;

/// What a name may be, to follow "expected".
pub(crate) const PLAIN: &str = "1 to 64 letters, digits, `_` and `-`";

/// What a path can hold without quoting.
pub(crate) fn is_plain(name: &str) -> bool {
    (1..=MAX_NAME).contains(&name.len()) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

impl Names {
    /// Collects the given ids and makes the missing ones.
    pub fn of(root: &Node, source: &Source) -> Result<Self, Error> {
        let elements = SECTIONS.map(|section| root.get(section).map_or(&[][..], Node::items));
        let count: usize = elements.iter().map(|list| list.len()).sum();
        if count > MAX_ELEMENTS {
            let message = format!("the file has {count} elements, expected at most {MAX_ELEMENTS}");
            return Err(Error::new("instrument::limit", message, source));
        }
        let mut names = Self { labels: Default::default(), by_id: BTreeMap::new() };
        for (section, list) in elements.iter().enumerate() {
            for (index, element) in list.iter().enumerate() {
                names.labels[section].push(format!("{}[{index}]", SECTIONS[section]));
                if let Some(id) = element.get("id") {
                    names.take_given(id, section, index, source)?;
                }
            }
        }
        // Given ids first, so that a made one never takes the name of a given one.
        let mut taken = BTreeMap::new();
        for (section, list) in elements.iter().enumerate() {
            for (index, element) in list.iter().enumerate() {
                if element.get("id").is_none()
                    && let Some(base) = made_id(section, element)
                {
                    names.take_made(base, section, index, &mut taken);
                }
            }
        }
        Ok(names)
    }

    fn take_given(&mut self, id: &Node, section: usize, index: usize, source: &Source) -> Result<(), Error> {
        // Text is what decoding will ask for.
        let Some(text) = id.text() else { return Ok(()) };
        let fail = |code, message, label: &str| Err(Error::new(code, message, source).at(id.place.span.clone(), label));
        if !is_plain(text) {
            let label = format!("expected {PLAIN}");
            return fail("instrument::bad_name", format!("the id {id} is not usable, {label}"), &label);
        }
        if text == "wall" || TOP_LEVEL.contains(&text) {
            return fail("instrument::bad_name", format!("the id `{text}` is reserved, expected another"), "reserved");
        }
        if let Some((other, _)) = self.by_id.insert(text.to_owned(), (section, index)) {
            let message = format!(
                "the id `{text}` is used twice, by {} and {}, expected ids to be unique",
                with_article(SECTIONS[other]),
                with_article(SECTIONS[section])
            );
            return fail("instrument::duplicate_id", message, "used before");
        }
        self.labels[section][index] = text.to_owned();
        Ok(())
    }

    fn take_made(&mut self, base: String, section: usize, index: usize, taken: &mut BTreeMap<String, usize>) {
        let count = taken.entry(base.clone()).or_insert(0);
        let id = loop {
            *count += 1;
            let id = if *count == 1 { base.clone() } else { format!("{base}#{count}") };
            if !self.by_id.contains_key(&id) {
                break id;
            }
        };
        self.by_id.insert(id.clone(), (section, index));
        self.labels[section][index] = id;
    }

    /// Section and index of an id.
    pub fn get(&self, id: &str) -> Option<(usize, usize)> {
        self.by_id.get(id).copied()
    }

    /// The id of an element.
    pub fn label(&self, section: usize, index: usize) -> &str {
        self.labels[section].get(index).map_or("", String::as_str)
    }

    /// All ids of some sections, in file order.
    pub fn of_sections<'a>(&'a self, wanted: &'a [&str]) -> impl Iterator<Item = &'a str> {
        let lists = SECTIONS.iter().zip(&self.labels).filter(|(section, _)| wanted.contains(section));
        lists.flat_map(|(_, labels)| labels).map(String::as_str)
    }

    /// All ids.
    pub fn all(&self) -> impl Iterator<Item = &str> {
        self.by_id.keys().map(String::as_str)
    }

    /// A path as the user writes it.
    pub fn show(&self, segs: &[Seg]) -> String {
        let Some((section, index, rest)) = element(segs) else {
            return path::show(segs).trim_start_matches('.').to_owned();
        };
        let label = self.label(section, index);
        match rest {
            [Seg::Key(verb), below @ ..]
                if SECTIONS[section] == "gesture"
                    && VERBS.contains(&verb.as_str())
                    && (!below.is_empty() || label.starts_with(verb)) =>
            {
                format!("{label}{}", path::show(below))
            }
            _ => format!("{label}{}", path::show(rest)),
        }
    }

    /// Reads a path as the user writes it: the longest id first, because made ids contain dots.
    pub fn read(&self, root: &Node, text: &str) -> Option<Vec<Seg>> {
        if text.len() > MAX_PATH {
            return None;
        }
        let ends = text.char_indices().filter(|(_, c)| matches!(c, '.' | '[')).map(|(at, _)| at);
        let ends: Vec<usize> = ends.chain([text.len()]).collect();
        for end in ends.into_iter().rev() {
            let (head, rest) = text.split_at(end);
            if let Some((section, index)) = self.get(head) {
                let rest = path::read(rest)?;
                let mut segs = path::trail![SECTIONS[section], index].to_vec();
                if let Some(Seg::Key(key)) = rest.first()
                    && let Some(node) = path::find(root, &segs)
                {
                    segs.extend(skipped(section, node, key));
                }
                segs.extend(rest);
                return Some(segs);
            }
            if TOP_LEVEL.contains(&head) {
                let mut segs = vec![Seg::from(head)];
                segs.extend(path::read(rest)?);
                return Some(segs);
            }
        }
        None
    }
}

/// Splits a path into section, element and the rest.
pub(crate) fn element(segs: &[Seg]) -> Option<(usize, usize, &[Seg])> {
    match segs {
        [Seg::Key(section), Seg::Index(index), rest @ ..] => {
            let section = SECTIONS.iter().position(|s| s == section)?;
            Some((section, *index, rest))
        }
        _ => None,
    }
}

fn verb_of(gesture: &Node) -> Option<&'static str> {
    VERBS.into_iter().find(|verb| gesture.get(verb).is_some())
}

/// The tables inside an element that a path may leave out: a gesture's verb, a barrier's shape, an object's shape and its name.
fn skipped(section: usize, element: &Node, key: &str) -> Vec<Seg> {
    let one = |table: Option<&'static str>| table.map(Seg::from).into_iter().collect();
    match SECTIONS[section] {
        "gesture" if !GESTURE_KEYS.contains(&key) && !VERBS.contains(&key) => one(verb_of(element)),
        "barrier" if SHAPE_KEYS.contains(&key) => {
            one(SHAPES.into_iter().find(|shape| element.get(shape).is_some_and(Node::is_table)))
        }
        "resonator" if !OBJECT_KEYS.contains(&key) => match element.get("shape").map(Node::entries) {
            Some([shape]) => vec![Seg::from("shape"), Seg::from(shape.key.as_str())],
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

fn with_article(noun: &str) -> String {
    let article = if noun.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {noun}")
}

/// `mallet-bar.strike`, `throw`, `tap`; resonators, inputs, modulators and controls must be named.
fn made_id(section: usize, element: &Node) -> Option<String> {
    match SECTIONS[section] {
        "interaction" => match element.get("between")?.items() {
            [a, b] => Some(format!("{}-{}", a.text()?, b.text()?)),
            _ => None,
        },
        "gesture" => verb_of(element).map(str::to_owned),
        section @ ("barrier" | "wires" | "finger" | "tap") => Some(section.to_owned()),
        _ => None,
    }
}
