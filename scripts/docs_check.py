"""The rules that keep documents and code together. `docs.py --check` prints what breaks one.

pages()      each name of include/hepta.h has a manual page, each page a name there; a page has its sentence, Level and .seealso,
             a type when to take it, its options, example, limits and paper, an enum its values, a structure its fields, a
             function its collectivity, parameters and definition; a page names no Hepta function that is not public
options()    an option that code reads is on a page; options on pages, in messages and in documents are read by code
documents()  links, paths in backticks, functions behind a path, targets of make and quoted code exist; a table has a head
commands()   programs in commands of documents exist, and read the options that follow (docs_commands.py)
papers()     docs/papers.md has every section of the papers once, and names what is there (docs_papers.py)
lengths()    files have at most 600 lines, functions 40, those without branches that fill a table excepted
widths()     lines of C, C++ and CUDA have at most 130 columns: clang-format leaves strings and comments as they are
layers()     a folder of src includes nothing of LAYERS
homonyms()   no two files of src have types of one name: the linker would keep one function for both
layouts()    block sizes of layouts are read by HeptaBlockSize(): PETSc 3.22 has -1 for those that nobody has set
entries()    PETSc gets functions through HeptaNoThrow, public functions call through it: no C++ exception reaches PETSc

clang-tidy and include-what-you-use say parts of lengths() and layers(), in a second for each of 700 files.
"""
import ast
import re

import docs_commands
import docs_papers

CODE = ('.c', '.h', '.cxx', '.hxx', '.cu', '.cuh')
FOLDERS = ('src', 'include', 'lab', 'examples', 'tests', 'bench', 'scripts', 'python')
TOP = FOLDERS + ('docs', 'cmake', '.ci')
# Options of PETSc's own that pages may show
PETSC_KEYS = set('-mat_type -mat_seqaij_type -dm_mat_type -mat_view -log_view -ksp_type -ksp_monitor -ksp_monitor_true_residual '
                 '-pc_factor_mat_solver_type -pc_factor_mat_ordering_type'.split())
# Folders of src, and what each must not include: layers above; for what matrices share, the formats; for a format, the other;
# for Krylov methods, preconditioners, but for methods made for one
FORMATS = ('mat/bdia', 'mat/brow', 'mat/aijbdia', 'mat/aijbrow')
LAYERS = {'shared': ('mat', 'pc', 'ksp'), 'mat': ('pc', 'ksp'), 'pc': ('ksp',), 'mat/blocked': FORMATS, 'mat/aijblocked': FORMATS,
          'mat/bdia': ('mat/brow',), 'mat/brow': ('mat/bdia',), 'mat/aijbdia': ('mat/brow',), 'mat/aijbrow': ('mat/bdia',),
          'ksp': tuple('pc/' + pc for pc in ('aggmg', 'bbs', 'blockic', 'gridmg', 'ip', 'subdeflation'))}
MADE_FOR_ONE = re.compile(r'ksp/(dpcg/|fusedcg/grid_)')
STRING = re.compile(r'"((?:\\.|[^"\\\n])*)"')
OPAQUE = re.compile(r'/\*.*?\*/|//[^\n]*|R"(?P<tag>\w*)\(.*?\)(?P=tag)"|"(?:\\.|[^"\\\n])*"|'
                    r'(?<![0-9A-Fa-f])\'(?:\\.|[^\'\\\n])+\'|(?m:^[ \t]*#(?:\\\n|[^\n])*)', re.S)


def code_of(text, strings=False):
    """Comments, literals and preprocessor lines blanked, line numbers kept; with their strings"""
    def blank(match):
        found = match.group(0)
        return found if strings and found[0] in '"#' else ('""' if found[0] in '"R' else ' ') + '\n' * found.count('\n')
    return OPAQUE.sub(blank, text)


