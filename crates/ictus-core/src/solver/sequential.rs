//! Sequential fallback for a coupled solve that ends above its tolerance: contacts act one after the other.
//!
//! Contact i is solved in isolation, w_i + W_ii f_i = z_i, after the preceding ones: z_i = w0_i − 2 Σ_{j<i} W_ij f_j. Twice, because their whole impulse has acted by then,
//! not its mean. Then Σ f_i w_i = fᵀw0 − fᵀW f, which is the power at the ports of the bodies under all forces together, for any laws: W is
//! symmetric. So bodies and laws exchange exactly the energy that each enters in the ledger, and a step that misses adds none. It needs no iteration, one resolvent per contact.
//!
//! It is coarser than an iterate that nearly met the tolerance. Such an iterate is kept if it gains no more than a solved step may: fᵀG within the tolerance
//! of its terms.

use super::general_newton::{Laws, Scratch, gain, residual};

/// Replaces the iterate in `scratch.resolved` by a solution that adds no energy, if it might add some; true if it did.
pub(crate) fn fall_back(laws: &impl Laws, w: &[f64], tolerance: f64, scratch: &mut Scratch) -> bool {
    residual(w, scratch);
    let (gained, terms) = gain(scratch);
    // false for NaN too
    let harmless = gained <= tolerance * terms;
    if !harmless {
        solve_sequentially(laws, w, scratch);
    }
    !harmless
}

fn solve_sequentially(laws: &impl Laws, w: &[f64], scratch: &mut Scratch) {
    let m = scratch.len;
    scratch.step[..m].copy_from_slice(&scratch.free[..m]);
    for i in 0..m {
        let (law, state) = laws.law(i);
        let resolved = law.resolve(state, scratch.step[i], w[i * m + i]);
        scratch.resolved[i] = resolved;
        for j in i + 1..m {
            scratch.step[j] -= 2.0 * w[j * m + i] * resolved.force;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::clock::{Clock, Scheme};
    use crate::contact::{BodyId, Contact, ContactId, End};
    use crate::interaction::collision::Collision;
    use crate::interaction::spring::Spring;
    use crate::model::{Model, ModelBuilder};
    use crate::power_law::PowerLaw;
    use crate::resonator::mass::Mass;
    use crate::state::State;
    use crate::step::step;
    use ictus_testkit::Draw;

    /// A chain of masses between two walls, the outer ones connected by a spring, and every other one held by a second wall contact: islands of 3 to 9 collisions.
    fn island(scheme: Scheme, draw: &mut Draw) -> (Model, State) {
        let clock = Clock::new(scheme, 1.0 / 48_000.0);
        let mut builder = ModelBuilder::new(clock);
        builder.tolerance(0.0);
        let count = 2 + draw.uniform(0.0, 5.0) as usize;
        let masses: Vec<BodyId> = (0..count)
            .map(|i| builder.body(format!("{i}"), Mass::new(clock, draw.log(1e-4, 1.0), 0.0, 0.0).expect("a mass")))
            .collect();
        let mut ends = vec![[End::Wall, End::port(masses[0], 0)], [End::port(masses[count - 1], 0), End::Wall]];
        ends.extend(masses.windows(2).map(|pair| [End::port(pair[0], 0), End::port(pair[1], 0)]));
        ends.extend(masses.iter().step_by(2).map(|&mass| [End::port(mass, 0), End::Wall]));
        for between in ends {
            let exponent = [1.0, 1.3, 1.5, 2.5][draw.uniform(0.0, 4.0) as usize];
            let loss = if draw.uniform(0.0, 1.0) < 0.5 { 0.0 } else { draw.log(0.01, 10.0) };
            let law = Collision::new(clock, PowerLaw::new(draw.log(1e4, 1e11), exponent), loss);
            builder.contact(Contact::new("hit", between, law.into()).with_gap(draw.uniform(0.0, 1e-4)));
        }
        let spring = Spring::new(clock, draw.log(1e2, 1e6), 0.0).expect("a spring");
        let outer = [End::port(masses[0], 0), End::port(masses[count - 1], 0)];
        builder.contact(Contact::new("spring", outer, spring.into()));
        let model = builder.build().expect("a model");
        let mut state = State::new(&model);
        for &mass in &masses {
            state.throw(&model, mass, draw.uniform(-3.0, 3.0), None);
        }
        for work in &mut state.workspaces {
            work.newton.cap = 1;
            work.active_set.scratch.cap = 1;
        }
        (model, state)
    }

    fn energy(model: &Model, state: &State) -> f64 {
        let bodies = (0..model.body_count()).map(|i| state.body_energy(model, BodyId(i)));
        bodies.chain((0..model.contact_count()).map(|i| state.contact_energy(model, ContactId(i)))).sum()
    }

    #[test]
    fn misses_are_counted_and_add_no_energy() {
        let (mut missed, mut fell_back, mut worst) = (0, 0, 0.0_f64);
        for seed in 0..200 {
            for scheme in [Scheme::Midpoint, Scheme::Leapfrog] {
                let (model, mut state) = island(scheme, &mut Draw::new(seed));
                let first = energy(&model, &state);
                let mut last = first;
                for _ in 0..1000 {
                    step(&model, &mut state);
                    let now = energy(&model, &state);
                    worst = worst.max((now - last) / first);
                    last = now;
                }
                assert!(
                    last.is_finite() && last <= first * (1.0 + 1e-11),
                    "{scheme:?} {seed}: {first:e} J became {last:e}"
                );
                missed += state.counts.missed;
                fell_back += state.counts.fallbacks;
            }
        }
        println!("{missed} missed, {fell_back} fallbacks, {worst:e} gained by a step at most");
        assert!(missed > 20_000 && fell_back > 5_000 && fell_back <= missed, "{missed} missed, {fell_back} in turn");
        assert!(worst <= 1e-13, "a step gained {worst:e}");
    }
}
