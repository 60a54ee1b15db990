"""Pages of papers.py: Gupta"""
import re
import sys

from papers_runs import Part, Runs, attempt, grid, machine, span

TITLE = "R. Gupta, Implementation of the Deflated Preconditioned Conjugate Gradient Method for Bubbly Flow"
TWOPHASE = "-problem twophase -n 64 -fix -contrast 1e3 -guess 0 -steps 1 -ksp_type fusedcg -ksp_norm_type unpreconditioned"
BEYOND = "-ksp_rtol 1e-30 -ksp_atol 1e-36 -ksp_max_it 900"  # until rounding
MONITORS = "-ksp_monitor_true_residual -monitor_error -ksp_monitor_fusedcg_error"
DEFLATED = "-pc_type subdeflation -pc_subdeflation_type stripes -pc_subdeflation_pc_type blockic"
STRIPES = ("-problem poisson -n 128 -steps 12 -guess 0 -ksp_type cg -ksp_norm_type unpreconditioned -ksp_rtol 1e-6 "
           + DEFLATED)
INTERFACE = ("-problem interface -contrast 10 -fix -guess 0 -steps 1 -ksp_type cg -ksp_norm_type unpreconditioned "
             "-ksp_max_it 1000 " + DEFLATED)
TWO_LINES = "-pc_subdeflation_pc_blockic_size 2"
FINER = "-problem poisson -guess 0 -steps 2 -ksp_type dpcg -ksp_norm_type unpreconditioned " + DEFLATED
# Iterations with blocks of 2, 4 and 8 lines; with 2 lines seconds of the host and of the GPU
FIGURES_75_76 = {(256, 512): ("49, 44, 40", 5.482, 0.32781), (256, 1024): ("44, 43, 36", 9.7168, 0.39116),
                 (256, 2048): ("38, 35, 31", 16.7373, 0.524), (512, 1024): ("43, 38, 34", 37.849, 2.0226),
                 (512, 2048): ("43, 38, 34", 75.013, 3.15)}
FIGURES_77_79 = {(128, 256): "3, 3, 3", (128, 512): "3, 3, 3", (128, 1024): "4, 3, 3",
                 (256, 512): "4, 4, 4", (256, 1024): "not in 1000, 4, 4", (256, 2048): "not in 1000",
                 (512, 1024): "4, 3, 3", (512, 2048): "not in 1000", (512, 4096): "not in 1000"}
MATERIALS = ("-guess 0 -steps 1 -ksp_type cg -ksp_norm_type unpreconditioned -ksp_rtol 1e-6 -pc_type subdeflation "
             "-pc_subdeflation_pc_type blockic")
PROBLEMS = {"Poisson": "-problem poisson", "interface, contrast 10": "-problem interface -contrast 10 -fix",
            "interface, contrast 1000": "-problem interface -contrast 1e3 -fix"}
