//! Every figure meets its numbers, and gives finite ones.

use ictus_experiments::{Outcome, find};

fn outcome(id: &str) -> Outcome {
    let figure = find(id).expect("a figure");
    figure.run(&figure.defaults()).expect("the published values can be built")
}

fn assert_met(id: &str) {
    let outcome = outcome(id);
    let failed: Vec<String> = outcome
        .metrics
        .iter()
        .filter(|m| m.pass == Some(false) || !m.measured.is_finite())
        .map(|m| format!("{}: {} wanted {}", m.name, m.measured, m.wanted()))
        .collect();
    assert!(failed.is_empty(), "{id}:\n{}", failed.join("\n"));
    assert!(outcome.metrics.iter().any(|m| m.pass.is_some()), "{id} judges nothing");
    for metric in &outcome.metrics {
        assert!(metric.name.len() > 3, "{id}: a metric without a name");
    }
    assert!(!outcome.pictures.is_empty() && !outcome.tables.is_empty(), "{id}");
    for table in &outcome.tables {
        assert_eq!(table.columns.len(), table.values.len());
        assert!(table.values.iter().flatten().all(|x| x.is_finite()), "{id} {}: not finite", table.name);
    }
}

#[test]
fn flat_barrier_lengthens_the_period() {
    assert_met("cw14-2");
}

#[test]
fn curved_barrier_conserves_energy() {
    assert_met("cw14-3");
}

#[test]
fn stiff_lossy_string_only_loses() {
    assert_met("cw14-4");
}

#[test]
fn masses_bounce() {
    assert_met("d21-1");
}

#[test]
fn schemes_converge_at_their_order() {
    assert_met("d21-2");
}

#[test]
fn friction_parameters_do_what_the_table_says() {
    assert_met("so8-table8.1");
}

#[test]
fn wire_falls_on_the_membrane() {
    assert_met("d21-7");
}

#[test]
fn tromba_marina_rattles() {
    assert_met("d21-10");
}

#[test]
fn hammer_comes_back() {
    assert_met("d21-3");
}

#[test]
fn hammer_schemes_agree_at_all_stiffnesses() {
    assert_met("d21-4");
}

#[test]
fn grid_and_modes_agree_on_the_backboard() {
    assert_met("d21-5");
}

#[test]
fn grid_and_modes_agree_on_frets() {
    assert_met("d21-6");
}

#[test]
fn membranes_have_their_nodal_lines() {
    assert_met("so8-8.1");
}

#[test]
fn hammers_lose_what_the_law_says() {
    assert_met("so8-8.3");
}

#[test]
fn fractal_noise_has_its_slope() {
    assert_met("so8-8.7");
}

#[test]
fn hard_hammers_are_bright() {
    assert_met("so8-8.9");
}

#[test]
fn hard_blows_are_several() {
    assert_met("so8-8.10");
}

#[test]
fn hard_barriers_converge() {
    assert_met("hard-barrier");
}

#[test]
fn the_same_run_gives_the_same_numbers() {
    let (a, b) = (outcome("d21-3"), outcome("d21-3"));
    assert_eq!(a.metrics, b.metrics);
}

#[test]
fn bristles_settle_on_the_stribeck_curve() {
    assert_met("so8-8.5");
}

#[test]
fn bowed_strings_move_as_helmholtz_saw() {
    assert_met("fr-displacement");
}

#[test]
fn bows_balance_their_ledger() {
    assert_met("fr-balance");
    assert_met("fr-energy");
}

#[test]
fn adhering_points_are_roots_of_polynomials() {
    for id in ["rb14-4", "rb14-5", "rb14-6", "rb14-7"] {
        assert_met(id);
    }
}

#[test]
fn held_strings_sound_shorter() {
    assert_met("rb14-8");
    assert_met("rb14-9");
}

#[test]
fn only_the_published_inversion_diverges() {
    assert_met("rb14-divergence");
}

#[test]
fn volterra_series_grow_as_the_pitch_shifts() {
    assert_met("rb14-secular");
}

#[test]
fn stretched_strings_converge_at_second_order() {
    assert_met("rb14-order");
}

/// The limits of Helmholtz motion fall with the distance of the bow, the least force faster than the largest. [Schelleng]
#[test]
fn the_limits_of_the_bow_fall_as_schelleng_says() {
    let map = &ictus_experiments::fr::map::SCHELLENG;
    let setting = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let values = map.values(&[setting("columns", "8")]).expect("settings");
    let (_, outcome) = map.run(&values, &|| ()).expect("a map");
    let [most, least] = [&outcome.metrics[0], &outcome.metrics[1]].map(|metric| metric.measured);
    println!("f_max falls as β^{most:.2}, f_min as β^{least:.2}");
    assert!((-1.3..=-0.8).contains(&most) && (-2.3..=-1.7).contains(&least), "{most} {least}");
}
