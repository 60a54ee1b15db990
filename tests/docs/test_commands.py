#!/usr/bin/env python3
"""Runs the blocks `sh` of README.md and docs as they stand on a host; compiles their blocks `c` and `python`.

  test_commands.py --build BUILD --mpiexec COMMAND --plugin LIBRARY --cc COMPILER [--flags FLAGS] [PAGE...]

./app is PETSc's tutorial ex2, or ex34 where options begin with -dm_; types of GPUs are run as those of the host. Blocks `console` take long, need a GPU or change the machine, and are not run.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r'^```(sh|c|python)\n(.*?)^```', re.S | re.M)
# In the text of a block
ON_A_HOST = [(r'(bdia|brow)cuda\b', r'\1'), (r' -(dm_)?vec_type cuda', ''), (r' -use_gpu_aware_mpi 0', '')]
APP = '''#!/bin/bash
case "$*" in *-dm_*) exec "%(tutorials)s/tutorial_ex34" "$@" ;; *) exec "%(tutorials)s/tutorial_ex2" "$@" ;; esac
'''
# What the blocks `c` name without declaring it
C = '''#include <hepta.h>
#include <petscdmda.h>
static int argc; static char **argv; static Mat A, P; static Vec x, b, coordinates; static KSP ksp; static PC pc; static DM da;
static MatNullSpace modes; static PetscInt nx, ny, nz; static PetscCount n;
static PetscInt *rows, *cols; static PetscScalar *values;
'''


def program(path, text):
    path.write_text(text)
    path.chmod(0o755)


def run(block, args, folder):
    """What is wrong with a block of commands, or nothing"""
    for old, new in [*ON_A_HOST, (r'/path/to/libhepta\.so', args.plugin), (r'(?<!\S)build/', f'{args.build}/')]:
        block = re.sub(old, new, block)
    program(folder / 'app', APP % {'tutorials': f'{args.build}/tests/tutorials'})
    (folder / 'bin').mkdir(exist_ok=True)
    program(folder / 'bin/mpiexec', f'#!/bin/sh\nexec {shutil.which(args.mpiexec)} "$@"\n')
    for name in ('examples', 'bench'):
        (folder / name).is_symlink() or (folder / name).symlink_to(ROOT / name)
    environment = os.environ | {'PATH': f'{folder}/bin:{os.environ["PATH"]}'}
    done = subprocess.run(['bash', '-euo', 'pipefail', '-c', block], cwd=folder, env=environment, text=True, capture_output=True,
                          timeout=120, stdin=subprocess.DEVNULL)
    unused = re.search(r'WARNING! There are options you set that were not used.*', done.stdout, re.S)
    return f'{block}\n{done.stdout[-2000:]}{done.stderr[-2000:]}' if done.returncode or unused else None


def compiled(blocks, args, folder):
    """What is wrong with the blocks of C, or nothing: a whole program stands alone, others are functions of one file"""
    whole = [block for block in blocks if 'int main' in block]
    parts = [re.sub(r'^#include.*', '', block, flags=re.M) for block in blocks if block not in whole and '// ' not in block[:3]]
    functions = [f'PetscErrorCode f{k}(void)\n{{\n{block}\nreturn PETSC_SUCCESS;\n}}\n' for k, block in enumerate(parts)]
    for k, text in enumerate([*whole, C + ''.join(functions)]):
        (folder / f'{k}.c').write_text(text)
        done = subprocess.run([*args.cc.split(), '-fsyntax-only', '-Wall', '-Werror', '-Wno-unused', *args.flags.split(), f'{folder}/{k}.c'],
                              text=True, capture_output=True)
        if done.returncode:
            return done.stderr
    return None


def python(block):
    """What is wrong with a block of Python, or nothing: its syntax, and functions that the package hepta lacks"""
    sources = [ROOT / 'include/hepta.h', *(ROOT / 'python/hepta').glob('*.py')]
    there = '\n'.join(source.read_text() for source in sources)
    try:
        compile(block, 'block', 'exec')
    except SyntaxError as error:
        return f'{block}{error}'
    return '\n'.join(f'no function hepta.{name}' for name in re.findall(r'hepta\.(\w+)\(', block) if f' {name}(' not in there)


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
    count, wrong, code = 0, [], []
    for page in args.pages or [ROOT / 'README.md', *sorted((ROOT / 'docs').rglob('*.md'))]:
        with tempfile.TemporaryDirectory() as folder:
            for language, block in BLOCK.findall(page.read_text()):
                count += 1
                fault = {'sh': lambda: run(block, args, Path(folder)), 'c': lambda: code.append(block),
                         'python': lambda: python(block)}[language]()
                wrong += [f'{page}:\n{fault}'] if fault else []
    with tempfile.TemporaryDirectory() as folder:
        fault = compiled(code, args, Path(folder))
        wrong += [f'blocks c: {fault}'] if fault else []
    print('\n'.join([*wrong, f'{count} blocks, {len(wrong)} wrong']))
    return 1 if wrong or not count else 0


if __name__ == '__main__':
    sys.exit(main())
