"""The checks of scripts/docs.py --check: manual pages against code, documents against the tree."""
import re

import docs_code
import docs_entries
from docs import code_files, read_pages

# Options of PETSc's own that pages may show
PETSC_KEYS = {'-mat_type', '-mat_seqaij_type', '-dm_mat_type', '-mat_view', '-log_view', '-ksp_type', '-pc_factor_mat_solver_type', '-pc_factor_mat_ordering_type'}
STRING = re.compile(r'"((?:\\.|[^"\\\n])*)"')
COMMENTS = re.compile(r'/\*.*?\*/|//[^\n]*', re.S)
TOP = ('src', 'include', 'lab', 'examples', 'tests', 'bench', 'docs', 'scripts', 'cmake', '.ci')
KEY = re.compile(r'(?<![\w-])-[a-z]\w*')


def code_without_comments(path):
    """Comments blanked, strings kept (a // inside a string is one of ours only in addresses)"""
    return re.sub(r'"(?:\\.|[^"\\\n])*"|/\*.*?\*/|//[^\n]*', lambda m: m.group(0) if m.group(0)[0] == '"' else ' ' + '\n' * m.group(0).count('\n'), path.read_text(), flags=re.S)


def option_keys(path):
    """Keys read by a PetscOptions call, or in a line of a table of options: the first string, when that begins with a dash"""
    for match in re.finditer(r'\bPetscOptions[A-Z]\w*\s*\([^;]*|^\s*\{"-.*', code_without_comments(path), flags=re.M):
        string = STRING.search(match.group(0))
        if string and re.fullmatch(r'-[A-Za-z]\w*', string.group(1)):
            yield string.group(1)


def stem(key):
    """-mat_bdia_ of -mat_bdia_grid: what marks a key as ours"""
    return '_'.join(key.split('_')[:2]) + '_'


def known(key, in_code, stems):
    """None of ours, or read by the code, or the key of an object inside behind the outer one's prefix: -pc_subdeflation_pc_type"""
    inner = '-' + key[len(stem(key)):]
    return stem(key) not in stems or key in in_code or (inner.startswith(('-pc_', '-ksp_', '-mat_')) and known(inner, in_code, stems))


def check_keys(root, pages):
    in_code = {key: path.relative_to(root) for path in code_files(root, ('src',)) for key in option_keys(path)}
    in_pages = {term.split()[0]: page for page in pages for term, _ in page.items('Options Database Key')}
    faults = [f'{path}: option {key} is on no manual page' for key, path in in_code.items() if key not in in_pages]
    faults += [f'{p.path}:{p.line}: page {p.name} has option {key}, which no code reads' for key, p in in_pages.items() if key not in in_code and key not in PETSC_KEYS]
    stems = {stem(key) for key in in_code if key.count('_') > 1}
    texts = [(path, ' '.join(STRING.findall(code_without_comments(path)))) for path in code_files(root, ('src',))]
    texts += [(path, path.read_text()) for path in documents(root)]
    for path, text in texts:
        for key in sorted(set(KEY.findall(text))):
            if not known(key, in_code, stems) and not key.endswith('_'):
                faults.append(f'{path.relative_to(root)}: names option {key}, which no code reads')
    return faults


def structs(code):
    """{name: names of its fields} of each struct that a header defines by typedef"""
    found = re.findall(r'^typedef struct \{(.*?)^}\s*(\w+)\s*;', code, re.M | re.S)
    return {name: re.findall(r'(\w+)(?:\[\w*\])*\s*[,;]', inside) for inside, name in found}


def check_struct_page(page, fields):
    documented = [term for term, _ in page.items('Field')]
    yield from (f'lacks field {name}' for name in fields if name not in documented)
    yield from (f'has field {name}, which the structure lacks' for name in documented if name not in fields)


def check_public_names(root, pages):
    """Every function, type name, enum and structure of the public header has its page"""
    header = root / 'include/hepta.h'
    code = COMMENTS.sub(' ', header.read_text())
    public = {name: 'function' for name in re.findall(r'^PETSC_EXTERN\s+\w+\s+(\w+)\s*\(', code, re.M)}
    public |= {name: 'type' for name in re.findall(r'^#define\s+((?:MAT|KSP|PC)\w+)\s+"', code, re.M)}
    public |= {name: 'struct' if name in structs(code) else 'enum' for name in re.findall(r'^}\s*(\w+)\s*;', code, re.M)}
    have = {(page.name, page.kind) for page in pages}
    faults = [f'include/hepta.h: {kind} {name} has no manual page' for name, kind in public.items() if (name, kind) not in have]
    for page in pages:
        if page.name not in public:
            faults.append(f'{page.path}:{page.line}: page {page.name} is of no name in include/hepta.h')
        texts = ' '.join([page.brief] + sum(page.sections.values(), []))
        for name in sorted(set(page.names_in(texts))):
            if re.match(r'Hepta[A-Z]', name) and name not in public and name not in code:
                faults.append(f'{page.path}:{page.line}: page {page.name} names {name}, which is not public')
    return faults


