//! Lines for people.

use crate::line::Line;

/// One row per line, columns aligned. What a case is and what it takes stand in its first row only.
pub fn table(lines: &[Line]) -> String {
    let heads = ["", "measured", "ratio", "goal", "", "against"].map(str::to_owned);
    let mut rows = vec![heads];
    let mut last = None;
    for line in lines {
        let first = last != Some(&line.name);
        last = Some(&line.name);
        rows.push([
            if first { line.name.clone() } else { String::new() },
            if first { format!("{} {}", short(line.value), line.unit) } else { String::new() },
            line.ratio.map_or(String::new(), short),
            line.goal.map_or(String::new(), |goal| format!("{}≥ {}", alternative(line, first), short(goal))),
            verdict(line).to_owned(),
            line.against.clone().unwrap_or_default(),
        ]);
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; 6] = std::array::from_fn(width);
    let mut text = String::new();
    for [name, value, ratio, goal, pass, against] in &rows {
        let row = format!(
            "{name:<0$}  {value:>1$}  {ratio:>2$}  {goal:>3$}  {pass:<4$}  {against}",
            widths[0], widths[1], widths[2], widths[3], widths[4]
        );
        text += row.trim_end();
        text += "\n";
    }
    text
}

/// Joins the goals of which one is enough.
fn alternative(line: &Line, first: bool) -> &'static str {
    match (line.instead, first) {
        (false, _) => "",
        (true, true) => "either ",
        (true, false) => "or ",
    }
}

fn verdict(line: &Line) -> &'static str {
    match (line.pass, line.goal) {
        (Some(true), _) => "ok",
        (Some(false), _) => "missed",
        (None, Some(_)) => "not needed",
        (None, None) => "",
    }
}

/// Three digits.
fn short(x: f64) -> String {
    match x.abs() {
        a if a >= 99.95 => format!("{x:.0}"),
        a if a >= 9.995 => format!("{x:.1}"),
        _ => format!("{x:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::either;

    #[test]
    fn columns_line_up() {
        let line = || Line::new("bank", 0.25, "ns/mode");
        let lines = [
            line().against("plain loop", 1.0).goal(3.0),
            line().with_ratio("loads", 0.7).goal(0.8),
            Line::new("clock", 3.2, "GHz"),
        ];
        let expected = "           measured  ratio    goal          against
bank   0.25 ns/mode   4.00  ≥ 3.00  ok      plain loop
                      0.70  ≥ 0.80  missed  loads
clock      3.20 GHz
";
        assert_eq!(table(&lines), expected);
    }

    #[test]
    fn a_goal_that_is_not_needed_is_not_called_met() {
        let line = || Line::new("bank", 0.25, "ns/mode");
        let lines = either([
            line().against("plain loop", 1.75).goal(6.0),
            line().with_ratio("products and sums", 0.63).goal(0.75),
        ]);
        let expected = "          measured  ratio           goal              against
bank  0.25 ns/mode   7.00  either ≥ 6.00  ok          plain loop
                     0.63      or ≥ 0.75  not needed  products and sums
";
        assert_eq!(table(&lines), expected);
    }
}
