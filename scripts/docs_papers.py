"""docs/papers.md as an index of the papers: the rule papers() of docs_check.py.

sections()  below a heading `## 000 Name` the first table has each section of the paper once, in order: a row begins with its
            sections, `3.1, 3.2` or `3.1 to 3.4`, and says something in its second cell
names()     what stands in backticks is there: options and programs of commands, functions with `()`, types and other names
"""
import re

# Sections of the papers by number; 2.1-3 stands for 2.1 2.2 2.3
SECTIONS = {
    '000': '1 1.1-3 2 2.1 2.1.1-3 2.1.3.1-2 2.2-3 3 3.1 3.1.1-6 3.2 4 4.1 4.1.1-3 4.1.3.1-3 4.1.4-5 4.2-3 5 5.1-5 5.5.1-2 6 6.1-5 7',
    '001': '1 1.1 2 2.1-4 3 3.1-7 4 4.1-4 5 5.1-7 6 6.1 6.1.1 6.2-4 7 7.1-5 8',
    '002': '1 2 2.1-3 3 3.1-5 4 4.1-4 4.4.1-3 5 6',
    '003': '1 2 2.1-2 2.2.1-5 3 3.1-6 3.6.1-3 4 4.1-3 5 5.1-3 6',
    '004': '1 2 2.1 3 3.1 3.1.1-3 3.2 3.2.1-2 3.3 3.3.1 4 4.1 4.1.1-3 4.2-3 5 5.1 5.1.1-2 5.2-5 6 6.1-3 '
           '7 7.1 7.1.1-3 7.2-3 7.3.1-3 7.4 7.4.1-3 7.5 7.5.1-2 7.6 7.6.1-2 7.7 7.7.1-2 8 8.1 8.1.1 8.2-3 9 9.1-4 9.4.1 10 '
           'A B B.1-5 B.5.1-2 C C.1 C.1.1 C.2 C.2.1',
}
NUMBER = r'(?:[1-9]\d*|[A-Z])(?:\.\d+)*'
SPAN = rf'{NUMBER}(?: to {NUMBER})?'
# A program and options that the code does not name: of MPI and of PETSc
OTHERS = ('mpiexec', '-ksp_converged_use_initial_residual_norm', '-ksp_view_eigenvalues')


def numbers(text):
    """Of '3 3.1-2': 3, 3.1, 3.2"""
    for word in text.split():
        first, _, last = word.partition('-')
        stem, _, digit = first.rpartition('.')
        yield from (f'{stem}.{k}' for k in range(int(digit), int(last) + 1)) if last else [first]


def rows_of(text, paper):
    """The cells of the first table below the heading of a paper, without its head, or None"""
    part = re.search(rf'^## {paper}\b.*?(?=^## |\Z)', text, re.S | re.M)
    table = part and re.search(r'^\|.*\n\|[-| ]*\n((?:\|.*\n)*)', part[0], re.M)
    return table and [[cell.strip() for cell in line.strip('|').split('|', 1)] for line in table[1].splitlines()]


def listed(cell, known):
    """The sections with which the first cell of a row begins"""
    spans = re.match(rf'{SPAN}(?:, {SPAN})*(?= |$)', cell)
    for span in spans[0].split(', ') if spans else []:
        first, _, last = span.partition(' to ')
        inside = last and first in known and last in known
        yield from known[known.index(first):known.index(last) + 1] if inside else span.split(' to ')


def sections(text):
    for paper, given in SECTIONS.items():
        known, rows = list(numbers(given)), rows_of(text, paper)
        if not rows:
            yield f'lacks the table of paper {paper}'
            continue
        found = [number for row in rows for number in listed(row[0], known)]
        yield from (f'{paper}: a row begins with no section: {row[0]}' for row in rows if not list(listed(row[0], known)))
        yield from (f'{paper}: says nothing of {row[0]}' for row in rows if len(row) < 2 or not row[1])
        yield from (f'{paper}: lacks section {number}' for number in known if number not in found)
        yield from (f'{paper}: the paper has no section {number}' for number in found if number not in known)
        yield from (f'{paper}: has section {number} twice' for number in known if found.count(number) > 1)
        if set(found) == set(known) and found != known:
            yield f'{paper}: sections stand in another order than in the paper'


class Code:
    """Options, words of strings, functions and other words of the code, without comments"""
    def __init__(self, code, code_of, string):
        self.options, self.strings, self.calls, self.words = set(), set(), set(), set()
        for path, text in code.items():
            if path.startswith(('tests/docs/', 'scripts/docs')):
                continue
            plain = re.sub(r'(?m)(^|\s)#.*', '', text) if path.endswith(('.py', '.sh')) else code_of(text, strings=True)
            strings = [plain] if path.endswith(('.py', '.sh')) else string.findall(plain)
            # An option of a program is a string of its own; programs that give options have them among others
            read = path.startswith(('src/', 'lab/', 'examples/', 'bench/')) and not path.endswith(('.py', '.sh'))
            self.options |= {word for s in strings for word in re.findall(r'(?<![\w-])-[A-Za-z]\w*', s) if not read or word == s}
            self.strings |= {word for s in strings for word in re.findall(r'[A-Za-z]\w*(?:-\w+)*', s)}
            self.calls |= set(re.findall(r'\b(\w+)\s*\(', plain))
            self.words |= set(re.findall(r'\w+', plain))


def word_fault(root, code, word, folders):
    """Of a word in backticks, which may be of a command"""
    if word in OTHERS:
        return None
    if '/' in word:
        there = word.split('/')[0] not in folders or list(root.glob(word.rstrip('/'))) or list(root.glob(word + '.c*'))
        return None if there else f'names {word}, which does not exist'
    if word.startswith('-'):
        return None if word in code.options else f'names option {word}, which no code has'
    if word.endswith('()'):
        return None if word[:-2] in code.calls else f'names function {word}, which no code has'
    among = code.strings if word.islower() else code.words
    return None if word in among else f'names {word}, which no code has'


def names(root, text, code, folders):
    plain = re.sub(r'^(```.*?^```|    .*?$)', '', text, flags=re.S | re.M)
    words = {word for span in re.findall(r'`([^`]+)`', plain) if re.fullmatch(r'[\w\s./*:,()=-]+', span)
             for word in re.split(r'[\s,]+', span.replace('=', ' ')) if not ('/' in word and ':' in word)}
    named = (word for word in sorted(words) if re.fullmatch(r'-?[A-Za-z][\w./*-]*(\(\))?', word) and len(word) > 1)
    yield from filter(None, (word_fault(root, code, word, folders) for word in named))
