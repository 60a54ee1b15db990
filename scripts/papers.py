#!/usr/bin/env python3
"""papers.py BUILD: what of the papers' tables and figures this machine can measure in some minutes, beside the published values.

Writes a page for each paper, 000.md to 004.md, and pictures beside the pages, by runs of the examples and benchmarks of BUILD on
one core, or on one GPU. HEPTA_MATRICES names a folder with more matrices than those of tests/matrices. A run that fails is told
on its page, and by the exit code."""
import argparse
import datetime
import gzip
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MATRICES = ROOT / "tests" / "matrices"
LIMIT = 300  # seconds of one run

TWOPHASE = "-problem twophase -n 64 -fix -contrast 1e3 -guess 0 -steps 1 -ksp_type fusedcg -ksp_norm_type unpreconditioned"
BEYOND = "-ksp_rtol 1e-30 -ksp_atol 1e-36 -ksp_max_it 900"  # until rounding
DEFLATED = "-pc_type subdeflation -pc_subdeflation_type stripes -pc_subdeflation_pc_type blockic"
STRIPES = ("-problem poisson -n 128 -steps 12 -guess 0 -ksp_type cg -ksp_norm_type unpreconditioned -ksp_rtol 1e-6 "
           + DEFLATED)
INTERFACE = ("-problem interface -contrast 10 -fix -guess 0 -steps 1 -ksp_type cg -ksp_norm_type unpreconditioned -ksp_max_it 1000 "
             + DEFLATED)
FIGURES_77_79 = {(128, 256): "3, 3, 3", (128, 512): "3, 3, 3", (128, 1024): "4, 3, 3",
                 (256, 512): "4, 4, 4", (256, 1024): "not in 1000, 4, 4", (256, 2048): "not in 1000",
                 (512, 1024): "4, 3, 3", (512, 2048): "not in 1000", (512, 4096): "not in 1000"}
FIGURE_74 = {256: "68, 58, 54", 512: "53, 46, 42", 1024: "34, 30, 27"}
METHODS = ("cg", "fusedcg", "bicgcr", "bicgcr -ksp_bicgcr_symmetric 0", "bcgs", "fusedbcgs", "bcgsl", "tfqmr", "gcr")
HUNDRED = "-problem poisson -guess 0 -steps 2 -pc_type jacobi -ksp_rtol 1e-30 -ksp_max_it 100"
TABLE_4_1 = {"1138_bus": (21, 17), "nopoly": (875, 11)}  # blocks, row length
TABLE_5 = {"bcsstk34": "0.76, 0.52, 0.34", "bcsstk38": "0.75, 0.53, 0.34", "bcsstm39": "0.50, 0.25, 0.12",
           "bodyy4": "0.49, 0.24, 0.12", "bodyy6": "0.49, 0.24, 0.12", "crystm01": "0.32, 0.22, 0.14",
           "cvxbqp1": "0.26, 0.10, 0.04", "Dubcova1": "0.37, 0.15, 0.07", "fv1": "0.50, 0.32, 0.16",
           "jnlbrng1": "0.50, 0.25, 0.12", "msc01440": "0.62, 0.42, 0.24", "nasa1824": "0.52, 0.35, 0.23",
           "plbuckle": "0.54, 0.36, 0.27", "ted_B": "0.55, 0.40, 0.30", "Trefethen_2000": "0.55, 0.30, 0.17"}
TABLE_7 = {"single, GTX280": (1285, "320 (8734)"), "double, GTX280": ("-", "263 (4329)"),  # seconds, iterations
           "single, GTX570": ("-", "322 (8352)"), "double, GTX570": ("-", "263 (4264)")}
FLOWS = {"Poisson 256^2": "-problem poisson -n 256", "two-phase 256^2": "-problem twophase -n 256 -fix -contrast 1e3",
         "bubbles 48^3": "-problem bubbles -dim 3 -n 48 -contrast 1e3"}
