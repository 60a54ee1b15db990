/*
   The protocol of L. A. Firdaus, tables 6.4 to 6.6: five iterations of BiCGStab without preconditioner on the General Hepta
   matrices of table 5.1.

   The table's GFLOPS count 11 products and 101 n operations, n rows (they give 22 nnz + 101 n in each of its lines): in k
   iterations 2 k products and 20 k n operations on vectors, and a product and n more at the beginning.
*/
#include "cases.h"
#include "krylov.h"

#include <algorithm>
#include <cmath>

static constexpr PetscInt thesisIts = 5;

/* Milliseconds of table 6.4 in the order of heptaCases */
struct ThesisTimes {
  double bdia, csr, bsr;
};

static const ThesisTimes thesisTimes[] = {{3.479, 6.745, 5.198},     {4.786, 10.974, 8.617},   {10.116, 16.217, 14.512},
                                          {12.126, 24.768, 14.609},  {14.136, 30.668, 17.949}, {14.3, 48.89, 30.234},
                                          {22.075, 47.917, 27.688},  {35.98, 95.126, 86.792},  {64.251, 117.408, 101.92},
                                          {71.115, 188.163, 171.983}};

static double Flops(const KrylovProblem &p)
{
  return 2 * p.nnz * (2 * thesisIts + 1) + (double)p.rows * (20 * thesisIts + 1);
}

/* Our method on our format, then PETSc's on each */
static KrylovContest Contest(const KrylovProblem &p)
{
  KrylovContest c{"five iterations", PCNONE, {}, thesisIts};

  for (const auto &m : p.matrices) {
    if (m->ours) c.entries.push_back({m.get(), &krylovFusedBCGS, KrylovRole::ours, 0});
    c.entries.push_back({m.get(), &krylovBCGS, m->ours ? KrylovRole::beside : KrylovRole::rival, 0});
  }
  return c;
}

/* Five iterations must lead all to the same residual; *worst: how far the largest is from the smallest, relative */
static PetscErrorCode Residuals(const KrylovOptions &o, const KrylovProblem &p, const std::vector<KrylovRun> &runs,
                                PetscReal *worst)
{
  KrylovOptions five  = o;
  PetscReal     least = PETSC_MAX_REAL, most = 0;

  PetscFunctionBegin;
  five.max_it = thesisIts;
  five.rtol   = 0;
  for (const KrylovRun &r : runs) {
    KrylovSolved s;

    if (r.seconds <= 0) continue;
    PetscCall(KrylovConverge(five, p, r, KSP_NORM_UNPRECONDITIONED, &s));
    least = PetscMin(least, s.residual);
    most  = PetscMax(most, s.residual);
  }
  *worst = most > 0 ? (most - least) / most : PETSC_MAX_REAL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Time of a format over the time of ours, the fused method where it is there */
static BenchCell Speedup(const std::vector<KrylovRun> &runs, const std::string &format)
{
  double ours = 0, theirs = 0;

  for (const KrylovRun &r : runs) {
    if (r.entry->role == KrylovRole::ours || (r.entry->role == KrylovRole::beside && ours <= 0)) ours = r.seconds;
    if (r.entry->role == KrylovRole::rival && r.entry->matrix->name == format) theirs = r.seconds;
  }
  return BenchRatio(theirs, ours);
}

static PetscErrorCode AddRows(const KrylovOptions &o, const KrylovProblem &p, const std::vector<KrylovRun> &runs,
                              const ThesisTimes *thesis, KrylovBook *book)
{
  const std::vector<BenchCell> first = {BenchWhole(p.rows), BenchWhole(p.nc), BenchNumber("%.0f", p.nnz)};
  PetscReal                    worst = 0;

  PetscFunctionBegin;
  PetscCall(Residuals(o, p, runs, &worst));
  for (const KrylovRun &r : runs) {
    const double           ms  = 1e3 * r.seconds * thesisIts;
    std::vector<BenchCell> row = first;
    const bool             ran = r.seconds > 0;

    row.insert(row.end(),
               {BenchText(r.entry->Name()), ran ? BenchNumber("%.4f", ms) : BenchText("failed: " + r.failure.substr(0, 100)),
                ran ? BenchNumber("%.1f", 1e-6 * Flops(p) / ms) : BenchNone()});
    if (r.entry->role == KrylovRole::rival) {
      const bool csr = r.entry->matrix->name.compare(0, 3, "aij") == 0,
                 bsr = r.entry->matrix->name.find("bsr") == 0 || r.entry->matrix->name == "baij";

      row.insert(row.end(), {Speedup(runs, r.entry->matrix->name),
                             thesis && (csr || bsr) ? BenchRatio(csr ? thesis->csr : thesis->bsr, thesis->bdia) : BenchNone()});
    } else row.insert(row.end(), {BenchNone(), BenchNone()});
    row.push_back(BenchNumber("%.1e", (double)worst));
    book->thesis.rows.push_back(row);
    if (r.entry->role == KrylovRole::ours) book->bad += !ran || worst > (sizeof(PetscReal) < 8 ? 1e-2 : 1e-6);
    book->compared += ran;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode OneThesis(const KrylovOptions &o, const HeptaCase &h, const ThesisTimes *thesis, KrylovBook *book)
{
  std::vector<KrylovRun> runs;
  KrylovProblem          p;
  double                 unused;
  bool                   unused_ours; /* without the fused method PETSc's is timed on our format */

  PetscFunctionBegin;
  PetscCall(KrylovProblemStart(o, "General Hepta, five iterations", CSRGeneralHepta(h.J, h.H, h.I, h.nc), &p));
  PetscCall(KrylovProblemAdd(&p, true, o.device ? "bdiacuda" : "bdia", o.device ? MATSEQBDIACUDA : MATSEQBDIA, nullptr, nullptr));
  PetscCall(KrylovProblemAddRivals(&p, p.nc));
  KrylovContest c = Contest(p);
  PetscCall(KrylovDropMissing(p, &c, &unused_ours));
  PetscCall(KrylovTime(o, p, c, thesisIts, o.device ? 20 : 1, &runs, &unused));
  PetscCall(AddRows(o, p, runs, thesis, book));
  PetscCall(KrylovRunsDestroy(&runs));
  PetscCall(KrylovProblemDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KrylovThesis(const KrylovOptions &o, KrylovBook *book)
{
  const PetscInt s    = o.shrink;
  PetscInt       rows = PETSC_INT_MAX, nc = 0;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-thesis_rows", &rows, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-thesis_nc", &nc, nullptr));
  book->thesis.title   = "Five iterations of BiCGStab without preconditioner";
  book->thesis.note    = "L. A. Firdaus, tables 6.4 to 6.6: General Hepta matrices of table 5.1; GFLOPS count 22 nnz + 101 n "
                         "operations, as those of the thesis do; over ours: time / time of ours, the fused method where it is "
                         "there";
  book->thesis.columns = {
    "rows", "Nc", "nnz", "method", "ms", "GFLOPS", "over ours", "thesis: over BDIA-GH", "residuals differ by"};
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(heptaCases); k++) {
    const HeptaCase &h      = heptaCases[k];
    const HeptaCase  shrunk = {PetscMax(2, h.J / s), PetscMax(2, h.H / s), PetscMax(4, h.I / s), h.nc};

    if (shrunk.J * shrunk.H * shrunk.I * h.nc <= rows && (!nc || h.nc == nc))
      PetscCall(OneThesis(o, shrunk, s == 1 ? &thesisTimes[k] : nullptr, book));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
