"""Lengths of files and functions: at most 600 and 40 lines, functions that only fill a table excepted. Layers: what src/mat, src/pc and src/shared may include. Types: one for each name."""
import ast
import re

MAX_FILE = 600
MAX_FUNCTION = 40
FOLDERS = ('src', 'include', 'lab', 'examples', 'tests', 'bench', 'scripts')
SUFFIXES = {'.c', '.h', '.cxx', '.hxx', '.cu', '.cuh', '.py', '.sh'}

# What a scanner of C must not read: comments, raw strings, strings, characters, preprocessor lines
OPAQUE = re.compile(r'/\*.*?\*/|//[^\n]*|R"(?P<tag>\w*)\(.*?\)(?P=tag)"|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Fa-f])\'(?:\\.|[^\'\\\n])+\'|(?m:^[ \t]*#(?:\\\n|[^\n])*)', re.S)
TABLE_LINE = re.compile(r'(->|\.)\w+\s*=[^=]|\]\s*=[^=]|ComposeFunction|Register|SetOperation')
BRANCH = re.compile(r'\b(if|for|while|do|switch)\b')


def blank(match):
    text = match.group(0)
    return ('""' if text[0] in '"R' else "''" if text[0] == "'" else ' ') + '\n' * text.count('\n')


def strip_code(text):
    """The code with comments, literals and preprocessor lines blanked, line numbers kept"""
    return OPAQUE.sub(blank, text)


def opens_function(header):
    """Whether the text before a brace, outside functions, heads a function body; None for a scope whose inside counts"""
    flat = re.sub(r'operator\s*=+', 'operator', header)
    while re.search(r'\([^()]*\)', flat):
        flat = re.sub(r'\([^()]*\)', '', flat)
    if re.search(r'\b(namespace|extern)\b', flat) and '(' not in header:
        return None
    if '=' in re.sub(r'[=!<>]=', '', flat):
        return False
    if '(' in header:
        return True
    return None if re.search(r'\b(struct|class|union|enum)\b', flat) else False


def is_table(text):
    """A function without branches, three quarters of whose statements fill a slot"""
    statements = [s for s in text.split(';') if s.strip(' \n{}')]
    return not BRANCH.search(text) and 4 * sum(bool(TABLE_LINE.search(s)) for s in statements) >= 3 * len(statements)


def matching_brace(code, start):
    depth = 0
    for k in range(start, len(code)):
        depth += {'{': 1, '}': -1}.get(code[k], 0)
        if depth == 0:
            return k
    return len(code) - 1


def functions(text):
    """(name, first line, lines, body) of each function of a C or C++ file"""
    code, found = strip_code(text), []
    start = k = 0
    while k < len(code):
        if code[k] in ';}' or code.startswith('\n\n', k) or re.match(r'\n[ \t]+\n', code[k:k + 80]):
            start = k + 1
        elif code[k] == '{':
            header = code[start:k]
            kind = opens_function(header.strip())
            if kind is not None:
                end = matching_brace(code, k)
                if kind:
                    name = re.search(r'([\w:~]+)\s*\(', header)
                    first = start + len(header) - len(header.lstrip())
                    found.append((name.group(1) if name else '?', code.count('\n', 0, first) + 1, code.count('\n', first, end) + 1, code[k:end + 1]))
                k = end
            start = k + 1
        k += 1
    return found


def python_functions(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            yield node.name, node.lineno, node.end_lineno - node.lineno + 1, ''


# A folder of src, and those that it must not know: the layers above it; for what blocked matrices share, the formats; for a format, the other one;
# for Krylov methods the preconditioners, but for methods that are made for one
FORMATS = ('mat/bdia', 'mat/brow', 'mat/aijbdia', 'mat/aijbrow')
LAYERS = {'shared': ('mat', 'pc', 'ksp'), 'mat': ('pc', 'ksp'), 'pc': ('ksp',), 'mat/blocked': FORMATS, 'mat/aijblocked': FORMATS, 'mat/bdia': ('mat/brow',), 'mat/brow': ('mat/bdia',),
          'mat/aijbdia': ('mat/brow',), 'mat/aijbrow': ('mat/bdia',), 'ksp': tuple('pc/' + pc for pc in ('aggmg', 'bbs', 'blockic', 'gridmg', 'ip', 'subdeflation'))}
MADE_FOR_ONE = re.compile(r'ksp/(dpcg/|fusedcg/grid_)')
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.M)


def layers(root):
    """Includes of a file that its folder must not know"""
    src = (root / 'src').resolve()
    for layer, above in LAYERS.items():
        for path in sorted((src / layer).rglob('*')):
            for name in INCLUDE.findall(path.read_text()) if path.is_file() else ():
                target = (path.parent / name).resolve()
                if not MADE_FOR_ONE.match(str(path.relative_to(src))) and any(target.is_relative_to(src / folder) for folder in above):
                    yield f'src/{path.relative_to(src)}: includes {target.relative_to(src)}, which src/{layer} must not know'


NAMED = re.compile(r'^(?:namespace\s*([\w:]*)|(\}) // namespace|(?:template\s*<.*>\s*)?(?:struct|class)\s+(\w+)\b(?!\s*<)[^;{]*\{)', re.M)


def types(path):
    """The types of a file that others could have too, with their namespaces: not those of an unnamed one"""
    scopes = []
    for space, end, name in NAMED.findall(path.read_text()):
        if name and '' not in scopes:
            yield '::'.join(scopes + [name])
        elif end:
            scopes.pop()
        elif not name:
            scopes.append(space)


def homonyms(root):
    """Types of two files with one name: the linker would keep the functions of one for both"""
    seen = {}
    for path in sorted((root / 'src').rglob('*')):
        for name in types(path) if path.suffix in SUFFIXES else ():
            if seen.setdefault(name, path) != path:
                yield f'{path.relative_to(root)}: the type {name} is another one in {seen[name].relative_to(root)}'


def check(root):
    faults = [*layers(root), *homonyms(root)]
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob('*')):
            if path.suffix not in SUFFIXES or not path.is_file():
                continue
            text, name = path.read_text(), path.relative_to(root)
            if len(text.splitlines()) > MAX_FILE:
                faults.append(f'{name}: {len(text.splitlines())} lines, at most {MAX_FILE}')
            if path.suffix == '.sh':
                continue
            for function, line, length, inside in (python_functions if path.suffix == '.py' else functions)(text):
                if length > MAX_FUNCTION and not (inside and is_table(inside)):
                    faults.append(f'{name}:{line}: function {function} has {length} lines, at most {MAX_FUNCTION}')
    return faults
