"""Pages of papers.py: Firdaus"""
import re

from papers_runs import Part, Runs, grid, records

TITLE = "L. A. Firdaus, CUDA Optimization of a Class of Iterative Linear Algebra Solver"
# By rows and Nc: milliseconds of BDIA-GH, CSR, BSR and HYB
TABLE_6_1 = {(65536, 8): (0.18851, 0.50463, 0.47276, 0.24265), (131072, 8): (0.1878, 0.50389, 0.47292, 0.24259),
             (131072, 16): (0.66271, 1.2885, 1.1027, 0.91189), (524288, 4): (0.68753, 1.8479, 0.93752, 0.93817),
             (262144, 16): (1.3078, 2.5671, 2.2011, 1.8007), (524288, 8): (1.3351, 4.0743, 3.7693, 1.8147),
             (1048576, 4): (1.3646, 3.8202, 1.952, 1.888), (1048576, 8): (2.6393, 8.097, 7.5488, 3.6241),
             (1048576, 16): (5.1904, 10.283, 8.8488, 7.2885), (2097152, 8): (5.3238, 15.991, 14.53, 7.2856)}
TABLE_6_2_BSR = {4: "1.36, 1.43", 8: "2.51, 2.52, 2.82, 2.86, 2.73", 16: "1.66, 1.68, 1.70"}


def over(times, ours):
    return ", ".join(f"{time / ours:.2f}" if time else "-" for time in times)


def products_of_gpu(runs):
    """Tables 6.1 to 6.3 line by line, the lines of the eight smaller matrices"""
    options = "-cases 8 -n 16 -repeats 5"
    text = runs.run("bench/spmv", f"{options} -device")
    lines = []
    for row in records(text, "Products in double against cuSPARSE"):
        of = TABLE_6_1.get((int(row["rows"]), int(row["Nc"])))
        if row["what"] != "General Hepta" or not of:
            continue
        ms = {name: float(cell) for name, cell in row.items() if re.fullmatch(r"[\d.]+", cell)}
        bsr = min(ms[name] for name in ("bsr rows", "bsr columns") if name in ms)
        ours, csr = ms["bdia"], min(ms["csr 1"], ms["csr 2"])
        flops = 2e-6 * float(row["nnz"])
        measured = ", ".join(f"{time:.4f}" for time in (ours, csr, bsr, ms["sell"]))
        lines.append([row["rows"], row["Nc"], row["nnz"], ", ".join(map(str, of)), measured,
                      over(of[1:], of[0]), over((csr, bsr, ms["sell"]), ours), f"{flops / of[0]:.1f}, {flops / ours:.1f}"])
    head = ["rows", "Nc", "nnz", "thesis, ms: BDIA-GH, CSR, BSR, HYB", "ours, ms: bdia, CSR, BSR, SELL",
            "thesis over BDIA-GH: CSR, BSR, HYB", "ours over bdia: CSR, BSR, SELL", "GFLOPS: thesis, ours"]
    return [*grid(head, lines), "", "The last two matrices of the tables, of 117 million entries, are "
            "[in the results](../../bench/results/spmv-h200.md).", "", f"`bench/spmv {options} -device`"]


def products(runs, _):
    """On the host the product in blocks beside PETSc's baij"""
    if runs.device:
        return products_of_gpu(runs)
    options = "-n 48 -repeats 5"
    found = [row for row in records(runs.run("bench/spmv", options), "Products") if row["what"].startswith("General Hepta, Nc")]
    lines = [[row["what"].split()[-1], row["rows"], row["rival"], row["rival ms"], row["ours ms"], row["rival / ours"],
              TABLE_6_2_BSR.get(int(row["what"].split()[-1]), "none")] for row in found]
    head = ["Nc", "rows", "rival", "its ms", "bdia, ms", "rival / bdia", "thesis, GPU: BSR / BDIA-GH"]
    return [*grid(head, lines), "", f"`bench/spmv {options}`"]


def bicgstab(runs, _):
    """In double, and with a build in single precision the fused method in float"""
    options, heading = f"-thesis -thesis_rows {4200000 if runs.device else 300000}", "Five iterations"
    double = runs.bench("krylov", options, heading)
    if not runs.single:
        return [double]
    single = Runs(runs.single, runs.device).bench("krylov", options, heading)
    of = [{(row["rows"], row["Nc"]): float(row["ms"]) for row in records(text, heading) if row["method"].startswith("fused")}
          for text in (double, single)]
    lines = [[*key, f"{of[0][key]:.4f}", f"{ms:.4f}", f"{of[0][key] / ms:.2f}"] for key, ms in of[1].items() if key in of[0]]
    return [double, "", "All in float, by a build with a PETSc of single precision (`make papers SINGLE=BUILD`):", "",
            *grid(["rows", "Nc", "fusedbcgs in double, ms", "in float, ms", "double / float"], lines)]


def blocks_of_threads(runs, _):
    return ["```text", runs.run("examples/occupancy", "-device k20xm -thesis").strip(), "```"]


PARTS = {
    "Tables 6.1 to 6.3, the product": Part(
        products, "The thesis has one GK210 of a K80, and HYB, which PETSc and cuSPARSE no longer have; slices (SELL) stand in "
        "its place. Its blocks of 4 and of 16 hold BSR back less than those of 8; cuSPARSE's blocks are now as fast for each "
        "size, so our quotients over BSR differ less. A GPU of today has 20 times the bandwidth, and each product is its "
        "bytes. The thesis's second line has the times of its first, with twice the entries, which cannot both be right."),
    "Tables 6.4 to 6.6, five iterations of BiCGStab": Part(
        bicgstab, "The thesis compares on a K20Xm and K80s; the quotients over its BDIA-GH stand beside ours. The passes of "
        "`fusedbcgs` save vector operations, too, so ours are larger for small matrices."),
    "Tables 5.2 and 5.3, thread blocks that are resident": Part(
        blocks_of_threads, "Arithmetic alone; `occupancy` without -device checks it on the GPU at hand. The thesis has 224, "
        "154 and 70 blocks, as ours.", counts=True),
}
