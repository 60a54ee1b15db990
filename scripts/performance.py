#!/usr/bin/env python3
"""The figures of bench/results/ratios.md and README.md, from bench/results/*.json and, of PFMG, gridmg-h100.md.

    performance.py           writes the tables between their markers, and with matplotlib the picture docs/performance.svg
    performance.py --check   fails if a table does not say what the results say
"""

import json
import pathlib
import re
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / 'bench' / 'results'


def table(file, title):
    """The rows of the table with this title, or of the first whose title begins so"""
    tables = json.loads((RESULTS / f'{file}.json').read_text())
    named = [t for t in tables if t['title'] == title] or [t for t in tables if t['title'].startswith(title)]
    if not named:
        sys.exit(f'performance.py: bench/results/{file}.json has no table "{title}"')
    return named[0]['rows']


def row(file, title, where):
    """The first row with these values; of a text the beginning is enough"""
    for r in table(file, title):
        if all(r[k].startswith(v) if isinstance(v, str) else r[k] == v for k, v in where.items()):
            return r
    sys.exit(f'performance.py: bench/results/{file}.json has no row {where} under "{title}"')


def times(file, title, ours, rivals, **where):
    """Rows, and the time of the fastest rival (their names begin so) over ours"""
    r = row(file, title, where)
    return r['rows'], min(v for k, v in r['times'].items() if k.startswith(rivals)) / r['times'][ours]


def column(name, file, title, **where):
    r = row(file, title, where)
    return r.get('rows'), r[name]


def solve(name, **where):
    return column(name, 'trisolve-h200', 'Poisson: Triangular solves, cuSPARSE / bbs', **where)


def krylov(ours, **where):
    return column('rival / ours', 'krylov-h200', 'Iterations of ours against the fastest rival', ours=ours, **where)


def pressure(problem):
    return column('multigrid / ours', 'pressure-h200', 'Multigrid: Setup and solve of a changed matrix', problem=problem, preconditioner='gridmg, fusedcg')


def mesh(problem, rows, name='gamg / this'):
    return column(name, 'aggmg-h200', 'Set-up and solve', problem=problem, rows=rows, preconditioner='aggmg')


def copies():
    """The median over real matrices repeated to 2 M rows"""
    rows = [r['times'] for r in table('brow-h200', BLOCKS) if ', copies' in r['what']]
    return None, statistics.median(min(v for k, v in t.items() if k.startswith(('csr', 'bsr'))) / t['brow'] for t in rows)


def icc():
    r = row('trisolve-h200', 'Poisson: cg with icc', dict(matrix='Poisson 1024', order='natural'))
    return 1048576, r['ratio']


def milliseconds(section, problem, cell):
    """Of a cell "set-up + solve (iterations)" in the first row of a problem below a heading of gridmg-h100.md"""
    below = (RESULTS / 'gridmg-h100.md').read_text().split(f'\n## {section}\n')[1]
    line = re.search(rf'^\| {re.escape(problem)} \|.*', below, re.M)
    return sum(float(number) for number in re.findall(r'[\d.]+', line[0].split('|')[cell])[:2])


def pfmg(problem, rows):
    return rows, milliseconds('The strongest rival', problem, 2) / milliseconds('In single', problem, 3)


def on_host(n):
    r = table('spmv-host', 'Products and assembly on one core')[n]
    return r['rows'], r['rival / ours']


ANY = ('csr', 'sell', 'bsr')
PRODUCTS, BLOCKS = 'Products in double', 'Matrices of blocks in double'
HEPTA8, HEPTA1 = dict(what='General Hepta', rows=1048576, nc=8), dict(what='General Hepta', rows=16777216, nc=1)
SQUARE, CUBE = dict(matrix='Poisson 1024', order='natural'), dict(matrix='Poisson 100 x', order='natural')
CG = "the fastest of PETSc's cg, pipecg, groppcg on `aijcusparse` and `sellcuda`"
BCGS = "the faster of PETSc's bcgs and pipebcgs on `aijcusparse` and `sellcuda`"
BEST = "`gamg`, keeping its interpolation, the better of the thresholds 0 and 0.02"
GAMG = "`gamg`, keeping its interpolation (PETSc's default)"