# Stripes of the thesis, the fewest, and boxes as many, by the cells of a side
SUBDOMAINS = {128: (256, "8"), 256: (512, "8,16"), 512: (1024, "16")}
FIGURE_74 = {256: ("68, 58, 54", "5.6e-5, 5.6e-5, 4.7e-5"), 512: ("53, 46, 42", "7.5e-5, 6.3e-5, 6.5e-5"),
             1024: ("34, 30, 27", "2.5e-5, 3.5e-5, 3.1e-5")}
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
LADDER_FLOW = "-problem poisson -guess 0 -steps 2 -ksp_norm_type unpreconditioned -ksp_rtol 1e-6"
OUTSIDE = "-pc_type blockic -pc_blockic_size 2"
WITHIN = "-pc_subdeflation_pc_type"
LADDER_STRIPES = "-pc_type subdeflation -pc_subdeflation_type stripes -pc_subdeflation_count"
# Largest speed-up of a stage of the thesis, by its text and figures, and what ours has for it
LADDER = {"PETSc's cg on rows": ("-", "-ksp_type cg -pc_type none", "aij"),
          "PETSc's cg on diagonals (7.1)": ("21 (figure 10)", "-ksp_type cg -pc_type none", "bdia"),
          "fused passes (7.7: saxpys together)": ("1.08 to 1.09 of its own", "-ksp_type fusedcg -pc_type none", "bdia"),
          "diagonal preconditioner (7.2)": ("as without", "-ksp_type fusedcg -pc_type jacobi", "bdia"),
          "block Incomplete Cholesky (7.3)": ("2.5 (figures 15 to 20)", f"-ksp_type fusedcg {OUTSIDE}", "bdia"),
          "deflation, PETSc's loop (7.4: all of A Z)": ("31.9 (figure 75)",
                                                        f"-ksp_type cg STRIPES {WITHIN} blockic {TWO_LINES}", "bdia"),
          "deflation, dpcg (7.5: five values of A Z)": ("2.6, two-phase (figure 79)",
                                                       f"-ksp_type dpcg STRIPES {WITHIN} blockic {TWO_LINES}", "bdia"),
          "IP inside (7.6)": ("10 (figure 34)", f"-ksp_type dpcg STRIPES {WITHIN} ip", "bdia"),
          "E^-1 in float (7.7: a faster product with E^-1)": (
              "20 (figure 48)", f"-ksp_type dpcg STRIPES {WITHIN} ip -pc_subdeflation_coarse_storage single", "bdia"),
          "boxes in place of stripes (10)": (
              "none", f"-ksp_type dpcg -pc_type subdeflation -pc_subdeflation_size 8 {WITHIN} ip", "bdia"),
          "levels in place of subdomains": ("none", "-ksp_type fusedcg -pc_type gridmg", "bdia")}


def milliseconds(solve):
    return " + ".join(f"{1000 * seconds:.2f}" for seconds in solve[1:]) if solve else "-"


def by_lines(runs, options):
    """Iterations with blocks of 2, 4 and 8 lines"""
    return ", ".join(span(runs.iterations(f"{options} -pc_subdeflation_pc_blockic_size {lines}")) for lines in (2, 4, 8))


def errors_by_lines(runs, options):
    """Relative 2-norms of the error at the end of the solves, least and largest, with blocks of 2, 4 and 8 lines"""
    cells = []
    for lines in (2, 4, 8):
        solves = runs.run("examples/bubbly", f"{options} -monitor_error -pc_subdeflation_pc_blockic_size {lines}").split("answer")
        errors = [float(re.findall(r"relative: (\S+) in the 2-norm", solve)[-1]) for solve in solves[:-1]]
        cells.append(f"{min(errors):.1e} to {max(errors):.1e}")
    return ", ".join(cells)


def stripes(runs, _):
    lines = []
    for count, published in FIGURE_74.items():
        options = f"{STRIPES} -pc_subdeflation_count {count}"
        others = [by_lines(runs, f"{options} -steps 1 -rhs {rhs}") for rhs in ("ones", "constant", "gravity")]
        lines.append([count, published[0], by_lines(runs, options), *others, published[1], errors_by_lines(runs, options)])
    head = ["stripes", "thesis, blocks of 2, 4 and 8 lines", "twelve random solutions", "b of ones", "x of ones", "gravity",
            "error, thesis", "random solutions"]
    return [*grid(head, lines), "", f"`bubbly {STRIPES} -pc_subdeflation_count COUNT -pc_subdeflation_pc_blockic_size LINES`, "
            "the others by `-steps 1 -rhs RHS` with `ones`, `constant` and `gravity`, the error by `-monitor_error`"]


