#!/usr/bin/env python3
"""
Runs a tutorial of PETSc's, built unchanged and without Hepta, with matrices of Hepta's, and compares what it prints with
the output that PETSc recorded for MATAIJ.

    tutorials.py --examples SRC --petscconf petscconf.h --list [name ...]
    tutorials.py --examples SRC --petscconf petscconf.h --program EXE --mpiexec MPIEXEC --plugin LIBHEPTA name

The tests are those of the tutorial's own TEST block, with its numbers of ranks and arguments. What does not apply is
listed, with the reason, by --list. As PETSc does, the comparison passes over real numbers, some of which were recorded
with other defaults; all else must be the same, iteration counts too. Real numbers must be close between our own types.
What a view says of a matrix beyond its sizes is left out. Tutorials of finite elements run with PC aggmg, beside PCGAMG.
"""
import argparse
import difflib
import glob
import itertools
import os
import re
import resource
import subprocess
import sys
import tempfile
import time

from table import COMPARED, LEFT_OUT, MULTIGRID, SENSITIVE, TUTORIALS


def parse_tests(examples, source):
    """{name: {args, nsize, requires, output_file, filter, ...}} of a tutorial, by PETSc's own parser"""
    config = os.path.join(examples, os.pardir, 'config')
    if not os.path.exists(os.path.join(config, 'testparse.py')):
        print(f'{config}/testparse.py, which reads the tests of the tutorials, is not there')
        sys.exit(77)
    sys.path.insert(0, config)
    sys.dont_write_bytecode = True
    import testparse
    parsed = testparse.parseTestFile(os.path.join(examples, source), 0)
    tests = next(iter(parsed.values()))
    common = tests.get('requires', '')
    found = {}
    for name, test in tests.items():
        if not isinstance(test, dict) or not name.startswith('run'):
            continue
        test = dict(test, requires=f"{common} {test.get('requires', '')}")
        parts = [dict(test, **test[s], args=f"{test.get('args', '')} {test[s].get('args', '')}") for s in test.get('subtests', [])]
        found[name[3:]] = parts or [test]
    return found


def loops(text):
    """'-a {{1 2}} -b' -> '-a 1 -b', '-a 2 -b'"""
    pieces = re.split(r'\{\{(.*?)\}[^}]*\}', text)
    return [''.join(c) for c in itertools.product(*[p.split() if k % 2 else [p] for k, p in enumerate(pieces)])]


def holds(requirement, conf):
    """whether a word of `requires` holds in this PETSc"""
    if requirement.startswith('!'):
        return not holds(requirement[1:], conf)
    if requirement == 'datafilespath':
        return False
    if requirement in ('single', 'double', '__float128', '__fp16'):
        names = {'single': 'SINGLE', 'double': 'DOUBLE', '__float128': '___FLOAT128', '__fp16': '___FP16'}
        return f'PETSC_USE_REAL_{names[requirement]}' in conf
    if requirement == 'complex':
        return 'PETSC_USE_COMPLEX' in conf
    defined = re.fullmatch(r'defined\((\w+)\)', requirement)
    if defined:
        return defined.group(1) in conf
    return f'PETSC_HAVE_{requirement.upper()}' in conf


def why_not(tutorial, name, test, conf):
    """why a test does not apply, or None"""
    missing = [r for r in test['requires'].split() if not holds(r, conf)]
    if missing:
        return 'this PETSc: needs ' + ' '.join(missing)
    own = re.search(r'-(\w*mat_type|mat_seqaij_type)\s+(\S+)', test.get('args', ''))
    if own and own.group(2) != 'aij':
        return f'asks for its own matrix type: {own.group(0)}'
    return LEFT_OUT.get((tutorial, name))


# Of what a Mat says of itself, as far as its indentation goes, the rest (storage, solver type) is its type's own affair
KEEP_OF_MAT = re.compile(r'rows=|has attached')


def filtered(text):
    lines, depth = [], None
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip())
        if depth is not None and indent <= depth:
            depth = None
        if line.lstrip().startswith('Mat Object'):
            depth = indent
        elif depth is not None and not KEEP_OF_MAT.match(line.strip()):
            continue
        lines.append(line)
    return lines


NUMBER = re.compile(r'[-+]?\d+\.?\d*[eE][-+]\d+|[-+]?\d+\.\d*')


def key(line):
    """the line as PETSc's own petscdiff compares it: without white space and real numbers"""
    return ''.join(NUMBER.sub('#', line).split())


