//! Checks of the shapes that bodies are released from: each must exist, and should not begin inside a contact.

use super::ContactIds;
use super::gesture::{SetAction, Setting};
use ictus_core::{ContactId, Model, State};
use ictus_instrument::{Error, Loaded};

/// Energy that a contact stores before something is said about it, as a share of what the body stores.
const ROUNDING: f64 = 1e-9;

/// A contact that pushes only, and what the file calls it.
struct Pusher<'a> {
    id: &'a str,
    contact: ContactId,
}

/// A body can only be released from a shape it can be held in; one that begins inside what it should touch gets a warning.
pub(super) fn check(
    loaded: &Loaded,
    model: &Model,
    settings: &[(Setting, usize)],
    rows: &ContactIds,
    warnings: &mut Vec<Error>,
) -> Result<(), Error> {
    let mut checked = Vec::new();
    let pushers = pushers(loaded, rows);
    for &(ref setting, origin) in settings {
        let SetAction::Deflect(deflection) = setting.action else { continue };
        if checked.contains(&origin) {
            continue;
        }
        checked.push(origin);
        let gesture = &loaded.spec.gestures[origin].id;
        let rest = State::new(model);
        let mut state = rest.clone();
        if !state.deflect(model, setting.body, deflection) {
            let message = format!("`{gesture}`: `{}` cannot be held there", model.body_name(setting.body));
            let label = "nothing pulls this point back, or it does not move in this shape";
            return Err(loaded.error_at(gesture, "engine::no_restoring_force", message, label, None));
        }
        let stored =
            |pusher: &Pusher| state.contact_energy(model, pusher.contact) - rest.contact_energy(model, pusher.contact);
        let pressed: Vec<(&Pusher, f64)> = pushers.iter().map(|pusher| (pusher, stored(pusher))).collect();
        let energy: f64 = pressed.iter().map(|(_, stored)| stored.max(0.0)).sum();
        let bent = state.body_energy(model, setting.body);
        let Some((deepest, _)) = pressed.iter().max_by(|(_, a), (_, b)| a.total_cmp(b)) else { continue };
        if energy.is_nan() || energy <= ROUNDING * bent {
            continue;
        }
        let depth = state.gap(model, deepest.contact).now;
        let message = format!(
            "`{gesture}` starts `{}` inside `{}`: {} deep, which stores {} beside the {} of its own bending",
            model.body_name(setting.body),
            deepest.id,
            shown(depth, "m"),
            shown(energy, "J"),
            shown(bent, "J"),
        );
        let help = "pull it to the other side, by less, or move the contact; what is stored there is shot back in the first steps";
        warnings.push(loaded.warning_at(
            gesture,
            "engine::starts_inside",
            message,
            "starts inside a contact",
            Some(help.into()),
        ));
    }
    Ok(())
}

/// Every contact that resists compression only.
fn pushers<'a>(loaded: &'a Loaded, rows: &ContactIds) -> Vec<Pusher<'a>> {
    let spec = &loaded.spec;
    let interactions = spec.interactions.iter().zip(&rows.interactions);
    let interactions = interactions.filter(|(interaction, _)| interaction.law.only_pushes());
    let interactions = interactions.map(|(interaction, contacts)| (&interaction.id, contacts));
    let barriers = spec.barriers.iter().zip(&rows.barriers).map(|(barrier, row)| (&barrier.id, &row.contacts));
    let wires = spec.wires.iter().zip(&rows.wires).map(|(wires, row)| (&wires.id, &row.contacts));
    let fingers = spec.fingers.iter().zip(&rows.fingers).map(|(finger, row)| (&finger.id, &row.contacts));
    let all = interactions.chain(barriers).chain(wires).chain(fingers);
    all.flat_map(|(id, contacts)| contacts.iter().map(move |&contact| Pusher { id, contact })).collect()
}

/// Three digits with a handy prefix: `2.78 mm`.
fn shown(value: f64, unit: &str) -> String {
    let prefixes = [(1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n")];
    let (scale, prefix) = prefixes.into_iter().find(|(scale, _)| value.abs() >= *scale).unwrap_or((1.0, ""));
    let number = value / scale;
    let decimals = if number.abs() >= 100.0 {
        0
    } else if number.abs() >= 10.0 {
        1
    } else {
        2
    };
    if (1e-9..1e6).contains(&value.abs()) {
        format!("{number:.decimals$} {prefix}{unit}")
    } else {
        format!("{value:.2e} {unit}")
    }
}
