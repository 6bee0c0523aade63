//! Every element obeys the laws of its kind.

use ictus_core::{Clock, Collision, Felt, Gradient, NonlinearSpring, PowerLaw, Quadratised, Scheme};
use ictus_testkit::interaction::{self, Expectation};
use ictus_testkit::scene::SCHEMES;
use ictus_testkit::{Draw, bodies, resonator};

/// Long enough for slow losses and gains to accumulate.
const STEPS: usize = 20_000;

fn bodies_obey(scheme: Scheme) {
    for rate in [44_100.0, 48_000.0, 96_000.0] {
        let clock = Clock::new(scheme, 1.0 / rate);
        let mut draw = Draw::new(7);
        let mut worst = resonator::Figures { definite: f64::INFINITY, ..Default::default() };
        for (name, body) in bodies::all(clock, &mut draw) {
            let figures = resonator::check(&name, &*body, clock, &mut draw, STEPS / 10);
            assert!(body.capabilities().kick.is_some(), "{name} takes no impulses");
            worst = worst.worse(figures);
        }
        println!("{scheme:?} {rate} Hz: worst {worst:?}");
    }
}

#[test]
fn bodies_obey_in_the_midpoint_scheme() {
    bodies_obey(Scheme::Midpoint);
}

#[test]
fn bodies_obey_in_the_leapfrog_scheme() {
    bodies_obey(Scheme::Leapfrog);
}

#[test]
fn long_runs_do_not_drift() {
    for scheme in SCHEMES {
        let clock = Clock::new(scheme, 1.0 / 44_100.0);
        let mut draw = Draw::new(8);
        let mut list = bodies::masses(clock);
        list.extend(bodies::banks(clock, &mut draw));
        list.extend(bodies::strings(clock).into_iter().filter(|(name, _)| name.contains("stiff true")));
        for (name, body) in list {
            let figures = resonator::check(&name, &*body, clock, &mut draw, STEPS);
            println!("{scheme:?} {name}: balance {:.1e}, excess {:.1e}", figures.balance, figures.excess);
        }
    }
}

#[test]
fn resolvents_obey() {
    for scheme in SCHEMES {
        let clock = Clock::new(scheme, 1.0 / 44_100.0);
        let mut draw = Draw::new(9);
        for exponent in [1.0, 1.3, 1.5, 2.0, 2.3, 2.5, 3.0, 3.4] {
            for stiffness in [1e4, 1e8, 1e12] {
                let power = PowerLaw::new(stiffness, exponent);
                let reach = 1e-4;
                let collision = Expectation { pushes_only: true, reach, force: power.force(reach) };
                for loss in [0.0, 0.3, 5.0] {
                    let law = Collision::new(clock, power, loss);
                    let name = format!("{scheme:?} collision K={stiffness:e} α={exponent} μ={loss}");
                    let figures = interaction::check(&name, &law, clock, collision, &mut draw, 3000);
                    if exponent == 1.3 {
                        println!("{name}: {figures:?}");
                    }
                }
                for (hysteresis, relaxation) in [(0.0, 1e-3), (0.5, 2e-4), (0.95, 1e-5), (0.3, 1.0), (0.8, 1e-9)] {
                    let law = Felt::new(clock, power, hysteresis, relaxation).unwrap();
                    let name = format!("{scheme:?} felt K={stiffness:e} α={exponent} ε={hysteresis} τ={relaxation}");
                    let figures = interaction::check(&name, &law, clock, collision, &mut draw, 3000);
                    if exponent == 1.3 {
                        println!("{name}: {figures:?}");
                    }
                }
                let spring = Expectation { pushes_only: false, ..collision };
                let law = NonlinearSpring::new(clock, power);
                let name = format!("{scheme:?} nonlinear spring K={stiffness:e} α={exponent}");
                let figures = interaction::check(&name, &law, clock, spring, &mut draw, 3000);
                println!("{name}: {figures:?}");
                for gradient in [Gradient::Current, Gradient::Corrected] {
                    let law = Quadratised::new(clock, power, gradient);
                    let name = format!("{scheme:?} {gradient:?} K={stiffness:e} α={exponent}");
                    let figures = interaction::check(&name, &law, clock, spring, &mut draw, 3000);
                    if exponent == 1.3 {
                        println!("{name}: {figures:?}");
                    }
                }
            }
        }
    }
}
