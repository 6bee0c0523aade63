//! Small dense systems, in place, without allocation.

/// A = L D Lᵀ of the leading n×n of a row-major matrix with `stride`: L, whose diagonal is 1, below the diagonal and 1/D on it. A pivot at or below
/// `drop` times its original diagonal is dropped: its row acts as if the unknown were zero. Returns the number of dropped pivots.
pub(crate) fn factorise(matrix: &mut [f64], n: usize, stride: usize, drop: f64, dropped: &mut [bool]) -> usize {
    let mut count = 0;
    for i in 0..n {
        let (above, row) = matrix.split_at_mut(i * stride);
        let row = &mut row[..=i];
        // until row i is complete, its entries are L_ij D_j
        for j in 0..i {
            let other = &above[j * stride..j * stride + j];
            let product: f64 = row.iter().zip(other).map(|(a, b)| a * b).sum();
            row[j] = if dropped[j] { 0.0 } else { row[j] - product };
        }
        let diagonal = row[i];
        let mut value = diagonal;
        for j in 0..i {
            let scaled = row[j];
            row[j] = scaled * above[j * stride + j];
            value -= scaled * row[j];
        }
        dropped[i] = value <= drop * diagonal;
        count += usize::from(dropped[i]);
        row[i] = if dropped[i] { 1.0 } else { 1.0 / value };
        if dropped[i] {
            row[..i].fill(0.0);
        }
    }
    count
}

/// Solves with the factor of [`factorise`]; dropped unknowns are zero.
#[inline(always)]
pub(crate) fn solve(factor: &[f64], n: usize, stride: usize, dropped: &[bool], x: &mut [f64]) {
    if n == 1 {
        x[0] = if dropped[0] { 0.0 } else { x[0] * factor[0] };
    } else {
        solve_many(factor, n, stride, dropped, x);
    }
}

fn solve_many(factor: &[f64], n: usize, stride: usize, dropped: &[bool], x: &mut [f64]) {
    for i in 0..n {
        let product: f64 = factor[i * stride..i * stride + i].iter().zip(&*x).map(|(l, x)| l * x).sum();
        x[i] = if dropped[i] { 0.0 } else { x[i] - product };
    }
    for i in 0..n {
        x[i] *= factor[i * stride + i];
    }
    for i in (0..n).rev() {
        let mut value = x[i];
        for j in i + 1..n {
            value -= factor[j * stride + i] * x[j];
        }
        x[i] = if dropped[i] { 0.0 } else { value };
    }
}

/// xᵀA⁻¹x with the factor of [`factorise`]; overwrites `x`.
pub(crate) fn inverse_form(factor: &[f64], n: usize, stride: usize, dropped: &[bool], x: &mut [f64]) -> f64 {
    let mut form = 0.0;
    for i in 0..n {
        let product: f64 = factor[i * stride..i * stride + i].iter().zip(&*x).map(|(l, x)| l * x).sum();
        x[i] = if dropped[i] { 0.0 } else { x[i] - product };
        form += x[i] * x[i] * factor[i * stride + i];
    }
    form
}

/// Solves A x = b by elimination with row exchange, in place: overwrites `matrix` (row-major n×n); `x` holds b and then x. A column without
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
    fn solves_and_drops_redundant_rows() {
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
