//! `--set key=value`: values written over the file's own, and knob positions.

use std::collections::BTreeMap;

use crate::context::Context;
use crate::document::{Entry, Node, Origin, Value, parse_setting};
use crate::error::Error;
use crate::names::{SECTIONS, element};
use crate::path::{Seg, find, trail};

/// The settings of one load, sorted out.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    /// Knob positions by control index.
    pub knobs: BTreeMap<usize, f64>,
    /// Values by path, in the order given.
    raw: Vec<(Vec<Seg>, Node)>,
}

impl Settings {
    /// Reads the settings against the ids of the file.
    pub fn read(context: &Context, pairs: &[(String, String)]) -> Result<Self, Error> {
        let mut settings = Self::default();
        for (index, (key, text)) in pairs.iter().enumerate() {
            let origin = Origin::Setting(u32::try_from(index).unwrap_or(u32::MAX));
            let node = parse_setting(text, origin, key.len() + 1);
            let fail = |code: &'static str, message: String, help: Option<String>| {
                Err(Error::new(code, message, &context.settings[index]).at(0..key.len(), "here").maybe_help(help))
            };
            let segs = match (context.read_path(key.trim()), knob_named(context, key.trim())) {
                (Ok(segs), _) => segs,
                (Err(_), Some(control)) => trail!["control", control].to_vec(),
                (Err((message, help)), None) => {
                    return fail("instrument::setting", format!("--set {message}"), help);
                }
            };
            match (element(&segs), segs.last()) {
                (Some((section, control, [])), _) if SECTIONS[section] == "control" => {
                    settings.knobs.insert(control, knob(context, index, key, &node)?);
                }
                (Some((_, _, [])), _) => {
                    let help = keys_of(context, &segs).map(|keys| format!("for example one of {keys}"));
                    return fail(
                        "instrument::setting",
                        format!("--set `{key}` names an element, expected a key of it"),
                        help,
                    );
                }
                (Some((_, _, [Seg::Key(id)])), _) if id == "id" => {
                    return fail("instrument::setting", format!("--set `{key}`: an id cannot be set"), None);
                }
                (None, Some(Seg::Key(format))) if format == "format" => {
                    return fail("instrument::setting", "--set `format`: the format cannot be set".to_owned(), None);
                }
                _ => settings.raw.push((segs, node)),
            }
        }
        Ok(settings)
    }

    /// Writes the raw values into the tree; done again after the knobs, because a setting wins over a knob.
    pub fn apply(&self, context: &mut Context) -> Result<(), Error> {
        for (segs, node) in &self.raw {
            if let Err(message) = write(&mut context.root, segs, node.clone()) {
                let name = context.names.show(segs);
                let Origin::Setting(index) = node.place.origin else {
                    continue;
                };
                return Err(Error::new(
                    "instrument::setting",
                    format!("--set `{name}` does not fit the file: {message}"),
                    &context.settings[index as usize],
                )
                .at(0..context.settings[index as usize].text.len(), message));
            }
        }
        Ok(())
    }
}

/// Index of the only control with this id or name in any case.
fn knob_named(context: &Context, key: &str) -> Option<usize> {
    let controls = context.root.get("control").map_or(&[][..], Node::items);
    let same = |text: Option<&str>| text.is_some_and(|text| text.to_lowercase() == key.to_lowercase());
    let named =
        |control: &Node| same(control.get("id").and_then(Node::text)) || same(control.get("name").and_then(Node::text));
    let mut found = (0..controls.len()).filter(|&index| named(&controls[index]));
    found.next().filter(|_| found.next().is_none())
}

fn knob(context: &Context, index: usize, key: &str, node: &Node) -> Result<f64, Error> {
    #[expect(clippy::cast_precision_loss, reason = "the range is checked")]
    let position = match node.value {
        Value::Integer(n) => n as f64,
        Value::Float(x) => x,
        _ => f64::NAN,
    };
    if (0.0..=1.0).contains(&position) {
        return Ok(position);
    }
    let message = format!("`{key}` was set to {node} by --set, expected a number from 0 to 1");
    Err(Error::new("instrument::out_of_range", message, &context.settings[index])
        .at(node.place.span.clone(), "expected a number from 0 to 1"))
}

/// Keys the file gives an element, as a hint.
fn keys_of(context: &Context, segs: &[Seg]) -> Option<String> {
    let node = find(&context.root, segs)?;
    let keys: Vec<String> = (node.entries().iter().filter(|e| e.key != "id" && e.key != "kind"))
        .map(|e| format!("`{}.{}`", context.names.show(segs), e.key))
        .collect();
    (!keys.is_empty()).then(|| keys.join(", "))
}

/// Puts a node at a path. Tables on the way are made; list entries must exist.
pub(crate) fn write(root: &mut Node, segs: &[Seg], new: Node) -> Result<(), String> {
    let Some((seg, rest)) = segs.split_first() else {
        *root = new;
        return Ok(());
    };
    let shown = root.to_string();
    match (seg, &mut root.value) {
        (Seg::Key(key), Value::Table(entries)) => {
            let at = entries.iter().position(|entry| entry.key == *key).unwrap_or_else(|| {
                let place = new.place.clone();
                let node = Node { value: Value::Table(Vec::new()), place: place.clone() };
                entries.push(Entry { key: key.clone(), place, node });
                entries.len() - 1
            });
            let node = &mut entries[at].node;
            if key == "material" && matches!(rest, [Seg::Key(_)]) {
                based_on_name(node);
            }
            write(node, rest, new)
        }
        (Seg::Index(index), Value::List(items)) => {
            let len = items.len();
            match items.get_mut(*index) {
                Some(node) => write(node, rest, new),
                None => Err(format!("[{index}] does not exist, the list has {len} values, counted from 0")),
            }
        }
        (Seg::Index(index), Value::Table(entries)) if entries.is_empty() => {
            Err(format!("[{index}] does not exist, the file gives no list there"))
        }
        (Seg::Index(index), _) => Err(format!("[{index}] does not exist, the file gives {shown} there, not a list")),
        (Seg::Key(key), _) => Err(format!("`{key}` does not exist, the file gives {shown} there, not a table")),
    }
}

/// A material given by its name becomes a table based on it, so that a single number of it can be written.
fn based_on_name(node: &mut Node) {
    if let Value::Text(_) = node.value {
        let place = node.place.clone();
        let name = std::mem::replace(&mut node.value, Value::Table(Vec::new()));
        let base = Node { value: name, place: place.clone() };
        node.value = Value::Table(vec![Entry { key: "base".to_owned(), place, node: base }]);
    }
}