class Tree:
    """{path: text} of the code and of the documents of a repository"""
    def __init__(self, root):
        self.root = root
        paths = [path for folder in FOLDERS for path in sorted((root / folder).rglob('*')) if path.is_file()]
        self.code = {str(path.relative_to(root)): path.read_text() for path in paths if path.suffix in (*CODE, '.py', '.sh')}
        written = [path for folder, pattern in (('.', '*.md'), ('docs', '**/*.md'), ('bench/results', '*.md'))
                   for path in sorted((root / folder).glob(pattern))]
        self.documents = {str(path.relative_to(root)): path.read_text() for path in written}
        self.src = {path: text for path, text in self.code.items() if path.startswith('src/') and path.endswith(CODE)}
        self.header = code_of(self.code['include/hepta.h'], strings=True)


def structs(header):
    """{name: fields} of the structures that a header defines by typedef"""
    return {name: re.findall(r'(\w+)(?:\[\w*\])*\s*[,;]', inside)
            for inside, name in re.findall(r'^typedef struct \{(.*?)^}\s*(\w+)\s*;', header, re.M | re.S)}


def differ(what, documented, there, owner):
    yield from (f'lacks {what} {name}' for name in there if name not in documented)
    yield from (f'has {what} {name}, which the {owner} lacks' for name in documented if name not in there)


def variants(manual):
    """Types whose name in options is seq or mpi before that of another page"""
    names = {page.prototype.strip('"') for page in manual if page.kind == 'type'}
    return {page.name for page in manual if re.match('"(seq|mpi)', page.prototype) and page.prototype.strip('"')[3:] in names}


def page_faults(page, fields, variant):
    """variant: is the page of a type with the example of another page?"""
    if page.kind == 'function':
        yield from [] if page.collective else ['says not whether it is collective']
        yield from [] if f'{page.name}(' in page.prototype else ['is not followed by the definition of its function']
        terms = [term.split()[0] for kind in ('Input', 'Output', 'Input/Output') for term, _ in page.items(kind + ' Parameter')]
        yield from differ('parameter', terms, page.parameters, 'function')
    elif page.kind == 'type':
        yield from [] if page.items('Options Database Key') else ['lacks section Options Database Keys']
        yield from (f'lacks {name}: a sentence' for name in ('When to take it', 'Limits')
                    if not variant and '.' not in ' '.join(page.section(name.rstrip('s'))))
        yield from [] if variant or page.commands() else ['lacks Example: the options of a run between .vb and .ve']
        paper = re.search(r'\b(section|algorithm|equation|chapter)s? \d|See `\w+`', ' '.join(page.section('References')))
        yield from [] if paper else ['lacks References: a paper with its section, or See `TYPE`']
    elif page.kind == 'struct':
        yield from differ('field', [term for term, _ in page.items('Field')], fields, 'structure')
    elif not page.items('Values'):
        yield 'lacks section Values'
    yield from [] if page.brief else ['lacks its sentence: NAME - what it is']
    level = ' '.join(page.section('Level')).strip()
    yield from [] if level in ('beginner', 'intermediate', 'advanced', 'developer') else ['lacks Level']
    yield from [] if page.names_in(' '.join(page.section('.seealso'))) else ['lacks .seealso']


def pages(tree, manual):
    fields = structs(tree.header)
    public = {name: 'function' for name in re.findall(r'^PETSC_EXTERN\s+\w+\s+(\w+)\s*\(', tree.header, re.M)}
    public |= {name: 'type' for name in re.findall(r'^#define\s+((?:MAT|KSP|PC)\w+)\s+"', tree.header, re.M)}
    public |= {name: 'struct' if name in fields else 'enum' for name in re.findall(r'^}\s*(\w+)\s*;', tree.header, re.M)}
    have = {(page.name, page.kind) for page in manual}
    yield from (f'include/hepta.h: {kind} {name} has no manual page' for name, kind in public.items() if (name, kind) not in have)
    for page in manual:
        wrong = list(page_faults(page, fields.get(page.name, []), page.name in variants(manual)))
        wrong += [] if page.name in public else ['is of no name in include/hepta.h']
        wrong += [f'names {name}, which is not public' for name in sorted(set(page.names_in(page.text())))
                  if re.match(r'Hepta[A-Z]', name) and name not in tree.header]
        yield from (f'{page.path}:{page.line}: page {page.name} {what}' for what in wrong)


