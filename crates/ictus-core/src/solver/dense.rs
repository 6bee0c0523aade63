//! Small dense symmetric systems, in place, without allocation.

/// Cholesky of the leading n×n of a row-major matrix with `stride`, lower triangle in place. A pivot at or below
/// `drop` times its original diagonal is dropped: its row acts as if the unknown were zero. Returns how many were.
pub(crate) fn factorise(matrix: &mut [f64], n: usize, stride: usize, drop: f64, dropped: &mut [bool]) -> usize {
    let mut count = 0;
    for i in 0..n {
        let diagonal = matrix[i * stride + i];
        for j in 0..=i {
            let mut value = matrix[i * stride + j];
            for m in 0..j {
                value -= matrix[i * stride + m] * matrix[j * stride + m];
            }
            if j < i {
                matrix[i * stride + j] = if dropped[j] { 0.0 } else { value / matrix[j * stride + j] };
            } else {
                dropped[i] = value <= drop * diagonal;
                count += usize::from(dropped[i]);
                matrix[i * stride + i] = if dropped[i] { 1.0 } else { value.sqrt() };
            }
        }
        if dropped[i] {
            for j in 0..i {
                matrix[i * stride + j] = 0.0;
            }
        }
    }
    count
}

/// Solves with the factor of [`factorise`]; dropped unknowns come out as zero.
pub(crate) fn solve(factor: &[f64], n: usize, stride: usize, dropped: &[bool], x: &mut [f64]) {
    for i in 0..n {
        let mut value = x[i];
        for j in 0..i {
            value -= factor[i * stride + j] * x[j];
        }
        x[i] = if dropped[i] { 0.0 } else { value / factor[i * stride + i] };
    }
    for i in (0..n).rev() {
        let mut value = x[i];
        for j in i + 1..n {
            value -= factor[j * stride + i] * x[j];
        }
        x[i] = if dropped[i] { 0.0 } else { value / factor[i * stride + i] };
    }
}

/// xᵀA⁻¹x with the factor of [`factorise`]; `x` is used up.
pub(crate) fn inverse_form(factor: &[f64], n: usize, stride: usize, dropped: &[bool], x: &mut [f64]) -> f64 {
    let mut form = 0.0;
    for i in 0..n {
        let mut value = x[i];
        for j in 0..i {
            value -= factor[i * stride + j] * x[j];
        }
        x[i] = if dropped[i] { 0.0 } else { value / factor[i * stride + i] };
        form += x[i] * x[i];
    }
    form
}

/// Solves A x = b by elimination with row exchange, in place: `matrix` (row-major n×n) is used up, `x` holds b and then x. A column without
/// a pivot leaves its unknown at zero.
pub(crate) fn eliminate(matrix: &mut [f64], n: usize, x: &mut [f64]) {
    for column in 0..n {
        let size = |row: usize| matrix[row * n + column].abs();
        let pivot = (column..n).fold(column, |best, row| if size(row) > size(best) { row } else { best });
        if matrix[pivot * n + column] == 0.0 {
            continue;
        }
        if pivot != column {
            for j in 0..n {
                matrix.swap(pivot * n + j, column * n + j);
            }
            x.swap(pivot, column);
        }
        for row in column + 1..n {
            let factor = matrix[row * n + column] / matrix[column * n + column];
            if factor != 0.0 {
                for j in column + 1..n {
                    matrix[row * n + j] -= factor * matrix[column * n + j];
                }
                x[row] -= factor * x[column];
            }
        }
    }
    for row in (0..n).rev() {
        let mut value = x[row];
        for j in row + 1..n {
            value -= matrix[row * n + j] * x[j];
        }
        let pivot = matrix[row * n + row];
        x[row] = if pivot == 0.0 { 0.0 } else { value / pivot };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eliminates_with_exchange() {
        let original = [0.0, 2.0, -1.0, 3.0, 1.0, 4.0, -2.0, 5.0, 0.5];
        let (mut matrix, mut x) = (original, [1.0, -2.0, 3.0]);
        eliminate(&mut matrix, 3, &mut x);
        for row in 0..3 {
            let product: f64 = (0..3).map(|j| original[row * 3 + j] * x[j]).sum();
            assert!((product - [1.0, -2.0, 3.0][row]).abs() < 1e-14);
        }
    }

    #[test]
    fn solves_and_drops_what_is_redundant() {
        let original = [4.0, 2.0, 2.0, 2.0, 3.0, 3.0, 2.0, 3.0, 3.0]; // third row equals the second
        let mut matrix = original;
        let mut dropped = [false; 3];
        assert_eq!(factorise(&mut matrix, 3, 3, 1e-11, &mut dropped), 1);
        assert_eq!(dropped, [false, false, true]);
        let mut x = [8.0, 7.0, 7.0];
        solve(&matrix, 3, 3, &dropped, &mut x);
        assert_eq!(x[2], 0.0);
        for row in 0..3 {
            let product: f64 = (0..3).map(|j| original[row * 3 + j] * x[j]).sum();
            assert!((product - [8.0, 7.0, 7.0][row]).abs() < 1e-14);
        }
    }
}
