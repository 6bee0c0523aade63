//! The JSON schema of the format, for editors.

use serde_json::{Value, json};

use crate::raw::File;

/// JSON schema of format 1, made from the types the file is decoded into.
#[must_use]
pub fn schema() -> Value {
    let mut schema = schemars::schema_for!(File).to_value();
    without_null(&mut schema);
    if let Some(top) = schema.as_object_mut() {
        top.insert("title".into(), "ictus instrument, format 1".into());
    }
    schema
}

/// TOML has no null: an optional key is left out, so the schema of its value is that of the value alone.
fn without_null(schema: &mut Value) {
    let null = json!({ "type": "null" });
    match schema {
        Value::Object(object) => {
            if let Some(Value::Array(types)) = object.get_mut("type") {
                types.retain(|name| name != "null");
                if let [one] = types.as_slice() {
                    let one = one.clone();
                    object.insert("type".into(), one);
                }
            }
            if let Some(Value::Array(choices)) = object.get_mut("anyOf") {
                choices.retain(|choice| *choice != null);
                if let [Value::Object(one)] = choices.as_slice() {
                    let one = one.clone();
                    object.remove("anyOf");
                    object.extend(one);
                }
            }
            object.values_mut().for_each(without_null);
        }
        Value::Array(list) => list.iter_mut().for_each(without_null),
        _ => {}
    }
}
