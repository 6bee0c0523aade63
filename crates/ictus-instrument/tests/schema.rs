//! The JSON schema, tried by a small validator on the files that load.

use crate::common::{BAR, EVERYTHING, GRIDS, INPUTS, OBJECTS, SURFACES, TANPURA};
use ictus_instrument::schema;
use serde_json::{Value, json};

/// Validates by the keywords the schema uses, and panics at one it does not know.
fn accepts(root: &Value, schema: &Value, value: &Value) -> bool {
    let Some(rules) = schema.as_object() else { return schema != &json!(false) };
    let each = |list: &Value, value: &Value| -> usize {
        list.as_array().into_iter().flatten().filter(|choice| accepts(root, choice, value)).count()
    };
    rules.iter().all(|(keyword, rule)| match keyword.as_str() {
        "$schema" | "$defs" | "title" | "description" | "default" | "format" => true,
        "$ref" => {
            let name = rule.as_str().and_then(|r| r.strip_prefix("#/$defs/")).expect("a local reference");
            accepts(root, &root["$defs"][name], value)
        }
        "type" => match rule.as_str().expect("one type") {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "number" => value.is_number(),
            "integer" => value.is_u64() || value.is_i64(),
            "boolean" => value.is_boolean(),
            other => panic!("type {other}"),
        },
        "const" => rule == value,
        "enum" => rule.as_array().is_some_and(|all| all.contains(value)),
        "anyOf" => each(rule, value) >= 1,
        "oneOf" => each(rule, value) == 1,
        "allOf" => each(rule, value) == rule.as_array().map_or(0, Vec::len),
        "not" => !accepts(root, rule, value),
        "required" => {
            rule.as_array().into_iter().flatten().all(|key| value.get(key.as_str().expect("a key")).is_some())
        }
        "properties" => rule
            .as_object()
            .into_iter()
            .flatten()
            .all(|(key, rule)| value.get(key).is_none_or(|value| accepts(root, rule, value))),
        "additionalProperties" => value.as_object().into_iter().flatten().all(|(key, value)| {
            rules.get("properties").is_some_and(|known| known.get(key).is_some()) || accepts(root, rule, value)
        }),
        "items" => value.as_array().into_iter().flatten().all(|item| accepts(root, rule, item)),
        "prefixItems" => {
            let rules = rule.as_array().expect("a list");
            rules.iter().zip(value.as_array().into_iter().flatten()).all(|(rule, item)| accepts(root, rule, item))
        }
        "minItems" => value.as_array().is_none_or(|list| list.len() as u64 >= rule.as_u64().expect("a count")),
        "maxItems" => value.as_array().is_none_or(|list| list.len() as u64 <= rule.as_u64().expect("a count")),
        "maxLength" => value.as_str().is_none_or(|text| text.chars().count() as u64 <= rule.as_u64().expect("a count")),
        "minimum" => value.as_f64().is_none_or(|x| x >= rule.as_f64().expect("a bound")),
        "maximum" => value.as_f64().is_none_or(|x| x <= rule.as_f64().expect("a bound")),
        "exclusiveMinimum" => value.as_f64().is_none_or(|x| x > rule.as_f64().expect("a bound")),
        "exclusiveMaximum" => value.as_f64().is_none_or(|x| x < rule.as_f64().expect("a bound")),
        other => panic!("the validator does not know `{other}`"),
    })
}

/// JSON of a file. It has no infinity, so a large number stands in.
fn json_of(text: &str) -> Value {
    fn convert(value: &toml::de::DeValue) -> Value {
        use toml::de::DeValue as V;
        match value {
            V::String(text) => json!(text),
            V::Integer(n) => n
                .as_str()
                .parse::<u64>()
                .map_or_else(|_| json!(n.as_str().parse::<i64>().expect("a whole number")), |n| json!(n)),
            V::Float(x) => json!(x.as_str().parse::<f64>().expect("a number").min(1e300)),
            V::Boolean(x) => json!(x),
            V::Datetime(date) => json!(date.to_string()),
            V::Array(list) => list.iter().map(|item| convert(item.get_ref())).collect(),
            V::Table(table) => {
                table.iter().map(|(key, value)| (key.get_ref().to_string(), convert(value.get_ref()))).collect()
            }
        }
    }
    let table = toml::de::DeTable::parse(text).expect("TOML");
    convert(&toml::de::DeValue::Table(table.into_inner()))
}