def finer(runs, _):
    """Figures 75 and 76, the larger squares on a GPU alone"""
    kind, lines = "bdiacuda" if runs.device else "bdia", []
    for (n, count), (published, host, gpu) in FIGURES_75_76.items():
        if n > 256 and not runs.device:
            continue
        options = f"{FINER} -n {n} -pc_subdeflation_count {count} -dm_mat_type"
        two = attempt(runs, f"{options} {kind} {TWO_LINES} -ksp_rtol 1e-6")
        core = attempt(runs, f"{options} bdia {TWO_LINES} -ksp_rtol 1e-6") if runs.device else two
        times = [f"{1000 * core[2]:.1f}" if core else "-", f"{1000 * two[2]:.2f}" if runs.device and two else "-"]
        ratio = f"{core[2] / two[2]:.1f}" if runs.device and two and core else "-"
        lines.append([f"{n}^2, {count}", published, by_lines(runs, f"{options} {kind} -ksp_rtol 1e-6"),
                      span(runs.iterations(f"{options} {kind} {TWO_LINES} -ksp_rtol 1e-4")),
                      f"{1000 * host:.0f}, {1000 * gpu:.0f}", ", ".join(times), f"{host / gpu:.1f}", ratio])
    head = ["cells, stripes", "thesis, blocks of 2, 4 and 8 lines", "ours, to 1e-6", "to 1e-4, 2 lines",
            "thesis with 2 lines, ms: host, GPU", "ours: host, GPU", "thesis, host / GPU", "ours"]
    return [*grid(head, lines), "", f"`bubbly {FINER} -n CELLS -ksp_rtol RTOL -pc_subdeflation_count COUNT "
            f"-pc_subdeflation_pc_blockic_size LINES -dm_mat_type {kind}`"]


def materials(runs, _):
    """Figures 75 to 79 with other subdomains than stripes"""
    lines = []
    for n, (count, size) in SUBDOMAINS.items():
        kinds = {"stripes": f"-pc_subdeflation_count {count}", "boxes": f"-pc_subdeflation_size {size}", "material": "",
                 "materialboxes": f"-pc_subdeflation_size {size}"}
        for name, problem in PROBLEMS.items():
            cells = [by_lines(runs, f"{problem} -n {n} {MATERIALS} -pc_subdeflation_type {kind} {options}")
                     for kind, options in kinds.items()]
            lines.append([f"{name}, {n}^2", count, *cells])
    head = ["problem", "stripes, boxes", *(f"{kind}, 2, 4 and 8 lines" for kind in kinds)]
    return [*grid(head, lines), "", f"`bubbly PROBLEM -n CELLS {MATERIALS} -pc_subdeflation_type TYPE "
            "-pc_subdeflation_pc_blockic_size LINES`, with "
            "`-pc_subdeflation_count` and `-pc_subdeflation_size` of SUBDOMAINS in `scripts/papers_004.py`"]


def ladder(runs, _):
    """Figure 70: one stage after the other; the host takes a smaller square"""
    n, count = (256, 2048) if runs.device else (128, 1024)
    lines, first = [], {}
    for stage, (published, options, kind) in LADDER.items():
        given = f"{LADDER_FLOW} -n {n} {options.replace('STRIPES', f'{LADDER_STRIPES} {count}')}"
        cuda = "aijcusparse -dm_vec_type cuda" if kind == "aij" else f"{kind}cuda"
        solves = [attempt(runs, f"{given} -dm_mat_type {on}") for on in (kind, *([cuda] if runs.device else []))]
        first = first or {k: solve[2] for k, solve in enumerate(solves) if solve}
        gains = [f"{first[k] / solve[2]:.1f}" if solve and k in first else "-" for k, solve in enumerate(solves)]
        ratio = f"{solves[0][2] / solves[1][2]:.1f}" if all(solves) and runs.device else "-"
        its = solves[0][0] if solves[0] else "-"
        lines.append([stage, published, its, *(milliseconds(solve) for solve in solves), *gains, ratio])
    head = ["stage", "thesis, host / GPU at most", "iterations", "host, ms", *["GPU, ms"] * runs.device, "first / this, host",
            *["first / this, GPU"] * runs.device, "host / GPU"]
    return [*grid(head, lines), "", f"`bubbly {LADDER_FLOW} -n {n} STAGE -dm_mat_type TYPE`, by LADDER of "
            f"`scripts/papers_004.py`, with {count} stripes"]


