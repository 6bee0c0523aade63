//! One page with everything: pictures, verdicts, parameters, notes. It needs no other file and no network.

use crate::figure::{Figure, Values};
use crate::metric::{Metric, short};
use crate::outcome::{Outcome, file_name};
use crate::papers::{PAPERS, Paper};
use std::fmt::Write as _;
use std::io;
use std::path::Path;

/// A figure as it was run.
pub type Run<'a> = (&'a Figure, &'a Values, &'a Outcome);

const STYLE: &str = include_str!("report.css");

/// The page. Pictures and animations are read from `folder`, where [`Outcome::write`] has put them.
pub fn html(runs: &[Run], folder: &Path) -> io::Result<String> {
    let judged = || runs.iter().flat_map(|(_, _, outcome)| &outcome.metrics).filter_map(|metric| metric.pass);
    let (total, passed) = (judged().count(), judged().filter(|pass| *pass).count());
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>ictus: published figures</title><style>{STYLE}</style></head>\n<body>\n<h1>Published figures, reproduced by ictus</h1>\n\
         <p>{passed} of {total} judged numbers are met. Each figure shows its pictures, then what was measured beside what is \
         wanted. Most references were measured independently of the engine; where a paper is in error, its section says so.</p>\n"
    );
    let groups: Vec<(&Paper, Vec<&Run>)> = PAPERS
        .iter()
        .map(|paper| (paper, runs.iter().filter(|(figure, ..)| figure.paper == paper.id).collect()))
        .filter(|(_, runs): &(_, Vec<_>)| !runs.is_empty())
        .collect();
    page.push_str("<nav>");
    for (paper, runs) in &groups {
        push(&mut page, format_args!("<p><a href=\"#{}\"><b>{}</b></a> ", paper.id, escape(paper.name)));
        for (figure, _, outcome) in runs {
            let mark = if outcome.passed() { "" } else { " ✗" };
            let short = figure.id.strip_prefix(paper.id).and_then(|rest| rest.strip_prefix('-')).unwrap_or(figure.id);
            push(&mut page, format_args!("<a href=\"#{}\">{short}{mark}</a> ", figure.id));
        }
        page.push_str("</p>");
    }
    page.push_str("</nav>\n");
    for (paper, runs) in &groups {
        explain(&mut page, paper);
        for (figure, values, outcome) in runs {
            section(&mut page, figure, values, outcome, folder)?;
        }
    }
    page.push_str("</body></html>\n");
    Ok(page)
}

fn push(page: &mut String, text: std::fmt::Arguments<'_>) {
    // writing to a string cannot fail
    let _ = page.write_fmt(text);
}

/// What the paper does and what of it follows.
fn explain(page: &mut String, paper: &Paper) {
    let Paper { id, name, topic, citation, does, reproduced, differs } = *paper;
    push(
        page,
        format_args!(
            "<section class=\"paper\" id=\"{id}\"><h2>{}: {}</h2>\n<p class=\"cite\">{}</p>\n<h4>What it does</h4><p>{}</p>\n\
             <h4>What is reproduced</h4><p>{}</p>\n",
            escape(name),
            escape(topic),
            escape(citation),
            escape(does),
            escape(reproduced)
        ),
    );
    if !differs.is_empty() {
        push(page, format_args!("<h4>Where we differ</h4><p>{}</p>\n", escape(differs)));
    }
    page.push_str("</section>\n");
}

fn section(page: &mut String, figure: &Figure, values: &Values, outcome: &Outcome, folder: &Path) -> io::Result<()> {
    push(page, format_args!("<h3 id=\"{0}\"><code>{0}</code> {1}</h3>\n", figure.id, escape(figure.title)));
    for picture in &outcome.pictures {
        let drawing = std::fs::read_to_string(folder.join(file_name(figure.id, picture.name, "svg")))?;
        push(page, format_args!("<figure class=\"scroll\" tabindex=\"0\">{drawing}</figure>\n"));
    }
    page.push_str(
        "<div class=\"scroll\"><table class=\"metrics\"><thead><tr><th>measured<th>value<th>wanted<th>reference<th>verdict\
         <th>what the paper says</tr></thead>\n",
    );
    outcome.metrics.iter().for_each(|metric| row(page, metric));
    page.push_str("</table></div>\n");
    if !figure.notes.is_empty() {
        page.push_str("<ul>");
        for note in figure.notes {
            push(page, format_args!("<li>{}</li>", escape(note)));
        }
        page.push_str("</ul>\n");
    }
    page.push_str("<details><summary>Parameters</summary><div class=\"scroll\"><table>");
    for (parameter, value) in values.iter() {
        let changed = if value == parameter.default {
            String::new()
        } else {
            format!(" (published: {})", short(parameter.default))
        };
        push(
            page,
            format_args!(
                "<tr><td><code>{}</code><td class=\"n\">{} {}{changed}<td>{}</tr>",
                parameter.name,
                short(value),
                escape(parameter.unit),
                escape(parameter.meaning)
            ),
        );
    }
    page.push_str("</table></div></details>\n");
    for animation in &outcome.animations {
        let bytes = std::fs::read(folder.join(file_name(figure.id, animation.name, "apng")))?;
        let data = base64(&bytes);
        push(
            page,
            format_args!("<img alt=\"{}, moving\" src=\"data:image/apng;base64,{data}\">\n", escape(figure.title)),
        );
    }
    Ok(())
}

fn row(page: &mut String, metric: &Metric) {
    let (class, verdict) = match metric.pass {
        Some(true) => ("yes", "met"),
        Some(false) => ("no", "NOT met"),
        None => ("none", "shown"),
    };
    push(
        page,
        format_args!(
            "<tr><td class=\"what\">{}<td class=\"n\" data-label=\"value\">{}<td class=\"n\" data-label=\"wanted\">{}\
             <td class=\"n\" data-label=\"reference\">{}<td class=\"{class}\">{verdict}<td class=\"claim\">{}</tr>\n",
            escape(&metric.name),
            short(metric.measured),
            metric.wanted(),
            metric.reference().map_or(String::new(), short),
            escape(&metric.claim)
        ),
    );
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// RFC 4648 with padding.
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let at = |i: usize| u32::from(chunk.get(i).copied().unwrap_or(0));
        let word = at(0) << 16 | at(1) << 8 | at(2);
        for i in 0..4 {
            let letter = ALPHABET[(word >> (18 - 6 * i)) as usize & 63];
            text.push(if i <= chunk.len() { letter as char } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_pads() {
        let encoded = ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map(|s| base64(s.as_bytes()));
        assert_eq!(encoded, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]);
    }
}
