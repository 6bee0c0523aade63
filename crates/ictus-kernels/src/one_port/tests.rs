use super::*;
use crate::{Aligned, Level, dot, force, modes};

fn numbers(n: usize, seed: usize) -> Aligned {
    (0..n).map(|i| ((i * 6007 + seed * 15_485_863) % 1013) as f64 / 1013.0 - 0.6).collect()
}

/// Constants of a bank.
struct Made {
    answers: Vec<Answers>,
    kept: Aligned,
    pull: Aligned,
    gain: Aligned,
    mass: Aligned,
    stiffness: Aligned,
    resistance: Aligned,
}

impl Made {
    fn new(n: usize) -> Self {
        let [kept, pull, gain, mass, stiffness, resistance] = [1, 2, 3, 4, 5, 6].map(|seed| numbers(n, seed));
        let eights = [&kept, &pull, &gain].map(|part| part.as_chunks::<LANES>().0);
        let answers = (0..n / LANES)
            .map(|at| {
                let [kept, pull, gain] = eights.map(|eights| eights[at]);
                Answers { kept, pull, gain }
            })
            .collect();
        Self { answers, kept, pull, gain, mass, stiffness, resistance }
    }

    fn stores(&self, lags: [f64; 2]) -> Stores<'_> {
        Stores { mass: &self.mass, stiffness: &self.stiffness, resistance: &self.resistance, lags }
    }

    /// A step mode by mode: moves q, v and v°, and returns the sum that is foreseen and Σ v° without it.
    fn move_on(&self, motion: &mut [Aligned; 3], force: f64) -> f64 {
        let [q, v, ahead] = motion;
        let mut shares = Aligned::new(0.0, q.len());
        for i in 0..q.len() {
            let [kept, pull] = [self.kept[i], self.pull[i]];
            let known = kept * ahead[i] - pull * (q[i] + ahead[i]);
            v[i] = ahead[i] + self.gain[i] * force;
            q[i] += v[i];
            ahead[i] = kept * v[i] - pull * q[i];
            shares[i] = if i < FORESEEN * LANES { known } else { ahead[i] };
        }
        port_sum(&shares)
    }
}

/// The sum of what modes do at the port: in four parts where they are many, the first of which has those foreseen, too.
fn port_sum(shares: &[f64]) -> f64 {
    let sum = |shares: &[f64]| {
        let mut lanes = [0.0; LANES];
        shares.iter().enumerate().for_each(|(i, share)| lanes[i % LANES] += share);
        lanes
    };
    let (foreseen, others) = (FORESEEN * LANES, shares.len() / LANES - FORESEEN.min(shares.len() / LANES));
    if shares.len() <= 768 {
        return crate::lanes::fold(sum(shares));
    }
    let size = others.div_ceil(4) * LANES;
    let mut total = [0.0; LANES];
    for range in [0..foreseen + size, size..2 * size, 2 * size..3 * size, 3 * size..others * LANES] {
        let range = if range.start == 0 { range } else { range.start + foreseen..range.end + foreseen };
        let part = sum(&shares[range]);
        total = std::array::from_fn(|lane| total[lane] + part[lane]);
    }
    crate::lanes::fold(total)
}

fn levels() -> impl Iterator<Item = Level> {
    [Level::Baseline, Level::Avx2, Level::Avx512].into_iter().inspect(|level| {
        force(*level);
    })
}

#[test]
fn a_step_is_the_same_on_every_level_audited_or_not() {
    for n in [0, 8, 64, 72, 104, 304, 768, 776, 1000] {
        let made = Made::new(n);
        let [q, v, ahead] = [7, 8, 9].map(|seed| numbers(n, seed));
        for lags in [[0.0, 1.0], [0.5, 0.5]] {
            let mut expected = [q.clone(), v.clone(), ahead.clone()];
            let sum = made.move_on(&mut expected, 0.7);
            let [x, speed, next] = &expected;
            let both: Aligned = v.iter().zip(&**speed).map(|(v, speed)| v + speed).collect();
            let power = modes::power(&made.resistance, &both);
            let energy = modes::energy(&made.mass, speed, &made.stiffness, x, lags);
            for level in levels() {
                let [mut q, mut v, mut ahead] = [q.clone(), v.clone(), ahead.clone()];
                let mut known = foresee(&q, &ahead, &made.answers);
                // what is read of a bank that has yet to move
                let ones = Aligned::new(1.0, n);
                assert_eq!(velocity(&ones, &ahead, &made.gain, 0.7), dot(&ones, speed));
                assert_eq!(own_velocity(&ahead, &made.gain, 0.7), port_sum(speed));
                assert_eq!(displacement(&ones, [&q, &ahead], &made.gain, 0.7), dot(&ones, x));
                assert_eq!(super::energy([&q, &ahead], &made.gain, made.stores(lags), 0.7), energy);
                let pitch = n + LANES;
                let gap = Aligned::new(0.0, LANES);
                let motion: Aligned = [&known[..], &q, &gap, &ahead].into_iter().flatten().copied().collect();
                let [there, back] = [false, true].map(|back| {
                    let mut motion = motion.clone();
                    let seen = if is_parted(made.answers.len()) {
                        feed_back_in_parts(&mut motion, pitch, &made.answers, 0.7, back)
                    } else {
                        feed_back(&mut motion, pitch, &made.answers, 0.7)
                    };
                    assert_eq!(seen, sum, "{n} modes, {level:?}");
                    motion
                });
                assert_eq!(*there, *back);
                let (next_known, rest) = there.split_at(LANES);
                assert!(rest[..n] == **x && rest[pitch..] == **next);
                let mut bank = Bank { q: &mut q, ahead: &mut ahead, answers: &made.answers };
                let fed = feed_back_audited(&mut bank, &mut v, made.stores(lags), 0.7, &mut known);
                assert_eq!(fed, Fed { ahead: sum, power, energy });
                assert!(*q == **x && *ahead == **next && *v == **speed && known == *next_known);
                assert_eq!(known, foresee(&q, &ahead, &made.answers));
            }
        }
    }
}