def check_function_page(page):
    if not page.collective:
        yield 'says not whether it is collective'
    if f'{page.name}(' not in page.prototype:
        yield 'is not followed by the definition of its function'
    documented = [term.split()[0] for kind in ('Input Parameter', 'Output Parameter', 'Input/Output Parameter') for term, _ in page.items(kind)]
    for name in page.parameters:
        if name not in documented:
            yield f'lacks parameter {name}'
    for name in documented:
        if name not in page.parameters:
            yield f'has parameter {name}, which the function lacks'


def check_type_page(page):
    if not page.items('Options Database Key'):
        yield 'lacks section Options Database Keys'
    references = ' '.join(page.section('References'))
    if not re.search(r'\b(section|algorithm|equation|chapter)s? \d|See `\w+`', references):
        yield 'lacks References: a paper with its section, or See `TYPE`'


def check_pages(root, pages):
    fields = structs(COMMENTS.sub(' ', (root / 'include/hepta.h').read_text()))
    special = {'function': check_function_page, 'type': check_type_page, 'enum': lambda page: [] if page.items('Values') else ['lacks section Values'],
               'struct': lambda page: check_struct_page(page, fields.get(page.name, []))}
    faults = []
    for page in pages:
        wrong = list(special[page.kind](page))
        wrong += [] if page.brief else ['lacks its sentence: NAME - what it is']
        wrong += [] if re.fullmatch(r'beginner|intermediate|advanced|developer', ' '.join(page.section('Level')).strip()) else ['lacks Level']
        wrong += [] if page.names_in(' '.join(page.section('.seealso'))) else ['lacks .seealso']
        faults += [f'{page.path}:{page.line}: page {page.name} {what}' for what in wrong]
    return faults


def documents(root):
    return [path for path in sorted(root.glob('*.md')) + sorted((root / 'docs').rglob('*.md'))]


def check_path(root, token):
    """A path in backticks, perhaps with a *, perhaps followed by :function"""
    path, _, name = token.partition(':')
    found = sorted(root.glob(path.rstrip('/')))
    if not found:
        return f'names {path}, which does not exist'
    if name and not any(re.search(rf'\b{re.escape(name.strip("()"))}\b', file.read_text()) for file in found if file.is_file()):
        return f'names {name}, which is not in {path}'
    return None


def check_excerpts(root, text):
    """Code quoted under a first line `// path: function` still stands in that file; ... marks what was left out"""
    for block in re.findall(r'^```\w*\n// (\S+?):[^\n]*\n(.*?)^```', text, re.S | re.M):
        path, lines = root / block[0], block[1]
        code = {line.strip() for line in path.read_text().splitlines()} if path.is_file() else set()
        for line in lines.splitlines():
            if line.strip() not in code | {'', '...'}:
                yield f'quotes "{line.strip()}", which is not in {block[0]}'


def check_documents(root):
    faults = []
    targets = (root / 'GNUmakefile').read_text() if (root / 'GNUmakefile').is_file() else None
    for path in documents(root):
        text = path.read_text()
        plain = re.sub(r'^```.*?^```', '', text, flags=re.S | re.M)
        wrong = [f'links to {link}, which does not exist' for link in re.findall(r'\]\(([^)#:\s]+)(?:#[^)]*)?\)', plain) if not (path.parent / link).exists()]
        tokens = re.findall(r'`([\w.*/-]+(?::\w+(?:\(\))?)?)`', plain)
        wrong += filter(None, (check_path(root, token) for token in tokens if token.split('/')[0] in TOP and '/' in token))
        wrong += [f'names make {target}, which GNUmakefile lacks' for target in re.findall(r'\bmake ([a-z]+)\b(?=[`\s]*$|`|  )', text, re.M) if targets is not None and not re.search(rf'\b{target}\b[^=\n]*:', targets)]
        wrong += check_excerpts(root, text)
        faults += [f'{path.relative_to(root)}: {what}' for what in wrong]
    return faults


def check(root):
    pages = read_pages(root)
    return check_keys(root, pages) + check_public_names(root, pages) + check_pages(root, pages) + check_documents(root) + docs_code.check(root) + docs_entries.check(root)
