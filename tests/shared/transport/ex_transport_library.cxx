static char help[] = "A library of NCCL that is not there, or is another: nccl becomes mpi with the reason in the view, auto "
                     "does without it, and products are right.\n\n";

#include "transports.h"

/* A product of A, beside MATAIJ's */
static PetscErrorCode CheckProduct(Mat A, const std::string &what)
{
  Mat     aij;
  Vec     x, y;
  Numbers product[2];

  PetscFunctionBeginUser;
  PetscCall(NewMatrix(PETSC_COMM_WORLD, MATAIJ, 1, &aij));
  for (int k = 0; k < 2; k++) {
    PetscCall(MatCreateVecs(k ? A : aij, &x, &y));
    PetscCall(FillVec(x, 3));
    PetscCall(MatMult(k ? A : aij, x, y));
    PetscCall(Append(y, &product[k]));
    for (Vec *v : {&x, &y}) PetscCall(VecDestroy(v));
  }
  for (size_t i = 0; i < product[0].size(); i++)
    PetscCheck(PetscAbsScalar(product[1][i] - product[0][i]) <= 1e-10, PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "%s: local row %zu of a product is %g instead of %g", what.c_str(), i, (double)PetscRealPart(product[1][i]),
               (double)PetscRealPart(product[0][i]));
  PetscCall(MatDestroy(&aij));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The line of the view about the exchanges, on the first process */
static PetscErrorCode ExchangesOf(Mat A, std::string *line)
{
  std::string text;

  PetscFunctionBeginUser;
  PetscCall(TakeView((PetscObject)A, PETSC_VIEWER_ASCII_INFO, &text));
  const size_t at = text.find("exchanges of ranks: ");
  if (at != std::string::npos) *line = text.substr(at, text.find('\n', at) - at);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With this file in place of NCCL's library: `reason` is in the view where it was needed */
static PetscErrorCode Without(const std::string &transport, const std::string &file, const std::string &reason)
{
  const std::string what = "-hepta_transport " + transport + " -hepta_transport_nccl " + file;
  MPI_Comm          comm;
  Mat               A;
  PetscMPIInt       rank, size;
  std::string       line;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsSetValue(nullptr, "-hepta_transport_nccl", file.c_str()));
  PetscCall(NewComm(transport, &comm));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(NewMatrix(comm, TestType(), 1, &A));
  PetscCall(CheckProduct(A, what));
  PetscCall(ExchangesOf(A, &line));
  if (!rank && size > 1) {
    const std::string title  = "exchanges of ranks: ";
    const bool        shared = line.find("shares its GPU with process") != std::string::npos,
                      needed = TestOnDevice() && !(transport == "auto" && shared);
    const std::string on_gpu = transport == "nccl" || shared ? "mpi (" : "ipc (";
    const std::string begin  = title + (TestOnDevice() ? on_gpu : "MPI from host memory, as long as no vectors are on GPUs");

    PetscCheck(line.find(begin) == 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: the view begins with \"%s\" instead of \"%s\"",
               what.c_str(), line.c_str(), begin.c_str());
    PetscCheck((line.find(reason) != std::string::npos) == needed, PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "%s: \"%s\" must%s hold \"%s\"", what.c_str(), line.c_str(), needed ? "" : " not", reason.c_str());
  }
  PetscCall(MatDestroy(&A));
  PetscCallMPI(MPI_Comm_free(&comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  /* between nccl and mpi, so that auto asks for nccl first where each process has a GPU of its own */
  PetscCall(HeptaSetTuning("ipc_latency", 30));
  for (const char *transport : {"nccl", "auto"}) {
    PetscCall(Without(transport, "libnone.so", "libnone.so: cannot open shared object file"));
    PetscCall(Without(transport, "libm.so.6", "libm.so.6 has not all of NCCL's functions: version 2.14 or later is needed"));
  }
  PetscCall(PetscFinalize());
  return 0;
}
