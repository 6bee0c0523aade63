//! Path of the lowest point of a round body that rolls over a rough profile.
//!
//! A tip of radius R over heights h touches where h(p) − (x − p)²/2R is largest (a circle of radius R as a parabola, good while heights are
//! small against R): a dilation, whose valleys are rounded crests of radius R that meet in cusps. The upper envelope of translated
//! parabolas is found in one pass, because any two of them cross once: O(N) at any radius.

/// The upper envelope of one parabola per point of a periodic profile. `bend` is spacing²/2R, m.
pub(super) fn roll(heights: &[f64], bend: f64) -> Vec<f64> {
    let n = heights.len();
    let highest = heights.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
    let lowest = heights.iter().fold(f64::INFINITY, |a, &b| a.min(b));
    let range = highest - lowest;
    // a body so large that it rests on the highest points only
    if bend * (n as f64) * (n as f64) <= FLAT * range {
        return vec![highest; n];
    }
    // the nearest image of a point is at most half a period away, so two periods hold every relevant parabola
    let first = -(n as i64) / 2;
    let at = |p: i64| heights[p.rem_euclid(n as i64) as usize];
    let mut crest: Vec<(i64, f64)> = Vec::new(); // a parabola and the point from which it is the highest
    for q in first..first + 2 * n as i64 {
        let mut from = f64::NEG_INFINITY;
        while let Some(&(p, since)) = crest.last() {
            let (a, b) = (p as f64, q as f64);
            from = 0.5 * ((at(p) - at(q)) / bend / (b - a) + a + b);
            if from > since {
                break;
            }
            crest.pop();
            from = f64::NEG_INFINITY;
        }
        crest.push((q, from));
    }
    let mut next = 0;
    (0..n)
        .map(|x| {
            let x = x as f64;
            while crest.get(next + 1).is_some_and(|(_, from)| *from < x) {
                next += 1;
            }
            let (p, _) = crest[next];
            at(p) - bend * (x - p as f64) * (x - p as f64)
        })
        .collect()
}

/// Fraction of the roughness by which the body's own curve may fall over a period to count as flat.
const FLAT: f64 = 1e-9;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texture::White;

    /// The definition, in O(N²).
    fn naive(heights: &[f64], bend: f64) -> Vec<f64> {
        let n = heights.len() as i64;
        let value = |x: i64, p: i64| heights[p.rem_euclid(n) as usize] - bend * ((x - p) * (x - p)) as f64;
        (0..n).map(|x| (x - n..=x + n).map(|p| value(x, p)).fold(f64::NEG_INFINITY, f64::max)).collect()
    }

    #[test]
    fn one_pass_equals_the_definition() {
        let mut white = White::new(3, 0);
        let heights: Vec<f64> = (0..301).map(|_| white.normal()).collect();
        for bend in [1e3, 1.0, 0.1, 1e-3, 1e-6] {
            let (fast, slow) = (roll(&heights, bend), naive(&heights, bend));
            for (a, b) in fast.iter().zip(&slow) {
                assert!((a - b).abs() < 1e-12, "bend {bend}: {a} against {b}");
            }
        }
        assert_eq!(roll(&heights, 1e-300), vec![heights.iter().fold(0.0, |a: f64, &b| a.max(b)); 301]);
        assert_eq!(roll(&[0.0; 8], 1.0), vec![0.0; 8]);
    }

    /// A larger body rides higher and follows less of the profile.
    #[test]
    fn radius_smooths() {
        let mut white = White::new(4, 0);
        let heights: Vec<f64> = (0..4096).map(|_| white.normal()).collect();
        let spread = |list: &[f64]| {
            let mean = list.iter().sum::<f64>() / list.len() as f64;
            list.iter().map(|h| (h - mean) * (h - mean)).sum::<f64>()
        };
        let mut last = spread(&heights);
        for bend in [1.0, 0.3, 0.1, 0.03, 0.01] {
            let rolled = roll(&heights, bend);
            assert!(rolled.iter().zip(&heights).all(|(up, down)| up >= down));
            assert!(spread(&rolled) < last);
            last = spread(&rolled);
        }
    }
}
