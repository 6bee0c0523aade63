"""Checks links without the network: `links.py ROOT SITE`.

- In the sources (README.md, ARCHITECTURE.md, …, docs/**.md): every relative link names a file of the repository, and its anchor a heading; every path in
  backticks that begins with a folder of the repository exists.
- In the built site: every reference names a file of the site, and its anchor an element; nothing is loaded from another host.

Prints what is broken and exits with 1 if anything is.
"""

import os.path
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

FENCE = re.compile(r"^```.*?^```", re.M | re.S)
HEADING = re.compile(r"^#+ +(.+?)\s*$", re.M)
LINK = re.compile(r"\]\(([^)\s]+)\)")
PATH = re.compile(r"`((?:crates|docs|instruments|scripts|\.ci)/[\w./-]*)(?: [^`]*)?`")


def headings(text):
    """Anchors as GitHub makes them."""
    seen = {}
    for heading in HEADING.findall(FENCE.sub("", text)):
        heading = re.sub(r"\]\([^)]*\)", "]", heading)
        slug = re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")
        count = seen.get(slug, -1) + 1
        seen[slug] = count
        yield f"{slug}-{count}" if count else slug


def check_sources(root):
    pages = sorted(root.glob("*.md")) + sorted((root / "docs").rglob("*.md"))
    for page in pages:
        text = FENCE.sub("", page.read_text())
        if page.name != "CHANGELOG.md":  # history may name what is gone
            for path in PATH.findall(text):
                if not (root / path).exists():
                    yield f"{page.relative_to(root)}: `{path}`: no such file"
        text = re.sub(r"`[^`\n]*`", "", text)
        for link in LINK.findall(text):
            if "://" in link or link.startswith("mailto:"):
                continue
            path, _, anchor = link.partition("#")
            target = (page.parent / unquote(path)) if path else page
            if not target.exists():
                yield f"{page.relative_to(root)}: {link}: no such file"
            elif anchor and target.suffix == ".md" and anchor not in set(headings(target.read_text())):
                yield f"{page.relative_to(root)}: {link}: no such heading"


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.loads = set(), [], []
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        for name in ("id", "name"):
            if attributes.get(name):
                self.ids.add(attributes[name])
        if attributes.get("href"):
            (self.links if tag == "a" else self.loads).append(attributes["href"])
        if attributes.get("src"):
            self.loads.append(attributes["src"])


def check_site(site):
    # 404.html is relative to the root of a server
    pages = {path: Page(path) for path in sorted(site.rglob("*.html")) if path.name != "404.html"}
    for path, page in pages.items():
        name = path.relative_to(site)
        for link in page.loads:
            if re.match(r"(\w+:)?//", link):
                yield f"site/{name}: loads {link} from another host"
        for link in page.links + page.loads:
            if re.match(r"(\w+:)?//|mailto:|data:|javascript:", link):
                continue
            file, _, anchor = unquote(link).partition("#")
            target = Path(os.path.normpath(path.parent / file)) if file else path
            if target.is_dir():
                target /= "index.html"
            if not target.is_file():
                yield f"site/{name}: {link}: no such page"
            elif anchor and target in pages and anchor not in pages[target].ids:
                yield f"site/{name}: {link}: no such anchor"


def main():
    root, site = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    broken = list(check_sources(root)) + list(check_site(site))
    for line in broken:
        print(line, file=sys.stderr)
    sys.exit(f"error: {len(broken)} broken links" if broken else 0)


if __name__ == "__main__":
    main()
