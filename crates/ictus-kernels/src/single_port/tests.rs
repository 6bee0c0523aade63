use super::*;
use crate::{Aligned, Level, dot, force, modes};

fn numbers(n: usize, seed: usize) -> Aligned {
    (0..n).map(|i| ((i * 6007 + seed * 15_485_863) % 1013) as f64 / 1013.0 - 0.6).collect()
}

/// Coefficients of a bank.
struct Coefficients {
    answers: Vec<Answers>,
    kept: Aligned,
    pull: Aligned,
    gain: Aligned,
    mass: Aligned,
    stiffness: Aligned,
    resistance: Aligned,
}

impl Coefficients {
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

    /// One step mode by mode: advances q, v and v°, and returns Σ v° with the foreseen part computed ahead of the force.
    fn step(&self, motion: &mut [Aligned; 3], force: f64) -> f64 {
        let [q, v, ahead] = motion;
        let mut shares = Aligned::new(0.0, q.len());
        for i in 0..q.len() {
            let [kept, pull] = [self.kept[i], self.pull[i]];
            let foreseen_sum = kept * ahead[i] - pull * (q[i] + ahead[i]);
            v[i] = ahead[i] + self.gain[i] * force;
            q[i] += v[i];
            ahead[i] = kept * v[i] - pull * q[i];
            shares[i] = if i < FORESEEN * LANES { foreseen_sum } else { ahead[i] };
        }
        port_sum(&shares)
    }
}

/// The port sum: in four parts for large banks, of which the first includes the foreseen modes.
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
        let coefficients = Coefficients::new(n);
        let [q, v, ahead] = [7, 8, 9].map(|seed| numbers(n, seed));
        for lags in [[0.0, 1.0], [0.5, 0.5]] {
            let mut expected = [q.clone(), v.clone(), ahead.clone()];
            let sum = coefficients.step(&mut expected, 0.7);
            let [x, speed, next] = &expected;
            let both: Aligned = v.iter().zip(&**speed).map(|(v, speed)| v + speed).collect();
            let power = modes::power(&coefficients.resistance, &both);
            let energy = modes::energy(&coefficients.mass, speed, &coefficients.stiffness, x, lags);
            for level in levels() {
                let [mut q, mut v, mut ahead] = [q.clone(), v.clone(), ahead.clone()];
                let mut foreseen_sum = foresee(&q, &ahead, &coefficients.answers);
                // outputs of a bank whose force is still to be applied
                let ones = Aligned::new(1.0, n);
                assert_eq!(velocity(&ones, &ahead, &coefficients.gain, 0.7), dot(&ones, speed));
                assert_eq!(own_velocity(&ahead, &coefficients.gain, 0.7), port_sum(speed));
                assert_eq!(displacement(&ones, [&q, &ahead], &coefficients.gain, 0.7), dot(&ones, x));
                assert_eq!(super::energy([&q, &ahead], &coefficients.gain, coefficients.stores(lags), 0.7), energy);
                let pitch = n + LANES;
                let gap = Aligned::new(0.0, LANES);
                let motion: Aligned = [&foreseen_sum[..], &q, &gap, &ahead].into_iter().flatten().copied().collect();
                let [forwards, backwards] = [false, true].map(|backwards| {
                    let mut motion = motion.clone();
                    let outputs = if is_parted(coefficients.answers.len()) {
                        feed_back_in_parts(&mut motion, pitch, &coefficients.answers, 0.7, backwards)
                    } else {
                        feed_back(&mut motion, pitch, &coefficients.answers, 0.7)
                    };
                    assert_eq!(outputs, sum, "{n} modes, {level:?}");
                    motion
                });
                assert_eq!(*forwards, *backwards);
                let (next_foreseen, rest) = forwards.split_at(LANES);
                assert!(rest[..n] == **x && rest[pitch..] == **next);
                let mut bank = SinglePortModes { q: &mut q, ahead: &mut ahead, answers: &coefficients.answers };
                let fed = feed_back_audited(&mut bank, &mut v, coefficients.stores(lags), 0.7, &mut foreseen_sum);
                assert_eq!(fed, Fed { ahead: sum, power, energy });
                assert!(*q == **x && *ahead == **next && *v == **speed && foreseen_sum == *next_foreseen);
                assert_eq!(foreseen_sum, foresee(&q, &ahead, &coefficients.answers));
            }
        }
    }
}

/// A test case.
#[derive(Clone, Copy, Debug)]
struct Case {
    velocity_ports: usize,
    displacement_ports: usize,
    own: bool,
    free_ports: bool,
    audited: bool,
    pushed: bool,
    steps: usize,
}