def two_phases(runs, _):
    lines = ["| cells, stripes | thesis, blocks of 2, 4 and 8 lines | ours | ours, to 1e-8 |", "|---|---|---|---|"]
    for (n, count), published in FIGURES_77_79.items():
        options = f"{INTERFACE} -n {n} -pc_subdeflation_count {count} -ksp_rtol"
        ours = [by_lines(runs, f"{options} {rtol}") for rtol in ("1e-2", "1e-8")]
        lines.append(f"| {n}^2, {count} | {published} | {ours[0]} | {ours[1]} |")
    return lines + ["", f"`bubbly {INTERFACE} -n CELLS -ksp_rtol RTOL -pc_subdeflation_count COUNT "
                    "-pc_subdeflation_pc_blockic_size LINES`"]


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
    return lines + ["", f"`bubbly FLOW {TIMED} METHOD -dm_mat_type TYPE`, by FLOWS and VARIANTS of `scripts/papers_004.py`"]


def history(runs, pc):
    """Norms by iteration, relative to the first: of b - A x, of the residual of the recurrence, and of the error; and estimates"""
    text = runs.run("examples/bubbly", f"{TWOPHASE} {BEYOND} {MONITORS} -pc_type {pc}", False)
    patterns = {"b - A x": r"true resid norm (\S+)", "recurrence": r" KSP unpreconditioned resid norm (\S+)",
                "error, 2-norm": r"relative: (\S+) in the 2-norm", "error, energy norm": r"(\S+) in the energy norm",
                "estimate of the energy norm": r"energy norm of the error (\S+),"}
    norms = {kind: [float(norm) for norm in re.findall(pattern, text)] for kind, pattern in patterns.items()}
    return {kind: [norm / values[0] for norm in values] for kind, values in norms.items()}


def draw_history(axes, runs, precision):
    """Norms of three preconditioners by iteration, residuals above errors, and a line of the table for each"""
    styles, lines = {"b - A x": "-", "recurrence": ":", "error, 2-norm": "-", "error, energy norm": "--",
                     "estimate of the energy norm": ":"}, []
    for color, pc in enumerate(("jacobi", "ip", "gridmg")):
        norms = history(runs, pc)
        for kind, style in styles.items():
            axes[int("error" in kind or "energy" in kind)].semilogy(norms[kind], style, color=f"C{color}", label=f"{pc}, {kind}")
        residuals, errors = norms["b - A x"], norms["error, 2-norm"]
        stop, least = next(k for k, norm in enumerate(residuals) if norm <= 1e-5), residuals.index(min(residuals))
        cells = [precision, pc, f"{stop}, {errors[stop]:.1e}", f"{least}, {residuals[least]:.1e}", f"{min(errors):.1e}",
                 *(f"{min(norms[kind]):.1e}" for kind in ("error, energy norm", "estimate of the energy norm"))]
        lines.append(f"| {' | '.join(cells)} |")
    axes[0].set(title=precision, ylabel="norm of the residual / first", ylim=(1e-17, 10))
    axes[1].set(xlabel="iteration", ylabel="norm of the error / first", ylim=(1e-17, 10))
    return lines


def beyond_convergence(runs, folder):
    try:
        import matplotlib
    except ImportError:
        raise RuntimeError(f"{sys.executable} has no matplotlib (HEPTA_PYTHON of scripts/env.sh has it)") from None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    builds = {"double": runs} | ({"float": Runs(runs.single, runs.device)} if runs.single else {})
    figure, axes = pyplot.subplots(2, len(builds), figsize=(6 * len(builds), 9), layout="constrained", squeeze=False)
    lines = grid(["numbers", "preconditioner", "iterations to b - A x of 1e-5, error then", "iterations to the least b - A x",
                  "least error", "in the energy norm", "least estimate of the energy norm"], [])
    for column, (precision, of) in enumerate(builds.items()):
        lines += draw_history(axes[:, column], of, precision)
    for row in axes:
        row[0].legend(fontsize="small")
    figure.savefig(folder / "004-beyond.png", dpi=80)
    return lines + ["", "![Residual and error by iteration](004-beyond.png)", "",
                    f"`bubbly {TWOPHASE} {BEYOND} {MONITORS} -pc_type PC`"]


