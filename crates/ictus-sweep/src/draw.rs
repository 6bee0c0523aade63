//! Which values a sample gets: a function of the seed, the sample's number and the key, and of nothing else.

use crate::error::Error;
use crate::sobol;
use crate::vary::{Span, Target};

/// How the samples lie in the space of the varied keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Independent and uniform.
    #[default]
    Random,
    /// Sobol's sequence, shifted by the seed: even at every length.
    Sobol,
    /// Every combination, the last key fastest.
    Grid,
}

impl Order {
    /// As the command line spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Sobol => "sobol",
            Self::Grid => "grid",
        }
    }
}

/// The places of all samples.
#[derive(Clone, Debug)]
pub(crate) struct Draw {
    order: Order,
    seed: u64,
    /// Of a grid, per key.
    steps: Vec<u64>,
}

impl Draw {
    /// Plans `count` samples; of a grid whose keys are all lists the number may be left open. Returns the number too.
    pub fn new(order: Order, seed: u64, spans: &[Span], count: Option<u64>) -> Result<(Self, u64), Error> {
        let mut steps = Vec::new();
        let count = match order {
            Order::Grid => {
                let each = side(spans, count)?;
                steps = spans.iter().map(|span| span.own_steps().unwrap_or(each)).collect();
                steps.iter().product()
            }
            _ => count.ok_or_else(|| Error::new("the number of samples is missing", "give it with -n 1000"))?,
        };
        if order == Order::Sobol && spans.len() > sobol::MAX_KEYS {
            return Err(Error::new(
                format!("--order sobol varies at most {} keys, not {}", sobol::MAX_KEYS, spans.len()),
                "use --order random",
            ));
        }
        Ok((Self { order, seed, steps }, count))
    }

    /// Where sample `index` lies along key number `key`.
    pub fn place(&self, index: u64, key: usize) -> Target {
        match self.order {
            Order::Random => {
                // the 53 bits a double holds
                Target::Share((hash(self.seed, index, key) >> 11) as f64 / (1u64 << 53) as f64)
            }
            Order::Sobol => {
                let shift = (hash(self.seed, 0, key) >> 32) as u32;
                Target::Share(f64::from(sobol::point(index, key) ^ shift) / (1u64 << 32) as f64)
            }
            Order::Grid => {
                let faster: u64 = self.steps[key + 1..].iter().product();
                Target::Step(index / faster % self.steps[key], self.steps[key])
            }
        }
    }
}

/// Steps of each range of a grid of `count` samples.
fn side(spans: &[Span], count: Option<u64>) -> Result<u64, Error> {
    let ranges = spans.iter().filter(|span| span.own_steps().is_none()).count() as u32;
    let too_many = || Error::new("the lists alone make more samples than can be counted", "vary fewer keys");
    let mut lists = 1u64;
    for steps in spans.iter().filter_map(Span::own_steps) {
        lists = lists.checked_mul(steps).ok_or_else(too_many)?;
    }
    let of = |side: u64| side.checked_pow(ranges).and_then(|n| n.checked_mul(lists));
    let Some(count) = count else {
        return if ranges == 0 {
            Ok(1)
        } else {
            Err(Error::new("a grid over ranges needs the number of samples", "give it with -n 1000"))
        };
    };
    // the least side whose grid holds the samples, found without roots of floats
    let (mut low, mut high) = (1, if ranges == 0 { 1 } else { count });
    while low < high {
        let middle = low + (high - low) / 2;
        if of(middle).is_none_or(|n| n >= count) { high = middle } else { low = middle + 1 }
    }
    if of(low) == Some(count) {
        return Ok(low);
    }
    let near: Vec<String> =
        [low - 1, low].into_iter().filter(|side| *side > 0).filter_map(of).map(|n| format!("-n {n}")).collect();
    let shape = match (ranges, lists) {
        (0, lists) => format!("the lists have {lists} combinations"),
        (ranges, 1) => format!("{ranges} ranges of equal steps do not multiply to that"),
        (ranges, lists) => format!("{lists} combinations times {ranges} ranges of equal steps do not multiply to that"),
    };
    Err(Error::new(format!("-n {count} does not fit a grid: {shape}"), format!("try {}", near.join(" or "))))
}

