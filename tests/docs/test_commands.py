#!/usr/bin/env python3
"""Runs what users copy from README.md and docs: blocks `sh` and `python`, options in tables; compiles blocks `c` and `cpp`.

  test_commands.py --build BUILD --mpiexec COMMAND --plugin LIBRARY --cc COMPILER [--flags FLAGS] [PAGE...]

- `sh` is run on a host, with types of GPUs as those of the host. ./app is PETSc's tutorial ex2, ex34 where options begin with
  -dm_, and examples/substructures with -mat_type is. Indented lines directly below a block are parts of its output.
- `c` and `cpp` are compiled.
- `python`: the blocks of a page are one program, run where tests/petsc4py has a petsc4py, else compiled.
- `console` is not run, and has bash's syntax; a comment above says why: <!-- not run: needs a GPU -->
- Commands stand in one of these, not in indented lines.
- <!-- iterations: 74, 6 --> above a block: so many does it print, in this order, and so does the text below say.
- Options in tables of the pages TABLES are run with ./app; the types that they name are in use. So are examples of manual pages.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'scripts'))
import docs  # noqa: E402
TABLES = ('choose.md', 'aij.md')
# A comment, the language, the block, indented lines, and the text up to the next block or heading
BLOCK = re.compile(r'^(?:<!-- ([^\n]*) -->\n)?```(sh|c|cpp|python|console)\n(.*?)^```\n\n?((?:    [^\n]*\n)*)'
                   r'(.*?)(?=^```|^<!-- |^#|\Z)', re.S | re.M)
COMMAND = re.compile(r'^    (?:\$ |(?:\./|build/|scripts/)\w|'
                     r'(?:app|apt-get|cd|cmake|cp|ctest|eval|make|mpiexec|ncu|pip|python3?|tar) ).*', re.M)
NUMBER = re.compile(r'-?\d+(?:\.\d+)?(?:e[-+]?\d+)?')
COUNT = re.compile(r'iterations (\d+)|(?<![\w.-])(\d+) (?:linear )?iterations(?! \d)')
# In the text of a block
ON_A_HOST = [(r'(bdia|brow)cuda\b', r'\1'), (r'aijcusparse', 'aij'), (r' -(dm_)?vec_type cuda', ''),
             (r' -use_gpu_aware_mpi 0', '')]
APP = '''#!/bin/bash
case "$*" in
*-dm_*) exec "%(build)s/tests/tutorials/tutorial_ex34" "$@" ;;
*"-mat_type is "*) exec "%(build)s/examples/substructures" "$@" ;;
*) exec "%(build)s/tests/tutorials/tutorial_ex2" "$@" ;;
esac
'''
GRID = ('J,H,I', '7,8,1')  # of ex2
# What the blocks `c` name without declaring it
C = '''#include <hepta.h>
#include <petscdmda.h>
static int argc; static char **argv; static Mat A, P; static Vec x, b, coordinates; static KSP ksp; static PC pc; static DM da;
static MatNullSpace modes; static PetscInt nx, ny, nz; static PetscCount n;
static PetscInt *rows, *cols; static PetscScalar *values;
'''
# What later blocks `python` of a page take from the reader's program
PYTHON = '''
import numpy
cupy = numpy
A = PETSc.Mat().create()
A.setSizes((4, 4))
A.setType('bdia')
i = j = numpy.arange(4, dtype=PETSc.IntType)
values, array = numpy.ones(4, PETSc.ScalarType), numpy.ones(4, PETSc.ScalarType)
'''


def program(path, text):
    path.write_text(text)
    path.chmod(0o755)


def prepare(folder, args):
    """What commands find in their folder"""
    program(folder / 'app', APP % {'build': args.build})
    (folder / 'bin').mkdir()
    program(folder / 'bin/mpiexec', f'#!/bin/sh\nexec {shutil.which(args.mpiexec)} "$@"\n')
    for name in ('examples', 'bench'):
        (folder / name).symlink_to(ROOT / name)


def bash(block, args, folder):
    """The process of a block of commands, after its end"""
    for old, new in [*ON_A_HOST, (r'/path/to/libhepta\.so', args.plugin), (r'(?<!\S)build/', f'{args.build}/')]:
        block = re.sub(old, new, block)
    environment = os.environ | {'PATH': f'{folder}/bin:{os.environ["PATH"]}'}
    return subprocess.run(['bash', '-euo', 'pipefail', '-c', block], cwd=folder, env=environment, text=True, capture_output=True,
                          timeout=120, stdin=subprocess.DEVNULL)


def failed(done):
    """The end of the output of a process with an error or with unused options"""
    unused = re.search(r'WARNING! There are options you set that were not used.*', done.stdout, re.S)
    return [f'{done.stdout[-2000:]}{done.stderr[-2000:]}'] if done.returncode or unused else []


def near(said, found):
    """Counts of iterations differ with compilers and libraries by rounding"""
    return abs(int(said) - int(found)) <= max(1, 0.05 * abs(int(said)))


def shape(line):
    return NUMBER.sub('#', ' '.join(line.split()))


def same(said, found):
    """Counts that are near, figures with an exponent of about the same size, any others with a point, such as times"""
    if 'e' in said + found:
        return float(said) == float(found) or 0.1 < abs(float(said) / (float(found) or 1e-300)) < 10
    return '.' in said + found or near(said, found)


def alike(said, found):
    """The same line, by the same numbers"""
    return shape(said) == shape(found) and all(map(same, NUMBER.findall(said), NUMBER.findall(found)))


def printed(shown, output):
    """Lines of a document that a command does not print"""
    lines = output.splitlines()
    return [f'is not printed: {line.strip()}' for line in shown.splitlines() if not any(alike(line, found) for found in lines)]


def iterations(note, output, below):
    """What is wrong with the counts of a comment above a block"""
    counts = note.removeprefix('iterations: ').split(', ') if note.startswith('iterations: ') else []
    left = iter([a or b for a, b in COUNT.findall(output)])
    yield from (f'prints no {count} iterations in its place' for count in counts if not any(near(count, found) for found in left))
    yield from (f'the text below does not say {count} iterations' for count in counts if not re.search(rf'\b{count}\b', below))


def commands(note, block, shown, below, args, folder):
    """What is wrong with a block `sh`"""
    done = bash(block, args, folder)
    return failed(done) or [*printed(shown, done.stdout), *iterations(note, done.stdout, below)]


def console(note, block):
    """What is wrong with a block that is not run"""
    done = subprocess.run(['bash', '-n'], input=block, text=True, capture_output=True)
    yield from [] if note.startswith('not run: ') else ['has no comment <!-- not run: why --> above']
    yield from [done.stderr] if done.returncode else []


def whole(text, language, args):
    """What a compiler says of a text"""
    command = [*args.cc.split(), '-fsyntax-only', '-Wall', '-Werror', '-Wno-unused', *args.flags.split(), '-x', language, '-']
    done = subprocess.run(command, input=text, text=True, capture_output=True)
    return [done.stderr] if done.returncode else []


def compiled(blocks, args):
    """What is wrong with the blocks of C: a whole program stands alone, others are functions of one file"""
    programs = [block for block in blocks if 'int main' in block]
    others = [block for block in blocks if block not in programs and '// ' not in block[:3]]
    parts = [re.sub(r'^#include.*', '', block, flags=re.M) for block in others]
    functions = [f'PetscErrorCode f{k}(void)\n{{\n{block}\nreturn PETSC_SUCCESS;\n}}\n' for k, block in enumerate(parts)]
    return [fault for text in [*programs, C + ''.join(functions)] for fault in whole(text, 'c', args)]


def python(found, folder):
    """What is wrong with the blocks of Python of a page, which are (note, block, text below)"""
    text = PYTHON.join(block for _, block, _ in found)
    (folder / 'blocks.py').write_text(text)
    try:
        compile(text, 'blocks.py', 'exec')
    except SyntaxError as error:
        return [f'{text}{error}']
    public = '\n'.join(path.read_text() for path in (ROOT / 'python/hepta').glob('*.py'))
    missing = [name for name in re.findall(r'hepta\.(\w+)\(', text) if f'def {name}(' not in public]
    if missing:
        return [f'no function hepta.{name}' for name in missing]
    done = subprocess.run(['bash', ROOT / 'tests/petsc4py/petsc4py.sh', 'package', 'blocks.py'], cwd=folder, text=True,
                          capture_output=True, env=os.environ | {'HEPTA_ROOT': str(ROOT)})
    if done.returncode == 77:
        print(f'python is compiled only: {done.stdout.strip()}')
        return []
    return failed(done) or [fault for note, _, below in found for fault in iterations(note, done.stdout, below)]


def cells(text):
    """Options in the tables of a page, as a host takes them, each once"""
    rows = '\n'.join(line for line in text.split('\n') if line.startswith('|'))
    found = [span.replace(*GRID) for span in re.findall(r'`(-\w+ [^`]*)`', rows)]
    for old, new in ON_A_HOST:
        found = [re.sub(old, new, ' ' + span).strip() for span in found]
    return list(dict.fromkeys(filter(None, found)))


def cell(command, args, folder):
    """What is wrong with a command of ./app"""
    options = command
    for old, new in ON_A_HOST:
        options = re.sub(old, new, options)
    done = bash(f'{command} -ksp_view -ksp_error_if_not_converged', args, folder)
    types = re.findall(r'-(?:ksp_type|pc_type|mat_type|mat_seqaij_type|dm_mat_type) (\w+)', options)
    unused = [f'type {name} is not in use' for name in types if not re.search(rf'type: (seq)?{name}\b', done.stdout)]
    return [f'{options}: {fault}' for fault in failed(done) or unused]


def manual_faults(args):
    """What is wrong with the examples of the manual pages, and their number"""
    lines = [(page, line) for page in docs.read_pages(ROOT) for line in page.commands()]
    with tempfile.TemporaryDirectory() as name:
        prepare(Path(name), args)
        runs = [(page, cell(line, args, name) if './app' in line else failed(bash(line, args, name))) for page, line in lines]
    return [f'{page.path}:{page.line}: page {page.name}: {fault}' for page, faults in runs for fault in faults], len(lines), []


def page_faults(page, args):
    """What is wrong with a page, its number of blocks, and its C"""
    text, wrong, code, scripts, count = page.read_text(), [], [], [], 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder, args)
        for note, language, block, shown, below in BLOCK.findall(text):
            count += 1
            if note and not note.startswith(('iterations: ', 'not run: ')):
                wrong.append(f'{page}: the comment <!-- {note} --> above a block is neither iterations: nor not run:')
            faults = {'sh': lambda: commands(note, block, shown, below, args, folder), 'c': lambda: code.append(block),
                      'cpp': lambda: whole(block, 'c++', args),
                      'console': lambda: list(console(note, block)),
                      'python': lambda: scripts.append((note, block, below))}[language]()
            wrong += [f'{page}:\n{block}{fault}' for fault in faults or []]
        options = cells(text) if page.name in TABLES else []
        runs = [f'./app -dll_append {args.plugin} {span}' for span in options]
        wrong += [f'{page}: {fault}' for run in runs for fault in cell(run, args, folder)]
        wrong += [f'{page}: {fault}' for fault in (python(scripts, folder) if scripts else [])]
    bare = re.sub(r'^```.*?^```', '', text, flags=re.S | re.M)
    wrong += [f'{page}: a command in indented lines is not tested: {line}' for line in COMMAND.findall(bare)]
    return wrong, count + len(options), code


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ('build', 'mpiexec', 'plugin', 'cc'):
        parser.add_argument(f'--{option}', required=True)
    parser.add_argument('--flags', default='')
    parser.add_argument('pages', nargs='*', type=Path)
    args = parser.parse_args()
    if not Path(args.build, 'tests/tutorials/tutorial_ex34').exists():
        print("Skipped: needs the sources of PETSc's tutorials, which this PETSc does not come with")
        return 77
    pages = args.pages or [ROOT / 'README.md', *sorted((ROOT / 'docs').rglob('*.md'))]
    with ThreadPoolExecutor(2) as both:
        manual = [] if args.pages else [both.submit(manual_faults, args)]
        done = list(both.map(lambda page: page_faults(page, args), pages)) + [pending.result() for pending in manual]
    wrong = [fault for faults, _, _ in done for fault in faults]
    wrong += [f'blocks c: {fault}' for fault in compiled([block for _, _, code in done for block in code], args)]
    count = sum(number for _, number, _ in done)
    print('\n'.join([*wrong, f'{count} blocks and options, {len(wrong)} wrong']))
    return 1 if wrong or not count else 0


if __name__ == '__main__':
    sys.exit(main())
