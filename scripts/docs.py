#!/usr/bin/env python3
"""Manual pages from the comments of the code.

  scripts/docs.py --build DIR     writes a Markdown page for each public name, and an index, into DIR (make docs)
  scripts/docs.py --check         prints what breaks a rule of docs_check.py; exit code 1 if anything

Page comments are PETSc's: /*MC types M*/, /*@ functions @*/, /*E enums E*/, /*S structures S*/, in include/ and src/.
"""
import argparse
import re
import sys
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import docs_check

KINDS = {'MC': 'type', '@': 'function', '@C': 'function', 'E': 'enum', 'S': 'struct'}
TITLES = {'type': 'Types', 'function': 'Functions', 'enum': 'Enumerations', 'struct': 'Structures'}
COMMENT = re.compile(r'/\*(MC|@C?|E|S)[ \t]*\n(.*?)[ \t]*(?:M|@|E|S)\*/', re.S)
LISTS = ('Input Parameter', 'Output Parameter', 'Input/Output Parameter', 'Options Database Key', 'Values', 'Field')
SECTIONS = ('When to take it',) + LISTS + ('Example', 'Limit', 'Level', 'Note', 'Errors', 'Developer Note', 'References', '.seealso')
HEADING = re.compile(rf'^({"|".join(re.escape(name) for name in SECTIONS)})s?:(?:\s+(.*))?$')


@dataclass
class Page:
    """A manual page: its sections are lists of lines, by heading without a plural s"""
    kind: str
    name: str
    brief: str
    path: Path
    line: int
    collective: str = ''
    prototype: str = ''
    parameters: list = field(default_factory=list)
    sections: dict = field(default_factory=dict)

    def section(self, name):
        return self.sections.get(name, [])

    def text(self):
        return ' '.join([self.brief] + sum(self.sections.values(), []))

    def items(self, name):
        """(term, text) of a section's list; following lines belong to the item above"""
        found = []
        for line in self.section(name):
            if match := re.match(r'^\s*[+.-] +(\S.*)$', line):
                term, _, text = match[1].partition(' - ')
                found.append((term.strip(), text.strip()))
            elif found and line.strip():
                found[-1] = (found[-1][0], found[-1][1] + ' ' + line.strip())
        return found

    def commands(self):
        """The lines of the examples between .vb and .ve"""
        code = re.findall(r'^\.vb$(.*?)^\.ve$', '\n'.join(line.strip() for line in self.section('Example')), re.M | re.S)
        return [line for block in code for line in block.split('\n') if line]

    @staticmethod
    def names_in(text):
        return re.findall(r'`(\w+)(?:\(\))?`', text)


def dedent(text):
    """Without the page's margin; list items, .vb and .seealso stand at column 0 and have none"""
    lines = text.expandtabs().split('\n')
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip() and line[0] not in '.+-'), default=0)
    return [line[margin:] if not line[:margin].strip() else line for line in lines]


def prototype_of(code):
    """The definition that follows a comment, and the names of its parameters"""
    match = re.match(r'\s*([^{;]*?\))\s*[{;]', code)
    if not match:
        return '', []
    prototype = ' '.join(re.sub(r'/\*.*?\*/', ' ', match[1], flags=re.S).split())
    parts = re.split(r',(?![^()]*\))', prototype[prototype.index('(') + 1:-1])
    names = [re.search(r'(\w+)\s*(?:\[\w*\])*\)?\s*(?:\([^()]*\))?$', part.strip()) for part in parts]
    return prototype, [m[1] for m in names if m and m[1] != 'void']