# what, against, (rows, ratio), command
GPU = [
    ('set-up and solve of a changed matrix, two-phase 1024^2, `fusedcg` with `gridmg`', GAMG, pressure('two-phase 1024'), 'bench/pressure -device -methods gridmg,gamg_reuse'),
    ('set-up and solve of a changed matrix, bubbles 128^3', GAMG, pressure('bubbles 128'), 'bench/pressure -device -methods gridmg,gamg_reuse'),
    ('set-up and solve of a changed matrix, bubbles 200^3', GAMG, pressure('bubbles 200'), 'bench/pressure -device -methods gridmg,gamg_reuse'),
    ('20 time steps of bubbles 128^3, first set-up included', GAMG, column('multigrid / ours', 'pressure-h200', 'Multigrid: 20 time steps', preconditioner='gridmg, fusedcg'), 'bench/pressure -device -part steps'),
    ('product, General Hepta, 8 unknowns a cell, device time', "cuSPARSE's fastest format", times('spmv-h200', PRODUCTS, 'bdia', ANY, **HEPTA8), 'bench/spmv -device'),
    ('product, General Hepta, 8 unknowns a cell, device time', 'cuSPARSE CSR, the faster of two algorithms', times('spmv-h200', PRODUCTS, 'bdia', 'csr', **HEPTA8), 'bench/spmv -device'),
    ('`MatMult()`, General Hepta, 1 unknown a cell', '`aijcusparse`', times('spmv-h200', 'MatMult through PETSc', 'bdiacuda', 'aijcusparse', **HEPTA1), 'bench/spmv -device'),
    ('`MatMult()`, General Hepta, 1 unknown a cell', '`sellcuda`', times('spmv-h200', 'MatMult through PETSc', 'bdiacuda', 'sellcuda', **HEPTA1), 'bench/spmv -device'),
    ('`MatSetValuesCOO()` from device arrays, 7-point', '`aijcusparse`', times('spmv-h200', 'MatSetValuesCOO', 'bdiacuda', 'aijcusparse', what='7-point', rows=16777216), 'bench/spmv -device -assembly'),
    ('`MatSetPreallocationCOO()` before it, once, indices on the host', '`aijcusparse`', times('spmv-h200', 'MatSetPreallocationCOO', 'bdiacuda', 'aijcusparse', what='7-point', rows=16777216), 'bench/spmv -device -assembly'),
    ('`MatSetPreallocationCOO()`, indices on the device, General Hepta, 8 unknowns a cell', '`aijcusparse`, the faster of both sides', times('spmv-h200', 'MatSetPreallocationCOO', 'bdiacuda, indices on the device', 'aijcusparse', what='General Hepta'), 'bench/spmv -device -assembly'),
    ('`MatSetPreallocationCOO()`, `brow`, 27 neighbors, 3 unknowns, indices on the host', '`aijcusparse`', times('spmv-h200', 'MatSetPreallocationCOO', 'browcuda', 'aijcusparse', what='27-point'), 'bench/spmv -device -assembly'),
    ('product of `brow`, finite elements, 27 neighbors, 3 unknowns, device time', "cuSPARSE's fastest format", times('brow-h200', BLOCKS, 'brow', ANY, what='27-point, 3 unknowns'), 'bench/spmv -device'),
    ('product of `brow`, 7-point with wells, 3 unknowns, device time', "cuSPARSE's fastest format", times('brow-h200', BLOCKS, 'brow', ANY, what='7-point with wells'), 'bench/spmv -device'),
    ('product of `brow`, msc01440 repeated, device time', "cuSPARSE's fastest format", times('brow-h200', BLOCKS, 'brow', ANY, what='msc01440, copies'), 'bench/spmv -device -f msc01440.mtx.gz'),
    ('product of `brow`, bcsstk38 repeated, device time', "cuSPARSE's fastest format", times('brow-h200', BLOCKS, 'brow', ANY, what='bcsstk38, copies'), 'bench/spmv -device -f bcsstk38.mtx.gz'),
    ('product of `brow`, the median of thirty real matrices repeated to 2 M rows', 'the faster of cuSPARSE CSR and BSR', copies(), 'bench/spmv -device -f ...'),
    ('product of `brow`, a dense matrix', 'cuBLAS gemv', times('brow-h200', 'A dense matrix against', 'brow', 'gemv', what='dense'), 'bench/spmv -device -dense_n 8192'),
    ('`MatConvert()` of a `seqaijcusparse` to `brow`, 27 neighbors, 3 unknowns', 'cuSPARSE csr2bsr', times('brow-h200', 'MatConvert from', 'brow', 'csr2bsr', what='27-point, 3 unknowns'), 'bench/spmv -device'),
    ('`MatMatMult()` with `densecuda`, 50 columns, `brow`, 27 neighbors, 3 unknowns', 'cuSPARSE SpMM (`aijcusparse`)', times('brow-h200', 'MatMatMult with densecuda through PETSc, blocked', 'browcuda', 'aijcusparse', what='27-point, 3 unknowns, 50'), 'bench/spmv -device -columns 50'),
    ('`MatMatMult()` with `densecuda`, 50 columns, `bdia`, General Hepta, 3 unknowns a cell', 'cuSPARSE SpMM (`aijcusparse`)', times('brow-h200', 'MatMatMult with densecuda through PETSc, wall', 'bdiacuda', 'aijcusparse', what='General Hepta, 50', nc=3), 'bench/spmv -device -columns 50'),
    ('`fusedcg` with a single reduction, `jacobi`, an iteration, 2-D Poisson', CG, krylov('fusedcg, single reduction on bdiacuda', case='Poisson 512^2'), 'bench/krylov -device -case cg2'),
    ('`fusedcg`, `jacobi`, an iteration, 2-D Poisson', CG, krylov('fusedcg on bdiacuda', case='Poisson 1024^2'), 'bench/krylov -device -case cg2'),
    ('`fusedcg`, `jacobi`, an iteration, 3-D Poisson', CG, krylov('fusedcg on bdiacuda', case='Poisson 200^3'), 'bench/krylov -device -case cg3'),
    ('`fusedbcgs`, an iteration, General Hepta, 8 unknowns a cell', BCGS, krylov('fusedbcgs', case='General Hepta', rows=65536, preconditioner='none'), 'bench/krylov -device -case bcgs'),
    ('`fusedbcgs`, an iteration, General Hepta, 8 unknowns a cell', BCGS, krylov('fusedbcgs', case='General Hepta', rows=1048576, preconditioner='none'), 'bench/krylov -device -case bcgs'),
    ('`fusedbcgs` with `pbjacobi`, an iteration, General Hepta, 8 unknowns a cell', BCGS, krylov('fusedbcgs', case='General Hepta', rows=1048576, preconditioner='pbjacobi'), 'bench/krylov -device -case bcgs'),
    ('`dpcg` with `subdeflation`, an iteration, bubbles 128^3', "PETSc's cg with `subdeflation` on `bdiacuda`", krylov('dpcg', case='bubbles 128'), 'bench/krylov -device -case dpcg'),
    ('solve with U of ILU(0), 2-D Poisson 1024^2, one vector', 'cuSPARSE SpSV', solve('solve 1', **SQUARE), 'bench/trisolve -poisson 1024'),
    ('solve with U of ILU(0), 2-D Poisson 1024^2, 50 vectors', 'cuSPARSE SpSM', solve('solve 50', **SQUARE), 'bench/trisolve -poisson 1024'),
    ('solve with U of ILU(0), 3-D Poisson 100^3, one vector', 'cuSPARSE SpSV', solve('solve 1', **CUBE), 'bench/trisolve -poisson3 100'),
    ('solve with U of ILU(0), 3-D Poisson 100^3, 50 vectors', 'cuSPARSE SpSM', solve('solve 50', **CUBE), 'bench/trisolve -poisson3 100'),
    ('solve with U of ILU(0), bodyy6 (552 levels), one vector', 'cuSPARSE SpSV', column('solve 1', 'trisolve-h200', 'real matrices: Triangular solves, cuSPARSE / bbs', matrix='bodyy6', order='natural'), 'bench/trisolve -f bodyy6.mtx.gz'),
    ('analysis of U of ILU(0), once for a structure, 2-D Poisson 1024^2', 'cuSPARSE SpSV', solve('analysis', **SQUARE), 'bench/trisolve -poisson 1024'),
    ('cg with `icc`, an iteration, 2-D Poisson 1024^2', '`aijcusparse`', icc(), 'bench/trisolve -poisson 1024'),
    ('set-up and solve of a changed matrix, finite elements on triangles, `fusedcg` with `aggmg`', BEST, mesh('laplace-2d', 600624), 'bench/pressure -device -part meshes -f laplace-2d.bin'),
    ('set-up and solve of a changed matrix, finite elements on triangles', BEST, mesh('laplace-2d', 3999999), 'bench/pressure -device -part meshes -f laplace-2d.bin'),
    ('set-up and solve of a changed matrix, finite elements on tetrahedra', BEST, mesh('laplace-3d', 300509), 'bench/pressure -device -part meshes -f laplace-3d.bin'),
    ('set-up and solve of a changed matrix, finite elements on tetrahedra', BEST, mesh('laplace-3d', 992239), 'bench/pressure -device -part meshes -f laplace-3d.bin'),
    ('set-up and solve of a changed matrix, tetrahedra with slivers', BEST, mesh('laplace-3d, J', 300509), 'bench/pressure -device -part meshes -f laplace-3d-j.bin'),
    ('set-up and solve of a changed matrix, elasticity on tetrahedra', BEST, mesh('elasticity-3d', 287820), 'bench/pressure -device -part meshes -f elasticity-3d.bin'),
    ('set-up and solve of a changed matrix, tetrahedra with coefficients that jump', BEST, mesh('jumps-3d', 300509), 'bench/pressure -device -part meshes -f jumps-3d.bin'),
    ('first set-up, finite elements on tetrahedra', '`gamg`, the better of the thresholds 0 and 0.02', mesh('laplace-3d', 992239, 'gamg / this, first setup'), 'bench/pressure -device -part meshes -f laplace-3d.bin'),
]
HOST = [(what, f'`{rival}`', on_host(n), 'make bench') for n, (what, rival) in enumerate([
    ('`MatMult()`, General Hepta, 1 unknown a cell', 'seqaij'), ('`MatMult()`, General Hepta, 3 unknowns a cell', 'seqbaij'), ('`MatMult()`, General Hepta, 4 unknowns a cell', 'seqbaij'), ('`MatMult()`, General Hepta, 8 unknowns a cell', 'seqbaij'), ('`MatMult()`, symmetric 7-point, half storage', 'seqsbaij'),
    ('`MatMult()`, 7-point, float storage', 'seqaij'), ('first assembly by `MatSetValues()`, grid given', 'seqaij'), ('first assembly by `MatSetValues()`, nothing given', 'seqaij'), ('new values by `MatSetValues()`', 'seqaij')])]
