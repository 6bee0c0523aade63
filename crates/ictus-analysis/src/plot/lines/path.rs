//! From points to the lines of a picture: placed, thinned out, and cut at the frame.

use super::super::frame::Frame;
use super::super::surface::Rect;

/// Points on the picture that lie inside the frame.
pub(super) fn visible(frame: &Frame, points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let r = frame.inside;
    let inside =
        |p: &(f64, f64)| p.0 >= r.x - 0.5 && p.0 <= r.right() + 0.5 && p.1 >= r.y - 0.5 && p.1 <= r.bottom() + 0.5;
    points.iter().filter_map(|&p| place(frame, p)).filter(inside).collect()
}

/// Connected pieces of a curve, thinned out and cut at the frame.
pub(super) fn pieces(frame: &Frame, points: &[(f64, f64)]) -> Vec<Vec<(f64, f64)>> {
    let placed: Vec<Option<(f64, f64)>> = points.iter().map(|&p| place(frame, p)).collect();
    placed
        .split(Option::is_none)
        .flat_map(|run| {
            let run: Vec<(f64, f64)> = run.iter().flatten().copied().collect();
            cut(&thin(&run), frame.inside)
        })
        .collect()
}

fn place(frame: &Frame, point: (f64, f64)) -> Option<(f64, f64)> {
    frame.place_x(point.0).zip(frame.place_y(point.1))
}

/// Keeps of all points that fall into one column of pixels the first, lowest, highest and last: a curve of a million
/// points then looks the same and draws at once.
fn thin(run: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut kept: Vec<(f64, f64)> = Vec::new();
    for column in run.chunk_by(|a, b| a.0.floor() == b.0.floor()) {
        if column.len() <= 4 {
            kept.extend(column);
            continue;
        }
        let extreme =
            |sign: f64| (0..column.len()).max_by(|&a, &b| (sign * column[a].1).total_cmp(&(sign * column[b].1)));
        let mut picks = [0, extreme(1.0).unwrap_or(0), extreme(-1.0).unwrap_or(0), column.len() - 1];
        picks.sort_unstable();
        let mut last = None;
        kept.extend(picks.iter().filter(|&&i| last.replace(i) != Some(i)).map(|&i| column[i]));
    }
    kept
}

/// Cuts a line at the edges of a rectangle; what leaves it and comes back is two lines.
fn cut(run: &[(f64, f64)], edges: Rect) -> Vec<Vec<(f64, f64)>> {
    let mut lines: Vec<Vec<(f64, f64)>> = Vec::new();
    let mut open = false;
    for pair in run.windows(2) {
        let Some((from, to)) = clip(pair[0], pair[1], edges) else {
            open = false;
            continue;
        };
        match lines.last_mut() {
            Some(line) if open && line.last() == Some(&from) => line.push(to),
            _ => lines.push(vec![from, to]),
        }
        open = to == pair[1];
    }
    lines
}

type Point = (f64, f64);

/// The part of a segment inside a rectangle [Liang & Barsky 1984].
fn clip(a: Point, b: Point, edges: Rect) -> Option<(Point, Point)> {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let (mut enter, mut leave) = (0.0f64, 1.0f64);
    let sides = [(-dx, a.0 - edges.x), (dx, edges.right() - a.0), (-dy, a.1 - edges.y), (dy, edges.bottom() - a.1)];
    for (speed, room) in sides {
        if speed == 0.0 && room < 0.0 {
            return None;
        }
        if speed < 0.0 {
            enter = enter.max(room / speed);
        } else if speed > 0.0 {
            leave = leave.min(room / speed);
        }
    }
    let at = |t: f64| match t {
        0.0 => a,
        1.0 => b,
        _ => (a.0 + t * dx, a.1 + t * dy),
    };
    (enter <= leave).then(|| (at(enter), at(leave)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOX: Rect = Rect { x: 0.0, y: 0.0, width: 10.0, height: 10.0 };

    #[test]
    fn lines_are_cut_where_they_leave_the_frame() {
        assert_eq!(clip((-5.0, 5.0), (15.0, 5.0), BOX), Some(((0.0, 5.0), (10.0, 5.0))));
        assert_eq!(clip((2.0, 2.0), (3.0, 3.0), BOX), Some(((2.0, 2.0), (3.0, 3.0))));
        assert_eq!(clip((-1.0, -5.0), (-1.0, 15.0), BOX), None);
        let lines = cut(&[(1.0, 5.0), (2.0, 20.0), (3.0, 5.0), (4.0, 5.0)], BOX);
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[1].last(), Some(&(4.0, 5.0)));
    }

    #[test]
    fn thinning_keeps_the_extremes() {
        let run: Vec<Point> = (0..10_000).map(|i| (f64::from(i) / 1000.0, f64::from(i * 7919 % 1000))).collect();
        let thinned = thin(&run);
        assert!(thinned.len() <= 40);
        for value in [0.0, 999.0] {
            assert_eq!(thinned.iter().filter(|p| p.1 == value).count(), 10);
        }
    }
}
