//! RB14: what diverges and what does not, beyond the figures.

use ictus_core::Scheme;
use ictus_experiments::find;
use ictus_experiments::rb14::Root;
use ictus_experiments::rb14::series::Order;
use ictus_experiments::rb14::take::Method;
use ictus_experiments::rb14::wire::{Finger, Scene, Wire};

/// A short scene: the finger comes soon and stays.
fn scene(modes: usize, amplitude: f64, samples: usize) -> Scene {
    Scene { hold: 2000..2000 + samples, samples: 2000 + samples, ..Scene::of_paper(Wire::steel(modes), amplitude) }
}

#[test]
fn divergence_is_told_and_all_that_is_heard_is_finite() {
    for order in [Order::Third, Order::Fifth] {
        for amplitude in [3e3, 1e5, 1e7] {
            let take = Method::Published(order, Root::Smallest).play(&scene(20, amplitude, 5000)).unwrap();
            let at = take.diverged.expect("this amplitude is far too large");
            assert!((2000..7000).contains(&at) && take.heard.len() == at, "{order:?} {amplitude}: {at}");
            assert!(take.heard.iter().chain(&take.force).all(|x| x.is_finite()), "{order:?} {amplitude}");
        }
    }
}

fn fingers() -> Vec<Finger> {
    vec![Finger { from: 0.2, to: 0.24 }, Finger::at(0.5), Finger { from: 0.8, to: 0.7 }]
}

/// Order n of a series is the n-th power of the amplitude. With forces for each order it stays so while points are held: nothing feeds back, nothing can diverge.
#[test]
fn order_by_order_every_order_keeps_its_power() {
    let play = |order: Order, amplitude: f64| {
        let scene = Scene { fingers: fingers(), ..scene(40, amplitude, 4000) };
        let take = Method::Separated(order).play(&scene).unwrap();
        assert_eq!(take.diverged, None, "{order:?} {amplitude}");
        let loudest = largest(&take.heard);
        assert!(take.held < 1e-11 * loudest, "{order:?} {amplitude}: {} of {loudest}", take.held);
        take.heard
    };
    let lower = [(Order::Third, Order::First, 3), (Order::Fifth, Order::Third, 5)];
    for (order, below, power) in lower {
        let scaled = |amplitude: f64| -> Vec<f64> {
            let (whole, rest) = (play(order, amplitude), play(below, amplitude));
            whole.iter().zip(&rest).map(|(a, b)| (a - b) / amplitude.powi(power)).collect()
        };
        let (small, large) = (scaled(1e3), scaled(1e6));
        let apart: Vec<f64> = small.iter().zip(&large).map(|(a, b)| a - b).collect();
        assert!(largest(&apart) < 1e-9 * largest(&large), "{order:?}: {}", largest(&apart) / largest(&large));
    }
}

#[test]
fn the_engine_only_loses_under_many_moving_fingers() {
    for amplitude in [100.0, 1e4, 1e6] {
        let scene = Scene { fingers: fingers(), ..scene(40, amplitude, 4000) };
        for frame in [Scheme::Midpoint, Scheme::Leapfrog] {
            let take = Method::Kirchhoff(frame).play(&scene).unwrap();
            assert!(take.diverged.is_none() && take.growth <= 1.0, "{frame:?} {amplitude}: {}", take.growth);
            assert!(take.held < 1e-11 * largest(&take.heard), "{frame:?} {amplitude}: {}", take.held);
        }
    }
}

fn largest(signal: &[f64]) -> f64 {
    signal.iter().fold(0.0f64, |most, x| most.max(x.abs()))
}

#[test]
fn small_vibrations_are_the_same_by_every_method() {
    let scene = scene(12, 0.1, 3000);
    let linear = Method::Published(Order::First, Root::Smallest).play(&scene).unwrap();
    let loudest = largest(&linear.heard);
    for (method, tolerance) in [
        (Method::Published(Order::Third, Root::Smallest), 1e-6),
        (Method::Separated(Order::First), 1e-12),
        (Method::Separated(Order::Fifth), 1e-6),
        // another rule for forces within a step, half a sample apart
        (Method::Kirchhoff(Scheme::Midpoint), 0.03),
    ] {
        let take = method.play(&scene).unwrap();
        let off = take.heard.iter().zip(&linear.heard).fold(0.0f64, |most, (a, b)| most.max((a - b).abs()));
        assert!(off < tolerance * loudest, "{method:?}: {}", off / loudest);
    }
}

#[test]
fn absurd_settings_give_finite_numbers_or_an_error() {
    for (id, name, value) in [
        ("rb14-4", "amplitude", "3000"),
        ("rb14-4", "amplitude", "1e7"),
        ("rb14-5", "amplitude", "1e-6"),
        ("rb14-6", "amplitude", "1e7"),
        ("rb14-7", "place_b", "0.36"),
        ("rb14-8", "amplitude", "1e7"),
        ("rb14-9", "to", "0.1"),
        ("rb14-8", "modes", "1"),
        ("rb14-secular", "phase", "10"),
        ("rb14-order", "bend", "1"),
    ] {
        let figure = find(id).unwrap();
        let Ok(outcome) = figure.run(&figure.values(&[(name.to_owned(), value.to_owned())]).unwrap()) else { continue };
        for metric in &outcome.metrics {
            assert!(metric.measured.is_finite(), "{id} {name}={value}: {} is {}", metric.name, metric.measured);
        }
        for table in &outcome.tables {
            assert!(table.values.iter().flatten().all(|x| x.is_finite()), "{id} {name}={value}");
        }
    }
}

/// Order 5 follows the exact motion longer than order 3, and order 3 longer than order 1, while Δω t is small.
#[test]
fn higher_orders_hold_longer() {
    let figure = find("rb14-secular").unwrap();
    let values = figure.values(&[("seconds".to_owned(), "0.3".to_owned())]).unwrap();
    let outcome = figure.run(&values).unwrap();
    let curves = outcome.tables.iter().find(|table| table.name.is_empty()).unwrap();
    for period in 3..curves.values[0].len() {
        let [first, third, fifth] = [1, 2, 3].map(|order| curves.values[order][period]);
        assert!(fifth < third && third < first, "period {period}: {first} {third} {fifth}");
    }
}
