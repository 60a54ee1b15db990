#!/usr/bin/env python3
"""The site: README.md, docs, results of the benchmarks, changes and manual pages as HTML (make site).

  scripts/docs_site.py --out DIR     writes DIR/source, which Sphinx reads, and DIR/html; any warning is an error

Links between documents are those of the repository. The first function or type that a document names links to its manual page.
"""
import argparse
import importlib.util
import os
import posixpath
import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import docs

ROOT = Path(__file__).resolve().parent.parent
# The bar on top, and the pages below each of its entries
PAGES = {'Start': ['start'], 'Choose': ['choose', 'formats', 'advise'], 'Tutorials': ['tutorials', 'tutorials/*'],
         'How to': ['howto', 'howto/*'], 'Types': ['types/index', 'types/*'],
         'Performance': ['performance', 'scaling', 'studies', 'tuning', 'kernels', 'bench/results/*'],
         'Questions and errors': ['errors', 'aij', 'limits'], 'Papers': ['papers', 'papers/*'],
         'Inside': ['inside', 'passes', 'reliability', 'packaging', 'CONTRIBUTING'], 'Changes': ['CHANGELOG']}
LINK = re.compile(r'(?<=\]\()([^)#:\s]+)(?=[#)])')
NAME = re.compile(r'(?<!\[)`([A-Za-z]\w+)(\(\))?`(?!\])')
OPAQUE = re.compile(r'^```.*?^```|^#.*?$|^    .*?$|\[[^]]*\]\([^)]*\)', re.S | re.M)


def staged(path):
    """Where a file of the repository stands in the source of the site"""
    return {'README.md': 'index.md'}.get(path, path.removeprefix('docs/'))


def names(pages):
    """{a name in backticks: the manual page that it links to}: public names, and types as options have them"""
    known = {page.name: page.name for page in pages}
    return known | {page.prototype.strip('"'): page.name for page in pages if page.kind == 'type'}


def named(text, known, here):
    """The first mention of each name linked, outside code, headings and links"""
    left = dict(known)

    def link(match):
        page = left.pop(match[1], None)
        return f'[{match[0]}]({posixpath.relpath("types/" + page + ".md", posixpath.dirname(here) or ".")})' if page else match[0]
    kept = [(m.start(), m.end()) for m in OPAQUE.finditer(text)]
    starts, ends = [0] + [end for _, end in kept], [start for start, _ in kept] + [len(text)]
    parts = [NAME.sub(link, text[a:b]) + (text[b:c] if c else '') for a, b, c in zip(starts, ends, starts[1:] + [0])]
    return ''.join(parts)


def relinked(text, path, out):
    """A document with its links as the site has them; copies what it links to and Sphinx does not make"""
    def link(match):
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), match[1]))
        if not target.endswith('.md') and (ROOT / target).is_file():
            copy(target, out)
        return posixpath.relpath(staged(target), posixpath.dirname(staged(path)) or '.')
    return LINK.sub(link, text)


def copy(path, out):
    (out / staged(path)).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / path, out / staged(path))


def below(page, pages, out):
    """A hidden table of contents: the pages that fit a pattern, in the order in which this page links to them, then others"""
    found = [str(path.relative_to(out))[:-3] for pattern in pages for path in sorted(out.glob(pattern + '.md'))]
    base = posixpath.dirname(page) or '.'
    links = [link.removesuffix('.md') for link in LINK.findall((out / f'{page}.md').read_text())]
    inside = [posixpath.relpath(name, base) for name in dict.fromkeys(found) if name != page]
    inside.sort(key=lambda name: links.index(name) if name in links else len(links))
    return '\n\n```{toctree}\n:hidden:\n\n' + '\n'.join(inside) + '\n```\n' if inside else ''


def stage(out):
    shutil.rmtree(out, ignore_errors=True)
    pages = docs.read_pages(ROOT)
    docs.build(ROOT, out / 'types')
    known = names(pages)
    documents = [ROOT / name for name in ('README.md', 'CONTRIBUTING.md', 'CHANGELOG.md')]
    for path in documents + sorted((ROOT / 'docs').rglob('*.md')) + sorted((ROOT / 'bench/results').glob('*.md')):
        name = str(path.relative_to(ROOT))
        (out / staged(name)).parent.mkdir(parents=True, exist_ok=True)
        (out / staged(name)).write_text(named(relinked(path.read_text(), name, out), known, staged(name)))
    for title, (first, *rest) in PAGES.items():
        with (out / f'{first}.md').open('a') as file:
            file.write(below(first, rest, out))
    entries = '\n'.join(f'{title} <{first}>' for title, (first, *_) in PAGES.items())
    with (out / 'index.md').open('a') as file:
        file.write(f'\n\n```{{toctree}}\n:hidden:\n\n{entries}\n```\n')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--out', type=Path, required=True, metavar='DIR')
    out = parser.parse_args().out.resolve()
    if any(importlib.util.find_spec(module) is None for module in ('sphinx', 'myst_parser', 'pydata_sphinx_theme')):
        print('Skipped: needs the Python packages of scripts/requirements-site.txt: scripts/setup.sh site')
        return 77
    from sphinx.cmd.build import main as sphinx
    stage(out / 'source')
    shutil.rmtree(out / 'html', ignore_errors=True)
    os.environ['PYTHONDONTWRITEBYTECODE'] = '1'
    status = sphinx(['-q', '-W', '--keep-going', '-b', 'html', '-c', str(ROOT / 'docs'), '-d', str(out / 'doctrees'),
                     str(out / 'source'), str(out / 'html')])
    print(f'{out / "html/index.html"}: {sum(1 for _ in (out / "html").rglob("*.html"))} pages')
    return status


if __name__ == '__main__':
    sys.exit(main())
