#include "trisolve.h"

#include <algorithm>

#include "petsc_types.h"

static PetscErrorCode Batch(const TriOptions &o, TriTimed &t)
{
  double begin, end;

  PetscFunctionBegin;
  if (t.before) PetscCall(t.before());
  PetscCall(BenchNow(o.device, &begin));
  for (PetscInt k = 0; k < t.calls; k++) PetscCall(t.run());
  PetscCall(BenchNow(o.device, &end));
  t.us.push_back(1e6 * (end - begin) / (double)t.calls);
  t.spent += end - begin;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Twice, because the first loads kernels; batches of some milliseconds, so that synchronizing does not count */
static PetscErrorCode Warm(const TriOptions &o, TriTimed &t)
{
  PetscFunctionBegin;
  if (t.check) PetscCall(t.check(&t.error));
  else PetscCall(Batch(o, t));
  PetscCall(Batch(o, t));
  if (!t.before) t.calls = (PetscInt)PetscMin(100.0, PetscMax(1.0, 3000 / t.us.back()));
  t.us.clear();
  t.spent = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TriTime(const TriOptions &o, std::vector<TriTimed> &contestants)
{
  PetscFunctionBegin;
  for (PetscInt k = -1; k < o.repeats; k++) {
    for (TriTimed &t : contestants) {
      if (!t.failure.empty() || t.spent >= o.budget) continue;
      if (k < 0 && o.verbose) PetscCall(PetscFPrintf(PETSC_COMM_SELF, PETSC_STDERR, "trisolve: %s\n", t.name.c_str()));
      PetscCall(BenchTry(t.name, [&]() { return k < 0 ? Warm(o, t) : Batch(o, t); }, &t.failure));
    }
  }
  for (TriTimed &t : contestants) {
    if (!t.failure.empty() || t.us.empty()) continue;
    std::nth_element(t.us.begin(), t.us.begin() + t.us.size() / 2, t.us.end());
    t.median = t.us[t.us.size() / 2];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TriMat(const TriOptions &o, CSR &A, Mat *B)
{
  Mat aij;
  Vec x, y;

  PetscFunctionBegin;
  PetscCall(CSRGetAIJ(A, o.device ? &aij : B));
  if (o.device) {
    PetscCall(BenchConvert(aij, MATSEQAIJCUSPARSE, nullptr, nullptr, B));
    PetscCall(MatDestroy(&aij));
    PetscCall(BenchCreateVecs(*B, BenchVector(A.rows), &x, &y));
    PetscCall(MatMult(*B, x, y)); /* uploads */
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TriTouch(Mat B)
{
  PetscFunctionBegin;
  PetscCall(MatScale(B, 2.0));
  PetscCall(MatScale(B, 0.5));
  PetscFunctionReturn(PETSC_SUCCESS);
}
