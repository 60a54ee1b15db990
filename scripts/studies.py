#!/usr/bin/env python3
"""studies.py BUILD [FILE]: how the preconditioners of pressure equations bear contrasts of the density and many bubbles, by runs of
BUILD/examples/bubbly on one core, and conjugate gradients by substructures, by BUILD/examples/substructures on several. Writes tables of iterations, true
residuals, errors and times as Markdown to FILE (default: docs/studies.md). HEPTA_MPIEXEC names the launcher (default: mpiexec). At the end, the section of
studies_amg.py, for which pyamg is needed."""
import os
import re
import subprocess
import sys

import studies_amg
import studies_estimates

DEFLATION = ["-pc_type", "subdeflation"]
METHODS = {
    "jacobi": ["-pc_type", "jacobi"],
    "blockic": ["-pc_type", "blockic"],
    "ip": ["-pc_type", "ip"],
    "stripes": DEFLATION + ["-pc_subdeflation_type", "stripes", "-pc_subdeflation_count", "64"],
    "boxes": DEFLATION + ["-pc_subdeflation_size", "8"],
    "material": DEFLATION + ["-pc_subdeflation_type", "material"],
    "gridmg": ["-pc_type", "gridmg"],
}
COMMON = "-ksp_type cg -ksp_norm_type unpreconditioned -ksp_rtol 1e-8 -ksp_max_it 20000 -steps 1".split()
CONTRASTS = ["1", "10", "1e2", "1e3", "1e4", "1e5", "1e6", "1e7"]
SHAPES = {
    "two sweeps": [],
    "one sweep": ["-pc_gridmg_sweeps", "1"],
    "couplings in single": ["-pc_gridmg_storage", "single"],
    "all in double": ["-pc_gridmg_storage", "double"],
}
PROBLEMS = {
    "two-phase 256^2, 1e3": "-problem twophase -n 256 -fix -contrast 1e3",
    "two-phase 256^2, 1e6": "-problem twophase -n 256 -fix -contrast 1e6",
    "two-phase 512^2, 1e3": "-problem twophase -n 512 -fix -contrast 1e3",
    "two-phase 512^2, 1e6": "-problem twophase -n 512 -fix -contrast 1e6",
    "bubbles 64^3, 1e3": "-problem bubbles -dim 3 -n 64 -fix -contrast 1e3",
    "Poisson 64^3": "-problem poisson -dim 3 -n 64",
}
FLOWS = {
    "two-phase 256^2": PROBLEMS["two-phase 256^2, 1e3"],
    "two-phase 512^2": PROBLEMS["two-phase 512^2, 1e3"],
    "bubbles 48^3": "-problem bubbles -dim 3 -n 48 -fix -contrast 1e3",
    "bubbles 64^3": PROBLEMS["bubbles 64^3, 1e3"],
}
FACTORS = ["1.4", "1.6", "1.8", "2.0"]
LAYERS = {
    "jacobi": METHODS["jacobi"],
    "gamg": ["-pc_type", "gamg"],
    "gridmg": METHODS["gridmg"],
    "gridmg, all axes coarsened": METHODS["gridmg"] + ["-pc_gridmg_axis_strength", "0"],
    "gridmg, axes of half the strength": METHODS["gridmg"] + ["-pc_gridmg_axis_strength", "0.5"],
    "aggmg": ["-pc_type", "aggmg"],
}
PRECISE = "-ksp_type fusedcg -mat_type bdia -ksp_norm_type unpreconditioned -pc_type gridmg -fix -steps 1 -ksp_max_it 20000".split()
GRIDS = {"256^2": ["-dim", "2", "-n", "256"], "48^3": ["-dim", "3", "-n", "48"]}
TOLERANCES = ["1e-4", "1e-8", "1e-12"]
VERTICALS = ["1", "1e-1", "1e-2", "1e-3", "1e-4"]
SQUARES = {"squares, 192^2": ["-n", "192"], "cubes, 32^3": ["-dim", "3", "-n", "32"]}
LOCALS = ["aij", "bdia", "brow", "seqaijbdia"]
PARTS = ["1", "2", "4"]
DEFLATED = "-ksp_type dpcg -pc_type subdeflation -pc_subdeflation_pc_type jacobi"
UNASSEMBLED = {"jacobi": "-pc_type jacobi", "dpcg, a vector for each rank": f"{DEFLATED} -pc_subdeflation_type stripes -pc_subdeflation_count RANKS",
               "dpcg, boxes": DEFLATED, "fusedcg, aggmg": "-ksp_type fusedcg -pc_type aggmg", "bddc": "-pc_type bddc"}
