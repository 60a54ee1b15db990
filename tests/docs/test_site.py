#!/usr/bin/env python3
"""Builds the site into a folder; the bar, links, anchors and the index of the search are complete."""
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / 'scripts'))
import docs
import docs_site


class Page(HTMLParser):
    """The links and the anchors of a page"""
    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = set(), set()
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.anchors.add(found.get('id'))
        self.links |= {found[name] for name in ('href', 'src') if found.get(name)}


def broken(html):
    pages = {path: Page(path) for path in html.rglob('*.html') if '_static' not in path.parts}
    for path, page in pages.items():
        for link in sorted(page.links):
            target, _, anchor = unquote(link).partition('#')
            if re.match(r'[a-z]+:|//', link):
                continue
            there = (path.parent / target.partition('?')[0]).resolve() if target else path
            if not there.exists() or anchor and there in pages and anchor not in pages[there].anchors:
                yield f'{path.relative_to(html)}: links to {link}, which does not exist'


def main():
    out = Path(sys.argv[1]).resolve()
    sys.argv = ['docs_site.py', '--out', str(out)]
    status = docs_site.main()
    if status:
        return status
    html = out / 'html'
    wrong = list(broken(html))
    index = (html / 'index.html').read_text()
    wrong += [f'the bar lacks {title}' for title in docs_site.PAGES if not re.search(rf'nav-link[^>]*>\s*{title}\s*<', index)]
    search = (html / 'searchindex.js').read_text()
    for page in docs.read_pages(docs_site.ROOT):
        wrong += [] if f'"types/{page.name}"' in search else [f'the search does not know {page.name}']
    wrong += [] if re.search(r'"?fusedcg"?:', search) else ['the search has no words']
    print('\n'.join([*wrong, f'{sum(1 for _ in html.rglob("*.html"))} pages, {len(wrong)} faults']))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
