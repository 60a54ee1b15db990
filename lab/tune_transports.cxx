/* What transports take beside a product without them, on several processes */
#include "tune.h"

#include <cmath>

/* *us <- microseconds of a product with planes of n x n cells; coupled: are the planes of neighboring processes? */
static PetscErrorCode Product(HeptaTuner *t, const char *transport, PetscInt n, bool coupled, double *us)
{
  MPI_Comm        comm; /* a transport is chosen once for a communicator */
  PetscMPIInt     size;
  HeptaTuneMatrix M;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(t->comm, &size));
  PetscCallMPI(MPI_Comm_dup(t->comm, &comm));
  PetscCall(PetscOptionsSetValue(nullptr, "-hepta_transport", transport));
  const PetscInt sides[3] = {n, coupled ? n : 1, 2 * size};
  if (coupled) PetscCall(HeptaTuneGrid(comm, sides, 1, MATBDIACUDA, false, &M));
  else {
    PetscCall(MatCreate(comm, &M.A));
    PetscCall(MatSetSizes(M.A, 2 * n * n, 2 * n * n, PETSC_DETERMINE, PETSC_DETERMINE));
    PetscCall(MatSetType(M.A, MATBDIACUDA));
    PetscCall(MatSetUp(M.A));
    PetscInt start, end;
    PetscCall(MatGetOwnershipRange(M.A, &start, &end));
    for (PetscInt i = start; i < end; i++) PetscCall(MatSetValue(M.A, i, i, 1, INSERT_VALUES));
    PetscCall(MatAssemblyBegin(M.A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(M.A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatCreateVecs(M.A, &M.x, &M.y));
    PetscCall(VecSet(M.x, 1));
  }
  PetscCall(HeptaTuneTime(*t, [&] { return MatMult(M.A, M.x, M.y); }, us));
  PetscCall(PetscOptionsClearValue(nullptr, "-hepta_transport"));
  PetscCall(MatDestroy(&M.A));
  PetscCall(VecDestroy(&M.x));
  PetscCall(VecDestroy(&M.y));
  PetscCallMPI(MPI_Comm_free(&comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* latency + bytes / bandwidth through the times of a small exchange and of a large one */
PetscErrorCode HeptaTuneTransports(HeptaTuner *t)
{
  const PetscInt planes[2] = {16, 512};
  PetscMPIInt    size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(t->comm, &size));
  if (size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  for (const std::string name : {"ipc", "nccl", "mpi"}) {
    double beside[2];
    for (int k = 0; k < 2; k++) {
      double with, without;
      PetscCall(Product(t, name.c_str(), planes[k], true, &with));
      PetscCall(Product(t, name.c_str(), planes[k], false, &without));
      beside[k] = PetscMax(0.5, with - without);
      PetscCall(PetscViewerASCIIPrintf(t->viewer, "    a product with planes of %d cells, by %s: %.1f us, without exchange %.1f\n", (int)(planes[k] * planes[k]), name.c_str(), with, without));
    }
    const double bytes = (double)sizeof(PetscScalar) * (double)(planes[1] * planes[1] - planes[0] * planes[0]);
    PetscCall(HeptaTuneTake(t, (name + "_latency").c_str(), beside[0]));
    PetscCall(HeptaTuneTake(t, (name + "_bandwidth").c_str(), bytes / PetscMax(0.5, beside[1] - beside[0])));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