BUBBLES = ["1", "2", "4", "8", "16", "32", "64"]

RECYCLED_SHOW = ("Two to five small eigenvalues go with a few bubbles, and four vectors take them away for as long as the bubbles move less than a cell. Where more small eigenvalues are left, or bubbles move\n"
                 "by a cell, vectors save less than they cost, and `dpcg` gives them up or learns new ones. `gridmg` needs none of this. Times on a GPU: [dpcg that recycles](../bench/results/recycle-h200.md).")
SHAPES_SHOW = "One sweep takes 1.4 to 2.1 times the iterations of two. Couplings in bf16 and floats cost one iteration at most."
ERRORS_SHOW = ("Where a residual of 1e-8 goes with an error of one half, a tolerance of 1e-6 for the error helps up to a contrast of 1e4, and one of 1e-8 up\n"
               "to 1e6: in the energy norm the pressure of the liquid has the weight 1 / C. With `gridmg` every tolerance bounds the error.")
FACTORS_SHOW = "2.0, the largest tried and the default, is the best for boxes of every size, or as good. Boxes of 3 or 4 cells take 1.8 to 3.1 times the iterations of boxes of 2."
LAYERS_SHOW = ("`gridmg` leaves the axis that hardly conducts alone, as its view says, and its iterations do not grow with the anisotropy; with boxes along all axes they do. But they grow with the grid:\n"
               "take `aggmg` for layers.\n"
               "As in the SPE's tenth comparative project, whose data these are not, little flows through the layers: there V is between 1e-4 and 1e-2.")
PRECISION_SHOW = ("The one cell that is fixed leaves the matrix nearly singular at large contrasts. There single takes up to 3 iterations more for 1e-8, and up to 4 more for 1e-12, but 8 at 1e5, where it ends in double. All residuals are true.")
SUBSTRUCTURES_SHOW = ("Nodes that two ranks have count in both local matrices. On one rank a solve with local matrices of block diagonals, `bdia` or `seqaijbdia`, is 1.6 to 3.3 times as fast as with `aij`, and with `brow` 1.0 to 1.6 times.\n"
                      "Times are of a virtual machine with 2 cores of an AMD EPYC, which other programs used at the same time, and differ by up to a half from run to run; there two ranks gain little or lose, for an iteration is 0.1 to 0.5 ms of work on one.\n"
                      "`bddc` takes 6 to 10 iterations in place of 106 and 647; each costs solves with factors of the local matrices. Times of `dpcg` with these subdomains on several GPUs were not measured.")


def solve(bubbly, method, options, more=()):
    """Iterations, true residual and largest error as one cell of a table; what went wrong if there is no answer. Without a method the
    options are complete."""
    given = COMMON + {**METHODS, **LAYERS}[method] if method else []
    run = subprocess.run([bubbly] + options + given + list(more), capture_output=True, text=True, timeout=600)
    answer = re.search(r"^answer .*: (\w+) after (\d+) iterations, true relative residual (\S+), largest error (\S+)", run.stdout, re.M)
    if not answer:
        error = re.search(r"PETSC ERROR: (?!-)(.*)", run.stderr)
        print(f"studies.py: {method}, {' '.join(options)}: {error.group(1) if error else 'no answer'}", file=sys.stderr)
        return "-"
    reason, iterations, residual, error = answer.groups()
    return f"{iterations}{'' if reason.startswith('CONVERGED') else ' (' + reason + ')'}, {residual}, {error}"


def table(bubbly, title, note, column, values, options):
    lines = [f"## {title}", "", note, "", f"`bubbly {' '.join(options(column))} {' '.join(COMMON)}`", ""]
    lines += [f"| preconditioner | {' | '.join(values)} |", "|---" * (len(values) + 1) + "|"]
    for method in METHODS:
        lines.append(f"| {method} | " + " | ".join(solve(bubbly, method, options(value)) for value in values) + " |")
    return lines + [""]


def iterations(bubbly, problem, more):
    """Iterations of gridmg alone"""
    return solve(bubbly, "gridmg", problem.split(), more).split(",")[0]


def grid(head, rows, cell):
    """Markdown of a table with `head` above the columns"""
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    return lines + ["| " + " | ".join([row] + [cell(row, column) for column in head[1:]]) + " |" for row in rows] + [""]