def stem(key):
    """-mat_bdia_ of -mat_bdia_grid: what marks an option as Hepta's"""
    return '_'.join(key.split('_')[:2]) + '_'


def known(key, read, stems):
    """Not Hepta's, or read by code, or that of an object inside behind the prefix of the outer one: -pc_subdeflation_pc_type"""
    inner = '-' + key[len(stem(key)):]
    if stem(key) not in stems or key in read or key in PETSC_KEYS:
        return True
    return inner.startswith(('-pc_', '-ksp_', '-mat_')) and known(inner, read, stems)


def options(tree, manual):
    read, texts = {}, dict(tree.documents)
    for path, text in tree.src.items():
        code = code_of(text, strings=True)
        texts[path] = ' '.join(STRING.findall(code))
        for call in re.findall(r'\b(?:PetscOptions[A-Z]|KSPMonitorSetFromOptions)\w*\s*\([^;]*|^\s*\{"-.*', code, re.M):
            key = re.match(r'[^"]*"(-[A-Za-z]\w*)"', call)
            read |= {key[1]: path} if key else {}
    texts |= {f'{page.path}: example of {page.name}': ' '.join(page.commands()) for page in manual}
    shown = {term.split()[0]: page for page in manual for term, _ in page.items('Options Database Key')}
    yield from (f'{path}: option {key} is on no manual page' for key, path in read.items() if key not in shown)
    yield from (f'{page.path}:{page.line}: page {page.name} has option {key}, which no code reads'
                for key, page in shown.items() if key not in read and key not in PETSC_KEYS)
    stems = {stem(key) for key in read if key.count('_') > 1}
    for path, text in texts.items():
        keys = sorted(set(re.findall(r'(?<![\w-])-[a-z]\w*', text)))
        yield from (f'{path}: names option {key}, which no code reads' for key in keys
                    if not key.endswith('_') and not known(key, read, stems))


def defined(file):
    """What a file defines or, outside of functions, declares"""
    text = file.read_text()
    if file.suffix == '.py':
        return {name for name, *_ in python_functions(text)} | set(re.findall(r'^(\w+)\s*=', text, re.M))
    code = code_of(text)
    names = {re.sub(r'<.*', '', name).split('::')[-1] for name, *_ in functions(text)} | set(re.findall(r'#\s*define\s+(\w+)', text))
    names |= set(re.findall(r'\b(?:struct|class|enum|using)\s+(\w+)', code))
    return names | set(re.findall(r'^[A-Za-z][\w \t:<>,*&]*?\b(\w+)\([^;{}]*\);', code, re.M))


def path_fault(root, token):
    """Of a path in backticks, perhaps with a *, perhaps followed by :function"""
    path, _, name = token.partition(':')
    found = sorted(root.glob(path.rstrip('/')))
    if not found:
        return [f'names {path}, which does not exist']
    there = not name or any(name.strip('()') in defined(file) for file in found if file.is_file())
    return [] if there else [f'names {name}, which {path} does not define']


def headless(plain):
    """First lines of tables without a head, such as the rows below a blank line"""
    lines = ['', *plain.split('\n'), '']
    return [line for before, line, after in zip(lines, lines[1:], lines[2:])
            if line.startswith('|') and not before.startswith('|') and not re.fullmatch(r'[|: -]*-[|: -]*', after)]


