"""Pages of papers.py: Verschoor and Jalba"""
import re
import statistics

from papers_runs import MATRICES, Part, candidates, table_of

TITLE = "M. Verschoor and A. C. Jalba, Analysis and performance estimation of the Conjugate Gradient method on multiple GPUs"
TABLE_5 = {"bcsstk34": "0.76, 0.52, 0.34", "bcsstk38": "0.75, 0.53, 0.34", "bcsstm39": "0.50, 0.25, 0.12",
           "bodyy4": "0.49, 0.24, 0.12", "bodyy6": "0.49, 0.24, 0.12", "crystm01": "0.32, 0.22, 0.14",
           "cvxbqp1": "0.26, 0.10, 0.04", "Dubcova1": "0.37, 0.15, 0.07", "fv1": "0.50, 0.32, 0.16",
           "jnlbrng1": "0.50, 0.25, 0.12", "msc01440": "0.62, 0.42, 0.24", "nasa1824": "0.52, 0.35, 0.23",
           "plbuckle": "0.54, 0.36, 0.27", "ted_B": "0.55, 0.40, 0.30", "Trefethen_2000": "0.55, 0.30, 0.17"}
TABLE_7 = {"single, GTX280": (1285, "320 (8734)"), "double, GTX280": ("-", "263 (4329)"),  # seconds, iterations
           "single, GTX570": ("-", "322 (8352)"), "double, GTX570": ("-", "263 (4264)")}


def conjugate_gradients(runs, _):
    files = ",".join(str(MATRICES / f"{name}.mtx.gz") for name in ("1138_bus", "bcsstk34", "nopoly", "sherman1"))
    return [runs.bench("krylov", f"-case blocks -matrix {files} -copies_to {2000000 if runs.device else 50000}",
                       "Iterations of ours against", "Solves from zero")]


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
    found = {name: [both(table_of(text, heading)[1:], name) for heading in tables] for name in matrices}
    kept = {name: of for name, of in found.items() if len(of[0]) == 2 and all("CONVERGED" in row[8] for row in of[1])}
    reasons = {row[0]: row[8] for row in table_of(text, tables[1])[1:] if "CONVERGED" not in row[8]}
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
    text = runs.run("bench/krylov", f"{options} {','.join(map(str, known.values()))}")
    views = [line.split() for line in re.findall(r"; density ([\d. ]+) in tiles", text)][::2]  # in double, and again in float
    if len(views) != len(known):
        raise RuntimeError(f"{len(views)} densities of {len(known)} matrices")
    lines = ["| matrix | paper: d2, d4, d8 | ours |", "|---|---|---|"]
    lines += [f"| {name} | {TABLE_5[name]} | {view[1]}, {view[3]}, {view[7]} |" for name, view in zip(known, views)]
    return lines + ["", f"`bench/krylov {options} FILES`"]


PARTS = {
    "Table 7 and figure 10, Conjugate Gradient over matrices": Part(
        conjugate_gradients, "The paper's 185 matrices are not at hand; these are of tests/matrices, repeated along the "
        "diagonal. The paper has GFLOPS in figure 10, read off a picture, and sums over its matrices in table 7, which stand "
        "[below](#sections-64-and-74-values-in-double-and-in-float)."),
    "Sections 6.4 and 7.4, values in double and in float": Part(
        collection, "The matrices at hand that are symmetric and positive definite, in the tiles that `brow` chooses, with "
        "jacobi, to a relative 1e-8 in the norm of D^-1/2 (b - A x), as in algorithm 2. The paper's single precision has "
        "vectors in float and takes more iterations than its double precision. Ours has vectors in double: rounding of the "
        "values then limits the true residual. Operations are 2 for an entry and 15 for a row (tables 2 and 3). The rival is "
        "PETSc's cg, on compressed rows or on slices, whichever is faster."),
    "Tables 4 and 5, densities of tiles": Part(
        densities, "Entries for each place in the tiles. The paper's values are cut after two digits, ours are rounded. None "
        "of the matrices of table 4 is at hand.", counts=True),
}
