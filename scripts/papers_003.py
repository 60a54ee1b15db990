"""Pages of papers.py: Magoules and others"""
import re

from papers_runs import Part, files, grid, records, shown

TITLE = "F. Magoules and others, Auto-tuned Krylov methods on cluster of graphics processing unit"
KINDS = ("aij", "sell", "bdia", "brow")
# Iterations of table 5, seconds there: CSR on the CPU, CSR, Cusp's CSR, ELL and HYB on the GPU
TABLE_5 = {"2cubes_sphere": (24, 0.13, 0.04, 0.04, 0.04, 0.04), "cfd2": (2818, 38.62, 5.23, 11.79, 10.75, 8.98),
           "thermomech_dM": (12, 0.08, 0.02, 0.02, 0.02, 0.02), "thermomech_TK": (13226, 42.55, 14.32, 18.7, 18.32, 15.32),
           "qa8fm": (29, 0.11, 0.04, 0.04, 0.04, 0.03), "Dubcova2": (168, 0.41, 0.15, 0.18, 0.22, 0.17),
           "af_shell8": (2815, 93.3, 21.2, 18.00, 13.84, 13.56), "finan512": (15, 0.03, 0.01, 0.02, 0.02, 0.02),
           "thermal2": (4453, 198.49, 32.16, 26.45, 30.8, 27.46)}
# Iterations and seconds on the GPU, CSR
TABLE_7 = {"tfqmr": {"2cubes_sphere": (15, 0.05), "cfd2": (5284, 19.53), "thermomech_dM": (6, 0.03), "thermomech_TK": (90, 0.19),
                     "qa8fm": (25, 0.06), "Dubcova2": (191, 0.38), "af_shell8": (30000, 448.78), "finan512": (9, 0.02),
                     "thermal2": (112, 1.68)},
           "bicgcr": {"2cubes_sphere": (23, 0.04), "cfd2": (4664, 8.56), "thermomech_dM": (12, 0.02),
                      "thermomech_TK": (14373, 15.92), "qa8fm": (28, 0.03), "Dubcova2": (165, 0.17), "af_shell8": (2298, 16.8),
                      "finan512": (15, 0.02), "thermal2": (4151, 31.62)},
           "gcr, restart 50": {"2cubes_sphere": (13, 0.04), "cfd2": (30000, 176.38), "thermomech_dM": (23, 0.09),
                               "thermomech_TK": (30000, 123.75), "qa8fm": (50, 0.22), "Dubcova2": (703, 2.74),
                               "af_shell8": (723, 13.96), "finan512": (15, 0.03), "thermal2": (30000, 441.37)}}
# Iterations and seconds with CSR, ELL and HYB
TABLE_8 = {"2cubes_sphere": (15, 0.05, 15, 0.05, 15, 0.06), "cfd2": (6285, 24.98, 5466, 15.65, 5026, 17.69),
           "thermomech_dM": (6, 0.02, 6, 0.02, 6, 0.02), "thermomech_TK": (30000, 64.8, 30000, 61.73, 30000, 88.06),
           "qa8fm": (30000, 80.37, 30000, 61.25, 30000, 61.41), "Dubcova2": (114, 0.25, 114, 0.23, 114, 0.31),
           "af_shell8": (2540, 41.32, 3014, 32.86, 2842, 31.09), "finan512": (10, 0.02, 15, 0.05, 10, 0.03),
           "thermal2": (4006, 54.29, 30000, 380.7, 30000, 346.16)}
# Iterations and seconds by L
TABLE_9 = {"2cubes_sphere": {1: (16, 0.07), 2: (7, 0.04), 4: (3, 0.04), 8: (2, 0.06)},
           "cfd2": {1: (5950, 19.44), 2: (3287, 22.05), 4: (1251, 17.81), 8: (450, 14.5)},
           "thermomech_dM": {1: (7, 0.02), 2: (4, 0.02), 4: (2, 0.03), 8: (1, 0.03)},
           "thermomech_TK": {1: (20, 0.04), 2: (18, 0.07), 4: (21, 0.17), 8: (3, 0.06)},
           "qa8fm": {1: (37, 0.1), 2: (6, 0.02), 4: (2, 0.02), 8: (1, 0.02)},
           "Dubcova2": {1: (115, 0.22), 2: (57, 0.22), 4: (29, 0.23), 8: (15, 0.28)},
           "af_shell8": {1: (2795, 37.88), 2: (987, 27.14), 4: (421, 24.2), 8: (244, 29.85)},
           "finan512": {1: (10, 0.02), 2: (5, 0.01), 4: (2, 0.02), 8: (1, 0.02)},
           "thermal2": {1: (4535, 59.25), 2: (1969, 53.03), 4: (1070, 62.23), 8: (483, 64.44)}}