PARTS = {
    "Figure 74, deflated Poisson by stripes": Part(
        stripes, "The thesis does not say which right-hand side it has. It is neither b of ones, which takes 1.6 to 1.7 "
        "times the thesis's iterations, nor that of an x of ones or of gravity: their x is constant in each stripe, which "
        "takes no iteration. Random solutions take the thesis's iterations or a few more; their errors, exact - x relative in "
        "the 2-norm, include the thesis's with 256 stripes, and are smaller with more: "
        "[more](../papers.md#figure-74-of-guptas-thesis).",
        counts=True),
    "Figures 75 and 76, deflated Poisson on finer grids": Part(
        finer, "The thesis's errors, 5e-4 to 4e-3, are those of a weaker criterion than figure 74's: its counts lie between "
        "ours to 1e-4 and to 1e-6. Its times are with all of A Z, d values for each row, on a core of an Intel Q9650 and a "
        "Tesla C1060 in single precision, without set-up; ours have the nonzeros of A Z alone and are in double, without "
        "set-up as well. 1024 and 2048 stripes of 512 x 512 cells have the same counts in the thesis, which stripes of half "
        "the size should not have; ours differ."),
    "Figures 77 to 79, the two-phase matrix": Part(
        two_phases, "The thesis's matrix, eq. 7 and 8 with the diagonal mended, to a relative residual of 1e-2, which says "
        "little about the error. Where the thesis does not converge in 1000 iterations, in single precision, ours takes as "
        "many iterations as elsewhere.", counts=True),
    "Figures 75 to 79, other subdomains": Part(
        materials, "Iterations to 1e-6 with block Incomplete Cholesky inside and with subdomains that the thesis does not "
        "have: boxes, as many as its fewest stripes, its proposal in section 10; the phases (`material`), one subdomain where "
        "the matrix has no strong jump, three at contrast 1000; and boxes cut along the phases (`materialboxes`). Boxes take "
        "about a third of the iterations of stripes.", counts=True),
    "Figure 70, the ladder of variants": Part(
        ladder, "Figure 70 is a picture without numbers of the largest speed-ups of the thesis's stages; its text and other "
        "figures have those of the second column. Milliseconds of set-up and of solve. The thesis compares each stage with the "
        "same stage on its host, so a faster host lowers its column; first / this says what the solves alone gain on one "
        "machine."),
    "Figures 10 to 68, host and GPU": Part(
        host_and_gpu, "One core of the host beside the GPU, both in double: milliseconds of set-up and of solve, the last of "
        "three, to a relative residual of 1e-6, with blocks of 2 lines and with 1024 stripes. The thesis has one core of an "
        "Intel Q9650 and a Tesla C1060, both in single precision. Its speed-ups leave out the set-up. Its block Incomplete "
        "Cholesky has a thread for a block; ours has scans along the lines. Figures 21 to 23 and 74 to 76 are with all of A Z, "
        "d values for each row. With five values for each row its host became 20 times as fast, and its GPU twice (7.5.1). "
        "Figure 10 has 256 times as many cells as our squares."),
    "Figures 53 to 62, residual and error beyond convergence": Part(
        beyond_convergence, "In double, and in float by a build with a PETSc of single precision (`make papers SINGLE=BUILD`). "
        "All norms are relative to the first; errors are exact - x in the 2-norm, as in the thesis, unless the column says the "
        "energy norm. Rounding ends the fall of b - A x and of the error. The residual of the recurrence, and the energy norm "
        "of the error that `fusedcg` estimates from this recurrence, go on falling, and mean nothing there. The thesis has "
        "pictures alone, in single precision, and says the same of the residual: below 1e-6 it means nothing. It also says "
        "that the error is high where the residual meets its criterion, 1e-5, and falls later: with `jacobi` and `ip` the "
        "error is then above 0.8.", counts=True, single=True),
}
