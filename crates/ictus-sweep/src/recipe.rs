//! `sweep.json`: what a folder was made from, so that going on with anything else can be refused.

use crate::error::Error;
use crate::{Order, Plan};
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::path::Path;

pub(crate) const NAME: &str = "sweep.json";

#[derive(Serialize)]
pub(crate) struct Recipe {
    ictus: &'static str,
    instrument: String,
    instrument_sha256: String,
    settings: Vec<String>,
    vary: Vec<String>,
    order: &'static str,
    seed: u64,
    samples: u64,
    seconds: Option<f64>,
    sample_rate: u32,
    format: String,
    pitch: bool,
}

impl Recipe {
    pub fn new(plan: &Plan, samples: u64) -> Self {
        Self {
            ictus: env!("CARGO_PKG_VERSION"),
            instrument: plan.name.clone(),
            instrument_sha256: Sha256::digest(plan.text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect(),
            settings: plan.settings.iter().map(|(key, value)| format!("{key}={value}")).collect(),
            vary: plan.vary.iter().map(ToString::to_string).collect(),
            order: plan.order.name(),
            seed: plan.seed,
            samples,
            seconds: plan.seconds,
            sample_rate: plan.sample_rate,
            format: format!("{} {}", plan.container.extension(), plan.encoding.name()),
            pitch: plan.pitch,
        }
    }

    pub fn text(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Whether a folder begun by `old` (the text of its recipe) can be resumed. A longer sweep is the same one, unless it is a grid.
    pub fn check_goes_on(&self, old: &str, path: &Path) -> Result<(), Error> {
        let other = "choose another folder, or repeat the command that started it";
        let old: Value = serde_json::from_str(old)
            .map_err(|error| Error::new(format!("{} is not a recipe of ictus: {error}", path.display()), other))?;
        let Ok(Value::Object(new)) = serde_json::to_value(self) else { return Ok(()) };
        for (key, new) in &new {
            let old = old.get(key).unwrap_or(&Value::Null);
            let longer = key == "samples" && self.order != Order::Grid.name() && old.as_u64() < new.as_u64();
            // where the file lies says nothing; its text is compared
            if old == new || longer || key == "instrument" {
                continue;
            }
            let folder = path.parent().unwrap_or(path).display();
            let message = if key == "instrument_sha256" {
                format!("{folder} was started with another text of the instrument")
            } else {
                format!("{folder} was started with other settings: `{key}` is {old} there and {new} now")
            };
            return Err(Error::new(message, other));
        }
        Ok(())
    }
}
