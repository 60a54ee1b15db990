static char help[] = "A process that others miss on the device: NaN for what it has not sent, an error at the next exchange or "
                     "in the solve, and other communicators go on.\n\n";

#include "transports.h"

#include <algorithm>
#include <cmath>

static PetscErrorCode UsedTransport(Mat A, std::string *used)
{
  const std::string words = "exchanges of ranks: ";
  std::string       text;
  char              name[16] = "";

  PetscFunctionBeginUser;
  PetscCall(TakeView((PetscObject)A, PETSC_VIEWER_ASCII_INFO, &text));
  const size_t at = text.find(words);
  /* the first process has the text */
  if (at != std::string::npos) PetscCall(PetscStrncpy(name, text.substr(at + words.size(), 4).c_str(), sizeof(name)));
  PetscCallMPI(MPI_Bcast(name, (PetscMPIInt)sizeof(name), MPI_CHAR, 0, PETSC_COMM_WORLD));
  *used = name;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* fusedcg for a matrix, without a preconditioner */
static PetscErrorCode NewFusedCG(Mat A, KSP *ksp)
{
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)A), ksp));
  PetscCall(KSPSetOperators(*ksp, A, A));
  PetscCall(KSPSetType(*ksp, "fusedcg"));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCSetType(pc, PCNONE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Some number of y is none */
static PetscErrorCode HasNaN(Vec y, bool *has)
{
  Numbers local;

  PetscFunctionBeginUser;
  PetscCall(Append(y, &local));
  *has = std::any_of(local.begin(), local.end(), [](PetscScalar number) { return std::isnan(PetscRealPart(number)); });
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first process multiplies alone, once and, when the time is over, again */
static PetscErrorCode MultiplyAlone(Mat A, Vec x, Vec y, const std::string &transport)
{
  bool           has;
  PetscErrorCode code;

  PetscFunctionBeginUser;
  PetscCall(MatMult(A, x, y));
  PetscCall(HasNaN(y, &has));
  PetscCheck(has, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: a product without what another process sends has no NaN",
             transport.c_str());
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
  code = MatMult(A, x, y);
  PetscCall(PetscPopErrorHandler());
  PetscCheck(code == PETSC_ERR_LIB, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: the product after it gives code %d", transport.c_str(),
             (int)code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The monitor of a process that leaves a solve by an error */
static PetscErrorCode Leave(KSP ksp, PetscInt it, PetscReal, void *rank)
{
  (void)ksp;
  return *(PetscMPIInt *)rank && it == 5 ? PETSC_ERR_USER : PETSC_SUCCESS;
}

/* The others leave, and the first process, whose iterations are recorded, misses them */
static PetscErrorCode SolveAlone(Mat A, Vec b, Vec x, PetscMPIInt rank, const std::string &transport)
{
  KSP            ksp;
  PetscErrorCode code;

  PetscFunctionBeginUser;
  PetscCall(NewFusedCG(A, &ksp));
  PetscCall(KSPSetTolerances(ksp, 1e-300, 0, PETSC_CURRENT, 1000000));
  PetscCall(KSPMonitorSet(ksp, Leave, &rank, nullptr));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
  code = KSPSolve(ksp, b, x);
  PetscCall(PetscPopErrorHandler());
  PetscCheck(rank ? code == PETSC_ERR_USER : code != PETSC_SUCCESS, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%s: a solve that other processes have left gives code %d", transport.c_str(), (int)code);
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MissOne(const std::string &transport, bool solves)
{
  MPI_Comm    comm;
  Mat         A;
  Vec         x, y;
  PetscMPIInt rank;
  bool        has;
  std::string used;

  PetscFunctionBeginUser;
  PetscCall(NewComm(transport, &comm));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(NewMatrix(comm, TestType(), 1, &A));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(FillVec(x, 3));
  PetscCall(MatMult(A, x, y));
  PetscCall(HasNaN(y, &has));
  PetscCheck(!has, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: a product of all has NaN", transport.c_str());
  PetscCall(UsedTransport(A, &used));
  if (used != transport + (transport.size() < 4 ? "\n" : ""))
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "Skipped: %s is not used here\n", transport.c_str()));
  else if (solves) PetscCall(SolveAlone(A, x, y, rank, transport));
  else if (!rank) PetscCall(MultiplyAlone(A, x, y, transport));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  for (Vec *v : {&x, &y}) PetscCall(VecDestroy(v));
  PetscCall(MatDestroy(&A));
  PetscCallMPI(MPI_Comm_free(&comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A fused method on a communicator of its own ends as if nothing had happened on others */
static PetscErrorCode SolveElsewhere()
{
  MPI_Comm           comm;
  Mat                A;
  Vec                x, b;
  KSP                ksp;
  KSPConvergedReason reason;

  PetscFunctionBeginUser;
  PetscCall(NewComm("auto", &comm));
  PetscCall(NewMatrix(comm, TestType(), 1, &A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(FillVec(b, 5));
  PetscCall(KSPCreate(comm, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, "fusedcg"));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCheck(reason > 0, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "After an exchange that did not come elsewhere a solve ends with reason %d", (int)reason);
  PetscCall(KSPDestroy(&ksp));
  for (Vec *v : {&x, &b}) PetscCall(VecDestroy(v));
  PetscCall(MatDestroy(&A));
  PetscCallMPI(MPI_Comm_free(&comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscOptionsSetValue(nullptr, "-hepta_transport_timeout", "1"));
  PetscCall(TestInitialize(&argc, &argv, help));
  for (const char *transport : {"ipc", "nccl"}) {
    for (bool solves : {false, true}) {
      PetscCall(MissOne(transport, solves));
      PetscCall(SolveElsewhere());
    }
  }
  PetscCall(PetscFinalize());
  return 0;
}