#[test]
fn the_schema_accepts_what_loads() {
    let schema = schema();
    assert!(accepts(&schema, &schema, &json_of(BAR)));
    assert!(accepts(&schema, &schema, &json_of(EVERYTHING)));
    assert!(accepts(&schema, &schema, &json_of(TANPURA)));
    assert!(accepts(&schema, &schema, &json_of(SURFACES)));
    assert!(accepts(&schema, &schema, &json_of(OBJECTS)));
    assert!(accepts(&schema, &schema, &json_of(GRIDS)));
    assert!(accepts(&schema, &schema, &json_of(INPUTS)));
    assert!(accepts(&schema, &schema, &json_of(&format!("{INPUTS}\n{}", crate::modulators::ALL))));
}

#[test]
fn the_schema_refuses_what_does_not() {
    let schema = schema();
    for (from, to) in [
        ("format = 1", "format = 2"),
        ("title = ", "titel = "),
        ("mass_kg = \"20 g\"", "mass_kg = 0"),
        ("kind = \"mass\"", "kind = \"masss\""),
        ("stiffness_n_m = 10", "stifness_n_m = 10"),
        ("frequency_hz = \"E2\"", ""),
        ("points = 200", "points = 2"),
        ("bridge = 0.98", "bridge = 1.0"),
        ("exponent = 2.3", "exponent = 0.5"),
        ("hysteresis = 0.4", "hysteresis = 1"),
        ("sharpness_s2_m2 = 100", ""),
        ("poles_per_decade = 6", "poles_per_decade = 0"),
        ("sliding = 0.3\n", ""),
        ("relaxation_s = \"0.2 ms\"", ""),
        ("between = [\"mallet\", \"bar.strike\"]", "between = [\"mallet\"]"),
        ("throw = {", "at_s2 = {"),
        ("pan = -0.5", "pan = 7"),
        ("quantity = \"acceleration\"", "quantity = \"speed\""),
        ("category = \"Prepared\"", "category = \"Hit\""),
        ("to = \"finger.normal_n\"", ""),
        ("id = \"pressure\"", ""),
        ("range = [0, \"4 N\"]", "range = [0]"),
        ("range = [0, \"4 N\"]", "ranges = [0, 4]"),
        ("ramp_s = \"10 ms\"", "ramp_s = -1"),
    ] {
        assert!(EVERYTHING.contains(from), "{from:?}");
        assert!(!accepts(&schema, &schema, &json_of(&EVERYTHING.replacen(from, to, 1))), "{to:?}");
    }
}

#[test]
fn the_schema_refuses_broken_barriers_and_fingers() {
    let schema = schema();
    for (from, to) in [
        ("modes = 60", "modes = 0"),
        ("modes = 60", "modes = 60\npoints = 60"),
        ("[[barrier]]\nid = \"bridge\"\non = \"wire\"", "[[barrier]]\nid = \"bridge\""),
        ("profile = {", "flat = { height_m = 0.0 }\nprofile = {"),
        ("profile = {", "# profile = {"),
        ("[\"-0.1 mm\", 0.01, -4.0]", "[]"),
        ("[\"-0.1 mm\", 0.01, -4.0]", "[1, 2, 3, 4, 5, 6, 7, 8, 9]"),
        ("to = 0.03", "to = 1.5"),
        ("density = 1e10", ""),
        ("density = 1e10", "density = 1e10\nstiffness = 1e10"),
        ("density = 1e10", "density = 0"),
        ("exponent = 1.3", "exponent = 7"),
        ("damping_s_m = 0.5", "damping = 0.5"),
        ("flat = { height_m = \"-1 mm\" }", "flat = {}"),
        ("[[0, 0], [\"0.5 s\", \"0.4 mm\"]]", "[]"),
        ("count = 3", "count = 49"),
        ("side = \"above\"", "side = \"left\""),
        ("[[0.2, \"1 mm\"], [0.7, 2e-3]]", "[]"),
        ("[0.7, 2e-3]", "[1.0, 2e-3]"),
        ("position = 0.13", ""),
        ("position = 0.13", "position = 1.0"),
        ("position = 0.13", "position = []"),
        ("[[0, 0.5], ", "[[0, 1.0], "),
        ("[[0, 0], [0.1, \"4 N\"], [1, 0]]", "[]"),
        ("position = 0.13", "position = 0.13\nradius_m = 0"),
    ] {
        assert!(TANPURA.contains(from), "{from:?}");
        assert!(!accepts(&schema, &schema, &json_of(&TANPURA.replacen(from, to, 1))), "{to:?}");
    }
}

