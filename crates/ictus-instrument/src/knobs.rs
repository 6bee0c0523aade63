//! Applying the knobs: from `[[control]]` and a position to numbers in the tree.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::context::Context;
use crate::control::{Control, Curve, Map};
use crate::document::{Location, Node, Origin, Value};
use crate::error::Error;
use crate::names::{SECTIONS, element};
use crate::number::Scalar;
use crate::path::{Seg, Units, find, find_mut, trail};
use crate::raw::{self, CurveKind};
use crate::settings::{Settings, write};

/// More maps than this are refused, as are more numbers scaled in all: both are work per load.
const MAX_MAPS: usize = 10_000;
const MAX_SCALED: usize = 50_000_000;

/// A knob and what it did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ControlValue {
    /// Id of the control.
    pub id: String,
    /// Name on the panel.
    pub name: String,
    /// Position, 0 to 1.
    pub value: f64,
    /// The parameters it drove; one that a setting overrides is not among them.
    pub mapped: Vec<Mapped>,
}

/// A parameter driven by a knob.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Mapped {
    /// Path as the file writes it.
    pub path: String,
    /// New value in SI, or the factor where `scale` is set.
    pub value: f64,
    /// The parameter was multiplied, not replaced.
    pub scale: bool,
    /// SI unit of the parameter; empty for a plain number or a factor.
    pub unit: &'static str,
}

/// One map with its path read.
struct Route {
    segs: Vec<Seg>,
    place: Location,
}

/// Reads `[[control]]` and checks paths and curves.
fn read(context: &Context) -> Result<Vec<(Control, Vec<Route>)>, Error> {
    let raw: Vec<raw::Control> = context.decode(&trail!["control"])?.unwrap_or_default();
    let maps: usize = raw.iter().map(|control| control.map.len()).sum();
    if maps > MAX_MAPS {
        let message = format!("the controls have {maps} maps, expected at most {MAX_MAPS}");
        return Err(Error::new("instrument::limit", message, &context.source));
    }
    let mut controls = Vec::with_capacity(raw.len());
    for (index, control) in raw.into_iter().enumerate() {
        let (mut map, mut routes) = (Vec::new(), Vec::new());
        for (m, entry) in control.map.into_iter().enumerate() {
            let base = trail!["control", index, "map", m];
            let segs = target(context, &base, &entry.to)?;
            let curve = curve(context, &base, &entry, Units::along(&segs))?;
            let to = [&base[..], &trail!["to"]].concat();
            let span = find(&context.root, &to).map_or(0..0, |node| node.place.span.clone());
            let origin = Origin::Control(u32::try_from(index).unwrap_or(u32::MAX));
            routes.push(Route { segs, place: Location { origin, span } });
            map.push(Map { to: entry.to, curve, scale: entry.scale, base: None, alone: true });
        }
        let name = control.name.unwrap_or_else(|| control.id.clone());
        let default = control.default.map_or(0.5, |x| x.0);
        controls.push((Control { id: control.id, name, default, map }, routes));
    }
    Ok(controls)
}

/// The path a map names, which must be a parameter and not another knob.
fn target(context: &Context, base: &[Seg], text: &str) -> Result<Vec<Seg>, Error> {
    let to = [base, &trail!["to"]].concat();
    let fail = |message: String| context.error(&to, "instrument::unknown_reference", message, "no such parameter");
    let name = context.names.show(&to);
    let segs = (context.read_path(text))
        .map_err(|(message, help)| fail(format!("`{name}` is \"{text}\", but {message}")).maybe_help(help))?;
    match element(&segs) {
        Some((section, _, _)) if SECTIONS[section] == "control" => {
            Err(fail(format!("`{name}` is \"{text}\", but a control cannot drive a control")))
        }
        Some((_, _, [])) => Err(fail(format!("`{name}` is \"{text}\", which names an element, expected a key of it"))),
        None if matches!(segs.as_slice(), [Seg::Key(key)] if key == "format") => {
            Err(fail(format!("`{name}` is \"{text}\", but the format cannot be driven")))
        }
        _ => Ok(segs),
    }
}

