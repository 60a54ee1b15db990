#!/usr/bin/env python3
"""scripts/docs.py finds each fault planted in a small repository, finds none in the one without, and builds its pages."""
import contextlib
import io
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / 'scripts'))
import docs
import docs_check
import docs_papers
from fixture import FAULTS, SECTIONS, TREE


def write(root, tree):
    for name, text in tree.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def faults_of(tree):
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), tree)
        return docs_check.check(Path(folder), docs.read_pages(Path(folder)))


def pages_of(tree):
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        write(Path(folder), tree)
        docs.build(Path(folder), Path(folder) / 'man')
        return {path.name: path.read_text() for path in (Path(folder) / 'man').iterdir()}


def main():
    docs_papers.SECTIONS = SECTIONS
    wrong = [f'the tree without faults: {fault}' for fault in faults_of(TREE)]
    for what, name, old, new, expected in FAULTS:
        assert old in TREE[name], what
        found = faults_of(TREE | {name: TREE[name].replace(old, new, 1)})
        if not any(expected in fault for fault in found):
            wrong.append(f'{what}: no fault says "{expected}", found {found}')
    pages = pages_of(TREE)
    if sorted(pages) != ['HeptaToyBox.md', 'HeptaToyKind.md', 'HeptaToySetSize.md', 'MATTOY.md', 'index.md']:
        wrong.append(f'built {sorted(pages)}')
    if '[`HeptaToySetSize`](HeptaToySetSize.md)' not in pages.get('MATTOY.md', ''):
        wrong.append('the page of the type does not link to its setter')
    if 'PetscErrorCode HeptaToySetSize(Mat A, PetscInt n, PetscInt *old)' not in pages.get('HeptaToySetSize.md', ''):
        wrong.append('the page of the setter lacks its synopsis')
    print('\n'.join(wrong + [f'{len(FAULTS)} planted faults, {len(wrong)} wrong']))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