#[test]
fn the_schema_refuses_broken_surfaces() {
    let schema = schema();
    for (from, to) in [
        ("beta = 1.5", "beta = 5"),
        ("beta = 1.5", "betta = 1.5"),
        ("radius_m = \"5 mm\"", "radius_m = 0"),
        ("seed = 7", "seed = -7"),
        ("[[0, \"50 cm/s\"], [2, 0]]", "[]"),
        ("[[0, 0], [\"1 s\", \"-5 cm\"]]", "[]"),
        ("[\"grit\", \"ball\"]", "[]"),
        ("[\"grit\", \"ball\"]", "\"grit\""),
        ("[[0, 200], [\"2 s\", 0]]", "[[0, 200]]"),
        ("[[0, 200], [\"2 s\", 0]]", "[[0, -1], [2, 0]]"),
        ("[\"-10 cm/s\", -3]", "[-3]"),
        ("exponent = 1.4", "exponent = 6"),
    ] {
        assert!(SURFACES.contains(from), "{from:?}");
        assert!(!accepts(&schema, &schema, &json_of(&SURFACES.replacen(from, to, 1))), "{to:?}");
    }
}

#[test]
fn the_schema_refuses_broken_objects() {
    let schema = schema();
    for (from, to) in [
        ("shape = { bar = {", "shape = { baar = {"),
        ("shape = { bar = {", "shape = { tube = { length_m = 1, radius_m = 0.1 }, bar = {"),
        ("length_m = \"30 cm\"", "length_m = 0"),
        ("length_m = \"30 cm\", ", ""),
        ("material = \"rosewood\"", "material = \"rosewod\""),
        ("material = \"rosewood\"", "material = 3"),
        ("base = \"steel\"", "basis = \"steel\""),
        ("tuning = [1, 4, 10]", "tuning = []"),
        ("frequency_hz = \"A3\"", "frequency_hz = [220]"),
        ("max_modes = 12", "max_modes = 5000"),
        ("amount = 0.3", "amount = 1.3"),
        ("ends = \"free_free\"", "ends = \"free\""),
        ("contact_time_s = \"1 ms\"", "contact_time_s = \"1 ms\"\nstiffness = 1e6"),
        ("contact_time_s = \"1 ms\"", ""),
        ("contact_time_s = \"1 ms\"", "contact_time_s = 0"),
    ] {
        assert!(OBJECTS.contains(from), "{from:?}");
        assert!(!accepts(&schema, &schema, &json_of(&OBJECTS.replacen(from, to, 1))), "{to:?}");
    }
}

#[test]
fn every_key_is_described() {
    fn walk(schema: &Value, missing: &mut Vec<String>) {
        match schema {
            Value::Object(object) => {
                let properties = object.get("properties").and_then(Value::as_object);
                // the description of a choice stands on the table whose one key it is
                let choice = properties.is_some_and(|all| all.len() == 1) && object.contains_key("description");
                for (key, property) in properties.into_iter().flatten() {
                    if property.get("description").is_none() && key != "kind" && !choice {
                        missing.push(key.clone());
                    }
                }
                object.values().for_each(|value| walk(value, missing));
            }
            Value::Array(list) => list.iter().for_each(|value| walk(value, missing)),
            _ => {}
        }
    }
    let mut missing = Vec::new();
    walk(&schema(), &mut missing);
    assert!(missing.is_empty(), "{missing:?}");
    assert!(!schema().to_string().contains("null"), "TOML has no null");
}
