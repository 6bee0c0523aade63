//! Loops over the modes of a bank. Slices of one call have one length.

use crate::dispatch::kernel;
use crate::lanes::{LANES, fold_each, sum_mapped, sum_zip};

kernel! {
    /// v° = a v − b q: the force-free velocities after the step.
    pub fn predict(q: &[f64], v: &[f64], kept: &[f64], pull: &[f64], ahead: &mut [f64]) {
        let n = ahead.len();
        let (q, v, kept, pull) = (&q[..n], &v[..n], &kept[..n], &pull[..n]);
        for i in 0..n {
            ahead[i] = kept[i] * v[i] - pull[i] * q[i];
        }
    }
}

kernel! {
    /// [`predict`], and the port sum Σ shape·v° in the same pass.
    pub fn predict_port(q: &[f64], v: &[f64], kept: &[f64], pull: &[f64], shape: &[f64], ahead: &mut [f64]) -> f64 {
        let n = ahead.len();
        let (q, v, kept, pull, shape) = (&q[..n], &v[..n], &kept[..n], &pull[..n], &shape[..n]);
        sum_mapped([q, v, kept, pull, shape], ahead, |[q, v, kept, pull, shape]| {
            let ahead = kept * v - pull * q;
            (ahead, shape * ahead)
        })
    }
}

kernel! {
    /// sum += factor · shape.
    pub fn add(sum: &mut [f64], shape: &[f64], factor: f64) {
        for (sum, shape) in sum.iter_mut().zip(shape) {
            *sum += shape * factor;
        }
    }
}

kernel! {
    /// v ← v°, q ← q + v. Leaves v + v⁺ in `ahead`.
    pub fn advance(q: &mut [f64], v: &mut [f64], ahead: &mut [f64]) {
        for ((q, v), ahead) in q.iter_mut().zip(v).zip(ahead) {
            let before = std::mem::replace(v, *ahead);
            *q += *v;
            *ahead = before + *v;
        }
    }
}

kernel! {
    /// Σ r v².
    pub fn power(resistance: &[f64], v: &[f64]) -> f64 {
        sum_zip([resistance, v], |[r, v]| r * v * v)
    }
}

kernel! {
    /// Σ m v² + K (q − a v)(q − b v) with the two lags a and b.
    pub fn energy(mass: &[f64], v: &[f64], stiffness: &[f64], q: &[f64], lags: [f64; 2]) -> f64 {
        let [a, b] = lags;
        sum_zip([mass, v, stiffness, q], |[m, v, k, q]| m * v * v + k * (q - a * v) * (q - b * v))
    }
}

kernel! {
    /// v̄ = v − (d v + b q) of a tension-modulated bank, and of its pull g = κ q the sums Σ g (q − back·v), Σ g v̄, Σ Y g². `pulled` is Y κ; lengths are multiples of [`LANES`].
    pub fn predict_stretch(motion: [&[f64]; 2], rates: [&[f64]; 2], kappa: &[f64], pulled: &[f64], mean: &mut [f64], back: f64) -> [f64; 3] {
        let n = mean.len();
        let chunked = [motion[0], motion[1], rates[0], rates[1], kappa, pulled].map(|slice| slice[..n].as_chunks::<LANES>().0);
        // one loop per quantity, so that the compiler keeps whole vectors
        let (mut stretch, mut rate, mut yielding) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
        let mut g = [0.0; LANES];
        for (chunk, mean) in mean.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
            let [q, v, drag, pull, kappa, pulled] = chunked.map(|chunks| &chunks[chunk]);
            for i in 0..LANES {
                mean[i] = v[i] - (drag[i] * v[i] + pull[i] * q[i]);
            }
            for i in 0..LANES {
                g[i] = kappa[i] * q[i];
            }
            for i in 0..LANES {
                stretch[i] += g[i] * (q[i] - back * v[i]);
            }
            for i in 0..LANES {
                rate[i] += g[i] * mean[i];
            }
            for i in 0..LANES {
                yielding[i] += pulled[i] * q[i] * g[i];
            }
        }
        fold_each(&[stretch, rate, yielding])
    }
}

kernel! {
    /// v̄ += factor · Y κ q. `pulled` is Y κ.
    pub fn pull(mean: &mut [f64], q: &[f64], pulled: &[f64], factor: f64) {
        for ((mean, q), pulled) in mean.iter_mut().zip(q).zip(pulled) {
            *mean += pulled * q * factor;
        }
    }
}

kernel! {
    /// [`pull`], then v ← 2v̄ − v and q ← q + k v.
    pub fn pull_leapfrog(q: &mut [f64], v: &mut [f64], mean: &mut [f64], pulled: &[f64], factor: f64, k: f64) {
        for (((q, v), mean), pulled) in q.iter_mut().zip(v).zip(mean).zip(pulled) {
            *mean += pulled * *q * factor;
            *v = 2.0 * *mean - *v;
            *q += k * *v;
        }
    }
}

kernel! {
    /// Σ κ q (q − back·v).
    pub fn stretched(q: &[f64], v: &[f64], kappa: &[f64], back: f64) -> f64 {
        sum_zip([q, v, kappa], |[q, v, kappa]| kappa * q * (q - back * v))
    }
}

#[cfg(test)]
mod tests {
    use crate::noise::Noise;
    use crate::{Level, force};

