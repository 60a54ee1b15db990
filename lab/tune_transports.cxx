/* The time of an exchange by each transport, from an iteration with and without the exchange, on several processes */
#include "tune.h"
#include "view.h"

/* Does the matrix exchange ghost values by this transport, as its view says? Another one may be used in its place. */
static PetscErrorCode Uses(Mat A, const std::string &transport, bool *uses)
{
  std::string text; /* on the first process */
  int         found;

  PetscFunctionBegin;
  PetscCall(TakeView((PetscObject)A, PETSC_VIEWER_ASCII_INFO, &text));
  found = text.find("exchanges of ranks: " + transport) != std::string::npos;
  PetscCallMPI(MPI_Bcast(&found, 1, MPI_INT, 0, PetscObjectComm((PetscObject)A)));
  *uses = found;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *us <- microseconds of an iteration of fusedcg with two planes of n x n cells on each process; *uses: by this transport? */
static PetscErrorCode Iteration(HeptaTuner *t, MPI_Comm all, const char *transport, PetscInt n, double *us, bool *uses)
{
  PetscMPIInt size;
  MPI_Comm    comm; /* a transport is chosen once for a communicator */

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(all, &size));
  PetscCallMPI(MPI_Comm_dup(all, &comm));
  PetscCall(PetscOptionsSetValue(nullptr, "-hepta_transport", transport));
  const PetscInt sides[3] = {n, n, 2 * size};
  {
    HeptaTuneMatrix M;
    PetscCall(HeptaTuneGrid(comm, sides, 1, MATBDIACUDA, true, &M));
    PetscCall(HeptaTuneSolve(t, M, "-pc_type jacobi -ksp_norm_type natural", 60, us));
    if (size > 1) PetscCall(Uses(M.A, transport, uses));
  }
  PetscCall(PetscOptionsClearValue(nullptr, "-hepta_transport"));
  PetscCallMPI(MPI_Comm_free(&comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   latency + bytes / bandwidth through the times of a small and of a large exchange; the latency includes the sums of an
   iteration, which travel too
*/
PetscErrorCode HeptaTuneTransports(HeptaTuner *t)
{
  const PetscInt planes[2] = {16, 512};
  const double   bytes     = (double)sizeof(PetscScalar) * (double)(planes[1] * planes[1] - planes[0] * planes[0]);
  PetscMPIInt    size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(t->comm, &size));
  for (const std::string name : {"ipc", "nccl", "mpi"}) {
    double beside[2], with, without;
    bool   uses = true;
    for (int k = 0; k < 2 && size > 1; k++) {
      PetscCall(Iteration(t, t->comm, name.c_str(), planes[k], &with, &uses));
      PetscCall(Iteration(t, PETSC_COMM_SELF, name.c_str(), planes[k], &without, nullptr));
      beside[k] = PetscMax(0.5, with - without);
      PetscCall(PetscViewerASCIIPrintf(t->viewer, "    planes of %d cells by %s: %.1f us, without exchange %.1f%s\n",
                                       (int)(planes[k] * planes[k]), name.c_str(), with, without,
                                       uses ? "" : "; another transport was used in its place"));
    }
    if (size == 1 || !uses) continue;
    PetscCall(HeptaTuneTake(t, (name + "_latency").c_str(), beside[0]));
    PetscCall(HeptaTuneTake(t, (name + "_bandwidth").c_str(), bytes / PetscMax(0.5, beside[1] - beside[0])));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
