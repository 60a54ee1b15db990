#!/usr/bin/env python3
"""scripts/mutants.py reads its table, finds what is wrong in it, and runs nothing that was not asked for."""
import contextlib
import io
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / 'scripts'))
import mutants

GOOD = '# a comment\n\nmutant sign\nfile a.cxx\nold x += 1;\nnew x -= 1;\ntests ^rooms\n'
SOURCE = 'int f(int x)\n{\n  x += 1;\n  return x + x;\n}\n'
FAULTS = [
    ('no such text', 'old x += 1;', 'old x += 2;', 'stands 0 times'),
    ('a text that stands more than once', 'old x += 1;', 'old x', 'stands 4 times'),
    ('no such file', 'file a.cxx', 'file b.cxx', 'stands 0 times'),
    ('no change', 'new x -= 1;', 'new x += 1;', 'changes nothing'),
    ('no tests', 'tests ^rooms\n', '', 'lacks tests'),
    ('neither a test of the host nor of the device', 'tests ^rooms\n', '# device rooms X\n', 'lacks tests'),
    ('a name twice', GOOD, GOOD + GOOD, 'the name comes twice'),
]


def faults(table):
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / 'a.cxx').write_text(SOURCE)
        return list(mutants.faults_of(mutants.read_table(table), Path(folder)))


def runs(*arguments):
    """How many mutants are run, or the exit code of an error or of --help"""
    mutants.run = mutants.device = lambda chosen, build: f'{len(chosen)} mutants'
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            return mutants.main(arguments)
        except SystemExit as end:
            return end.code


def main():
    wrong = [f'the good table: {fault}' for table in (GOOD, GOOD.replace('tests ^rooms', 'device rooms X*'),
                                                                 GOOD.replace('old x += 1;', 'old x+=1; return x'), GOOD + 'device ex_x 2 brow\n') for fault in faults(table)]
    for what, old, new, expected in FAULTS:
        found = faults(GOOD.replace(old, new, 1))
        if not any(expected in fault for fault in found):
            wrong.append(f'{what}: expected "{expected}", found {found}')
    try:
        mutants.read_table(GOOD + 'what is this\n')
        wrong.append('a line of another kind was read')
    except SystemExit:
        pass
    for arguments, expected in [(['run', '^bdia-tile-row$'], '1 mutants'), (['--help'], 0), (['bbs'], 2), (['run', 'no such name'], 2), (['device', 'no such name'], 2)]:
        if runs(*arguments) != expected:
            wrong.append(f'{arguments}: expected {expected}, got {runs(*arguments)}')
    print('\n'.join(wrong) or f'{len(FAULTS) + 1} faults found')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
