//! One page with everything: pictures, verdicts, parameters, notes. It needs no other file and no network.

use crate::figure::{Figure, Values};
use crate::metric::{Metric, short};
use crate::outcome::{Outcome, file_name};
use std::fmt::Write as _;
use std::io;
use std::path::Path;

/// A figure as it was run.
pub type Run<'a> = (&'a Figure, &'a Values, &'a Outcome);

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;color:#22262b;background:#fcfcfa;max-width:76rem;margin:2rem auto;padding:0 1rem}\
 h1{font-size:1.6rem}h2{font-size:1.25rem;margin-top:3rem;border-top:1px solid #e4e4df;padding-top:1rem}\
 svg,img{max-width:100%;height:auto;display:block;margin:1rem 0}table{border-collapse:collapse;margin:1rem 0;font-size:.9rem}\
 th,td{text-align:left;padding:.2rem .8rem .2rem 0;border-bottom:1px solid #e4e4df;vertical-align:top}\
 td.n{font-variant-numeric:tabular-nums;white-space:nowrap}.yes{color:#1a7a5e}.no{color:#b3261e;font-weight:600}.none{color:#8a8f96}\
 summary{cursor:pointer}nav a{margin-right:1rem}code{font-size:.9em}";

/// The page. Pictures and animations are read from `folder`, where [`Outcome::write`] has put them.
pub fn html(runs: &[Run], folder: &Path) -> io::Result<String> {
    let judged = || runs.iter().flat_map(|(_, _, outcome)| &outcome.metrics).filter_map(|metric| metric.pass);
    let (total, passed) = (judged().count(), judged().filter(|pass| *pass).count());
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>ictus: published figures</title><style>{STYLE}</style>\n<h1>Published figures, reproduced by ictus</h1>\n\
         <p>{passed} of {total} judged numbers are met. CW14 is Chatziioannou &amp; van Walstijn 2014, D21 is Ducceschi, Bilbao, \
         Willemsen &amp; Serafin 2021. References were measured independently; where the print is wrong the notes say so.</p>\n<nav>"
    );
    for (figure, _, outcome) in runs {
        let mark = if outcome.passed() { "" } else { " ✗" };
        push(&mut page, format_args!("<a href=\"#{0}\">{0}{mark}</a>", figure.id));
    }
    page.push_str("</nav>\n");
    for (figure, values, outcome) in runs {
        section(&mut page, figure, values, outcome, folder)?;
    }
    page.push_str("</html>\n");
    Ok(page)
}

fn push(page: &mut String, text: std::fmt::Arguments<'_>) {
    // writing to a string cannot fail
    let _ = page.write_fmt(text);
}

fn section(page: &mut String, figure: &Figure, values: &Values, outcome: &Outcome, folder: &Path) -> io::Result<()> {
    push(page, format_args!("<h2 id=\"{0}\">{0}: {1}</h2>\n", figure.id, escape(figure.title)));
    for picture in &outcome.pictures {
        page.push_str(&std::fs::read_to_string(folder.join(file_name(figure.id, picture.name, "svg")))?);
    }
    page.push_str("<table><tr><th>measured<th>value<th>wanted<th>reference<th><th>what the paper says</tr>\n");
    outcome.metrics.iter().for_each(|metric| row(page, metric));
    page.push_str("</table>\n");
    if !figure.notes.is_empty() {
        page.push_str("<ul>");
        for note in figure.notes {
            push(page, format_args!("<li>{}</li>", escape(note)));
        }
        page.push_str("</ul>\n");
    }
    page.push_str("<details><summary>Parameters</summary><table>");
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
    page.push_str("</table></details>\n");
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
            "<tr><td>{}<td class=\"n\">{}<td class=\"n\">{}<td class=\"n\">{}<td class=\"{class}\">{verdict}<td>{}</tr>\n",
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