TIMED = "-ksp_norm_type unpreconditioned -ksp_rtol 1e-6 -guess 0 -steps 3"
INSIDE = "-ksp_type dpcg -pc_type subdeflation -pc_subdeflation_type stripes -pc_subdeflation_count 1024 -pc_subdeflation_pc_type"
VARIANTS = {"cg": "-ksp_type fusedcg -pc_type none",
            "cg, blockic": "-ksp_type fusedcg -pc_type blockic -pc_blockic_size 2",
            "cg, ip": "-ksp_type fusedcg -pc_type ip",
            "deflated cg, blockic": f"{INSIDE} blockic -pc_subdeflation_pc_blockic_size 2",
            "deflated cg, ip": f"{INSIDE} ip"}
FIGURES_10_68 = {("Poisson 256^2", "cg"): "21 on 4096^2 (figure 10)",
                 ("Poisson 256^2", "cg, blockic"): "below 1 to 2.5 (figures 15 to 20)",
                 ("Poisson 256^2", "deflated cg, blockic"): "24.8, all of A Z (figures 22, 75)",
                 ("Poisson 256^2", "deflated cg, ip"): "up to 10 (figure 34), some twice that (figure 48)",
                 ("two-phase 256^2", "cg"): "as Poisson (figure 63)",
                 ("two-phase 256^2", "cg, blockic"): "as Poisson (figure 63)",
                 ("two-phase 256^2", "deflated cg, blockic"): "2.0, not converged (figures 66, 78)",
                 ("two-phase 256^2", "deflated cg, ip"): "as Poisson (figure 68)"}


class Runs:
    def __init__(self, build, device, single=None):
        self.build, self.device, self.single = pathlib.Path(build), device, single

    def run(self, program, options, converges=True):
        """What the program prints; raises RuntimeError with its error. Without convergence the exit code means nothing."""
        command = [str(self.build / program), *options.split()]
        command += ["-use_gpu_aware_mpi", "0"] if self.device else []
        one_core = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, env=one_core)
        except subprocess.TimeoutExpired:
            raise RuntimeError(f"it took more than {LIMIT} s") from None
        if done.returncode and (converges or not done.stdout):
            error = re.search(r"PETSC ERROR: (?!-)(.*)", done.stderr)
            raise RuntimeError(error[1] if error else f"exit code {done.returncode}")
        return done.stdout

    def bench(self, program, options, *headings):
        """The tables of a benchmark under headings that begin like these"""
        options += " -device" if self.device else " -host" * (program == "trisolve")
        parts = re.split(r"^### ", self.run(f"bench/{program}", options), flags=re.M)[1:]
        kept = [part.splitlines() for part in parts if part.startswith(headings)]
        tables = ["\n".join([f"### {head}", "", *(line for line in lines if line.startswith("|"))]) for head, *lines in kept]
        return "\n\n".join([*tables, f"`bench/{program} {options.replace(str(MATRICES) + '/', '')}`"])

    def last_solve(self, options, converges=False):
        """Iterations, seconds of set-up and of solve of the last solve of bubbly, in which nothing is used for the first time"""
        text = self.run("examples/bubbly", options, converges)
        its, seconds = re.findall(r" after (\d+) iterations", text), re.findall(r" set up (\S+) s, solve (\S+) s$", text, re.M)
        if len(seconds) < 2:
            raise RuntimeError(f"bubbly {options} has not solved twice")
        return int(its[-1]), *map(float, seconds[-1])

    def iterations(self, options):
        return [int(n) for n in re.findall(r" after (\d+) iterations", self.run("examples/bubbly", options))]


def span(numbers):
    return str(numbers[0]) if min(numbers) == max(numbers) else f"{min(numbers)} to {max(numbers)}"


def bicgstab(runs, _):
    rows = 4200000 if runs.device else 300000
    return [runs.bench("krylov", f"-thesis -thesis_rows {rows}", "Five iterations")]


def blocks_of_threads(runs, _):
    return ["```text", runs.run("examples/occupancy", "-device k20xm -thesis").strip(), "```"]


