"""No C++ exception reaches PETSc or a program: what they call goes through HeptaNoThrow (src/shared/nothrow.h)."""
import re

import docs_code

# Where functions are handed to PETSc: assignments to its tables, and calls that register or attach a function
HANDED = re.compile(r'(?:ops->|ops\[0\]\.\*?|product->)\w+\s*=(?![=])([^;]*);|\b\w*(?:ComposeFunction|ContainerCompose|CtxDestroy|Register|HeptaMethod|SetOperation|ShellSet\w+)\(([^;{]*)\);')
GUARDED = re.compile(r'HeptaNoThrow<(?:[^<>]|<[^<>]*>)*>')
# A name in PETSc's form Operation_TYPE stands in a list or an expression without being called
VALUE = re.compile(r'(?<=[{,?:=])\s*&?((?:Mat|PC|KSP|Vec)\w*_[A-Z]\w*)\s*(?=[},;:)])')
FUNCTION = re.compile(r'PetscErrorCode\s+(\w+)\(')
SAFE = re.compile(r'HeptaNoThrow<|PetscTryMethod|PetscUseMethod')


def unguarded(code, names):
    """(position, function) of those in a file's code that PETSc would call as they are"""
    bare = GUARDED.sub(lambda m: 'nullptr'.ljust(len(m.group(0))), code)
    for match in HANDED.finditer(bare):
        for word in re.finditer(r'(?<![\w.>])\w+(?!\w)(?!\s*\()', match.group(0)):
            if word.group(0) in names:
                yield match.start() + word.start(), word.group(0)
    for match in VALUE.finditer(bare):
        if match.group(1) in names:
            yield match.start(1), match.group(1)


def public_functions(root):
    return set(re.findall(r'PETSC_EXTERN PetscErrorCode (\w+)\(', docs_code.strip_code((root / 'include/hepta.h').read_text())))


def check(root):
    code = {path: docs_code.strip_code(path.read_text()) for path in sorted((root / 'src').rglob('*')) if path.suffix in ('.cxx', '.h')}
    names, public, faults = {name for text in code.values() for name in FUNCTION.findall(text)}, public_functions(root), set()
    for path, text in code.items():
        for at, name in unguarded(text, names):
            faults.add(f'{path.relative_to(root)}:{text.count(chr(10), 0, at) + 1}: PETSc gets {name} without HeptaNoThrow')
        for name, line, _, body in docs_code.functions(path.read_text()):
            if name in public and not SAFE.search(body):
                faults.add(f'{path.relative_to(root)}:{line}: public function {name} may throw: call what it does through HeptaNoThrow')
    return sorted(faults)