def document_faults(tree, path, text, targets):
    plain = re.sub(r'^```.*?^```', '', text, flags=re.S | re.M)
    yield from (f'has a row of a table without head: {line[:40]}' for line in headless(plain))
    for link in re.findall(r'\]\(([^)#:\s]+)(?:#[^)]*)?\)', plain):
        yield from [] if ((tree.root / path).parent / link).exists() else [f'links to {link}, which does not exist']
    for token in re.findall(r'`([\w.*/-]+(?::\w+(?:\(\))?)?)`', plain):
        yield from path_fault(tree.root, token) if '/' in token and token.split('/')[0] in TOP else []
    for target in re.findall(r'\bmake ([a-z]+)\b(?=[`\s]*$|`|  )', text, re.M):
        yield from [] if re.search(rf'\b{target}\b[^=\n]*:', targets) else [f'names make {target}, which GNUmakefile lacks']
    # Code under a first line `// path: function` or `# path`; ... marks what was left out
    for quoted, lines in re.findall(r'^```\w*\n(?://|#) ([\w.-]+/\S+?)(?::[^\n]*)?\n(.*?)^```', text, re.S | re.M):
        file = tree.root / quoted
        code = {line.strip() for line in (file.read_text() if file.is_file() else '').splitlines()} | {'', '...'}
        missing = [line.strip() for line in lines.splitlines() if line.strip() not in code]
        yield from (f'quotes "{line}", which is not in {quoted}' for line in missing)


def documents(tree):
    targets = (tree.root / 'GNUmakefile').read_text()
    for path, text in tree.documents.items():
        yield from (f'{path}: {what}' for what in document_faults(tree, path, text, targets))


def papers(tree):
    text = tree.documents.get('docs/papers.md', '')
    code = docs_papers.Code(tree.code, code_of, STRING)
    for what in (*docs_papers.sections(text), *docs_papers.names(tree.root, text, code, TOP)):
        yield f'docs/papers.md: {what}'


def functions(text):
    """(name, first line, lines, body) of the functions of C++, whose braces stand alone on their lines by clang-format"""
    lines = re.sub(r'__launch_bounds__\([^()\n]*\)', '', code_of(text)).split('\n')
    for k, line in enumerate(lines):
        first = k
        while line.strip() == '{' and first and lines[first - 1].strip() and lines[first - 1].rstrip()[-1] not in ';{}':
            first -= 1
        name = re.search(r'([\w:~]+(?:<[^()]*>)?|operator ?\S+)\s*\(', ' '.join(lines[first:k]))
        if line.strip() == '{' and name and not lines[k - 1].rstrip().endswith((',', '(')):
            end = next((n for n in range(k, len(lines)) if lines[n].startswith(line.replace('{', '}').rstrip())), len(lines) - 1)
            yield name[1], first + 1, end - first + 1, '\n'.join(lines[k:end + 1])


