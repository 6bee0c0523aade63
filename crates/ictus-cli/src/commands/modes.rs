//! The modes of an instrument as a table.

use ictus_analysis::pitch;
use ictus_engine::{BankView, Patch};
use serde_json::{Value, json};

pub fn json(patch: &Patch) -> Value {
    let one = |bank: &BankView| {
        let modes: Vec<Value> = (bank.modes.iter().enumerate())
            .map(|(i, mode)| {
                let shapes: serde_json::Map<String, Value> =
                    bank.ports.iter().zip(&bank.shapes).map(|(port, shape)| (port.clone(), json!(shape[i]))).collect();
                // JSON has no infinity: a mode that does not decay has no time
                let decay = Some(mode.decay).filter(|decay| decay.is_finite());
                json!({"frequency_hz": mode.frequency, "decay_s": decay, "mass_kg": mode.mass, "shape": shapes})
            })
            .collect();
        json!({"id": bank.id, "modes": modes})
    };
    patch.banks().iter().map(one).collect()
}

pub fn text(patch: &Patch) -> String {
    patch.banks().iter().map(table).collect()
}

fn table(bank: &BankView) -> String {
    let count = bank.modes.len();
    let mut text = format!("  {}: {count} {}\n", bank.id, if count == 1 { "mode" } else { "modes" });
    let heads: String = bank.ports.iter().map(|port| format!(" {:>8}", shortened(port))).collect();
    text += &format!("    {:>4} {:>10} {:<10} {:>8} {:>10}{heads}\n", "", "Hz", "note", "T60 s", "mass g");
    for (i, mode) in bank.modes.iter().enumerate() {
        let note = if mode.frequency > 0.0 { pitch::note_name(mode.frequency) } else { "rigid".to_owned() };
        let shapes: String = bank.shapes.iter().map(|shape| format!(" {:>8.3}", shape[i])).collect();
        let (number, mass) = (i + 1, 1e3 * mode.mass);
        text +=
            &format!("    {number:>4} {:>10.2} {note:<10} {:>8.3} {mass:>10.4}{shapes}\n", mode.frequency, mode.decay);
    }
    text
}

/// Eight characters of a port's name.
fn shortened(name: &str) -> String {
    name.chars().take(8).collect()
}