def same(expected, actual, numbers):
    """lines equal by their keys; numbers asks for real numbers to be close as well"""
    pairs = [(float(e), float(a)) for e, a in zip(NUMBER.findall(expected), NUMBER.findall(actual))]
    return key(expected) == key(actual) and (not numbers or all(abs(e - a) <= max(0.02 * max(abs(e), abs(a)), 1e-7) for e, a in pairs))


def difference(expected, actual, numbers=False):
    """a diff of the two texts that shows what counts, empty if they are the same"""
    expected, actual = filtered(expected), filtered(actual)
    for i, j, n in difflib.SequenceMatcher(None, [key(e) for e in expected], [key(a) for a in actual], autojunk=False).get_matching_blocks():
        actual[j:j + n] = [e if same(e, a, numbers) else a for e, a in zip(expected[i:i + n], actual[j:j + n])]
    return '\n'.join(difflib.unified_diff(expected, actual, 'expected', 'printed', lineterm='', n=2))


def cpu():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Runner:
    def __init__(self, options):
        self.options = options
        self.folder = tempfile.mkdtemp(prefix='hepta-tutorials-')
        self.plugin = f'-dll_append {options.plugin}' if options.plugin else ''
        self.env = dict(os.environ, OMP_NUM_THREADS='1', OPENBLAS_NUM_THREADS='1')

    def run(self, nsize, args, extra, filter_command=None):
        """what the program prints (through the filter), its errors, its exit code"""
        self.env['PETSC_OPTIONS'] = f'-check_pointer_intensity 0 -error_output_stdout -malloc_dump {self.plugin} {extra}'
        command = f'{self.options.mpiexec} -n {nsize} {self.options.program} -petsc_ci {args}'
        start, used = time.time(), cpu()
        done = subprocess.run(['bash', '-c', command], cwd=self.folder, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
        if self.options.times:
            print(f'{time.time() - start:6.2f} s, {cpu() - used:6.2f} s of CPU: {nsize} ranks {args} {extra}', flush=True)
        redirected = re.search(r'>\s*(\S+\.tmp)', args)
        out = open(os.path.join(self.folder, redirected.group(1))).read() if redirected else done.stdout
        return self.through(filter_command, out), done.stderr, done.returncode, command

    def through(self, filter_command, text):
        if not filter_command:
            return text
        return subprocess.run(['bash', '-c', filter_command], input=text, stdout=subprocess.PIPE, universal_newlines=True).stdout


def recorded(options, source, tutorial, name, test):
    """the texts any of which is right"""
    file = test.get('output_file', f'output/{name}.out')
    if file == 'output/empty.out' or file == '/dev/null':
        return ['']
    path = os.path.join(options.examples, os.path.dirname(source), file)
    return [open(p).read() for p in [path] + sorted(glob.glob(path[:-4] + '_alt*.out'))]


def judge(label, wanted, result, numbers=False):
    """prints a complete account of a failure; True if there is none"""
    out, err, code, command = result
    diffs = [difference(w, out, numbers) for w in wanted]
    if not code and '' in diffs:
        return True
    print(f'FAILED: {label}\n  {command}\n  exit code {code}\n{min(diffs, key=len)}')
    if err.strip() or code:
        print(f'--- standard error\n{err}\n--- standard output\n{out}')
    return False


def run_recorded(options, runner, conf):
    """the tests of the tutorial's TEST block -> [failed?]"""
    source, ways = TUTORIALS[options.name]
    results = []
    if not ways:
        return results
    for name, parts in parse_tests(options.examples, source).items():
        for test in parts:
            if (options.only and not re.search(options.only, name)) or why_not(options.name, name, test, conf):
                continue
            texts = recorded(options, source, options.name, name, test)
            wanted = [runner.through(test.get('filter_output'), w) for w in texts]
            for nsize, args in itertools.product(loops(test.get('nsize', '1')), loops(test.get('args', ''))):
                if not options.ranks[0] <= int(nsize) <= options.ranks[1]:
                    continue
                first = None
                for way in (w for w in ways if (w, name) not in LEFT_OUT):
                    result = runner.run(nsize, args, ways[way], test.get('filter'))
                    ok = judge(f'{name} with {ways[way]}', wanted, result)
                    if ok and first and name not in SENSITIVE:
                        ok = judge(f'{name} with {ways[way]}: numbers unlike those of the way before', [first], result, numbers=True)
                    results.append(ok)
                    first = first or (ok and result[0])
    return results


def run_compared(options, runner):
    """runs whose yardstick is MATAIJ in the same run -> [failed?]"""
    ways = TUTORIALS[options.name][1]
    share = next((d for d in (os.path.join(options.examples, os.pardir, 'share/petsc'), os.path.join(options.examples, os.pardir, os.pardir))
                  if os.path.exists(os.path.join(d, 'datafiles/matrices'))), '.')
    results = []
    for nsize, args in COMPARED.get(options.name, []):
        if not options.ranks[0] <= nsize <= options.ranks[1]:
            continue
        for args in loops(args.replace('$MATRICES', os.path.abspath(os.path.join(share, 'datafiles/matrices')))):
            if options.only and not re.search(options.only, args):
                continue
            wanted = runner.run(nsize, args, '')
            for way in ways:
                ok = judge(f'{args} on {nsize} ranks with {ways[way]}', [wanted[0]], runner.run(nsize, args, ways[way]), numbers=True)
                results.append(ok and wanted[2] == 0)
    return results


def iterations(result):
    """of each linear solve; none unless all have converged and the program ends well"""
    solves = re.findall(r'Linear solve (converged|did not converge).* iterations (\d+)', result[0])
    return [int(n) for _, n in solves] if not result[2] and all(how == 'converged' for how, _ in solves) else []


def run_multigrid(options, runner):
    """PC aggmg beside PCGAMG: no solve takes more than 1.3 times its most iterations -> [failed?]"""
    results = []
    for nsize, args in itertools.product((1, 2), loops(MULTIGRID.get(options.name, ''))):
        if not args or not options.ranks[0] <= nsize <= options.ranks[1] or (options.only and not re.search(options.only, args)):
            continue
        args += ' -ksp_type cg -ksp_rtol 1e-8 -ksp_converged_reason'
        ours, rival = (runner.run(nsize, args, f'-pc_type {pc}') for pc in ('aggmg', 'gamg'))
        counts = iterations(ours), iterations(rival)
        results.append(bool(counts[0] and counts[1]) and max(counts[0]) <= 1.3 * max(counts[1]))
        if not results[-1]:
            print(f'FAILED: {args} on {nsize} ranks\n  {ours[3]}\n  iterations: aggmg {counts[0]}, gamg {counts[1]}\n{ours[1]}\n{ours[0]}')
    return results


def list_tests(options, conf):
    print('| Tutorial | Test | Runs with |\n|---|---|---|')
    for tutorial in options.names or TUTORIALS:
        source, ways = TUTORIALS[tutorial]
        for name, parts in parse_tests(options.examples, source).items() if ways else ():
            why = why_not(tutorial, name, parts[0], conf)
            run = [f'`{o}`' if (w, name) not in LEFT_OUT else f'not `{o}`: {LEFT_OUT[w, name]}' for w, o in ways.items()]
            print(f'| {source} | {name} | {"does not apply: " + why if why else ", ".join(run)} |')
        if tutorial in MULTIGRID:
            print(f'| {source} | beside PCGAMG in the same run, 1 and 2 ranks: `{MULTIGRID[tutorial]}` | `-pc_type aggmg` |')
        for nsize, args in COMPARED.get(tutorial, []):
            print(f'| {source} | against MATAIJ in the same run, {nsize} rank(s): `{args}` | {", ".join(f"`{o}`" for o in ways.values())} |')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--examples', required=True, help="PETSc's src, or share/petsc/examples/src")
    parser.add_argument('--petscconf', required=True)
    parser.add_argument('--program')
    parser.add_argument('--mpiexec', default='mpiexec')
    parser.add_argument('--plugin')
    parser.add_argument('--only', help='tests whose name this regular expression finds')
    parser.add_argument('--ranks', type=int, nargs=2, default=[1, 99], metavar=('LEAST', 'MOST'), help='only runs on LEAST to MOST ranks')
    parser.add_argument('--times', action='store_true', help='print how long each run takes')
    parser.add_argument('--list', action='store_true')
    parser.add_argument('names', nargs='*')
    options = parser.parse_args()
    conf = set(re.findall(r'#define (\w+)', open(options.petscconf).read()))
    if options.list:
        return list_tests(options, conf)
    options.name = options.names[0]
    runner = Runner(options)
    results = run_recorded(options, runner, conf) + run_compared(options, runner) + run_multigrid(options, runner)
    failed = results.count(False)
    print(f'{options.name}: {len(results) - failed} of {len(results)} runs printed what they should')
    return 1 if failed or not results else 0


if __name__ == '__main__':
    sys.exit(main())