/// The curve of a map, its texts read in the unit of the target.
fn curve(context: &Context, base: &[Seg], map: &raw::Map, units: Units) -> Result<Curve, Error> {
    let at = |below: &[Seg]| [base, below].concat();
    // A factor has no unit, whatever it multiplies.
    let dimension = if map.scale { None } else { units.dimension() };
    let number = |scalar: &Scalar, below: &[Seg]| context.scalar(&at(below), scalar, dimension);
    let conflict = |below: &[Seg], text: String| {
        context.error(&at(below), "instrument::conflict", format!("`{}` {text}", context.names.show(base)), "here")
    };
    match (map.curve, &map.range, &map.table) {
        (CurveKind::Table, None, Some(points)) => {
            let mut table = Vec::with_capacity(points.len());
            for (i, (x, y)) in points.iter().enumerate() {
                table.push((x.0, number(y, &trail!["table", i, 1])?));
            }
            let rising = table.windows(2).all(|pair| pair[0].0 < pair[1].0);
            let whole = table.first().is_some_and(|p| p.0 == 0.0) && table.last().is_some_and(|p| p.0 == 1.0);
            if !(rising && whole) {
                let expected = "knob positions strictly increasing from 0 to 1";
                return Err(context.unexpected(&at(&trail!["table"]), "instrument::out_of_range", expected));
            }
            Ok(Curve::Table(table))
        }
        (CurveKind::Linear | CurveKind::Exponential, Some([lo, hi]), None) => {
            let ends = [number(lo, &trail!["range", 0])?, number(hi, &trail!["range", 1])?];
            if map.curve == CurveKind::Linear {
                return Ok(Curve::Linear(ends));
            }
            if ends[0] == 0.0 || ends[1] == 0.0 || (ends[0] < 0.0) != (ends[1] < 0.0) {
                let message = format!(
                    "`{}` is [{}, {}], expected two numbers of the same sign and not zero, because the curve is exponential",
                    context.names.show(&at(&trail!["range"])),
                    ends[0],
                    ends[1]
                );
                return Err(context.error(
                    &at(&trail!["range"]),
                    "instrument::out_of_range",
                    message,
                    "needs one sign",
                ));
            }
            Ok(Curve::Exponential(ends))
        }
        (CurveKind::Table, Some(_), _) => {
            Err(conflict(&trail!["range"], "has a `range`, but its curve is a table: give `table`".into()))
        }
        (_, _, Some(_)) => {
            Err(conflict(&trail!["table"], "has a `table`, but its curve is not: write `curve = \"table\"`".into()))
        }
        (kind, None, None) => {
            let key = if kind == CurveKind::Table { "table" } else { "range" };
            let message = format!("`{}.{key}` is missing", context.names.show(base));
            Err(context.error(base, "instrument::missing_key", message, format!("this needs `{key}`")))
        }
    }
}

/// Applies all knobs, then the settings once more.
pub(crate) fn apply(
    context: &mut Context,
    settings: &Settings,
    warnings: &mut Vec<Error>,
) -> Result<(Vec<Control>, Vec<ControlValue>), Error> {
    let mut controls = read(context)?;
    let mut bases = Vec::new();
    let mut replaced: BTreeMap<Vec<Seg>, usize> = BTreeMap::new();
    let mut scaled = 0;
    let mut hidden = Vec::new();
    for (index, (control, routes)) in controls.iter().enumerate() {
        let knob = settings.knobs.get(&index).copied().unwrap_or(control.default);
        for (m, (map, route)) in control.map.iter().zip(routes).enumerate() {
            let value = map.curve.at(knob);
            let base = trail!["control", index, "map", m, "to"];
            let fail = |context: &Context, message: String| {
                let text = format!("`{}` cannot drive `{}`: {message}", control.id, map.to);
                context.error(&base, "instrument::unknown_reference", text, message)
            };
            if map.scale {
                let Some(node) = find_mut(&mut context.root, &route.segs) else {
                    return Err(fail(context, "the file gives no value to scale".into()));
                };
                bases.push((index, m, number(node, Units::along(&route.segs))));
                if !scale(node, value, &route.place, Units::along(&route.segs), &mut scaled) {
                    return Err(fail(context, "only numbers can be scaled".into()));
                }
                if scaled > MAX_SCALED {
                    return Err(fail(context, format!("the controls scale more than {MAX_SCALED} numbers")));
                }
                continue;
            }
            if let Some(own) = find(&context.root, &route.segs).filter(|own| own.place.origin == Origin::File) {
                hidden.push((&route.segs, own.clone()));
            }
            let node = Node { value: Value::Float(value), place: route.place.clone() };
            if let Err(message) = write(&mut context.root, &route.segs, node) {
                return Err(fail(context, message));
            }
            if let Some(other) = replaced.insert(route.segs.clone(), index) {
                let text = format!(
                    "`{}` is driven by `{}` and by `{}`; the later one wins",
                    map.to, controls[other].0.id, control.id
                );
                warnings.push(context.error(&base, "instrument::two_controls", text, "driven before").warning());
            }
        }
    }
    settings.apply(context)?;
    check_hidden(context, hidden)?;
    for &index in settings.knobs.keys() {
        let (control, routes) = &controls[index];
        warn_overridden(context, control, routes, warnings);
    }
    find_alone(context, &mut controls, bases);
    let values = controls.iter().enumerate().map(|(index, (control, routes))| {
        let value = settings.knobs.get(&index).copied().unwrap_or(control.default);
        let driven = control.map.iter().zip(routes).filter(|(_, route)| !is_set(find(&context.root, &route.segs)));
        let mapped = driven.map(|(map, route)| Mapped {
            path: map.to.clone(),
            value: map.curve.at(value),
            scale: map.scale,
            unit: if map.scale { "" } else { Units::along(&route.segs).dimension().map_or("", |d| d.unit) },
        });
        ControlValue { id: control.id.clone(), name: control.name.clone(), value, mapped: mapped.collect() }
    });
    let values = values.collect();
    Ok((controls.into_iter().map(|(control, _)| control).collect(), values))
}