def conjugate_gradients(runs, _):
    files = ",".join(str(MATRICES / f"{name}.mtx.gz") for name in ("1138_bus", "bcsstk34", "nopoly", "sherman1"))
    return [runs.bench("krylov", f"-case blocks -matrix {files} -copies_to {2000000 if runs.device else 50000}",
                       "Iterations of ours against", "Solves from zero")]


def sizes(path):
    """Rows and entries of a symmetric matrix with a positive diagonal, else none"""
    with gzip.open(path, "rt", errors="replace") as text:
        if text.readline().split()[3:] not in (["real", "symmetric"], ["integer", "symmetric"]):
            return None
        (rows, *_), *entries = [line.split() for line in text if line.strip() and not line.startswith("%")]
    positive = sum(i == j and float(value) > 0 for i, j, value in entries)
    return (positive, 2 * len(entries) - positive) if positive == int(rows) else None


def candidates():
    """Paths and sizes of matrices that may be positive definite, of tests/matrices and of the folder HEPTA_MATRICES, by name"""
    folders = [MATRICES, *map(pathlib.Path, filter(None, [os.environ.get("HEPTA_MATRICES")]))]
    files = {path.name.removesuffix(".mtx.gz"): path for folder in folders for path in folder.glob("*.mtx.gz")}
    found = {name: (files[name], sizes(files[name])) for name in sorted(files, key=str.lower)}
    return {name: (path, *of) for name, (path, of) in found.items() if of}


def table_of(text, heading):
    """Cells of each row of a benchmark's table"""
    part = text.partition(f"### {heading}")[2].partition("###")[0]
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in part.splitlines() if line.startswith("| ")][1:]


def both(rows, name):
    """The rows of a matrix with values in double and in float"""
    return [row for kind in ("double", "single") for row in rows if row[0] == name and row[4].endswith(kind)]


def by_matrix(name, rows, entries, times, solves):
    """A line of numbers with values in double and in float; operations are the paper's, 2 for an entry and 15 for a row"""
    us = [float(row[6]) for row in times]
    cells = [[row[6] for row in solves], [f"{t:.2f}" for t in us], [f"{us[0] / us[1]:.2f}"],
             [f"{1e-3 * (2 * entries + 15 * rows) / t:.2f}" for t in us], [row[9] for row in solves], [row[9] for row in times]]
    return f"| {name} | {rows} | {entries} | {' | '.join(', '.join(cell) for cell in cells)} |"


def of_all(kind, times, solves):
    """A line of table 7"""
    its, ratios = [int(row[6]) for row in solves], [float(row[9]) for row in times]
    return (f"| ours, {kind} | {sum(float(row[7]) for row in solves) / 1000:.3g} | "
            f"{statistics.median(its):.0f} ({statistics.mean(its):.0f}) | {statistics.median(ratios):.2f} "
            f"({statistics.mean(ratios):.2f}), above 1 for {sum(r > 1 for r in ratios)} of {len(ratios)} |")


def table_7(kept):
    """Both kinds of values over all matrices, and what double costs"""
    lines = ["| values | seconds of all solves | iterations, median (mean) | rival / ours, median (mean) |", "|---|---|---|---|"]
    lines += [f"| paper, {kind} | {seconds} | {its} | CUSP: above 1 for about 98 percent of 185 |"
              for kind, (seconds, its) in TABLE_7.items()]
    for k, kind in enumerate(("double", "float")):
        lines.append(of_all(kind, [times[k] for times, _ in kept], [solves[k] for _, solves in kept]))
    ratios = [float(times[0][6]) / float(times[1][6]) for times, _ in kept]
    return lines + ["", f"An iteration in double takes {statistics.median(ratios):.2f} times as long as in float (median; "
                    f"{min(ratios):.2f} to {max(ratios):.2f}), in the paper (7.4) 1.4 to 1.6 times on a GTX570, and on a GTX280 "
                    "1.25 to 1.75 times in tiles below 4 and twice as long in larger ones. These matrices stay in caches, where "
                    "an iteration is its launches and sums."]