/// What is done with a bank.
#[derive(Clone, Copy, Debug)]
struct Done {
    heard: usize,
    placed: usize,
    own: bool,
    watched: bool,
    audited: bool,
    pushed: bool,
    steps: usize,
}

/// What is seen of a bank, and its state after the last step.
#[derive(Debug, PartialEq)]
struct Seen {
    own: Vec<f64>,
    ahead: Vec<f64>,
    velocities: Vec<f64>,
    displacements: Vec<f64>,
    power: Vec<f64>,
    motion: [Vec<f64>; 2],
}

fn at_once(made: &Made, shapes: &[&[f64]], forces: &[f64], done: Done) -> Seen {
    let n = made.gain.len();
    let [mut q, v, mut ahead] = [7, 8, 9].map(|seed| numbers(n, seed));
    let Done { heard, placed, own, watched, audited, pushed, steps } = done;
    let room = |asked: bool, len: usize| vec![0.0; if asked { len } else { 0 }];
    let mut seen = Seen {
        own: room(own || !pushed, steps),
        ahead: room(watched && pushed, steps - 1),
        velocities: room(true, steps * heard),
        displacements: room(true, steps * placed),
        power: room(audited, steps),
        motion: [Vec::new(), Vec::new()],
    };
    let mut bank = Bank { q: &mut q, ahead: &mut ahead, answers: &made.answers };
    ring(
        &mut bank,
        &mut Looks {
            steps,
            forces: if pushed { forces } else { &[] },
            own: &mut seen.own,
            ahead: &mut seen.ahead,
            heard: &shapes[..heard],
            velocities: &mut seen.velocities,
            placed: &shapes[..placed],
            displacements: &mut seen.displacements,
            losses: if audited { [&made.resistance, &v] } else { [&[]; 2] },
            power: &mut seen.power,
        },
    );
    seen.motion = [q.to_vec(), ahead.to_vec()];
    seen
}

fn one_by_one(made: &Made, shapes: &[&[f64]], forces: &[f64], done: Done) -> Seen {
    let n = made.gain.len();
    let mut motion = [7, 8, 9].map(|seed| numbers(n, seed));
    let [own, ahead, velocities, displacements, power] = [const { Vec::new() }; 5];
    let mut seen = Seen { own, ahead, velocities, displacements, power, motion: [Vec::new(), Vec::new()] };
    for (step, force) in (0..done.steps).zip(forces) {
        let force = if done.pushed { *force } else { 0.0 };
        let mut after = motion.clone();
        let sum = made.move_on(&mut after, force);
        let both: Aligned = motion[1].iter().zip(&*after[1]).map(|(v, speed)| v + speed).collect();
        seen.power.extend(done.audited.then(|| modes::power(&made.resistance, &both)));
        seen.own.extend((done.own || !done.pushed).then(|| port_sum(&after[1])));
        seen.velocities.extend(shapes[..done.heard].iter().map(|shape| dot(shape, &after[1])));
        seen.displacements.extend(shapes[..done.placed].iter().map(|shape| dot(shape, &after[0])));
        if step + 1 == done.steps {
            break;
        }
        seen.ahead.extend((done.watched && done.pushed).then_some(sum));
        motion = after;
    }
    seen.motion = [motion[0].to_vec(), motion[2].to_vec()];
    seen
}

#[test]
fn many_steps_at_once_compute_what_single_ones_do_on_every_level() {
    for n in [0, 8, 16, 40, 64, 72, 104, 304, 808] {
        let made = Made::new(n);
        let shapes: Vec<Aligned> = (0..PORTS).map(|port| numbers(n, 20 + port)).collect();
        let shapes: Vec<&[f64]> = shapes.iter().map(|shape| &**shape).collect();
        let forces = numbers(STEPS, 41);
        for steps in [1, 2, 5, 9, STEPS] {
            for bits in 0..16 {
                let [own, watched, audited, pushed] = [1, 2, 4, 8].map(|bit| bits & bit != 0);
                for [heard, placed] in [[0, 0], [1, 0], [3, 0], [0, 1], [1, 2]] {
                    let done = Done { heard, placed, own, watched, audited, pushed, steps };
                    let expected = one_by_one(&made, &shapes, &forces, done);
                    for level in levels() {
                        assert_eq!(at_once(&made, &shapes, &forces, done), expected, "{n} modes, {level:?}, {done:?}");
                    }
                }
            }
        }
    }
}
