#!/usr/bin/env python3
"""Manual pages from the comments of the code, and the checks that keep documents and code together.

  scripts/docs.py --build DIR     writes one Markdown page per public name, and an index, into DIR (make docs)
  scripts/docs.py --check         prints what docs_check.py, docs_code.py and docs_entries.py find; exit code 1 if anything

Page comments are PETSc's: /*MC types M*/, /*@ functions @*/, /*E enums E*/, /*S structures S*/, in include/ and src/.
"""
import argparse
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

CODE_SUFFIXES = {'.c', '.h', '.cxx', '.hxx', '.cu', '.cuh'}
KINDS = {'MC': 'type', '@': 'function', '@C': 'function', 'E': 'enum', 'S': 'struct'}
COMMENT = re.compile(r'/\*(MC|@C?|E|S)[ \t]*\n(.*?)[ \t]*(?:M|@|E|S)\*/', re.S)
HEADING = re.compile(r'^(\.?[A-Za-z][A-Za-z/ ]*):(?:\s+(.*))?$')
SECTIONS = ('Input Parameter', 'Output Parameter', 'Input/Output Parameter', 'Options Database Key', 'Values', 'Field', 'Level', 'Note', 'Errors', 'Example', 'Developer Note', 'References', '.seealso')
COLLECTIVE = re.compile(r'^(Not Collective|Logically Collective|Collective)\b')
ITEM = re.compile(r'^\s*[+.-] +(\S.*)$')


@dataclass
class Page:
    """One manual page: its sections are lists of lines, keyed by heading without a plural s"""
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

    def items(self, name):
        """(term, text) of a section's list; following lines belong to the item above"""
        found = []
        for line in self.section(name):
            match = ITEM.match(line)
            if match:
                term, _, text = match.group(1).partition(' - ')
                found.append([term.strip(), text.strip()])
            elif found and line.strip():
                found[-1][1] += ' ' + line.strip()
        return [tuple(item) for item in found]

    def names_in(self, text):
        return re.findall(r'`(\w+)(?:\(\))?`', text)


def code_files(root, folders):
    for folder in folders:
        for path in sorted((root / folder).rglob('*')):
            if path.suffix in CODE_SUFFIXES and path.is_file():
                yield path


def canonical(heading):
    """The section's name without its plural s, None when the heading is no section"""
    for name in SECTIONS:
        if heading in (name, name + 's'):
            return name
    return None


def dedent(text):
    """Takes the page's margin away; list items, .vb and .seealso stand at column 0 and have none"""
    lines = text.expandtabs().split('\n')
    indents = [len(line) - len(line.lstrip()) for line in lines if line.strip() and line[0] not in '.+-']
    margin = min(indents, default=0)
    return [line[margin:] if not line[:margin].strip() else line for line in lines]


def parse_prototype(code):
    """The definition that follows a comment and the names of its parameters"""
    match = re.match(r'\s*([^{;]*?\))\s*[{;]', code)
    if not match:
        return '', []
    prototype = ' '.join(re.sub(r'/\*.*?\*/', ' ', match.group(1), flags=re.S).split())
    inside = prototype[prototype.index('(') + 1:-1]
    names = [re.search(r'(\w+)\s*(?:\[\w*\])*\)?\s*(?:\([^()]*\))?$', part.strip()) for part in re.split(r',(?![^()]*\))', inside)]
    return prototype, [m.group(1) for m in names if m and m.group(1) != 'void']


def parse_comment(kind, text, path, line, after):
    lines = dedent(text)
    while lines and not lines[0].strip():
        lines.pop(0)
    head = []
    while lines and lines[0].strip():
        head.append(lines.pop(0).strip())
    name, _, brief = ' '.join(head).partition(' - ')
    page = Page(KINDS[kind], name.strip(), brief.strip(), path, line)
    if kind == 'MC' and brief.startswith('"'):
        page.prototype, _, page.brief = brief.partition(' - ')
    if page.kind == 'function':
        page.prototype, page.parameters = parse_prototype(after)
    current = None
    for text_line in lines:
        match = HEADING.match(text_line)
        if match and canonical(match.group(1)):
            current = page.sections.setdefault(canonical(match.group(1)), [])
            text_line = match.group(2) or ''
        elif current is None:
            if COLLECTIVE.match(text_line.strip()):
                page.collective = text_line.strip()
            continue
        current.append(text_line)
    return page