def collection(runs, _):
    """Conjugate Gradient with values in double and in float, over matrices that may be positive definite"""
    matrices, tables = candidates(), ("Iterations of ours against", "Solves from zero")
    options = "-case storage -max_it 20000 -matrix"
    text = runs.bench("krylov", f"{options} {','.join(str(path) for path, *_ in matrices.values())}", *tables)
    found = {name: [both(table_of(text, heading), name) for heading in tables] for name in matrices}
    kept = {name: of for name, of in found.items() if len(of[0]) == 2 and all("CONVERGED" in row[8] for row in of[1])}
    reasons = {row[0]: row[8] for row in table_of(text, tables[1]) if "CONVERGED" not in row[8]}
    left_out = [f"{name} ({reasons.get(name, 'failed')})" for name in found if name not in kept]
    lines = ["Of two numbers the first is with values in double, the second in float.", "",
             "| matrix | rows | entries | iterations | us of one | double / float | GFLOPS | true residual | rival / ours |",
             "|---" * 9 + "|"]
    lines += [by_matrix(name, *matrices[name][1:], *of) for name, of in kept.items()]
    lines += [f"\nLeft out: {', '.join(left_out)}."] * bool(left_out) + ["", *table_7(kept.values())]
    return lines + ["", f"`bench/krylov {options} FILES`"]


def densities(runs, _):
    """Densities of tiles of 2, 4 and 8 that the view of brow has"""
    known = {name: path for name, (path, *_) in candidates().items() if name in TABLE_5}
    options = "-case storage -its 1 -max_it 1 -repeats 1 -mat_view ::ascii_info -matrix"
    text = runs.run("bench/krylov", f"{options} {','.join(map(str, known.values()))}" + " -device" * runs.device)
    views = [line.split() for line in re.findall(r"; density ([\d. ]+) in tiles", text)][::2]  # in double, and again in float
    if len(views) != len(known):
        raise RuntimeError(f"{len(views)} densities of {len(known)} matrices")
    lines = ["| matrix | paper: d2, d4, d8 | ours |", "|---|---|---|"]
    lines += [f"| {name} | {TABLE_5[name]} | {view[1]}, {view[3]}, {view[7]} |" for name, view in zip(known, views)]
    return lines + ["", f"`bench/krylov {options} FILES`"]


def formats(runs, _):
    return [runs.bench("krylov", f"-case cg2 -cg2_n {1024 if runs.device else 256}", "Iterations of ours against", "All times")]


def methods(runs, _):
    """Microseconds of an iteration of Krylov methods, by format"""
    cuda = " -dm_vec_type cuda" if runs.device else ""
    types = ("aijcusparse", "sellcuda", "bdiacuda", "browcuda") if runs.device else ("aij", "sell", "bdia", "brow")
    lines = [f"| method | {' | '.join(types)} |", "|---" * (len(types) + 1) + "|"]
    options = HUNDRED + (" -n 1024" if runs.device else " -n 256")
    for method in METHODS:
        cells = []
        for kind in types:
            try:
                its, _, seconds = runs.last_solve(f"{options} -ksp_type {method} -dm_mat_type {kind}{cuda}")
                cells.append(f"{1e6 * seconds / its:.1f}")
            except RuntimeError as error:
                print(f"papers.py: {method} on {kind}: {error}", file=sys.stderr)
                cells.append("-")
        lines.append(f"| {method} | {' | '.join(cells)} |")
    return lines + ["", f"`bubbly {options} -ksp_type METHOD -dm_mat_type TYPE{cuda}`"]


def attempt(runs, options):
    """The last solve, if all have converged"""
    try:
        return runs.last_solve(options, True)
    except RuntimeError as error:
        print(f"papers.py: {options}: {error}", file=sys.stderr)
        return None


def milliseconds(solve):
    return " + ".join(f"{1000 * seconds:.2f}" for seconds in solve[1:]) if solve else "-"


