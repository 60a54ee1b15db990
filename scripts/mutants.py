#!/usr/bin/env python3
"""Puts small faults into the sources, one at a time, and sees that a test fails for each: make mutants.

  mutants.py check            each text of scripts/mutants.txt still stands exactly once in its file
  mutants.py run [PATTERN]    in a copy of the tree: applies each fault (whose name matches), builds, runs its tests, restores
  mutants.py device [PATTERN] the same for faults that a test on the device must find, as far as they can be built without one: libraries in one file for `run.sh mutants` of make bundle
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / 'scripts/mutants.txt'
KEYS = ('file', 'old', 'new', 'tests', 'device')
SECONDS = 60  # a test that takes longer has met an endless loop


def read_table(text):
    """Entries of a name and lines `key value`; # begins a comment line"""
    mutants = []
    for number, line in enumerate(text.splitlines(), 1):
        key, _, value = line.strip().partition(' ')
        if not key or key.startswith('#'):
            continue
        if key == 'mutant':
            mutants.append({'name': value, 'line': number})
        elif key in KEYS and mutants and key not in mutants[-1]:
            mutants[-1][key] = value
        else:
            sys.exit(f'{TABLE}:{number}: {line.strip()!r} is none of mutant, {", ".join(KEYS)}, or comes twice')
    return mutants


def places_of(text, old):
    """Where `old` stands in the text, whatever the white space: [(first, end)]"""
    at = [k for k, c in enumerate(text) if not c.isspace()]
    bare, old = ''.join(text.split()), ''.join(old.split())
    found, first = [], bare.find(old)
    while first >= 0:
        found.append((at[first], at[first + len(old) - 1] + 1))
        first = bare.find(old, first + 1)
    return found


def faults_of(mutants, root):
    names = [m['name'] for m in mutants]
    for m in mutants:
        where = f"scripts/mutants.txt:{m['line']}: {m['name']}"
        missing = [key for key in KEYS[:3] if key not in m] + ['tests'] * (not m.keys() & {'tests', 'device'})
        if missing or names.count(m['name']) > 1:
            yield f'{where}: lacks {", ".join(missing)}' if missing else f'{where}: the name comes twice'
            continue
        path = root / m['file']
        count = len(places_of(path.read_text(), m['old'])) if path.is_file() else 0
        if count != 1:
            yield f"{where}: its text stands {count} times in {m['file']}, not once"
        if m['old'] == m['new']:
            yield f'{where}: changes nothing'


def call(command, **keys):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True, **keys)


def copy_tree(tree):
    """What git knows or would know, with the time of change kept for what is the same"""
    names = call(['git', 'ls-files', '-co', '--exclude-standard'], cwd=ROOT, check=True).stdout.splitlines()
    for name in names:
        source, target = ROOT / name, tree / name
        if not source.is_file():
            continue
        data = source.read_bytes()
        if not target.is_file() or target.read_bytes() != data:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        target.chmod(source.stat().st_mode)
    for path in [path for folder in {name.split('/')[0] for name in names} for path in (tree / folder).rglob('*')]:
        if path.is_file() and not (ROOT / path.relative_to(tree)).is_file():
            path.unlink() # CMake would find it


class Copy:
    """A copy of the tree with a build folder of its own, for the host alone or with the kernels of the device"""

    def __init__(self, tree, cuda='OFF'):
        self.tree, self.build = tree, tree / 'build'
        self.environment = {**os.environ, 'HEPTA_BUILD': str(self.build), 'HEPTA_CMAKE_ARGS': os.environ.get('HEPTA_CMAKE_ARGS', '') + f' -DHEPTA_CUDA={cuda}', 'HEPTA_WERROR': 'OFF'}
        self.environment.pop('HEPTA_MATRICES', None)
        self.jobs = os.environ.get('HEPTA_JOBS', '2')
        copy_tree(tree)

    def make_all(self, *targets):
        print('building the copy', flush=True)
        subprocess.run([str(self.tree / 'scripts/build.sh'), *targets], env=self.environment, check=True, stdin=subprocess.DEVNULL)

    def make(self, patterns):
        """The library, and the programs of the tests; returns the names of these"""
        self.make_all('hepta', 'oversubscribe', 'rooms')
        shown = call(['ctest', '--test-dir', str(self.build), '--show-only=json-v1'], check=True).stdout
        tests = [test for test in json.loads(shown[shown.index('{'):])['tests'] if any(re.search(p, test['name']) for p in patterns)]
        words = {word for test in tests for word in test.get('command', [])}
        self.programs = {os.path.relpath(word, self.build) for word in words if word.startswith(f'{self.build}/')}
        built = self.compile('hepta', *self.programs)
        if built.returncode:
            sys.exit(built.stdout)
        return sorted({test['name'] for test in tests})

    def compile(self, *targets):
        return call(['cmake', '--build', str(self.build), '--parallel', self.jobs, '--target', *targets])

    def rebuild(self, rooms, lab=False):
        """With `rooms` also the program of that name, which holds what it tests instead of the library, and with `lab` those of the tests"""
        return self.compile('hepta', *(['rooms'] if rooms else []), *(self.programs if lab else []))

    def test(self, tests):
        """Names of the tests that failed, and all output"""
        command = ['ctest', '--test-dir', str(self.build), '-R', tests, '-j', self.jobs, '--timeout', str(SECONDS), '--stop-on-failure', '--no-tests=error']
        result = call(command, env=self.environment)
        failed = re.findall(r'^\s*\d+ - (\S+) \(', result.stdout, re.M)
        if result.returncode and not failed:
            sys.exit(f'no test matches {tests}:\n{result.stdout}')
        return failed, result.stdout