/// SplitMix64's finaliser over the three numbers in turn: a random number that needs no generator's history.
fn hash(seed: u64, index: u64, key: usize) -> u64 {
    let mix = |mut z: u64| {
        z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    mix(mix(mix(seed) ^ index) ^ key as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ictus_instrument::Curve;

    fn ranges(count: usize) -> Vec<Span> {
        vec![Span::Between(Curve::Linear([0.0, 1.0])); count]
    }

    fn list(names: &str) -> Span {
        Span::Choice(names.split(',').map(str::to_owned).collect())
    }

    fn shares(order: Order, seed: u64, keys: usize, count: u64) -> Vec<Vec<f64>> {
        let (draw, _) = Draw::new(order, seed, &ranges(keys), Some(count)).expect("a draw");
        let share = |index, key| match draw.place(index, key) {
            Target::Share(share) => share,
            Target::Step(..) => panic!("no grid"),
        };
        (0..count).map(|index| (0..keys).map(|key| share(index, key)).collect()).collect()
    }

    #[test]
    fn draws_are_uniform_and_independent_of_each_other() {
        let n = 10_000;
        for order in [Order::Random, Order::Sobol] {
            let points = shares(order, 7, 3, n);
            assert!(points.iter().flatten().all(|x| (0.0..1.0).contains(x)));
            for a in 0..3 {
                let mean = points.iter().map(|p| p[a]).sum::<f64>() / n as f64;
                // 5 standard deviations of a mean of uniform numbers
                assert!((mean - 0.5).abs() < 5.0 * 0.2887 / 100.0, "{order:?}: mean {mean}");
                for b in 0..a {
                    let product = points.iter().map(|p| (p[a] - 0.5) * (p[b] - 0.5)).sum::<f64>() / n as f64;
                    assert!(product.abs() < 5.0 * 0.0833 / 100.0, "{order:?}: {a} with {b} {product}");
                }
            }
        }
    }

    #[test]
    fn seeds_differ_and_longer_sweeps_begin_the_same() {
        for order in [Order::Random, Order::Sobol] {
            assert_eq!(shares(order, 1, 2, 50), shares(order, 1, 2, 100)[..50]);
            assert_ne!(shares(order, 1, 2, 50), shares(order, 2, 2, 50));
        }
    }

    #[test]
    fn grids_meet_every_combination_once() {
        let spans = [list("a,b"), ranges(1).remove(0), list("x,y,z")];
        let (draw, count) = Draw::new(Order::Grid, 0, &spans, Some(24)).expect("2 x 4 x 3");
        assert_eq!(count, 24);
        let row = |i| (0..3).map(|k| spans[k].at(draw.place(i, k))).collect::<Vec<_>>();
        assert_eq!(row(0), ["a", "0.0", "x"]);
        assert_eq!(row(1), ["a", "0.0", "y"]);
        assert_eq!(row(23), ["b", "1.0", "z"]);
        let mut rows: Vec<_> = (0..24).map(row).collect();
        rows.sort();
        rows.dedup();
        assert_eq!(rows.len(), 24);
        let (_, open) = Draw::new(Order::Grid, 0, &[list("a,b"), list("x,y,z")], None).expect("lists only");
        assert_eq!(open, 6);
    }

    #[test]
    fn counts_that_make_no_grid_are_refused_with_the_next_ones() {
        let error = |spans: &[Span], count| match Draw::new(Order::Grid, 0, spans, count) {
            Err(Error::Plain { message, help }) => format!("{message}; {help}"),
            other => panic!("{other:?}"),
        };
        assert!(error(&ranges(2), Some(10)).contains("try -n 9 or -n 16"));
        assert!(error(&[list("a,b"), ranges(1).remove(0)], Some(7)).contains("try -n 6 or -n 8"));
        assert!(error(&[list("a,b")], Some(3)).contains("try -n 2"));
        assert!(error(&ranges(1), None).contains("-n"));
        assert!(error(&ranges(30), Some(u64::MAX)).contains("does not fit a grid"));
        let wide = vec![list("a,b,c,d"); 40];
        assert!(error(&wide, None).contains("more samples than can be counted"));
    }
}
