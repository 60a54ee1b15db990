/* What -hepta_view prints of the machine */
#include <dlfcn.h>
#include <hepta.h>
#include <petscdevice.h>
#include <petscviewer.h>

#include "shared/heptaimpl.h"
#include "shared/transport/transport.h"
#include "shared/tuning_file.hxx"

/* *text <- the GPU of this process */
static PetscErrorCode DescribeGPU(std::string *text)
{
  PetscFunctionBegin;
#if defined(HEPTA_HAVE_CUDA)
  hepta::TuningKey key;

  if (hepta::tuning_key_cuda(&key)) *text = "none found";
  else {
    *text = HeptaFormat("%s, %d multiprocessors, CUDA %d.%d, driver for CUDA %d.%d", key.gpu.c_str(), key.multiprocessors,
                        key.cuda / 1000, key.cuda % 1000 / 10, key.driver / 1000, key.driver % 1000 / 10);
  }
#else
  *text = "PETSc and this library are built without CUDA";
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *t <- the transport of all processes, which is decided if the GPUs can be used */
static PetscErrorCode DecideTransport(void)
{
#if defined(HEPTA_HAVE_CUDA)
  hepta::TuningKey key;
  PetscMPIInt      missing = hepta::tuning_key_cuda(&key) ? 1 : 0;
  HeptaTransport  *t;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &missing, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD));
  if (missing) PetscFunctionReturn(PETSC_SUCCESS);
  PetscDeviceContext context;
  PetscCall(PetscDeviceContextGetCurrentContext(&context)); /* PETSc selects the device of this process */
  PetscCall(HeptaTransportOf(PETSC_COMM_WORLD, &t));
  PetscCall(HeptaTransportProbe(t));
#else
  PetscFunctionBegin;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaViewMachine(PetscViewer viewer)
{
  Dl_info     where;
  PetscMPIInt size;
  std::string gpu;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(DescribeGPU(&gpu));
  const char *file = dladdr((void *)HeptaViewMachine, &where) ? where.dli_fname : "in the program";
  PetscCall(PetscViewerASCIIPrintf(viewer, "hepta %s: %s\n", HEPTA_VERSION, file));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  PETSc %d.%d.%d, %d-bit indices, %d MPI process%s\n", PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR,
                                   PETSC_VERSION_SUBMINOR, (int)(8 * sizeof(PetscInt)), (int)size, size > 1 ? "es" : ""));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  GPU of the first process: %s\n", gpu.c_str()));
  PetscCall(DecideTransport());
  PetscCall(HeptaTransportView(PETSC_COMM_WORLD, "  ghost values", viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}
