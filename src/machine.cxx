/* What HeptaView() prints of the machine */
#include <dlfcn.h>
#include <hepta.h>
#include <petscdevice.h>
#include <petscviewer.h>

#include "shared/heptaimpl.h"
#include "shared/transport/transport.h"
#include "shared/tuning_file.hxx"

#define NUMBER(n) PetscStringize(n)
#if defined(PETSC_USE_REAL_SINGLE)
  #define PRECISION "single"
#else
  #define PRECISION "double"
#endif
#if defined(PETSC_USE_64BIT_INDICES)
  #define INDICES "64"
#else
  #define INDICES "32"
#endif
const char HeptaBuiltFor[] = "PETSc " NUMBER(PETSC_VERSION_MAJOR) "." NUMBER(PETSC_VERSION_MINOR) "." NUMBER(
  PETSC_VERSION_SUBMINOR) ", real scalars in " PRECISION " precision, " INDICES "-bit indices";

/* *text <- the GPU of this process, *missing <- 1 if there is none */
static PetscErrorCode DescribeGPU(std::string *text, PetscMPIInt *missing)
{
  PetscFunctionBegin;
  *missing = 1;
#if defined(HEPTA_HAVE_CUDA)
  hepta::TuningKey key;

  if (hepta::tuning_key_cuda(&key))
    *text = "none found, CUDA " NUMBER(PETSC_PKG_CUDA_VERSION_MAJOR) "." NUMBER(PETSC_PKG_CUDA_VERSION_MINOR);
  else {
    *missing = 0;
    *text    = HeptaFormat("%s, %d multiprocessors, CUDA %d.%d, driver for CUDA %d.%d", key.gpu.c_str(), key.multiprocessors,
                           key.cuda / 1000, key.cuda % 1000 / 10, key.driver / 1000, key.driver % 1000 / 10);
  }
#else
  *text = "PETSc and this library are built without CUDA";
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Decides the transport of all processes if each has a GPU */
static PetscErrorCode DecideTransport([[maybe_unused]] PetscMPIInt missing)
{
#if defined(HEPTA_HAVE_CUDA)
  HeptaTransport *t;

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
  PetscMPIInt size, missing;
  std::string gpu;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(DescribeGPU(&gpu, &missing));
  const char *file = dladdr((void *)HeptaViewMachine, &where) ? where.dli_fname : "in the program";
  PetscCall(PetscViewerASCIIPrintf(viewer, "hepta %s: %s\n", HEPTA_VERSION, file));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  %s, %d MPI process%s\n", HeptaBuiltFor, (int)size, size > 1 ? "es" : ""));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  GPU of the first process: %s\n", gpu.c_str()));
  PetscCall(DecideTransport(missing));
  PetscCall(HeptaTransportView(PETSC_COMM_WORLD, "  ghost values", viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}
