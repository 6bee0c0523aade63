//! Laws of impulses between two steps, for every port of a body that can be kicked.

use ictus_core::{Clock, FastResonator, Kick, Scheme};

/// Steps after a kick over which motions are compared.
const STEPS: usize = 50;
/// Largest deviation of motions that agree but for rounding, as a share of the motion.
const ROUNDING: f64 = 1e-12;

/// Asserts the laws of impulses for a body in the state `moving`; false for a body that cannot be kicked.
///
/// Displacements stay; the jumps are reciprocal, and those of J and −J cancel. In a step of the leapfrog scheme without losses an impulse J is a force J/k.
pub fn check(name: &str, body: &dyn FastResonator, clock: Clock, moving: &[f64]) -> bool {
    let Some(kick) = body.capabilities().kick else { return false };
    let ports: Vec<usize> = (0..body.port_count()).collect();
    // about the motion that it has
    let impulses: Vec<f64> = ports.iter().map(|&p| 0.3 * clock.dt / body.mobility(p, p)).collect();
    let mut rest = moving.to_vec();
    body.reset(&mut rest);
    for state in [moving, &rest] {
        let jumps: Vec<Vec<f64>> = ports.iter().map(|&p| jumps(name, body, clock, state, p, impulses[p])).collect();
        for (&p, &q) in ports.iter().flat_map(|p| ports.iter().map(move |q| (p, q))) {
            let [there, back] = [jumps[p][q] / impulses[p], jumps[q][p] / impulses[q]];
            // differences of velocities: each is rounded to the digits of the velocity
            let speed = body.velocity(state, p).abs() / impulses[q] + body.velocity(state, q).abs() / impulses[p];
            let scale = (jumps[p][p] / impulses[p] * jumps[q][q] / impulses[q]).sqrt() + speed;
            assert!((there - back).abs() <= ROUNDING * scale, "{name}: {there:e} from {p} to {q}, {back:e} back");
            assert!(p != q || there > 0.0, "{name}: port {p} yields {there:e} m/s per N s");
        }
    }
    for (&port, &impulse) in ports.iter().zip(&impulses) {
        undone(name, body, kick, moving, port, impulse);
        if clock.scheme == Scheme::Leapfrog {
            like_a_force(name, body, clock, moving, port, impulse);
        }
    }
    true
}

/// The jumps of the velocities of all ports, m/s.
fn jumps(name: &str, body: &dyn FastResonator, clock: Clock, state: &[f64], port: usize, impulse: f64) -> Vec<f64> {
    let mut kicked = state.to_vec();
    if let Some(body) = body.capabilities().kick {
        body.kick(&mut kicked, port, impulse);
    }
    (0..body.port_count())
        .map(|p| {
            let [was, is] = [state, &kicked].map(|state| body.displacement(state, p));
            let speed = body.velocity(state, p).abs() + body.velocity(&kicked, p).abs();
            let scale = was.abs() + clock.dt * (speed + 0.3);
            assert!(
                (is - was).abs() <= ROUNDING * scale,
                "{name}: a kick at {port} moves {p} from {was:e} to {is:e} m"
            );
            body.velocity(&kicked, p) - body.velocity(state, p)
        })
        .collect()
}

/// Displacements of all ports over the next steps, the first under `force` at `port`, and the energy dissipated.
fn motion(body: &dyn FastResonator, mut state: Vec<f64>, port: usize, force: f64) -> (Vec<f64>, f64) {
    let ports: Vec<usize> = (0..body.port_count()).collect();
    let mut free = vec![0.0; ports.len()];
    let mut lost = 0.0;
    let mut motion = Vec::new();
    for n in 0..STEPS {
        body.free_velocities(&mut state, &ports, &mut free);
        let force = if n == 0 { force } else { 0.0 };
        lost += body.advance(&mut state, &[port], &[force], true);
        motion.extend(ports.iter().map(|&port| body.displacement(&state, port)));
    }
    (motion, lost)
}

fn assert_same(name: &str, what: &str, one: &[f64], other: &[f64]) {
    let scale = one.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let worst = one.iter().zip(other).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(scale > 0.0, "{name}: nothing moves");
    assert!(worst <= ROUNDING * scale, "{name}: {what}: {worst:e} m of {scale:e} m");
}

/// J and −J leave the motion as it was.
fn undone(name: &str, body: &dyn FastResonator, kick: &dyn Kick, state: &[f64], port: usize, impulse: f64) {
    let mut kicked = state.to_vec();
    kick.kick(&mut kicked, port, impulse);
    kick.kick(&mut kicked, port, -impulse);
    let [(was, _), (is, _)] = [state, &kicked].map(|state| motion(body, state.to_vec(), port, 0.0));
    assert_same(name, &format!("kicked at {port} and back"), &was, &is);
}

fn like_a_force(name: &str, body: &dyn FastResonator, clock: Clock, state: &[f64], port: usize, impulse: f64) {
    let mut kicked = state.to_vec();
    if let Some(body) = body.capabilities().kick {
        body.kick(&mut kicked, port, impulse);
    }
    let (forced, lost) = motion(body, state.to_vec(), port, impulse / clock.dt);
    if lost == 0.0 {
        let (kicked, _) = motion(body, kicked, port, 0.0);
        assert_same(name, &format!("kicked or pushed at {port}"), &forced, &kicked);
    }
}
