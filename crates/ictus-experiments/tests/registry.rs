//! Ids, parameters, and what happens when they are changed.

use ictus_experiments::{Error, FIGURES, find, of_paper};
use std::collections::HashSet;

fn set(name: &str, value: &str) -> Vec<(String, String)> {
    vec![(name.to_owned(), value.to_owned())]
}

#[test]
fn ids_are_unique_and_found() {
    let ids: HashSet<&str> = FIGURES.iter().map(|f| f.id).collect();
    assert_eq!(ids.len(), FIGURES.len());
    for figure in FIGURES {
        assert_eq!(find(figure.id).unwrap().id, figure.id);
        assert!(of_paper(figure.paper).iter().any(|f| f.id == figure.id));
        assert!(!ids.contains(figure.paper), "`{}` names a figure and a paper", figure.paper);
    }
    assert_eq!(of_paper("cw14").len(), 3);
    assert_eq!(of_paper("d21").len(), 8);
    assert_eq!(of_paper("so8").len(), 7);
    assert_eq!(of_paper("fr").len(), 3);
    assert_eq!(of_paper("rb14").len(), 9);
    assert!(find("d21-99").is_none());
}

#[test]
fn parameters_are_described_and_their_defaults_allowed() {
    for figure in FIGURES {
        let names: HashSet<&str> = figure.parameters.iter().map(|p| p.name).collect();
        assert_eq!(names.len(), figure.parameters.len(), "{}", figure.id);
        for p in figure.parameters {
            assert!((p.range.0..=p.range.1).contains(&p.default), "{} {}", figure.id, p.name);
            assert!(!p.meaning.is_empty(), "{} {}", figure.id, p.name);
        }
        assert!(!figure.notes.is_empty(), "{}", figure.id);
    }
}

#[test]
fn an_unknown_parameter_names_the_known_ones() {
    let error = find("cw14-2").unwrap().values(&set("kb", "1e9")).unwrap_err();
    assert!(matches!(error, Error::UnknownParameter { .. }));
    let text = error.to_string();
    assert!(text.contains("`kb`") && text.contains("k_b") && text.contains("oversampling"), "{text}");
}

#[test]
fn a_bad_value_says_what_was_expected() {
    let figure = find("d21-1").unwrap();
    for bad in ["soft", "-1", "NaN", "inf", ""] {
        let text = figure.values(&set("mass", bad)).unwrap_err().to_string();
        assert!(text.contains("`mass`") && text.contains("positive number in kg"), "{bad}: {text}");
    }
    let text = figure.values(&set("alpha", "0.5")).unwrap_err().to_string();
    assert!(text.contains("from 1 to 5"), "{text}");
}

#[test]
fn what_the_engine_refuses_is_an_error_with_the_figure() {
    let figure = find("d21-1").unwrap();
    // the leapfrog limit of the mass on its spring
    let values = figure.values(&set("rate", "100")).unwrap();
    let text = figure.run(&values).unwrap_err().to_string();
    assert!(text.starts_with("d21-1: "), "{text}");
}

#[test]
fn runs_that_would_never_end_are_refused() {
    for (id, name, value) in [
        ("cw14-2", "spacing", "1e-9"),
        ("cw14-3", "spacing", "1e-300"),
        ("cw14-2", "oversampling", "64"),
        ("cw14-3", "seconds", "1e9"),
        ("cw14-4", "rate", "1e12"),
        ("d21-1", "seconds", "1e6"),
        ("d21-2", "v0", "1e-9"),
        ("d21-3", "rate", "1e8"),
        ("d21-5", "rate", "1e7"),
        ("so8-8.7", "seconds", "600"),
        ("rb14-secular", "seconds", "1e6"),
        ("rb14-order", "rate", "1e9"),
        ("hard-barrier", "seconds", "1e5"),
    ] {
        let figure = find(id).unwrap();
        let error = figure.run(&figure.values(&set(name, value)).unwrap()).err().map(|e| e.to_string());
        assert!(error.as_ref().is_some_and(|e| e.contains("too long")), "{id} {name}={value}: {error:?}");
    }
}

#[test]
fn changed_parameters_leave_only_laws_judged() {
    let figure = find("d21-3").unwrap();
    let outcome = figure.run(&figure.values(&set("v0", "1")).unwrap()).unwrap();
    for metric in &outcome.metrics {
        assert_eq!(metric.pass.is_some(), metric.law, "{}", metric.name);
        assert!(metric.measured.is_finite());
    }
    assert!(outcome.metrics.iter().any(|m| m.law));
    assert!(outcome.passed());
    // the published value given by hand changes nothing
    let values = figure.values(&set("v0", "0.5")).unwrap();
    assert_eq!(values.changed().count(), 0);
}