/// Finds out which parameters follow from one map alone, and what these multiply.
fn find_alone(context: &Context, controls: &mut [(Control, Vec<Route>)], bases: Vec<(usize, usize, Option<f64>)>) {
    for (control, map, base) in bases {
        controls[control].0.map[map].base = base;
    }
    // a stiffness that is given as a contact time follows from mass, exponent and loss
    let timed = context.source.text.contains("contact_time_s");
    let decides =
        |key: &Seg| matches!(key, Seg::Key(key) if ["mass_kg", "exponent", "damping_s_m"].contains(&key.as_str()));
    let all: Vec<Vec<Seg>> =
        controls.iter().flat_map(|(_, routes)| routes.iter().map(|route| route.segs.clone())).collect();
    for (control, routes) in controls {
        for (map, route) in control.map.iter_mut().zip(routes) {
            // one drives the other if it names a part of it
            let overlaps = |other: &&Vec<Seg>| other.starts_with(&route.segs) || route.segs.starts_with(other);
            let stands_alone = all.iter().filter(overlaps).count() == 1 && !is_set(find(&context.root, &route.segs));
            map.alone = stands_alone && !(timed && route.segs.last().is_some_and(decides));
        }
    }
}

/// The number in a node, in SI.
fn number(node: &Node, units: Units) -> Option<f64> {
    match &node.value {
        #[expect(clippy::cast_precision_loss, reason = "a whole number meant as a quantity")]
        Value::Integer(n) => Some(*n as f64),
        Value::Float(x) => Some(*x),
        Value::Text(text) => units.dimension()?.parse(text).ok(),
        _ => None,
    }
}

/// Warns of parameters of a knob turned by a setting that other settings have written.
fn warn_overridden(context: &Context, control: &Control, routes: &[Route], warnings: &mut Vec<Error>) {
    for (map, route) in control.map.iter().zip(routes) {
        if is_set(find(&context.root, &route.segs)) {
            let text = format!("--set `{}` overrides the knob `{}`, which --set turns too", map.to, control.id);
            let label = format!("`{}` does not reach this parameter", control.id);
            warnings.push(context.error(&route.segs, "instrument::overridden", text, label).warning());
        }
    }
}

/// Checks the values of the file that knobs have replaced: decodes the file with these in their places.
fn check_hidden(context: &Context, hidden: Vec<(&Vec<Seg>, Node)>) -> Result<(), Error> {
    if hidden.is_empty() {
        return Ok(());
    }
    let mut plain = context.clone();
    for (segs, own) in hidden {
        if !is_set(find(&plain.root, segs)) {
            // the path was there before, so it can be written
            let _ = write(&mut plain.root, segs, own);
        }
    }
    plain.decode::<raw::File>(&[]).map(|_| ())
}

/// A setting wrote all of it.
fn is_set(node: Option<&Node>) -> bool {
    node.is_some_and(|node| match &node.value {
        Value::List(items) if !items.is_empty() => items.iter().all(|item| is_set(Some(item))),
        _ => matches!(node.place.origin, Origin::Setting(_)),
    })
}

/// Multiplies every number in a node, of a curve those of the second column; false if there is something else in it.
fn scale(node: &mut Node, factor: f64, place: &Location, units: Units, count: &mut usize) -> bool {
    *count += 1;
    #[expect(clippy::cast_precision_loss, reason = "a whole number meant as a quantity")]
    let number = match &mut node.value {
        Value::List(items) => {
            // A curve keeps the places of its points.
            let kept = usize::from(matches!(units, Units::Pair(..)));
            return (items.iter_mut().enumerate().skip(kept))
                .all(|(i, item)| scale(item, factor, place, units.below_index(i), count));
        }
        Value::Integer(n) => *n as f64,
        Value::Float(x) => *x,
        Value::Text(text) => match units.dimension().map(|dimension| dimension.parse(text)) {
            Some(Ok(x)) => x,
            // Left for decoding to refuse with the right words.
            Some(Err(_)) => return true,
            None => return false,
        },
        _ => return false,
    };
    *node = Node { value: Value::Float(number * factor), place: place.clone() };
    true
}