def errors(bubbly):
    """Stops by the residual, and by the estimated energy norm of the error"""
    stops = {"residual, 1e-8": "-ksp_rtol 1e-8", "error, 1e-6": "-ksp_fusedcg_error_estimate -ksp_rtol 1e-6",
             "error, 1e-8": "-ksp_fusedcg_error_estimate -ksp_rtol 1e-8"}
    problem = "-problem twophase -n 128 -fix -contrast"
    common = "-ksp_type fusedcg -ksp_norm_type unpreconditioned -ksp_max_it 20000 -steps 1 -pc_type"
    rows = {f"{method}: {stop}": f"{common} {method} {options}".split() for method in ("jacobi", "ip", "gridmg") for stop, options in stops.items()}
    lines = ["## Tolerances for the error", "", "Two phases as above, with tolerances for the residual or for the energy norm of the error, as `KSPFusedCGSetErrorEstimate()`",
             "estimates it.", "", f"`bubbly {problem} C {common} METHOD STOP`", ""]
    lines += [f"- {name}: `{options}`" for name, options in stops.items()] + [""]
    lines += grid(["stop"] + CONTRASTS[2:], rows, lambda row, contrast: solve(bubbly, None, problem.split() + [contrast] + rows[row]))
    return lines + [ERRORS_SHOW, ""]


def recycled(bubbly):
    """Iterations of time steps with deflation vectors from an earlier step"""
    common = "-problem bubbles -dim 3 -n 64 -fix -steps 20 -ksp_norm_type unpreconditioned"
    deflated = "-ksp_type dpcg -pc_type subdeflation -ksp_dpcg_recycle K -pc_subdeflation_pc_type"
    moves = {"5 bubbles, 0.1 cells a step": "-nbubbles 5 -dt 0.0016", "5 bubbles, 1 cell a step": "-nbubbles 5 -dt 0.016",
             "27 bubbles, 0.1 cells a step": "-nbubbles 27 -dt 0.0016"}
    rows = {f"{pc}, K = {k}": deflated.replace("K", k) + " " + pc for pc in ("jacobi", "ip") for k in "048"}
    rows["gridmg"] = "-ksp_type fusedcg -pc_type gridmg"

    def cell(row, move):
        run = subprocess.run([bubbly] + f"{common} {moves[move]} {rows[row]}".split(), capture_output=True, text=True, timeout=600, check=True)
        return str(sum(int(n) for n in re.findall(r"CONVERGED_RTOL after (\d+) iterations", run.stdout)[1:]))
    lines = ["## Deflation vectors from earlier solves", "", "Iterations of steps 2 to 20 with bubbles that rise, with K vectors as `KSPDPCGSetRecycle()` makes them.", "",
             f"`bubbly {common} MOVE {deflated} PC`", ""]
    lines += [f"- {name}: `{options}`" for name, options in moves.items()] + [""]
    return lines + grid(["preconditioner"] + list(moves), rows, cell) + [RECYCLED_SHOW, ""]


def shapes(bubbly):
    """Iterations with other sweeps and storage"""
    lines = ["## Sweeps and storage", "", "Iterations.", "", f"`bubbly PROBLEM {' '.join(COMMON)} {' '.join(METHODS['gridmg'])} SHAPE`", ""]
    lines += [f"- {name}: `{options}`" for name, options in PROBLEMS.items()] + [""]
    lines += [f"- {name}: `{' '.join(options)}`" if options else f"- {name}: the default" for name, options in SHAPES.items()] + [""]
    return lines + grid(["shape"] + list(PROBLEMS), SHAPES, lambda shape, problem: iterations(bubbly, PROBLEMS[problem], SHAPES[shape])) + [SHAPES_SHOW, ""]


def factors(bubbly):
    """Iterations with other over-corrections, by the size of the boxes"""
    lines = ["## Over-correction", "", "Iterations with factors F of the corrections and boxes of S cells along a side; contrast 1000.", "",
             f"`bubbly PROBLEM {' '.join(COMMON)} {' '.join(METHODS['gridmg'])} -pc_gridmg_size S -pc_gridmg_overcorrection F`", ""]
    lines += [f"- {name}: `{options}`" for name, options in FLOWS.items()] + [""]
    rows = [f"{flow}, S = {size}" for flow in FLOWS for size in "234"]

    def cell(row, factor):
        flow, size = row.split(", S = ")
        return iterations(bubbly, FLOWS[flow], ["-pc_gridmg_size", size, "-pc_gridmg_overcorrection", factor])
    return lines + grid(["problem"] + FACTORS, rows, cell) + [FACTORS_SHOW, ""]