MATRICES = ("sherman1", "bcsstk34", "crystm01", "fv1", "bodyy4", "Dubcova1", "jnlbrng1", "orsreg_1", "sherman3", "sherman5",
            "watt_1", "add20")
PROTOCOL = "-case formats -rtol 1e-6 -max_it 1000 -repeats 3 -its 50"


def us(seconds, its):
    return f"{1e6 * seconds / its:.0f}"


def measured(runs):
    """Rows of the benchmark for the matrices at hand and for Poisson's equation, and its options"""
    paths = [str(path) for name, path in files().items() if name in MATRICES]
    options = f"{PROTOCOL} -formats_n {1024 if runs.device else 128} -matrix {','.join(paths)}" + " -device" * runs.device
    return records(runs.once("bench/krylov", options), "Krylov methods by format"), options


def by_format(rows):
    """{kind of format: row}"""
    return {re.sub("cusparse$|cuda$", "", row["format"]): row for row in rows}


def converged(row):
    return row["reason"] == "CONVERGED_RTOL" and float(row["residual"]) < 1e-3


def cell(row):
    """Microseconds of an iteration; in brackets where the solve has not converged"""
    if row is None:
        return "-"
    return "failed" if row["us"] == "-" else row["us"] if converged(row) else f"({row['us']})"


def counts(rows):
    """Iterations of the solves that have converged, over the formats"""
    its = sorted(int(row["iterations"]) for row in rows if row["us"] != "-" and converged(row))
    return (str(its[0]) if its[0] == its[-1] else f"{its[0]} to {its[-1]}") if its else "not in 1000"


def of_method(rows, method):
    """A line for each matrix that has the method"""
    lines = []
    for name in dict.fromkeys(row["case"] for row in rows):
        found = [row for row in rows if row["case"] == name and row["method"] == method]
        of = by_format(found)
        lines += [[name, method, found[0]["rows"], counts(found), *(cell(of.get(kind)) for kind in KINDS)]] if found else []
    return lines


def table(runs, published, methods):
    """Published lines, then ours"""
    rows, options = measured(runs)
    names = ("aijcusparse", "sellcuda", "bdiacuda", "browcuda") if runs.device else KINDS
    head = ["matrix", "method", "rows", "iterations", *names]
    lines = [line for method in methods for line in of_method(rows, method)]
    return [*published, "", *grid(head, lines), "", f"`bench/krylov {shown(options)}`"]


def cg(runs, _):
    paper = [[name, its, *(us(seconds, its) for seconds in times)] for name, (its, *times) in TABLE_5.items()]
    head = ["paper's matrix", "iterations", "CSR, CPU", "CSR", "CSR, Cusp", "ELL", "HYB"]
    return table(runs, grid(head, paper), ("cg", "fusedcg"))


def three(runs, _):
    paper = [[name, *(f"{of[name][0]}: {us(of[name][1], of[name][0])}" for of in TABLE_7.values())] for name in TABLE_5]
    return table(runs, grid(["paper's matrix", *(f"{method}: CSR" for method in TABLE_7)], paper),
                 ("tfqmr", "bicgcr", "bicgcr, two-sided", "gcr, restart 50"))


def bicgstab(runs, _):
    paper = [[name, *(f"{of[k]}: {us(of[k + 1], of[k])}" for k in (0, 2, 4))] for name, of in TABLE_8.items()]
    return table(runs, grid(["paper's matrix", "CSR", "ELL", "HYB"], paper), ("bcgs", "fusedbcgs"))


def stabilized(runs, _):
    paper = [[name, *(f"{its * ell}: {us(seconds, its * ell)}" for ell, (its, seconds) in of.items())]
             for name, of in TABLE_9.items()]
    names = [f"L = {ell}" for ell in (1, 2, 4, 8)]
    return table(runs, grid(["paper's matrix", *names], paper), [f"bcgsl, {name}" for name in names])