def host_and_gpu(runs, _):
    """The thesis's variants on a core of the host and on the GPU; nothing without a GPU"""
    if not runs.device:
        return []
    lines = [f"The host is {machine(False)}.", "",
             "| problem | method | iterations | host, ms | GPU, ms | host / GPU | with set-up | thesis |", "|---" * 8 + "|"]
    for problem, flow in FLOWS.items():
        best = []
        for method, options in VARIANTS.items():
            host, gpu = (attempt(runs, f"{flow} {TIMED} {options} -dm_mat_type {kind}") for kind in ("bdia", "bdiacuda"))
            ratios = [f"{host[2] / gpu[2]:.1f}", f"{sum(host[1:]) / sum(gpu[1:]):.1f}"] if host and gpu else ["-", "-"]
            its = ", ".join(str(solve[0]) if solve else "-" for solve in (host, gpu))
            lines.append(f"| {problem} | {method} | {its} | {milliseconds(host)} | {milliseconds(gpu)} | {' | '.join(ratios)} | "
                         f"{FIGURES_10_68.get((problem, method), 'none')} |")
            best += [sum(gpu[1:])] if gpu else []
        icc = attempt(runs, f"{flow} {TIMED} -ksp_type cg -pc_type icc -dm_mat_type aij")
        ratio = f"{sum(icc[1:]) / min(best):.1f}" if icc and best else "-"
        lines.append(f"| {problem} | PETSc's cg, icc on aij | {icc[0] if icc else '-'} | {milliseconds(icc)} | least above | - | "
                     f"{ratio} | none |")
    return lines + ["", f"`bubbly FLOW {TIMED} METHOD -dm_mat_type TYPE`, by FLOWS and VARIANTS of `scripts/papers.py`"]


def levels(runs, _):
    files = ",".join(str(MATRICES / f"{name}.mtx.gz") for name in TABLE_4_1)
    text = runs.bench("trisolve", f"-f {files} -rhs 1 -preconditioners 0", "Triangular solves")
    lines = ["| matrix | thesis: blocks, row length | ours |", "|---|---|---|"]
    for name, published in TABLE_4_1.items():
        ours = re.search(rf"^\| {name} \| level \| \d+ \| \d+ \| \d+ \| (\d+) \| (\d+) ", text, re.M)
        lines.append(f"| {name} | {published[0]}, {published[1]} | {', '.join(ours.groups()) if ours else '-'} |")
    return lines + ["", text]


def by_lines(runs, options):
    """Iterations with blocks of 2, 4 and 8 lines"""
    return ", ".join(span(runs.iterations(f"{options} -pc_subdeflation_pc_blockic_size {lines}")) for lines in (2, 4, 8))


def stripes(runs, _):
    lines = ["| stripes | thesis, blocks of 2, 4 and 8 lines | ours, twelve right-hand sides |", "|---|---|---|"]
    for count, published in FIGURE_74.items():
        lines.append(f"| {count} | {published} | {by_lines(runs, f'{STRIPES} -pc_subdeflation_count {count}')} |")
    return lines + ["", f"`bubbly {STRIPES} -pc_subdeflation_count COUNT -pc_subdeflation_pc_blockic_size LINES`"]


def two_phases(runs, _):
    lines = ["| cells, stripes | thesis, blocks of 2, 4 and 8 lines | ours | ours, to 1e-8 |", "|---|---|---|---|"]
    for (n, count), published in FIGURES_77_79.items():
        ours = [by_lines(runs, f"{INTERFACE} -n {n} -ksp_rtol {rtol} -pc_subdeflation_count {count}") for rtol in ("1e-2", "1e-8")]
        lines.append(f"| {n}^2, {count} | {published} | {ours[0]} | {ours[1]} |")
    return lines + ["", f"`bubbly {INTERFACE} -n CELLS -ksp_rtol RTOL -pc_subdeflation_count COUNT -pc_subdeflation_pc_blockic_size LINES`"]