/// The outputs of a bank, and its state after the last step.
#[derive(Debug, PartialEq)]
struct Recorder {
    own: Vec<f64>,
    ahead: Vec<f64>,
    velocities: Vec<f64>,
    displacements: Vec<f64>,
    power: Vec<f64>,
    motion: [Vec<f64>; 2],
}

fn in_one_call(coefficients: &Coefficients, shapes: &[&[f64]], forces: &[f64], case: Case) -> Recorder {
    let n = coefficients.gain.len();
    let [mut q, v, mut ahead] = [7, 8, 9].map(|seed| numbers(n, seed));
    let Case { velocity_ports, displacement_ports, own, free_ports, audited, pushed, steps } = case;
    let scratch = |used: bool, len: usize| vec![0.0; if used { len } else { 0 }];
    let mut outputs = Recorder {
        own: scratch(own || !pushed, steps),
        ahead: scratch(free_ports && pushed, steps - 1),
        velocities: scratch(true, steps * velocity_ports),
        displacements: scratch(true, steps * displacement_ports),
        power: scratch(audited, steps),
        motion: [Vec::new(), Vec::new()],
    };
    let mut bank = SinglePortModes { q: &mut q, ahead: &mut ahead, answers: &coefficients.answers };
    ring(
        &mut bank,
        &mut SinglePortBlock {
            steps,
            forces: if pushed { forces } else { &[] },
            own: &mut outputs.own,
            ahead: &mut outputs.ahead,
            velocity_ports: &shapes[..velocity_ports],
            velocities: &mut outputs.velocities,
            displacement_ports: &shapes[..displacement_ports],
            displacements: &mut outputs.displacements,
            losses: if audited { [&coefficients.resistance, &v] } else { [&[]; 2] },
            power: &mut outputs.power,
        },
    );
    outputs.motion = [q.to_vec(), ahead.to_vec()];
    outputs
}

fn one_by_one(coefficients: &Coefficients, shapes: &[&[f64]], forces: &[f64], case: Case) -> Recorder {
    let n = coefficients.gain.len();
    let mut motion = [7, 8, 9].map(|seed| numbers(n, seed));
    let [own, ahead, velocities, displacements, power] = [const { Vec::new() }; 5];
    let mut outputs = Recorder { own, ahead, velocities, displacements, power, motion: [Vec::new(), Vec::new()] };
    for (step, force) in (0..case.steps).zip(forces) {
        let force = if case.pushed { *force } else { 0.0 };
        let mut after = motion.clone();
        let sum = coefficients.step(&mut after, force);
        let both: Aligned = motion[1].iter().zip(&*after[1]).map(|(v, speed)| v + speed).collect();
        outputs.power.extend(case.audited.then(|| modes::power(&coefficients.resistance, &both)));
        outputs.own.extend((case.own || !case.pushed).then(|| port_sum(&after[1])));
        outputs.velocities.extend(shapes[..case.velocity_ports].iter().map(|shape| dot(shape, &after[1])));
        outputs.displacements.extend(shapes[..case.displacement_ports].iter().map(|shape| dot(shape, &after[0])));
        if step + 1 == case.steps {
            break;
        }
        outputs.ahead.extend((case.free_ports && case.pushed).then_some(sum));
        motion = after;
    }
    outputs.motion = [motion[0].to_vec(), motion[2].to_vec()];
    outputs
}

#[test]
fn many_steps_at_once_compute_what_single_ones_do_on_every_level() {
    for n in [0, 8, 16, 40, 64, 72, 104, 304, 808] {
        let coefficients = Coefficients::new(n);
        let shapes: Vec<Aligned> = (0..PORTS).map(|port| numbers(n, 20 + port)).collect();
        let shapes: Vec<&[f64]> = shapes.iter().map(|shape| &**shape).collect();
        let forces = numbers(STEPS, 41);
        for steps in [1, 2, 5, 9, STEPS] {
            for bits in 0..16 {
                let [own, free_ports, audited, pushed] = [1, 2, 4, 8].map(|bit| bits & bit != 0);
                for [velocity_ports, displacement_ports] in [[0, 0], [1, 0], [3, 0], [0, 1], [1, 2]] {
                    let case = Case { velocity_ports, displacement_ports, own, free_ports, audited, pushed, steps };
                    let expected = one_by_one(&coefficients, &shapes, &forces, case);
                    for level in levels() {
                        assert_eq!(
                            in_one_call(&coefficients, &shapes, &forces, case),
                            expected,
                            "{n} modes, {level:?}, {case:?}"
                        );
                    }
                }
            }
        }
    }
}