def python_functions(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            yield node.name, node.lineno, node.end_lineno - node.lineno + 1, 'if'


def is_table(body):
    """No branch, and three quarters of the statements fill a slot"""
    statements = [s for s in body.split(';') if s.strip(' \n{}')]
    filled = [s for s in statements if re.search(r'(->|\.)\w+\s*=[^=]|\]\s*=[^=]|ComposeFunction|Register|SetOperation', s)]
    return not re.search(r'\b(if|for|while|do|switch)\b', body) and 4 * len(filled) >= 3 * len(statements)


def lengths(tree):
    for path, text in tree.code.items():
        lines = text.count('\n')
        yield from [f'{path}: {lines} lines, at most 600'] if lines > 600 else []
        found = functions(text) if path.endswith(CODE) else python_functions(text) if path.endswith('.py') else ()
        yield from (f'{path}:{line}: function {name} has {count} lines, at most 40' for name, line, count, body in found
                    if count > 40 and not is_table(body))


def widths(tree):
    for path, text in tree.code.items():
        lines = text.split('\n') if path.endswith(CODE) else ()
        yield from (f'{path}:{number}: {len(line)} columns, at most 130' for number, line in enumerate(lines, 1)
                    if len(line) > 130)


def layers(tree):
    src = (tree.root / 'src').resolve()
    for path, text in tree.src.items():
        name = path[len('src/'):]
        for target in re.findall(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', text, re.M):
            target = ((src / name).parent / target).resolve()
            for layer, above in LAYERS.items():
                known_above = any(target.is_relative_to(src / up) for up in above)
                if name.startswith(layer + '/') and known_above and not MADE_FOR_ONE.match(name):
                    yield f'{path}: includes {target.relative_to(src)}, which src/{layer} must not know'


def homonyms(tree):
    seen = {}
    named = re.compile(r'^(?:namespace\s*([\w:]*)|(\}) // namespace|'
                       r'(?:template\s*<.*>\s*)?(?:struct|class)\s+(\w+)\b(?!\s*<)[^;{]*\{)', re.M)
    for path, text in tree.src.items():
        scopes = []
        for space, end, name in named.findall(text):
            full = '::'.join([*scopes, name])
            if name and '' not in scopes and seen.setdefault(full, path) != path:
                yield f'{path}: the type {full} is another one in {seen[full]}'
            if not name:
                scopes = scopes[:-1] if end else [*scopes, space]


def layouts(tree):
    for path in tree.code:
        library = path.startswith(('src/', 'lab/')) and not path.endswith('/compat.h')
        code = code_of(tree.code[path]) if library else ''
        yield from (f'{path}:{code.count(chr(10), 0, m.start()) + 1}: {m.group(0)} is read by HeptaBlockSize()'
                    for m in re.finditer(r'\bc?r?map->bs\b', code))


# Where PETSc gets functions: assignments to its tables, and calls that register or attach one
HANDED = re.compile(r'(?:ops->|ops\[0\]\.\*?|product->)\w+\s*=(?![=])([^;]*);|'
                    r'\b\w*(?:ComposeFunction|ContainerCompose|CtxDestroy|Register|HeptaMethod|SetOperation|ShellSet\w+)'
                    r'\(([^;{]*)\);')
GUARDED = re.compile(r'HeptaNoThrow<(?:[^<>]|<[^<>]*>)*>')
# An Operation_TYPE in a list or an expression, without being called
VALUE = re.compile(r'(?<=[{,?:=])\s*&?((?:Mat|PC|KSP|Vec)\w*_[A-Z]\w*)\s*(?=[},;:)])')


def entries(tree):
    code = {path: code_of(text) for path, text in tree.src.items() if path.endswith(('.cxx', '.h'))}
    names = {name for text in code.values() for name in re.findall(r'PetscErrorCode\s+(\w+)\(', text)}
    public = set(re.findall(r'PETSC_EXTERN PetscErrorCode (\w+)\(', tree.header))
    for path, text in code.items():
        bare = GUARDED.sub(lambda m: 'nullptr'.ljust(len(m.group(0))), text)
        handed = [(found.start() + word.start(), word.group(0)) for found in HANDED.finditer(bare)
                  for word in re.finditer(r'(?<![\w.>])\w+(?!\w)(?!\s*\()', found.group(0))]
        handed += [(found.start(1), found.group(1)) for found in VALUE.finditer(bare)]
        yield from sorted({f'{path}:{text.count(chr(10), 0, at) + 1}: PETSc gets {name} without HeptaNoThrow'
                           for at, name in handed if name in names})
        yield from (f'{path}:{line}: public function {name} may throw: call what it does through HeptaNoThrow'
                    for name, line, _, body in functions(tree.src[path])
                    if name in public and not re.search(r'HeptaNoThrow<|PetscTryMethod|PetscUseMethod', body))


def check(root, manual):
    tree = Tree(root)
    alone = [rule(tree) for rule in (documents, docs_commands.commands, papers, lengths, widths, layers, homonyms, layouts, entries)]
    return [fault for faults in (pages(tree, manual), options(tree, manual), *alone) for fault in faults]