def history(runs, pc):
    """Norms of b - A x, of the residual of the recurrence, and estimates of the error, by iteration"""
    text = runs.run("examples/bubbly", f"{TWOPHASE} {BEYOND} -pc_type {pc} -ksp_monitor_true_residual -ksp_monitor_fusedcg_error", False)
    recurrence, residuals = zip(*((float(a), float(b)) for a, b in re.findall(r"resid norm (\S+) true resid norm (\S+)", text)))
    errors = [float(norm) for norm in re.findall(r"energy norm of the error ([\d.e+-]+),", text)]
    return residuals, recurrence, errors


def draw_history(axes, runs, precision):
    """Norms of three preconditioners by iteration, and a line of the table for each"""
    kinds, lines = (("b - A x", "-"), ("recurrence", ":"), ("estimated error", "--")), []
    for color, pc in enumerate(("jacobi", "ip", "gridmg")):
        norms = history(runs, pc)
        for (kind, style), values in zip(kinds, norms):
            axes.semilogy([value / values[0] for value in values], style, color=f"C{color}", label=f"{pc}, {kind}")
        least = norms[0].index(min(norms[0]))
        lines.append(f"| {precision} | {pc} | {norms[0][least] / norms[0][0]:.1e} | {least} | "
                     f"{norms[2][min(least, len(norms[2]) - 1)] / norms[2][0]:.1e} |")
    axes.set(title=precision, xlabel="iteration", ylabel="norm / first norm", ylim=(1e-17, 10))
    return lines


def beyond_convergence(runs, folder):
    try:
        import matplotlib
    except ImportError:
        raise RuntimeError(f"{sys.executable} has no matplotlib (HEPTA_PYTHON of scripts/env.sh has it)") from None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    builds = {"double": runs} | ({"float": Runs(runs.single, runs.device)} if runs.single else {})
    figure, axes = pyplot.subplots(1, len(builds), figsize=(6 * len(builds), 5), layout="constrained", squeeze=False)
    lines = ["| numbers | preconditioner | least b - A x / first | iterations to it | estimated error / first there |",
             "|---|---|---|---|---|"]
    for at, (precision, of) in zip(axes[0], builds.items()):
        lines += draw_history(at, of, precision)
    axes[0][0].legend()
    figure.savefig(folder / "004-beyond.png", dpi=100)
    return lines + ["", "![Residual and error by iteration](004-beyond.png)", "",
                    f"`bubbly {TWOPHASE} {BEYOND} -pc_type PC -ksp_monitor_true_residual -ksp_monitor_fusedcg_error`"]