def published_of(name):
    """{method: (iterations, seconds with CSR)} of one of the paper's matrices"""
    found = {"cg": (TABLE_5[name][0], TABLE_5[name][2])} | {method: of[name] for method, of in TABLE_7.items()}
    found |= {"bcgs": TABLE_8[name][:2]} | {f"bcgsl, L = {ell}": (its * ell, s) for ell, (its, s) in TABLE_9[name].items()}
    return found | {"fusedcg": found["cg"], "bicgcr, two-sided": found["bicgcr"], "fusedbcgs": found["bcgs"]}


def beside_dubcova2(runs, _):
    """Methods on a matrix of the size of one of the paper's"""
    if "Dubcova1" not in files():
        return []
    options = f"{PROTOCOL} -matrix {files()['Dubcova1']} -copies_to 64516" + " -device" * runs.device
    rows = records(runs.once("bench/krylov", options), "Krylov methods by format")
    unit, paper, lines = float(rows[0]["us"]), published_of("Dubcova2"), []
    for method in dict.fromkeys(row["method"] for row in rows):
        found = [row for row in rows if row["method"] == method]
        of, (its, seconds) = by_format(found), paper[method]
        quotients = [f"{float(of[kind]['us']) / unit:.2f}" if kind in of and of[kind]["us"] != "-" else "-"
                     for kind in ("aij", "sell", "brow")]
        lines.append([method, its, us(seconds, its), f"{seconds / its / (paper['cg'][1] / paper['cg'][0]):.2f}", counts(found),
                      *(cell(of.get(kind)) for kind in ("aij", "sell", "brow")), ", ".join(quotients)])
    names = ("aijcusparse", "sellcuda", "browcuda") if runs.device else ("aij", "sell", "brow")
    head = ["method", "paper: iterations", "us, CSR", "over cg", "ours: iterations", *names, "each over cg on CSR"]
    return [*grid(head, lines), "", f"`bench/krylov {shown(options)}`"]


ITERATION = ("Microseconds of an iteration; of the paper the seconds of a solve over its iterations, with what its solves copy "
             "between CPU and GPU, on a GTX275. In brackets: the true residual of the solve has not come below 1e-3, or the "
             "recursive one to 1e-6, in 1000 iterations. bdia refuses matrices of more than 27 diagonals. ")

PARTS = {
    "Tables 5 and 7 to 9, methods beside each other": Part(
        beside_dubcova2, "The nearest pair at hand: the paper's Dubcova2 (65 025 rows, 1 030 225 entries) and Dubcova1, four "
        "times along the diagonal (64 516 rows, 1 012 036 entries); `bdia` refuses its diagonals. To 1e-6 with jacobi and a "
        "right-hand side of ones. fusedcg stands beside the paper's cg, fusedbcgs beside its bcgs; iterations of bcgsl are "
        "counted in steps of bcgs, L of the paper's. The paper's time has its start in it, and copies between CPU and GPU. GCR "
        "keeps 50 vectors and orthogonalizes against them one at a time in the paper (4.4 times cg's iteration)."),
    "Table 5, Conjugate Gradient by format": Part(
        cg, ITERATION + "The paper's nine matrices are not at hand; ours are of the same collection, and smaller. The paper's "
        "ELL and HYB are 0.5 to 1.6 times as fast as its CSR; of ours slices are faster on long even rows."),
    "Table 7, tfqmr, bicgcr and gcr": Part(
        three, ITERATION + "The paper's cells are iterations: microseconds. The paper's BiCGCR is the method for symmetric "
        "matrices; two-sided it has a product with the transposed matrix in each iteration, which unsymmetric matrices "
        "(orsreg_1, sherman3, sherman5, watt_1, add20) need. PETSc 3.26.1 transposes slices wrongly where the last slice is "
        "not full, so sell fails there. bicgcr wants a positive definite preconditioner, so sherman1, negative definite, fails "
        "with it."),
    "Table 8, BiCGStab by format": Part(
        bicgstab, ITERATION + "The paper's cells are iterations: microseconds. Rounding decides how long BiCGStab takes, in "
        "the paper (finan512 15 iterations with ELL, 10 with CSR) as here."),
    "Table 9, BiCGStab(L)": Part(
        stabilized, ITERATION + "The paper's cells are steps: microseconds of a step, L steps for each of its iterations. "
        "PETSc's bcgsl counts steps. The preconditioner stands on the left, since on the right PETSc 3.26.1 leaves out the "
        "last step of the method: the true residual may be larger."),
}