# of hypre alone, without PETSc, on one H100; ours on another
PFMG = [(f'set-up and solve of a changed matrix, {problem}, `fusedcg` with `gridmg`', "hypre's PFMG in its CG", pfmg(problem, rows), 'bench/pressure -device -methods gridmg_single')
        for problem, rows in (('two-phase 1024^2', 1048576), ('two-phase 4096^2', 16777216), ('bubbles 128^3', 2097152), ('bubbles 200^3', 8000000), ('bubbles 256^3', 16777216))]
README = [(what, rival, *figure[2:]) for what, rival, figure in (  # for solves, products and iterations
    ('`fusedcg` with `gridmg`, bubbles 200^3', "hypre's PFMG", PFMG[3]), ('`fusedcg` with `aggmg`, tetrahedra', 'the better of two `gamg`', GPU[37]), ('product, General Hepta', "cuSPARSE's fastest", GPU[4]),
    ('`fusedcg` with `jacobi`, 1024^2', "PETSc's fastest cg", GPU[22]), ('cg with `icc`, 1024^2', '`aijcusparse`', GPU[34]))]
PICTURE = PFMG[:4] + [GPU[n] for n in (35, 37, 40, 4, 6, 12, 22, 24, 28, 34)]


def lines(figures):
    head = ['| what | rows | against | ratio | command |', '|---|---|---|---|---|']
    return '\n'.join(head + [f'| {what} | {"" if rows is None else rows} | {rival} | {ratio:.2f} | `{command}` |' for what, rival, (rows, ratio), command in figures])