def layers(bubbly):
    """Iterations in horizontal layers of rock, by how much less conducts along y"""
    problem = "-problem layers -dim 3 -n 32 -fix -contrast 1e4 -vertical"
    lines = ["## Layers of rock", "", "Iterations on 32 x 32 x 32 cells in horizontal layers of three cells, whose coefficients differ by up to 1e4 and vary from cell to cell in each; along y, the axis that crosses them, the",
             "coefficients have the factor V. GAMG as PETSc sets it.", "", f"`bubbly {problem} V {' '.join(COMMON)}`", ""]
    rows = {name: " ".join(options) for name, options in LAYERS.items() if name not in METHODS}
    lines += [f"- {name}: `{options}`" for name, options in rows.items()] + [""]
    lines += grid(["preconditioner"] + VERTICALS, LAYERS, lambda method, v: solve(bubbly, method, problem.split() + [v]).split(",")[0])
    lines += ["With V = 1e-3 and more cells a side:", ""]
    lines += grid(["preconditioner", "24", "32", "48", "64", "96"], ["gridmg", "aggmg"], lambda method, n: solve(bubbly, method, problem.replace("32", n).split() + ["1e-3"]).split(",")[0])
    return lines + [LAYERS_SHOW, ""]


def precision(bubbly):
    """Iterations and true residuals of fusedcg in double and in single"""
    lines = ["## Single and double", "", "Iterations and true relative residuals of `fusedcg` in [double and in single](passes.md#fusedcg-in-single), by the relative tolerance R. Residual and error by iteration, past convergence: [pictures](papers/004.md#figures-53-to-62-residual-and-error-beyond-convergence).", "",
             f"`bubbly GRID -contrast C {' '.join(PRECISE)} -ksp_rtol R -ksp_fusedcg_precision single`", ""]
    columns = [f"{tolerance}, {kind}" for tolerance in TOLERANCES for kind in ["double", "single"]]

    def cell(row, column):
        name, contrast = row.split(", ")
        tolerance, kind = column.split(", ")
        run = subprocess.run([bubbly] + GRIDS[name] + PRECISE + ["-contrast", contrast, "-ksp_rtol", tolerance, "-ksp_fusedcg_precision", kind],
                             capture_output=True, text=True, timeout=600, check=True)
        return "{} ({})".format(*re.search(r"CONVERGED_RTOL after (\d+) iterations, true relative residual (\S+),", run.stdout).groups())
    return lines + grid(["grid and contrast"] + columns, [f"{name}, {c}" for name in GRIDS for c in CONTRASTS], cell) + [PRECISION_SHOW, ""]


def cg(build, ranks, problem, local, more=(), repeats="20"):
    """Unknowns and nonzeros of each local matrix, iterations, and seconds of the fastest solve"""
    command = [os.environ.get("HEPTA_MPIEXEC", "mpiexec"), "-n", ranks, build + "/examples/substructures", "-dll_append", build + "/libhepta.so"]
    run = subprocess.run(command + SQUARES[problem] + ["-mat_is_localmat_type", local, "-repeats", repeats] + list(more), capture_output=True, text=True, timeout=600, check=True)
    answer = re.search(r"(\d+) iterations, true residual < 1e-5, (\S+) seconds", run.stdout)
    return re.findall(r"(\d+) unknowns, (\d+) nonzeros", run.stdout), answer.group(1), float(answer.group(2))


def iterations(build, runs):
    """Iterations of each method on 2 and 4 ranks; those of jacobi are of all runs, with each local matrix and on each number of ranks"""
    def cell(row, column):
        problem, method = row.split(": ")
        if method == "jacobi":
            return ", ".join(sorted({run[1] for key, run in runs.items() if key[0] == problem}))
        ranks = column.split()[0]
        return cg(build, ranks, problem, "bdia", UNASSEMBLED[method].replace("RANKS", ranks).split(), "1")[1]

    lines = ["Iterations with local `bdia`; `jacobi` takes the same on 1 rank, and with all local matrices:", "",
             "`mpiexec -n RANKS substructures PROBLEM -mat_is_localmat_type bdia METHOD`", ""]
    lines += [f"- {name}: `{options}`" for name, options in UNASSEMBLED.items()] + [""]
    return lines + grid(["problem and method"] + [f"{n} ranks" for n in PARTS[1:]], [f"{p}: {name}" for p in SQUARES for name in UNASSEMBLED], cell)