def read_pages(root):
    """All manual pages of include/ and src/"""
    pages = []
    for path in code_files(root, ('include', 'src')):
        text = path.read_text()
        for match in COMMENT.finditer(text):
            line = text.count('\n', 0, match.start()) + 1
            pages.append(parse_comment(match.group(1), match.group(2), path.relative_to(root), line, text[match.end():match.end() + 2000]))
    return pages


def link_names(text, known):
    return re.sub(r'`(\w+)(\(\))?`', lambda m: f'[`{m.group(1)}{m.group(2) or ""}`]({m.group(1)}.md)' if m.group(1) in known else m.group(0), text)


def body(lines, known):
    """Paragraphs, with .vb ... .ve as code"""
    out, code = [], False
    for line in lines:
        if line.strip() in ('.vb', '.ve'):
            code = line.strip() == '.vb'
            out.append('```' if not code else '```text')
        else:
            out.append(line.rstrip() if code else link_names(line.strip(), known))
    return '\n'.join(out).strip() + '\n'


def section_text(page, name, known):
    if name in ('Level', 'Note', 'Errors', 'References', 'Example', 'Developer Note', '.seealso'):
        return body(page.section(name), known)
    return '\n'.join(f'- `{term.strip("`")}`: {link_names(text, known)}' for term, text in page.items(name)) + '\n'


def plural(name):
    return {'.seealso': 'See also', 'Level': 'Level'}.get(name, name if name.endswith('s') else name + 's')


def page_text(page, pages):
    known = {p.name for p in pages}
    out = [f'# {page.name}\n\n{link_names(page.brief, known)}\n']
    if page.prototype:
        language = 'c\n#include <hepta.h>\n' if page.kind == 'function' else 'text\n'
        out.append(f'```{language}{page.prototype}\n```\n')
    if page.collective:
        out.append(f'{page.collective}\n')
    for name in SECTIONS:
        if name in page.sections:
            out.append(f'## {plural(name)}\n\n{section_text(page, name, known)}')
    if page.kind == 'type':
        users = [p for p in pages if p.kind != 'type' and page.name in p.names_in(' '.join([p.brief] + sum(p.sections.values(), [])))]
        if users:
            out.append('## Functions\n\n' + '\n'.join(f'- [`{p.name}`]({p.name}.md): {link_names(p.brief, known)}' for p in users) + '\n')
    out.append(f'In `{page.path}`. [Index](index.md)\n')
    return '\n'.join(out)


def build(root, folder):
    pages = sorted(read_pages(root), key=lambda p: p.name)
    known = {p.name for p in pages}
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob('*.md'):
        old.unlink()
    for page in pages:
        (folder / f'{page.name}.md').write_text(page_text(page, pages))
    index = ['# Manual pages\n']
    for kind, title in (('type', 'Types'), ('function', 'Functions'), ('enum', 'Enumerations'), ('struct', 'Structures')):
        rows = [f'- [`{p.name}`]({p.name}.md): {link_names(p.brief, known)}' for p in pages if p.kind == kind]
        index.append(f'## {title}\n\n' + '\n'.join(rows) + '\n')
    (folder / 'index.md').write_text('\n'.join(index))
    print(f'{len(pages)} pages in {folder}')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--root', type=Path, default=Path(__file__).resolve().parent.parent, help='the repository')
    parser.add_argument('--build', type=Path, metavar='DIR')
    parser.add_argument('--check', action='store_true')
    args = parser.parse_args()
    if args.build:
        build(args.root, args.build)
    if args.check:
        import docs_check
        faults = docs_check.check(args.root)
        print('\n'.join(faults + [f'docs_check: {len(faults)} faults' if faults else 'docs_check: no faults']))
        return 1 if faults else 0
    return 0


if __name__ == '__main__':
    sys.exit(main())
