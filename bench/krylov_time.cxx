/* Timed iterations of bench/krylov */
#include "krylov.h"

#include <petsctime.h>

#include <cstring>

#include "timing.h"

#ifdef HEPTA_HAVE_CUDA
  #include <petscdevice_cuda.h>

  #include "copy.h"
#endif

namespace
{

/* Copies through the whole memory, larger than any cache: what a floor is measured with */
struct Copier {
  bool              device = false;
  size_t            bytes  = 0;
  PetscInt          calls  = 1;
  void             *from = nullptr, *to = nullptr;
  std::vector<char> host;

  PetscErrorCode Create(bool on_device);
  PetscErrorCode Run();
  PetscErrorCode Destroy();
};

} // namespace

PetscErrorCode Copier::Create(bool on_device)
{
  PetscFunctionBegin;
  device = on_device;
  bytes  = (size_t)(device ? 1024 : 64) << 20;
  calls  = device ? 5 : 1;
#ifdef HEPTA_HAVE_CUDA
  if (device) {
    PetscCallCUDA(cudaMalloc(&from, bytes));
    PetscCallCUDA(cudaMalloc(&to, bytes));
    PetscCallCUDA(cudaMemset(from, 0x3c, bytes));
  }
#endif
  if (!device) {
    host.assign(2 * bytes, 1);
    from = host.data();
    to   = host.data() + bytes;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Copier::Run()
{
  double end;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < calls; k++) {
#ifdef HEPTA_HAVE_CUDA
    if (device) PetscCallCUDA(BenchCopy(to, from, bytes, nullptr));
#endif
    if (!device) std::memcpy(to, from, bytes);
  }
  PetscCall(BenchNow((PetscBool)device, &end));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Copier::Destroy()
{
  PetscFunctionBegin;
#ifdef HEPTA_HAVE_CUDA
  if (device) {
    PetscCallCUDA(cudaFree(from));
    PetscCallCUDA(cudaFree(to));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Options of the preconditioner under the prefix of all solvers; *set: those that the command line did not have */
static PetscErrorCode SetOptions(const KrylovContest &c, std::vector<std::string> *set)
{
  PetscFunctionBegin;
  for (const auto &[option, value] : c.options) {
    const std::string name = "-krylov_" + option;
    PetscBool         given;

    PetscCall(PetscOptionsHasName(nullptr, nullptr, name.c_str(), &given));
    if (given) continue;
    PetscCall(PetscOptionsSetValue(nullptr, name.c_str(), value.c_str()));
    set->push_back(name);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* No tolerance: all do the same number of iterations */
static PetscErrorCode CreateKSP(const KrylovProblem &p, const KrylovContest &c, PetscInt its, KrylovRun *r)
{
  const KrylovEntry &e = *r->entry;
  PC                 pc;

  PetscFunctionBegin;
  PetscCall(KSPCreate(PETSC_COMM_SELF, &r->ksp));
  PetscCall(KSPSetOptionsPrefix(r->ksp, "krylov_"));
  PetscCall(KSPSetOperators(r->ksp, e.matrix->A, e.matrix->P));
  PetscCall(KSPSetType(r->ksp, e.method->type));
  if (e.method->single) { /* each does nothing for the other's type */
    PetscCall(KSPCGUseSingleReduction(r->ksp, PETSC_TRUE));
    PetscCall(KSPFusedCGSetSingleReduction(r->ksp, PETSC_TRUE));
  }
  PetscCall(KSPSetPCSide(r->ksp, e.method->side));
  if (p.dm) {
    PetscCall(KSPSetDM(r->ksp, p.dm));
    PetscCall(KSPSetDMActive(r->ksp, KSP_DMACTIVE_ALL, PETSC_FALSE));
  }
  PetscCall(KSPGetPC(r->ksp, &pc));
  PetscCall(PCSetType(pc, c.pc));
  PetscCall(KSPSetFromOptions(r->ksp));
  PetscCall(KSPSetNormType(r->ksp, e.method->norm));
  PetscCall(KSPSetTolerances(r->ksp, 0, 0, PETSC_UNLIMITED, its));
  PetscCall(KSPSetUp(r->ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With all work of the device */
static PetscErrorCode Solve(const KrylovProblem &p, const KrylovRun &r)
{
  double end;

  PetscFunctionBegin;
  PetscCall(KSPSolve(r.ksp, r.entry->matrix->b, r.entry->matrix->x));
  PetscCall(BenchNow((PetscBool)p.device, &end));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets up and solves once. Which stops early is timed by the iterations that it did, and the report says why; ours fails if that
   was a breakdown. */
static PetscErrorCode First(const KrylovProblem &p, const KrylovContest &c, PetscInt its, KrylovRun *r)
{
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;

  PetscFunctionBegin;
  PetscCall(BenchTry(
    p.name + ", " + c.what + ", " + r->entry->Name(),
    [&]() {
      PetscFunctionBegin;
      PetscCall(CreateKSP(p, c, its, r));
      PetscCall(Solve(p, *r));
      PetscCall(KSPGetIterationNumber(r->ksp, &r->its));
      PetscCall(KSPGetConvergedReason(r->ksp, &reason));
      PetscFunctionReturn(PETSC_SUCCESS);
    },
    &r->failure));
  if (!r->failure.empty() || r->its >= its) PetscFunctionReturn(PETSC_SUCCESS);
  r->early =
    std::string(KSPConvergedReasons[reason]) + " after " + std::to_string(r->its) + " of " + std::to_string(its) + " iterations";
  if (r->its == 0 || (reason < 0 && r->entry->role == KrylovRole::ours)) r->failure = r->early;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A run for each entry */
static PetscErrorCode Begin(const KrylovProblem &p, const KrylovContest &c, PetscInt its, std::vector<KrylovRun> *runs)
{
  std::vector<std::string> set;

  PetscFunctionBegin;
  PetscCall(SetOptions(c, &set));
  for (const KrylovEntry &e : c.entries) {
    runs->emplace_back();
    runs->back().entry = &e;
    PetscCall(First(p, c, its, &runs->back()));
  }
  for (const std::string &option : set) PetscCall(PetscOptionsClearValue(nullptr, option.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bytes that a copy moves in a second: in rounds of its own, because the next entry would find the caches empty */
static PetscErrorCode CopySpeed(const KrylovOptions &o, bool device, double *bytes_per_second)
{
  std::vector<Contestant> contestants;
  Copier                  copier;

  PetscFunctionBegin;
  PetscCall(copier.Create(device));
  contestants.push_back({"copy", [&copier]() { return copier.Run(); }, {}});
  PetscCall(BenchRun(contestants, o.repeats, 1));
  *bytes_per_second = 2. * (double)copier.bytes * (double)copier.calls / contestants[0].Median();
  PetscCall(copier.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KrylovTime(const KrylovOptions &o, const KrylovProblem &p, const KrylovContest &c, PetscInt its, PetscInt inner,
                          std::vector<KrylovRun> *runs, double *bytes_per_second)
{
  std::vector<Contestant>  contestants;
  std::vector<KrylovRun *> timed;
  bool                     floor = false;

  PetscFunctionBegin;
  PetscCall(Begin(p, c, its, runs));
  for (KrylovRun &r : *runs) {
    const KrylovRun *run = &r;
    if (!r.failure.empty()) continue;
    timed.push_back(&r);
    contestants.push_back({r.entry->Name(), [&p, run]() { return Solve(p, *run); }, {}});
    floor = floor || KrylovBytes(p, *r.entry, c.pc) > 0;
  }
  PetscCall(BenchRun(contestants, o.repeats, inner));
  for (size_t k = 0; k < timed.size(); k++) timed[k]->seconds = contestants[k].Median() / (double)timed[k]->its;
  *bytes_per_second = 0;
  if (floor) PetscCall(CopySpeed(o, p.device, bytes_per_second));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What an error left half made may not come apart cleanly: then it stays */
PetscErrorCode KrylovRunsDestroy(std::vector<KrylovRun> *runs)
{
  std::string ignored;

  PetscFunctionBegin;
  for (KrylovRun &r : *runs) PetscCall(BenchTry("freeing a solver", [&]() { return KSPDestroy(&r.ksp); }, &ignored));
  runs->clear();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KrylovConverge(const KrylovOptions &o, const KrylovProblem &p, const KrylovRun &r, KSPNormType norm,
                              KrylovSolved *s)
{
  const PetscInt most = o.max_it ? o.max_it : PetscMax(50, PetscMin(10000, (PetscInt)((p.device ? 2e11 : 3e8) / p.nnz)));
  double         begin, end;

  PetscFunctionBegin;
  PetscCall(KSPSetNormType(r.ksp, norm));
  PetscCall(KSPSetTolerances(r.ksp, 0, 0, PETSC_UNLIMITED, 2)); /* what another norm makes anew does not count */
  PetscCall(Solve(p, r));
  PetscCall(KSPSetTolerances(r.ksp, o.rtol, 0, PETSC_UNLIMITED, most));
  PetscCall(BenchNow((PetscBool)p.device, &begin));
  PetscCall(Solve(p, r));
  PetscCall(BenchNow((PetscBool)p.device, &end));
  s->seconds = end - begin;
  PetscCall(KSPGetIterationNumber(r.ksp, &s->its));
  PetscCall(KSPGetConvergedReason(r.ksp, &s->reason));
  PetscCall(p.residual(r.entry->matrix->x, &s->residual));
  PetscFunctionReturn(PETSC_SUCCESS);
}
