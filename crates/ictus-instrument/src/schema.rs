//! The JSON schema of the format, for editors.

use crate::raw::File;

/// JSON schema of format 1, made from the types the file is decoded into.
#[must_use]
pub fn schema() -> serde_json::Value {
    let mut schema = schemars::schema_for!(File).to_value();
    if let Some(top) = schema.as_object_mut() {
        top.insert("title".into(), "ictus instrument, format 1".into());
    }
    schema
}
