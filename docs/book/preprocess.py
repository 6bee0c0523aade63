"""mdbook preprocessor: sets formulas as MathML and moves pages from outside `src` into the site.

- `$…$` and `$$…$$` become MathML when the book is built, so the site needs no script and no network for formulas.
  GitHub renders the same source.
- Pages that SUMMARY.md names outside `src` (design notes, ARCHITECTURE.md) become pages of the site; links follow.
- `docs/images` is read from where it is; `scripts/book` copies it into the site as `images`.

Fails on formulas that GitHub would render otherwise: it takes `\\,` for an escaped comma and `|` for the edge of a table cell.
"""

import json
import os.path
import re
import sys
from pathlib import PurePosixPath

BLOCK = re.compile(r"^```.*?^```|^(?:    [^\n]*\n)+", re.M | re.S)  # fenced and indented code
CODE = re.compile(BLOCK.pattern + r"|`[^`\n]*`", re.M | re.S)  # the same, and code within a line
DISPLAY = re.compile(r"^\$\$\s*(.+?)\s*\$\$$", re.M | re.S)
INLINE = re.compile(r"(?<![\w\\$])\$(?=\S)([^$\n]+?)(?<=\S)\$(?![\w$])")
LINK = re.compile(r"\[((?:[^\[\]`]|`[^`\n]*`)*)\]\(([^)\s]+)\)")

NAME = "(?:tanh|sinh|cosh|sin|cos|arcsin|max|min|diag|Re)"
PLAIN = "(?<!<msup>)(?<!<msub>)(?<!<munder>)"  # not the base of an index

# What the converter leaves coarse: pattern and what sets finer.
FINER = [
    (re.compile(pattern), better)
    for pattern, better in [
        (r'<mo stretchy="true">(&#x000AF;|&#x0007E;)</mo>', r'<mo stretchy="false">\1</mo>'),  # a bar or tilde over one letter
        (r"<mo>&#x0002F;</mo>", r'<mo lspace="0" rspace="0">/</mo>'),
        (r"(<mo>(?:&#x0003D;|&#x0002C;)</mo>)<mo>&#x02212;", r'\1<mo form="prefix">&#x02212;'),  # a sign, not a difference
        # primes are raised by their own shape
        (r"<msup>(<mi>[^<]*</mi>|<mover>.*?</mover>)<m[io]>(&#x0203[2-7];|&#x02057;)</m[io]></msup>", r'\1<mo lspace="0" rspace="0">\2</mo>'),
        # a thin space around the name of a function, unless brackets follow or an index belongs to it
        (rf"{PLAIN}<mo>(max|min|Re|diag)</mo>", r"<mi>\1</mi>"),
        (rf"(<msup><mi>{NAME}</mi><mn>\d</mn></msup>|{PLAIN}<mi>{NAME}</mi>)", r'<mspace width="0.17em"/>\1<mspace width="0.17em"/>'),
        (r'<mspace width="0.17em"/>(?=(<mrow>)?<mo stretchy="\w+"( fence="true" form="prefix")?>&#x00028;)', ""),
    ]
]


def math(tex, display, where):
    from latex2mathml.converter import convert

    if re.search(r"\\[^A-Za-z]", tex) or "|" in tex:
        raise ValueError(f"{where}: ${tex}$ has an escape or a bar that GitHub misreads; use a command (\\thinspace, \\vert)")
    html = convert(tex, display="block" if display else "inline")
    for pattern, better in FINER:
        html = pattern.sub(better, html)
    return html


def formulas(text, where):
    text = DISPLAY.sub(lambda m: f'<div class="formula">{math(m[1], True, where)}</div>', text)
    text = INLINE.sub(lambda m: math(m[1], False, where), text)
    if re.search(r"(?<!\\)\$", text):
        line = next(line for line in text.splitlines() if "$" in line)
        raise ValueError(f"{where}: a dollar sign without its partner: {line[:120]}")
    return text


def outside(code, text, change):
    """Applies `change` to all that `code` does not match."""
    parts, end = [], 0
    for code in code.finditer(text):
        # an indented block follows an empty line; otherwise the indent continues a list or a paragraph
        if code[0].startswith("    ") and not text[: code.start()].endswith("\n\n"):
            continue
        parts += [change(text[end : code.start()]), code[0]]
        end = code.end()
    return "".join(parts) + change(text[end:])


def site_path(path):
    """Where the site keeps a file of the repository (from its root)."""
    for folder, place in [("docs/book/src/", ""), ("docs/design/", "design/"), ("docs/images/", "images/")]:
        if path.startswith(folder):
            return place + path[len(folder) :]
    return path.lower() if path.endswith(".md") and "/" not in path else None


def relink(text, source, place):
    """Links of the page `source` (in the repository), which the site keeps at `place`. Files that the site lacks, such as code, become tooltips."""

    def change(link):
        path, hash, anchor = link[2].partition("#")
        if not path or "://" in path:
            return link[0]
        target = os.path.normpath(os.path.join(os.path.dirname(source), path))
        moved = site_path(target)
        if moved is None:
            return re.sub(r"^`(.*)`$", rf'<code title="{target}">\1</code>', link[1])
        moved = os.path.relpath(moved, os.path.dirname(place) or ".")
        return f"[{link[1]}]({moved}{hash}{anchor})"

    return LINK.sub(change, text)


def page(chapter):
    if not chapter.get("path"):
        return
    source = os.path.normpath(PurePosixPath("docs/book/src", chapter["path"]))
    place = site_path(source)
    if place is None:
        raise ValueError(f"SUMMARY.md: no place in the site for {source}")
    chapter["path"] = place
    text = outside(BLOCK, chapter["content"], lambda text: relink(text, source, place))
    chapter["content"] = outside(CODE, text, lambda text: formulas(text, source))


def main():
    if sys.argv[1:2] == ["supports"]:
        return
    _, book = json.load(sys.stdin)

    def walk(items):
        for item in items:
            if isinstance(item, dict) and "Chapter" in item:
                page(item["Chapter"])
                walk(item["Chapter"]["sub_items"])

    walk(book.get("items") or book["sections"])
    json.dump(book, sys.stdout)


if __name__ == "__main__":
    try:
        main()
    except ValueError as error:
        sys.exit(f"error: {error}")
