"""Pages of papers.py: Nibbeling"""
from papers_runs import Part, files, grid, records, shown

TITLE = "J. Nibbeling, Implementation of a Parallel Back Substitution Solver on GPUs"
COUNTS = (1, 5, 50, 100)  # right-hand sides
TABLE_4_1 = {"1138_bus": (21, 17), "bcsstm39": (1, 1), "bodyy6": (552, 8), "nopoly": (875, 11)}  # blocks, row length
# 4.4.2 on the GTX 980 Ti: milliseconds of analysis and solves of the thesis's solver and of cuSPARSE, by right-hand sides
SECTION_4_4_2 = {"1138_bus": ((0.390, 0.764, 6.94, 13.4), (2.95, 3.09, 5.12, 7.41)),
                 "bcsstm39": ((0.167, 0.142, 0.175, 0.269), (1.79, 1.77, 4.39, 6.07)),
                 "bodyy6": ((5.35, 9.96, 176, 368), (14.4, 14.1, 22.2, 23.0)),
                 "nopoly": ((14.4, 27.3, 272, 545), (18.1, 18.5, 33.3, 48.5))}
SECTION_4_4_3 = {"1138_bus": (0.027, 2.49), "bcsstm39": (0.146, 2.53), "bodyy6": (0.208, 30.0), "nopoly": (0.056, 10.4)}


def measured(runs):
    """The benchmark's output for the matrices of table 4.1 at hand, in level order, and its options"""
    paths = [str(path) for name, path in files().items() if name in TABLE_4_1]
    options = f"-f {','.join(paths)} -orders level -rhs {','.join(map(str, COUNTS))} -preconditioners 0 -budget 0.1"
    options += "" if runs.device else " -host"
    return runs.once("bench/trisolve", options), options


def blocks(runs, _):
    """Table 4.1"""
    text, options = measured(runs)
    lines = [[row["matrix"], ", ".join(map(str, TABLE_4_1[row["matrix"]])), f"{row['level blocks']}, {row['ELL length']}"]
             for row in records(text, "Triangular solves, ")]
    return [*grid(["matrix", "thesis: blocks, row length", "ours"], lines), "", f"`bench/trisolve {shown(options)}`"]


def quotient(theirs, ours):
    return f"{theirs / ours:.2f}"


def milliseconds(row, count, rival):
    """Solves of ours and of the rival by its fastest way, and both with their analyses"""
    theirs = min(float(row[f"{name} {count}"]) for name in (rival, "SpSM") if f"{name} {count}" in row) / 1000
    ours = float(row[f"bbs {count}"]) / 1000
    return ours, theirs, ours + float(row["analysis bbs"]) / 1000, theirs + float(row[f"analysis {rival}"]) / 1000


def solves(runs, _):
    """Section 4.4.2 line by line"""
    text, options = measured(runs)
    rival, lines = "SpSV" if runs.device else "PETSc", []
    for row in records(text, "Triangular solves, microseconds"):
        for k, count in enumerate(COUNTS):
            published = [times[k] for times in SECTION_4_4_2[row["matrix"]]]
            alone, their_alone, ours, theirs = milliseconds(row, count, rival)
            lines.append([row["matrix"], count, *published, quotient(published[1], published[0]), f"{ours:.3f}", f"{theirs:.3f}",
                          quotient(theirs, ours), quotient(their_alone, alone)])
    name = "cuSPARSE" if runs.device else "PETSc"
    head = ["matrix", "vectors", "thesis's solver, ms", "cuSPARSE then, ms", "cuSPARSE / thesis's", "bbs, ms", f"{name}, ms",
            f"{name} / bbs", "solves alone"]
    return [*grid(head, lines), "", f"`bench/trisolve {shown(options)}`"]


def analyses(runs, _):
    """Section 4.4.3"""
    text, options = measured(runs)
    rival = "SpSV" if runs.device else "PETSc"
    lines = [[row["matrix"], *SECTION_4_4_3[row["matrix"]], f"{float(row['analysis bbs']) / 1000:.3f}",
              f"{float(row[f'analysis {rival}']) / 1000:.3f}"] for row in records(text, "Triangular solves, microseconds")]
    head = ["matrix", "thesis's search for blocks, ms", "cuSPARSE's analysis then, ms", "bbs, ms", f"{rival}, ms"]
    return [*grid(head, lines), "", f"`bench/trisolve {shown(options)}`"]


PARTS = {
    "Table 4.1, blocks in level order": Part(
        blocks, "The rows are numbered level by level. Four of the eleven matrices are at hand, two in a clone; their numbers "
        "are the thesis's.", counts=True),
    "4.4.2, triangular solves of 1, 5, 50 and 100 vectors": Part(
        solves, "Milliseconds of analysis and solves together, on a GTX 980 Ti in the thesis. The thesis's solver has a launch "
        "for a block of levels and a product for each vector, so it falls behind cuSPARSE with many vectors but for bcsstm39, "
        "one block. `bbs` solves all levels in one launch and brings 50 or 100 vectors side by side. Of a GPU cuSPARSE's time "
        "is the shorter of SpSV for each vector and SpSM, with the analysis of SpSV."),
    "4.4.3, analysis": Part(
        analyses, "The thesis finds blocks of levels on the device in a rank's order that is there already; `bbs` finds the "
        "levels, chooses an engine and makes its storage, so few levels in few rows take it longer than cuSPARSE takes today, "
        "whose analysis has become 10 times as fast."),
}
