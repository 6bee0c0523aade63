//! Sobol's sequence in up to 21 dimensions.
//!
//! Coordinate k of point i is the exclusive or of the direction numbers of the bits of i. Each dimension has a primitive
//! polynomial over GF(2) and first direction numbers chosen so that neighbouring pairs of dimensions are even, too
//! [S. Joe, F. Y. Kuo, "Constructing Sobol sequences with better two-dimensional projections", SIAM J. Sci. Comput. 30, 2008].
//!
//! Not from a library: a sweep asks for any point by its index, on any thread and after a resume. `sobol` 1.0 (last released
//! in 2020) only steps from point to point in the order of the Gray code; `sobol_burley` 0.5 gives points by index, but at
//! most 2¹⁶ of them, in `f32`, scrambled. Either would change the draws of every sweep.

/// Most dimensions.
pub(crate) const MAX_KEYS: usize = TABLE.len() + 1;
const BITS: usize = 32;

/// Inner coefficients of the polynomial, and first direction numbers m; their number is the degree. The first dimension has none.
const TABLE: [(u32, &[u32]); 20] = [
    (0, &[1]),
    (1, &[1, 3]),
    (1, &[1, 3, 1]),
    (2, &[1, 1, 1]),
    (1, &[1, 1, 3, 3]),
    (4, &[1, 3, 5, 13]),
    (2, &[1, 1, 5, 5, 17]),
    (4, &[1, 1, 5, 5, 5]),
    (7, &[1, 1, 7, 11, 19]),
    (11, &[1, 1, 5, 1, 1]),
    (13, &[1, 1, 1, 3, 11]),
    (14, &[1, 3, 5, 5, 31]),
    (1, &[1, 3, 3, 9, 7, 49]),
    (13, &[1, 1, 1, 15, 21, 21]),
    (16, &[1, 3, 1, 13, 27, 49]),
    (19, &[1, 1, 1, 15, 7, 5]),
    (22, &[1, 3, 1, 15, 13, 25]),
    (25, &[1, 1, 5, 5, 19, 61]),
    (1, &[1, 3, 7, 11, 23, 15, 103]),
    (4, &[1, 3, 7, 13, 13, 15, 69]),
];

/// Direction numbers of a dimension, as binary fractions.
const fn directions(dimension: usize) -> [u32; BITS] {
    let mut v = [0u32; BITS];
    let mut i = 0;
    while i < BITS {
        let shift = (BITS - 1 - i) as u32;
        if dimension == 0 {
            v[i] = 1 << shift;
        } else {
            let (inner, first) = TABLE[dimension - 1];
            let degree = first.len();
            if i < degree {
                v[i] = first[i] << shift;
            } else {
                v[i] = v[i - degree] ^ (v[i - degree] >> degree);
                let mut k = 1;
                while k < degree {
                    v[i] ^= ((inner >> (degree - 1 - k)) & 1) * v[i - k];
                    k += 1;
                }
            }
        }
        i += 1;
    }
    v
}

static DIRECTIONS: [[u32; BITS]; MAX_KEYS] = {
    let mut all = [[0; BITS]; MAX_KEYS];
    let mut dimension = 0;
    while dimension < MAX_KEYS {
        all[dimension] = directions(dimension);
        dimension += 1;
    }
    all
};

/// Coordinate `dimension` of point `index`, in 2⁻³²; repeats after 2³² points.
pub(crate) fn point(index: u64, dimension: usize) -> u32 {
    let set = |bit: &usize| index >> bit & 1 == 1;
    (0..BITS).filter(set).fold(0, |x, bit| x ^ DIRECTIONS[dimension][bit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dimension_visits_every_interval_once() {
        for dimension in 0..MAX_KEYS {
            let mut seen = [false; 1024];
            for index in 0..1024 {
                let cell = (point(index, dimension) >> 22) as usize;
                assert!(!std::mem::replace(&mut seen[cell], true), "dimension {dimension}, cell {cell}");
            }
        }
    }

    #[test]
    fn the_first_two_dimensions_fill_every_elementary_rectangle() {
        // a (0, 2)-sequence: any 2^10 points from the start meet each rectangle of area 2^-10 once
        for wide in 0..=10 {
            let mut seen = [false; 1024];
            for index in 0..1024 {
                let x = u64::from(point(index, 0)) << wide >> 32;
                let y = u64::from(point(index, 1)) << (10 - wide) >> 32;
                let cell = (x << (10 - wide) | y) as usize;
                assert!(!std::mem::replace(&mut seen[cell], true), "2^-{wide} wide, cell {cell}");
            }
        }
    }

    #[test]
    fn polynomials_are_primitive_and_first_numbers_odd_and_small() {
        for (dimension, (inner, first)) in TABLE.iter().enumerate() {
            let degree = first.len();
            assert!(first.iter().enumerate().all(|(i, m)| m % 2 == 1 && *m < 2 << i), "dimension {dimension}");
            // the powers of x modulo a primitive polynomial run through all 2^degree - 1 non-zero elements
            let polynomial = 1 << degree | inner << 1 | 1;
            let (mut power, mut order) = (1u32, 0);
            loop {
                power <<= 1;
                if power >> degree == 1 {
                    power ^= polynomial;
                }
                order += 1;
                if power == 1 {
                    break;
                }
            }
            assert_eq!(order, (1 << degree) - 1, "dimension {dimension}");
        }
    }

    #[test]
    fn neighbouring_dimensions_are_more_even_than_chance() {
        // 4096 points in 16 x 16 cells: 16 each; chance would scatter by 4
        for dimension in 1..MAX_KEYS {
            let mut cells = [0i32; 256];
            for index in 0..4096 {
                cells[(point(index, dimension - 1) >> 28 << 4 | point(index, dimension) >> 28) as usize] += 1;
            }
            let worst = cells.iter().map(|n| (n - 16).abs()).max();
            assert!(worst <= Some(4), "dimensions {dimension} and before: {worst:?}");
        }
    }
}