PAPERS = {
    "000": ("L. A. Firdaus, CUDA Optimization of a Class of Iterative Linear Algebra Solver", {
        "Tables 6.4 to 6.6, five iterations of BiCGStab": (bicgstab, "The thesis compares on a K20Xm and K80s; the quotients over its BDIA-GH stand beside ours."),
        "Tables 5.2 and 5.3, thread blocks that are resident": (blocks_of_threads, "Arithmetic alone; `occupancy` without -device checks it on the GPU at hand."),
    }),
    "001": ("M. Verschoor and A. C. Jalba, Analysis and performance estimation of the Conjugate Gradient method on multiple GPUs", {
        "Table 7 and figure 10, Conjugate Gradient over matrices": (conjugate_gradients, "The paper's 185 matrices are not at hand; these are of tests/matrices, repeated along the diagonal."),
        "Sections 6.4 and 7.4, values in double and in float": (
            collection, "The matrices at hand that are symmetric and positive definite, in the tiles that `brow` chooses, with "
            "jacobi, to a relative 1e-8 in the norm of D^-1/2 (b - A x), as in algorithm 2. The paper's single precision has "
            "vectors in float and takes more iterations than its double precision. Ours has vectors in double: rounding of the "
            "values then limits the true residual. Operations are 2 for an entry and 15 for a row (tables 2 and 3). The rival is "
            "PETSc's cg, on compressed rows or on slices, whichever is faster."),
        "Tables 4 and 5, densities of tiles": (
            densities, "Entries for each place in the tiles. The paper's values are cut after two digits, ours are rounded. "
            "None of the matrices of table 4 is at hand."),
    }),
    "002": ("J. Nibbeling, Implementation of a Parallel Back Substitution Solver on GPUs", {
        "Table 4.1, blocks in level order; table 5.1, times": (levels, "The rows are numbered level by level; times are of bench/trisolve, in units of its headings."),
    }),
    "003": ("F. Magoules and others, Auto-tuned Krylov methods on cluster of graphics processing unit", {
        "Tables 5 and 7 to 9, Conjugate Gradient by format": (formats, "On 2-D Poisson instead of the paper's matrices; the fastest of PETSc's formats is the rival."),
        "Tables 5 and 7 to 9, an iteration of Krylov methods by format": (methods, "Microseconds, with jacobi. An iteration of bicgcr without symmetry multiplies with the transposed matrix too. A dash is a solve that failed."),
    }),
    "004": ("R. Gupta, Implementation of the Deflated Preconditioned Conjugate Gradient Method for Bubbly Flow", {
        "Figure 74, deflated Poisson by stripes": (stripes, "The thesis does not say which right-hand side it has: [more](../papers.md#figure-74-of-guptas-thesis)."),
        "Figures 77 to 79, the two-phase matrix": (two_phases, "The thesis's matrix, eq. 7 and 8 with the diagonal mended, to a relative residual of 1e-2, which says little about the error."),
        "Figures 10 to 68, host and GPU": (
            host_and_gpu, "One core of the host beside the GPU, both in double: milliseconds of set-up and of solve, the last of "
            "three, to a relative residual of 1e-6, with blocks of 2 lines and with 1024 stripes. The thesis has one core of an "
            "Intel Q9650 and a Tesla C1060, both in single precision. Its speed-ups leave out the set-up. Its block Incomplete "
            "Cholesky has a thread for a block; ours has scans along the lines. Figures 21 to 23 and 74 to 76 are with all of "
            "A Z, d values for each row. With five values for each row its host became 20 times as fast, and its GPU twice "
            "(7.5.1). Figure 10 has 256 times as many cells as our squares."),
        "Figures 53 to 62, residual and error beyond convergence": (
            beyond_convergence,
            "In double, and in float by a build with a PETSc of single precision (`make papers SINGLE=BUILD`). Rounding keeps b - A x "
            "where it is; the residual of the recurrence, and the error in the energy norm that is estimated from it, go on falling."),
    }),
}


def machine(device):
    if not device:
        model = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text()) if pathlib.Path("/proc/cpuinfo").is_file() else None
        return f"one core of {model[1] if model else platform.processor()}"
    found = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], capture_output=True, text=True)
    return "one " + found.stdout.splitlines()[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "docs" / "papers")
    parser.add_argument("--only", choices=PAPERS, help="the page of this paper alone")
    parser.add_argument("--single", help="a build with a PETSc of single precision, for the part that compares it")
    parser.add_argument("--device", action="store_true", help="benchmarks on one GPU; counts of iterations are of the host")
    given = parser.parse_args()
    runs, failed = Runs(given.build, given.device, given.single), False

    given.folder.mkdir(parents=True, exist_ok=True)
    for number in [given.only] if given.only else PAPERS:
        title, parts = PAPERS[number]
        lines = [f"# {title}", "", f"By `make papers` on {machine(given.device)}, {datetime.date.today()}.", "All sections of the paper: [papers](../papers.md).", ""]
        for heading, (part, sentence) in parts.items():
            print(f"papers.py: {number}, {heading}", file=sys.stderr, flush=True)
            try:
                found = part(runs, given.folder)
            except RuntimeError as error:
                failed = True
                found = [f"Not measured: {error}"]
                print(f"papers.py: {error}", file=sys.stderr)
            lines += [f"## {heading}", "", sentence, "", *found, ""] if found else []
        (given.folder / f"{number}.md").write_text("\n".join(lines).rstrip() + "\n")
    sys.exit(failed)


if __name__ == "__main__":
    main()