def parse(kind, text, path, line, after):
    head, _, rest = textwrap.dedent('\n'.join(dedent(text))).strip('\n').partition('\n\n')
    name, _, brief = ' '.join(head.split()).partition(' - ')
    page = Page(KINDS[kind], name, brief, path, line)
    if kind == 'MC' and brief.startswith('"'):
        page.prototype, _, page.brief = brief.partition(' - ')
    if page.kind == 'function':
        page.prototype, page.parameters = prototype_of(after)
    current = []
    for text_line in rest.split('\n'):
        if match := HEADING.match(text_line):
            current, text_line = page.sections.setdefault(match[1], []), match[2] or ''
        elif not page.sections and re.match(r'(Not |Logically |)Collective\b', text_line.strip()):
            page.collective = text_line.strip()
        current.append(text_line)
    return page


def read_pages(root):
    """The manual pages of include and src"""
    files = [path for folder in ('include', 'src') for path in sorted((root / folder).rglob('*'))]
    found = [(path.relative_to(root), text, match) for path in files if path.suffix in docs_check.CODE
             for text in [path.read_text()] for match in COMMENT.finditer(text)]
    return [parse(match[1], match[2], path, text.count('\n', 0, match.start()) + 1, text[match.end():match.end() + 2000])
            for path, text, match in found]


def linked(text, known):
    return re.sub(r'`(\w+)(\(\))?`', lambda m: f'[{m[0]}]({m[1]}.md)' if m[1] in known else m[0], text)


def section_text(page, name, known):
    """A list, or paragraphs with .vb ... .ve as code"""
    if name in LISTS:
        return '\n'.join(f'- `{term.strip("`")}`: {linked(text, known)}' for term, text in page.items(name))
    out, code = [], False
    for line in page.section(name):
        if line.strip() in ('.vb', '.ve'):
            code = line.strip() == '.vb'
            out.append('```text' if code else '```')
        else:
            out.append(line.rstrip() if code else linked(line.strip(), known))
    return '\n'.join(out).strip()


def entry(page, known):
    option = f' {page.prototype}' if page.kind == 'type' else ''
    return f'- [`{page.name}`]({page.name}.md){option}: {linked(page.brief, known)}'


def page_text(page, pages):
    known = {p.name for p in pages}
    out = [f'# {page.name}', linked(page.brief, known)]
    if page.prototype:
        out.append(f'```{"c" if page.kind == "function" else "text"}\n' + '#include <hepta.h>\n' * (page.kind == 'function')
                   + f'{page.prototype}\n```')
    out += [page.collective] if page.collective else []
    for name in SECTIONS:
        if name in page.sections:
            title = {'.seealso': 'See also', 'Level': 'Level', 'When to take it': 'When to take it'}.get(name, name.rstrip('s') + 's')
            out.append(f'## {title}\n\n{section_text(page, name, known)}')
    users = [p for p in pages if page.kind == 'type' != p.kind and page.name in p.names_in(p.text())]
    if users:
        out.append('## Functions\n\n' + '\n'.join(entry(p, known) for p in users))
    return '\n\n'.join([*out, f'In `{page.path}`. [Index](index.md)\n'])


def build(root, folder):
    pages = sorted(read_pages(root), key=lambda p: p.name)
    known = {p.name for p in pages}
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob('*.md'):
        old.unlink()
    for page in pages:
        (folder / f'{page.name}.md').write_text(page_text(page, pages))
    lists = [f'## {title}\n\n' + '\n'.join(entry(p, known) for p in pages if p.kind == kind) for kind, title in TITLES.items()]
    head = ['# Types and functions', 'Options stand behind the prefix of their object; `-help` shows those of a run.']
    (folder / 'index.md').write_text('\n\n'.join([*head, *lists, '']))
    print(f'{len(pages)} pages in {folder}')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--root', type=Path, default=Path(__file__).resolve().parent.parent, help='the repository')
    parser.add_argument('--build', type=Path, metavar='DIR')
    parser.add_argument('--check', action='store_true')
    args = parser.parse_args()
    if args.build:
        build(args.root, args.build)
    faults = docs_check.check(args.root, read_pages(args.root)) if args.check else []
    if args.check:
        print('\n'.join(faults + [f'docs_check: {len(faults)} faults' if faults else 'docs_check: no faults']))
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