def substructures(build):
    """Sizes of the local matrices, iterations, times and speed-up: tables 10 to 12 of the paper on sub-structuring, on problems that are generated"""
    runs = {(p, local, n): cg(build, n, p, local) for p in SQUARES for local in LOCALS for n in PARTS if n != "4" or local == "bdia"}
    lines = ["## Substructures", "",
             "Conjugate gradients on an unassembled matrix (`MATIS`), each rank with the matrix of its own elements: what tables 10 to 12 of the [paper on sub-structuring](papers.md) tell of real matrices, here for bilinear elements on a",
             "square and trilinear ones in a cube, relative tolerance 1e-6, right-hand side of ones. Seconds are of the fastest of 20 solves, without the set-up.", "",
             "`mpiexec -n RANKS substructures PROBLEM -mat_is_localmat_type LOCAL -repeats 20`", ""]
    lines += [f"- {name}: `{' '.join(options)}`" for name, options in SQUARES.items()] + ["", "Unknowns and nonzeros of the local matrix of each rank:", ""]
    lines += grid(["problem"] + [f"{n} rank{'s' * (n != '1')}" for n in PARTS], SQUARES,
                  lambda p, column: "; ".join(f"{rows}, {nonzeros}" for rows, nonzeros in runs[p, "bdia", column.split()[0]][0]))
    lines += iterations(build, runs)
    rows = [f"{p}, {local}" for p in SQUARES for local in LOCALS]
    time = lambda row, n: runs[row.rsplit(", ", 1)[0], row.rsplit(", ", 1)[1], n][2]
    lines += ["Seconds of a solve with `jacobi`, and beside them how many times as fast as with local `aij` on one rank:", ""]
    lines += grid(["problem and local matrices", "1 rank", "2 ranks"], rows,
                  lambda row, column: f"{time(row, column[0]):.3f} ({time(row.rsplit(', ', 1)[0] + ', aij', '1') / time(row, column[0]):.1f})")
    return lines + [SUBSTRUCTURES_SHOW, ""]


def main():
    bubbly, path = sys.argv[1] + "/examples/bubbly", sys.argv[2] if len(sys.argv) > 2 else "docs/studies.md"
    lines = ["# Contrasts and bubbles", "",
             "How many iterations the preconditioners of the pressure equation take, the true relative residual and the largest error of a pressure between 0 and 1, for",
             "cg with a relative tolerance of 1e-8, on one core; at the end, [unassembled matrices](#substructures) on several, and algebraic multigrid on [unstructured meshes](#unstructured-meshes). `scripts/studies.py BUILD` makes this page. The preconditioners are", ""]
    lines += [f"- {name}: `{' '.join(options)}`" for name, options in METHODS.items()] + [""]
    lines += table(bubbly, "Contrast", "Two phases on 128 x 128 cells, the liquid below C times as dense as the gas; closed walls, the last cell fixed.", "C", CONTRASTS,
                   lambda c: ["-problem", "twophase", "-n", "128", "-fix", "-contrast", c])
    lines += table(bubbly, "Bubbles", "N bubbles at random positions on 128 x 128 cells, contrast 1000; closed walls, the last cell fixed.", "N", BUBBLES,
                   lambda n: ["-nbubbles", n, "-seed", "3", "-n", "128", "-fix", "-contrast", "1000"])
    lines += errors(bubbly) + studies_estimates.section(sys.argv[1]) + recycled(bubbly) + shapes(bubbly) + factors(bubbly) + layers(bubbly) + precision(bubbly)
    lines += ["## What they show", "",
              "With jacobi, blockic and ip a residual of 1e-8 says nothing about the liquid from a contrast of 1e4 or 1e5 on: the error is half of the largest pressure. Deflation of a few subdomains removes just that part of the",
              "error; `gridmg` keeps iterations and errors small at every contrast. Bubbles smaller than a box of 8 cells, which boxes and levels mix with the liquid around them, cost both of them iterations; there `material` holds."]
    lines += [""] + substructures(sys.argv[1]) + studies_amg.section(sys.argv[1])
    with open(path, "w", encoding="utf-8") as page:
        page.write("\n".join(lines).rstrip() + "\n")


if __name__ == "__main__":
    main()