    /// Pseudo-random numbers in −0.5..0.5.
    fn noise(n: usize, seed: u64) -> Vec<f64> {
        Noise(seed).take(n).collect()
    }

    /// The results of all loops over surfaces of `n` rows.
    fn surface(n: usize) -> Vec<f64> {
        use crate::{free_plate, surface};
        let stride = 13;
        let [u, v, a, b, c, d] = [8, 9, 10, 11, 12, 13].map(|seed| noise((n + 4) * stride, seed));
        let [mut mean, mut x, mut y, mut twist] = [(); 4].map(|()| vec![0.0; u.len()]);
        let lattice = surface::Lattice { stride, across: 1.25, along: 0.8 };
        let stores = surface::Stores { mass: 1.0, tension: 0.4, bending: 0.2, diffusion: 0.1, back: 0.3 };
        let mut results = Vec::new();
        for diffusion in [0.0, 0.05] {
            let point = surface::Point { tension: 0.3, bending: 0.1, diffusion, drag: 0.01 };
            surface::flexible(&u, &v, &a, lattice, point, &mut mean);
            results.extend(&mean);
            surface::curvature(&u, &a, lattice, &mut x);
            surface::stiff(&x, &v, &b, lattice, point, &mut mean);
            results.extend(&mean);
            let weights = free_plate::Weights {
                across: &a,
                along: &b,
                poisson: &c,
                twist: &d,
                right: &a,
                below: &b,
                area: &c,
                lightness: &d,
            };
            free_plate::bend(&u, weights, stride, free_plate::Moments { x: &mut x, y: &mut y, twist: &mut twist });
            let moments = free_plate::Moments { x: &mut x, y: &mut y, twist: &mut twist };
            free_plate::predict(&v, weights, stride, moments, point, &mut mean);
            results.extend(&mean);
            results.push(free_plate::energy(&u, &v, weights, stride, stores));
            results.push(free_plate::power(&v, weights, stride, 0.3, 0.7));
        }
        results.push(surface::energy_flexible(&u, &v, lattice, stores));
        results.push(surface::energy_bending(&u, &v, &a, lattice, stores));
        results.push(surface::power(&v, lattice, 0.3, 0.7));
        results
    }

    /// Hash of all numbers below, the same on every machine. Changes with the loops or the noise.
    const BITS: u64 = 0x7b9e_0ca3_9948_ac79;

    #[test]
    fn every_level_and_every_machine_computes_the_same_bits() {
        let mut all = 0xcbf2_9ce4_8422_2325;
        for n in [0, 1, 7, 8, 9, 64, 101, 500] {
            let run = |level| {
                force(level);
                let [mut q, mut v, mut mean] = [1, 2, 3].map(|seed| noise(n, seed));
                let (a, b) = (noise(n, 4), noise(n, 5));
                let padded = noise(n + 4, 6);
                let speeds = noise(n + 4, 7);
                super::predict(&q, &v, &a, &b, &mut mean);
                super::add(&mut mean, &a, 0.3);
                super::advance(&mut q, &mut v, &mut mean);
                super::pull(&mut mean, &q, &b, 0.7);
                let velocity_ports = super::predict_port(&q, &v, &a, &b, &speeds, &mut mean);
                assert_eq!(velocity_ports, crate::dot(&speeds[..n], &mean), "{n} elements in one pass");
                let mut sums =
                    vec![crate::dot(&q, &v), super::power(&a, &mean), super::energy(&a, &v, &b, &q, [0.0, 0.1])];
                sums.extend(super::predict_stretch([&q, &v], [&a, &b], &b, &a, &mut mean, 0.1));
                super::pull_leapfrog(&mut q, &mut v, &mut mean, &b, 0.3, 0.1);
                sums.extend(&mean);
                sums.extend([super::stretched(&q, &v, &a, 0.1), crate::dot3(&q, &v, &a)]);
                let moves = crate::string::Moves { kept: 0.98, pull: 1.4, own: None, ease: 0.1 };
                sums.extend(crate::string::stretch(&padded, &speeds, &mean));
                sums.push(crate::string::stretched(&padded, &speeds));
                crate::string::pull(&mut mean, &padded, 0.2);
                sums.extend(&mean);
                crate::string::flexible(&padded, &speeds, &mut mean, moves);
                sums.extend(&mean);
                crate::string::stiff(&padded, &speeds, &mut mean, moves, 2.7);
                sums.extend(&mean);
                let stores = crate::string::Stores { mass: 1.0, tension: 0.4, bending: 0.2, diffusion: 0.1, back: 0.3 };
                sums.push(crate::string::energy_flexible(&padded, &speeds, stores));
                sums.push(crate::string::energy_stiff(&padded, &speeds, stores));
                sums.push(crate::string::power_flexible(&speeds, 0.3, 0.7));
                sums.extend(surface(n));
                sums.extend(q);
                sums.extend(v);
                sums.iter().map(|x| x.to_bits()).collect::<Vec<_>>()
            };
            let baseline = run(Level::Baseline);
            for level in [Level::Avx2, Level::Avx512] {
                assert_eq!(baseline, run(level), "{n} elements, {level:?}");
            }
            // FNV-1a over 64-bit words
            all = baseline.iter().fold(all, |hash, bits| (hash ^ bits).wrapping_mul(0x0100_0000_01b3));
        }
        assert_eq!(all, BITS, "{all:#018x}");
    }
}