def filled(text, marker, table):
    """text with this table between <!-- MARKER --> and <!-- END MARKER -->"""
    begin, end = f'<!-- {marker} -->\n', f'\n<!-- END {marker} -->'
    before, rest = text.split(begin)
    return before + begin + table + end + rest.split(end)[1]


def draw(path):
    import matplotlib

    matplotlib.use('svg')
    matplotlib.rcParams.update({'svg.hashsalt': 'hepta', 'svg.fonttype': 'none'})  # the same file for the same figures, with text as text
    import matplotlib.pyplot as plt

    names = [(what.replace('`', ''), re.split(r' \(| on |, keeping', rival.replace('`', ''))[0], ratio) for what, rival, (_, ratio), _ in PICTURE]
    fig, ax = plt.subplots(figsize=(10, 3.1), layout='constrained')
    at = range(len(names), 0, -1)
    ax.barh(list(at), [n[2] for n in names], color='#3b6ea5')
    ax.set_yticks(list(at), [n[0] for n in names], fontsize=7)
    for y, (_, rival, ratio) in zip(at, names):
        ax.text(ratio * 1.03, y, f'{ratio:.1f}  against {rival}', va='center', fontsize=7)
    ax.set_xscale('log')
    ax.set_xlim(1, 200)
    ax.minorticks_off()
    ax.set_xticks([1, 2, 5, 10, 20], ['1', '2', '5', '10', '20'])
    ax.set_xlabel("time of the rival / time of Hepta's on one NVIDIA H200, beside PFMG on H100s")
    ax.spines[['top', 'right']].set_visible(False)
    fig.savefig(path, metadata={'Date': None})


def main():
    stale = []
    for name, marked in (('bench/results/ratios.md', {'PFMG FIGURES': PFMG, 'GPU FIGURES': GPU, 'HOST FIGURES': HOST}), ('README.md', {'FIGURES': README})):
        path = ROOT / name
        old = new = path.read_text()
        for marker, figures in marked.items():
            new = filled(new, marker, lines(figures))
        if new != old:
            stale.append(name)
        if '--check' not in sys.argv:
            path.write_text(new)
    if '--check' not in sys.argv:
        draw(ROOT / 'docs' / 'performance.svg')
    elif stale:
        sys.exit(f'performance.py: {", ".join(stale)}: the figures are not those of bench/results; run scripts/performance.py')


if __name__ == '__main__':
    main()
