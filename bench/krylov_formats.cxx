/*
   The protocol of F. Magoules and others, tables 5 and 7 to 9: Krylov methods on matrices of files in several formats, with
   jacobi, a right-hand side of ones and a relative tolerance (-rtol).
*/
#include "csr_file.h"
#include "krylov.h"

namespace
{

struct Timed {
  KrylovMethod method;
  bool         for_symmetric; /* for symmetric matrices alone */
  /* of the method, under the prefix of all solvers */
  std::vector<std::pair<std::string, std::string>> options;
};

} // namespace

/* bcgsl has its preconditioner on the left: on the right PETSc's lacks its last step, x <- M^-1 x (3.26.1) */
static std::vector<Timed> Methods(void)
{
  std::vector<Timed> timed = {
    {{"cg", KSPCG, KSP_NORM_UNPRECONDITIONED, PC_LEFT, false}, true, {}},
    {{"fusedcg", "fusedcg", KSP_NORM_UNPRECONDITIONED, PC_LEFT, false}, true, {}},
    {{"bicgcr", "bicgcr", KSP_NORM_UNPRECONDITIONED, PC_LEFT, false}, true, {{"ksp_bicgcr_symmetric", "1"}}},
    {{"bicgcr, two-sided", "bicgcr", KSP_NORM_UNPRECONDITIONED, PC_LEFT, false}, false, {{"ksp_bicgcr_symmetric", "0"}}},
    {{"tfqmr", KSPTFQMR, KSP_NORM_UNPRECONDITIONED, PC_RIGHT, false}, false, {}},
    {{"gcr, restart 50", KSPGCR, KSP_NORM_UNPRECONDITIONED, PC_RIGHT, false}, false, {{"ksp_gcr_restart", "50"}}},
    {{"bcgs", KSPBCGS, KSP_NORM_UNPRECONDITIONED, PC_RIGHT, false}, false, {}},
    {{"fusedbcgs", "fusedbcgs", KSP_NORM_UNPRECONDITIONED, PC_RIGHT, false}, false, {}},
  };

  for (const auto &[name, ell] :
       {std::pair("bcgsl, L = 1", "1"), {"bcgsl, L = 2", "2"}, {"bcgsl, L = 4", "4"}, {"bcgsl, L = 8", "8"}})
    timed.push_back({{name, KSPBCGSL, KSP_NORM_PRECONDITIONED, PC_LEFT, false}, false, {{"ksp_bcgsl_ell", ell}}});
  return timed;
}

/* A method on all formats: an iteration of a solve without tolerance, and a solve to the tolerance */
static PetscErrorCode OneMethod(const KrylovOptions &o, const KrylovProblem &p, const Timed &timed, KrylovBook *book)
{
  KrylovContest          c{timed.method.name, PCJACOBI, {}, 100, timed.options};
  std::vector<KrylovRun> runs;
  double                 unused;
  bool                   unused_ours;

  PetscFunctionBegin;
  for (const auto &m : p.matrices) c.entries.push_back({m.get(), &timed.method, KrylovRole::beside, 0});
  PetscCall(KrylovDropMissing(p, &c, &unused_ours));
  PetscCall(KrylovTime(o, p, c, o.its ? o.its : (p.device ? 100 : 30), 1, &runs, &unused));
  for (const KrylovRun &r : runs) {
    std::vector<BenchCell> row = {BenchText(p.name), BenchWhole(p.rows), BenchNumber("%.0f", p.nnz), BenchText(timed.method.name),
                                  BenchText(r.entry->matrix->name)};
    KrylovSolved           s;

    if (r.seconds > 0) {
      PetscCall(KrylovConverge(o, p, r, timed.method.norm, &s));
      book->bad += s.reason > 0 && !(s.residual < 1e3 * (double)o.rtol); /* the tolerance is that of another norm */
      row.insert(row.end(), {BenchNumber("%.2f", 1e6 * r.seconds), BenchWhole(s.its), BenchNumber("%.3f", 1e3 * s.seconds),
                             BenchText(KSPConvergedReasons[s.reason]), BenchNumber("%.2e", (double)s.residual)});
    } else {
      row.insert(row.end(), {BenchNone(), BenchNone(), BenchNone(), BenchText(r.failure.substr(0, 100)), BenchNone()});
      book->bad++;
    }
    book->formats.rows.push_back(row);
    book->compared++;
  }
  PetscCall(KrylovRunsDestroy(&runs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode OneMatrix(const KrylovOptions &o, const std::string &name, CSR &&A, KrylovBook *book)
{
  const std::string cuda = o.device ? "cuda" : "";
  KrylovProblem     p;
  PetscBool         symmetric;

  PetscFunctionBegin;
  PetscCall(KrylovProblemStart(o, name, std::move(A), &p));
  PetscCall(MatIsSymmetric(p.aij, 0, &symmetric));
  PetscCall(MatSetOption(p.aij, MAT_SYMMETRIC, symmetric));
  p.b.assign(p.b.size(), 1);
  PetscCall(KrylovProblemAddRivals(&p, 1));
  PetscCall(KrylovProblemAdd(&p, true, "bdia" + cuda, "seqbdia" + cuda, nullptr, nullptr));
  PetscCall(KrylovProblemAdd(&p, true, "brow" + cuda, "seqbrow" + cuda, nullptr, nullptr));
  for (const Timed &timed : Methods()) {
    if (symmetric || !timed.for_symmetric) PetscCall(OneMethod(o, p, timed, book));
  }
  PetscCall(KrylovProblemDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KrylovFormats(const KrylovOptions &o, KrylovBook *book)
{
  std::vector<std::string> files;
  std::vector<PetscInt>    sizes;
  PetscInt                 copies = 0;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-copies_to", &copies, nullptr));
  book->formats.title   = "Krylov methods by format";
  book->formats.note    = "us: microseconds of an iteration without tolerance, median; iterations and ms: of a solve to the "
                          "tolerance; residual: true and relative";
  book->formats.columns = {"case", "rows", "nnz", "method", "format", "us", "iterations", "ms", "reason", "residual"};
  PetscCall(KrylovSizes(o, "-formats_n", 8, &sizes));
  for (PetscInt n : sizes) PetscCall(OneMatrix(o, "Poisson " + std::to_string(n) + "^2", CSRPoisson(n, n, 1), book));
  PetscCall(KrylovFiles(o, "formats", &files));
  for (const std::string &file : files) {
    CSR A;

    PetscCall(CSRRead(file, copies, &A));
    PetscCall(OneMatrix(o, CSRFileName(file), std::move(A), book));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
