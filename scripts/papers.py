#!/usr/bin/env python3
"""papers.py BUILD: what of the papers' tables and figures this machine can measure in three minutes, beside the published values.

Writes a page for each paper, 000.md to 004.md, and pictures beside the pages, by runs of the examples and benchmarks of BUILD on one
core, or on one GPU. A run that fails is told on its page, and by the exit code."""
import argparse
import datetime
import pathlib
import platform
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MATRICES = ROOT / "tests" / "matrices"
LIMIT = 300  # seconds of one run

TWOPHASE = "-problem twophase -n 64 -fix -contrast 1e3 -guess 0 -steps 1 -ksp_type fusedcg -ksp_norm_type unpreconditioned"
BEYOND = "-ksp_rtol 1e-30 -ksp_atol 1e-300 -ksp_max_it 900"  # until rounding
DEFLATED = "-pc_type subdeflation -pc_subdeflation_type stripes -pc_subdeflation_pc_type blockic"
STRIPES = ("-problem poisson -n 128 -steps 12 -guess 0 -ksp_type cg -ksp_norm_type unpreconditioned -ksp_rtol 1e-6 "
           + DEFLATED)
INTERFACE = ("-problem interface -contrast 10 -fix -guess 0 -steps 1 -ksp_type cg -ksp_norm_type unpreconditioned -ksp_max_it 1000 "
             + DEFLATED)
FIGURES_77_78 = {(128, 256): "3, 3, 3", (128, 512): "3, 3, 3", (128, 1024): "4, 3, 3",
                 (256, 512): "4, 4, 4", (256, 1024): "not in 1000, 4, 4", (256, 2048): "not in 1000"}
FIGURE_74 = {256: "68, 58, 54", 512: "53, 46, 42", 1024: "34, 30, 27"}
METHODS = ("cg", "fusedcg", "bicgcr", "bicgcr -ksp_bicgcr_symmetric 0", "bcgs", "fusedbcgs", "bcgsl", "tfqmr", "gcr")
HUNDRED = "-problem poisson -guess 0 -steps 2 -pc_type jacobi -ksp_rtol 1e-30 -ksp_max_it 100"
TABLE_4_1 = {"1138_bus": (21, 17), "nopoly": (875, 11)}  # blocks, row length


class Runs:
    def __init__(self, build, device):
        self.build, self.device = pathlib.Path(build), device

    def run(self, program, options, converges=True):
        """What the program prints; raises RuntimeError with its error. Without convergence the exit code means nothing."""
        command = [str(self.build / program), *options.split()]
        command += ["-use_gpu_aware_mpi", "0"] if self.device else []
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
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

    def last_solve(self, options):
        """Iterations and seconds of the last solve of bubbly, in which nothing is used for the first time"""
        text = self.run("examples/bubbly", options, False)
        its, seconds = re.findall(r" after (\d+) iterations", text), re.findall(r" solve (\S+) s$", text, re.M)
        if len(seconds) < 2:
            raise RuntimeError(f"bubbly {options} has not solved twice")
        return int(its[-1]), float(seconds[-1])

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
                its, seconds = runs.last_solve(f"{options} -ksp_type {method} -dm_mat_type {kind}{cuda}")
                cells.append(f"{1e6 * seconds / its:.1f}")
            except RuntimeError as error:
                print(f"papers.py: {method} on {kind}: {error}", file=sys.stderr)
                cells.append("-")
        lines.append(f"| {method} | {' | '.join(cells)} |")
    return lines + ["", f"`bubbly {options} -ksp_type METHOD -dm_mat_type TYPE{cuda}`"]


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
    for (n, count), published in FIGURES_77_78.items():
        ours = [by_lines(runs, f"{INTERFACE} -n {n} -ksp_rtol {rtol} -pc_subdeflation_count {count}") for rtol in ("1e-2", "1e-8")]
        lines.append(f"| {n}^2, {count} | {published} | {ours[0]} | {ours[1]} |")
    return lines + ["", f"`bubbly {INTERFACE} -n CELLS -ksp_rtol RTOL -pc_subdeflation_count COUNT -pc_subdeflation_pc_blockic_size LINES`"]


def history(runs, pc):
    """Norms of b - A x, of the residual of the recurrence, and estimates of the error, by iteration"""
    text = runs.run("examples/bubbly", f"{TWOPHASE} {BEYOND} -pc_type {pc} -ksp_monitor_true_residual -ksp_monitor_fusedcg_error", False)
    recurrence, residuals = zip(*((float(a), float(b)) for a, b in re.findall(r"resid norm (\S+) true resid norm (\S+)", text)))
    errors = [float(norm) for norm in re.findall(r"energy norm of the error ([\d.e+-]+),", text)]
    return residuals, recurrence, errors


def beyond_convergence(runs, folder):
    try:
        import matplotlib
    except ImportError:
        raise RuntimeError(f"{sys.executable} has no matplotlib (HEPTA_PYTHON of scripts/env.sh has it)") from None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 5), layout="constrained")
    kinds = (("b - A x", "-"), ("recurrence", ":"), ("estimated error", "--"))
    lines = ["| preconditioner | least b - A x / first | iterations to it | estimated error / first there |", "|---|---|---|---|"]
    for color, pc in enumerate(("jacobi", "ip", "gridmg")):
        norms = history(runs, pc)
        for (kind, style), values in zip(kinds, norms):
            axes.semilogy([value / values[0] for value in values], style, color=f"C{color}", label=f"{pc}, {kind}")
        least = norms[0].index(min(norms[0]))
        lines.append(f"| {pc} | {norms[0][least] / norms[0][0]:.1e} | {least} | {norms[2][min(least, len(norms[2]) - 1)] / norms[2][0]:.1e} |")
    axes.set(xlabel="iteration", ylabel="norm / first norm", ylim=(1e-17, 10))
    axes.legend()
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
        "Figures 77 and 78, the two-phase matrix": (two_phases, "The thesis's matrix, eq. 7 and 8 with the diagonal mended, to a relative residual of 1e-2, which says little about the error."),
        "Figures 53 to 62, residual and error beyond convergence": (beyond_convergence, "In double. Rounding keeps b - A x where it is; the residual of the recurrence, and the error in the energy norm that is estimated from it, go on falling."),
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
    parser.add_argument("--device", action="store_true", help="benchmarks on one GPU; counts of iterations are of the host")
    given = parser.parse_args()
    runs, failed = Runs(given.build, given.device), False

    given.folder.mkdir(parents=True, exist_ok=True)
    for number in [given.only] if given.only else PAPERS:
        title, parts = PAPERS[number]
        lines = [f"# {title}", "", f"By `make papers` on {machine(given.device)}, {datetime.date.today()}.", "All sections of the paper: [papers](../papers.md).", ""]
        for heading, (part, sentence) in parts.items():
            print(f"papers.py: {number}, {heading}", file=sys.stderr, flush=True)
            lines += [f"## {heading}", "", sentence, ""]
            try:
                lines += [*part(runs, given.folder), ""]
            except RuntimeError as error:
                failed = True
                lines += [f"Not measured: {error}", ""]
                print(f"papers.py: {error}", file=sys.stderr)
        (given.folder / f"{number}.md").write_text("\n".join(lines).rstrip() + "\n")
    sys.exit(failed)


if __name__ == "__main__":
    main()