@contextmanager
def fault(copy, mutant):
    """The fault is in the copy's source meanwhile"""
    path = copy.tree / mutant['file']
    text = path.read_text()
    (first, end), = places_of(text, mutant['old'])
    path.write_text(text[:first] + mutant['new'] + text[end:])
    try:
        yield
    finally:
        path.write_text(text)


def errors_of(built):
    return 'DOES NOT COMPILE:\n' + '\n'.join(line for line in built.stdout.splitlines() if 'error' in line)


def apply(copy, mutant):
    """'killed by ...', 'LIVED' or what else became of it"""
    with fault(copy, mutant):
        built = copy.rebuild('rooms' in mutant['tests'], mutant['file'].startswith('lab/'))
        if built.returncode:
            return errors_of(built)
        failed, _ = copy.test(mutant['tests'])
        return 'killed by ' + failed[0] if failed else 'LIVED'


def run(mutants, build):
    copy = Copy(build / 'mutants')
    names = copy.make({m['tests'] for m in mutants})
    print(f'running their {len(names)} tests on the sources as they are', flush=True)
    failed, output = copy.test('^(' + '|'.join(map(re.escape, names)) + ')$')
    if failed:
        sys.exit(f'{output}\nwithout any fault these tests fail: {" ".join(failed)}')
    lived = []
    for m in mutants:
        start = time.time()
        what = apply(copy, m)
        print(f"{m['name']:32} {what}  ({time.time() - start:.0f} s)", flush=True)
        if not what.startswith('killed'):
            lived.append(m['name'])
    copy.rebuild(True, True)
    print(f'{len(mutants)} mutants, {len(mutants) - len(lived)} killed' + (f'; not killed: {" ".join(lived)}' if lived else ''))
    return 1 if lived else 0


def is_test(copy, test):
    """Whether `rooms FILTER` has cases, or `PROGRAM RANKS [KIND]` is among the tests of the device"""
    program, _, rest = test.partition(' ')
    if program == 'rooms':
        return call([str(copy.build / 'tests/rooms/rooms'), f'--gtest_filter={rest}', '--gtest_list_tests']).stdout.count('\n  ') > 0
    return f'device {test}' in (copy.build / 'tests/device-tests').read_text().splitlines()


def target_of(mutant):
    """What has the fault in it: rooms holds what it tests, other programs load the library"""
    return 'rooms' if mutant['device'].split()[0] == 'rooms' else 'hepta'


def keep(copy, target, folder):
    source = copy.build / ('tests/rooms/rooms' if target == 'rooms' else 'libhepta.so')
    folder.mkdir(parents=True, exist_ok=True)
    call(['strip', '--strip-unneeded', '-o', str(folder / source.name), str(source)], check=True)
    if source.is_symlink() and not (folder / os.readlink(source)).exists():  # the name that programs ask for
        (folder / os.readlink(source)).symlink_to(source.name)


def device(mutants, build):
    """A library or rooms for each fault, those without any in the folder `none`, and the list of tests, in one file that is unpacked over the bundle"""
    copy, out, targets = Copy(build / 'mutants-device', 'ON'), build / 'mutants-out/hepta-bundle/mutants', sorted({target_of(m) for m in mutants})
    copy.make_all(*targets)
    wrong = [m['name'] for m in mutants if not is_test(copy, m['device'])]
    if wrong:
        sys.exit('no such test on the device: ' + ' '.join(wrong))
    shutil.rmtree(out, ignore_errors=True)
    for target in targets:
        keep(copy, target, out / 'none')
    for m in mutants:
        start = time.time()
        with fault(copy, m):
            built = copy.compile(target_of(m))
        if not built.returncode:
            keep(copy, target_of(m), out / m['name'])
            with (out / 'list').open('a') as listed:
                print(m['name'], m['device'], file=listed)
        print(f"{m['name']:32} {errors_of(built) if built.returncode else 'built'}  ({time.time() - start:.0f} s)", flush=True)
    copy.compile(*targets)
    files = sorted((path.relative_to(out.parents[1]) for path in out.rglob('*') if path.is_file()), key=lambda path: (path.name, path)) # the same programs side by side, in a dictionary that is longer than one of them
    result = build / 'mutants-out/hepta-mutants.tar.xz'
    subprocess.run(['tar', '-C', str(out.parents[1]), '--owner=0', '--group=0', '-I', 'xz -T 1 --lzma2=preset=3,dict=192MiB', '-cf', str(result), *map(str, files)], check=True)
    built = len((out / 'list').read_text().splitlines())
    print(f'{result}: {result.stat().st_size / 1e6:.0f} MB, {built} of {len(mutants)} mutants')
    return 1 if built < len(mutants) else 0


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('action', nargs='?', choices=('check', 'run', 'device'), default='check')
    parser.add_argument('pattern', nargs='?', default='.')
    given = parser.parse_args(arguments)
    mutants = read_table(TABLE.read_text())
    faults = list(faults_of(mutants, ROOT))
    print('\n'.join(faults) or f'{len(mutants)} mutants, each text stands once', flush=True)
    if faults or given.action == 'check':
        return 1 if faults else 0
    build = Path(os.environ.get('HEPTA_BUILD', ROOT / 'build'))
    key = 'device' if given.action == 'device' else 'tests'
    mutants = [m for m in mutants if key in m and re.search(given.pattern, m['name'])]
    if not mutants:
        parser.error(f"no mutant with a line '{key}' has a name that matches {given.pattern}")
    return device(mutants, build) if given.action == 'device' else run(mutants, build)


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
