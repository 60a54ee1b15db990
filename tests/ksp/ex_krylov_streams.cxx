static char help[] = "Krylov methods in a second device context, and while another stream keeps the device busy.\n\n";

#include <petsc/private/petscimpl.h> /* PetscObjectStateIncrease() */

#include "device_array.h"
#include "krylov.h"
#include "contexts.h"

/* Work for the device on a stream of its own */
struct Busy {
  cudaStream_t stream = nullptr;
  char        *memory = nullptr;
  size_t       bytes  = (size_t)1 << 28;
  int          seen   = 0; /* how often it was still at work when a solve had ended */
};

static PetscErrorCode Begin(Busy &busy)
{
  PetscFunctionBeginUser;
  TestCuda(cudaDeviceSynchronize());
  for (int k = 0; k < (TestQuick() ? 20 : 800); k++) TestCuda(cudaMemsetAsync(busy.memory, k % 100, busy.bytes, busy.stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode End(Busy &busy)
{
  PetscFunctionBeginUser;
  const cudaError_t state = cudaStreamQuery(busy.stream);
  if (state != cudaErrorNotReady) TestCuda(state);
  else (void)cudaGetLastError();
  busy.seen += state == cudaErrorNotReady;
  TestCuda(cudaDeviceSynchronize());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A solve while the device has other work gives the same bits */
static PetscErrorCode CheckBusy(KSP ksp, Vec b, const Run &expected, Busy &busy, const std::string &what)
{
  Run run;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(b, &run.x));
  PetscCall(VecSet(run.x, 3));
  PetscCall(Begin(busy));
  PetscCall(Solve(ksp, b, &run));
  PetscCall(End(busy));
  PetscCheck(run.reason == expected.reason && run.history == expected.history, PETSC_COMM_WORLD, PETSC_ERR_PLIB,
             "%s: reason %d after %d iterations instead of %d after %d, or other norms: %g and %g instead of %g and %g at first",
             what.c_str(), (int)run.reason, (int)run.its, (int)expected.reason, (int)expected.its, (double)run.history.at(0),
             (double)run.history.at(1), (double)expected.history.at(0), (double)expected.history.at(1));
  PetscCall(CheckAnswer(expected.x, run.x, 0, what));
  PetscCall(VecDestroy(&run.x));
  TestCuda(cudaDeviceSynchronize());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Does PETSc order its own vector operations in the present context? Those of 3.26.1 do not agree on the stream: VecCopy(),
   VecSet() and others take the default one, VecNorm() and VecDot() that of the context. So the norm of a copy that has to wait
   for other work of the default stream is taken too early where that other stream does not wait for the default one.
*/
static PetscErrorCode VectorsAreOrdered(Vec like, const Busy &busy, bool *ordered)
{
  Vec       from, to;
  PetscReal norm;
  PetscInt  n;

  PetscFunctionBeginUser;
  for (Vec *v : {&from, &to}) PetscCall(VecDuplicate(like, v));
  PetscCall(VecGetSize(from, &n));
  PetscCall(VecSet(from, 4));
  PetscCall(VecSet(to, 1));
  PetscCall(PetscObjectStateIncrease((PetscObject)from)); /* else VecNorm() tells what VecSet() has noted */
  TestCuda(cudaDeviceSynchronize());
  for (int k = 0; k < 800; k++) TestCuda(cudaMemsetAsync(busy.memory, k % 100, busy.bytes, nullptr));
  PetscCall(VecCopy(from, to));
  PetscCall(VecNorm(to, NORM_2, &norm));
  TestCuda(cudaDeviceSynchronize());
  *ordered = PetscAbsReal(norm - 4 * PetscSqrtReal((PetscReal)n)) <= 1e-6 * norm;
  for (Vec *v : {&from, &to}) PetscCall(VecDestroy(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In the first context, in another one by the same solver and by a new one, and in the first again; *ordered: PETSc can do so */
static PetscErrorCode Contexts(Mat A, const Method &m, const std::string &options, Busy &busy, bool *ordered)
{
  const std::string  what = m.types.ours + (" " + options);
  PetscDeviceContext before, other;
  KSP                ksp, made;
  Vec                b, c;
  Run                expected;

  PetscFunctionBeginUser;
  PetscCall(PetscDeviceContextGetCurrentContext(&before));
  PetscCall(NewContext(&other));
  PetscCall(Side(A, &b));
  PetscCall(NewSolver(A, m.types.ours, options, &ksp));
  PetscCall(Solve(ksp, b, &expected));
  PetscCheck(expected.reason > 0 && expected.its > 5, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: reason %d after %d iterations",
             what.c_str(), (int)expected.reason, (int)expected.its);
  PetscCall(CheckBusy(ksp, b, expected, busy, what + ", on a busy device"));
  PetscCall(PetscDeviceContextSetCurrentContext(other));
  PetscCall(VectorsAreOrdered(b, busy, ordered));
  if (*ordered) {
    PetscCall(CheckBusy(ksp, b, expected, busy, what + ", in another context"));
    PetscCall(Side(A, &c));
    PetscCall(NewSolver(A, m.types.ours, options, &made));
    for (int twice = 0; twice < 2; twice++) PetscCall(CheckBusy(made, c, expected, busy, what + ", made in another context"));
    PetscCall(PetscDeviceContextSetCurrentContext(before));
    PetscCall(CheckBusy(made, c, expected, busy, what + ", made in another context and used in the first"));
    PetscCall(CheckBusy(ksp, b, expected, busy, what + ", in the first context again"));
    PetscCall(KSPDestroy(&made));
    PetscCall(VecDestroy(&c));
  }
  PetscCall(PetscDeviceContextSetCurrentContext(before));
  PetscCall(PetscDeviceContextDestroy(&other));
  PetscCall(CheckBusy(ksp, b, expected, busy, what + ", after the end of the other context"));
  PetscCall(KSPDestroy(&ksp));
  for (Vec *v : {&b, &expected.x}) PetscCall(VecDestroy(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Mat  A;
  Busy busy;
  bool ordered = false;

  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help, true));
  TestCuda(cudaStreamCreateWithFlags(&busy.stream, cudaStreamNonBlocking));
  TestCuda(cudaMalloc((void **)&busy.memory, busy.bytes));
  PetscCall(PhaseMat(PETSC_COMM_WORLD, TestQuick() ? 8 : 30, TestType(), true, &A));
  for (const Method &m : METHODS) {
    for (const char *pc : {"jacobi", "ip", "blockic"}) {
      PetscCall(Contexts(A, m, WithPC(m, pc) + "-ksp_rtol 1e-4", busy, &ordered));
      if (TestQuick()) break;
    }
  }
  if (!ordered)
    PetscCall(
      PetscPrintf(PETSC_COMM_WORLD, "PETSc does not order its vector operations in another device context: no solves there\n"));
  PetscCheck(TestQuick() || busy.seen > 0, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "The device was never busy when a solve ended: nothing was tested");
  PetscCall(MatDestroy(&A));
  TestCuda(cudaFree(busy.memory));
  TestCuda(cudaStreamDestroy(busy.stream));
  PetscCall(PetscFinalize());
  return 0;
}
