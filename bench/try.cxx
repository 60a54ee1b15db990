#include "try.h"

#ifdef HEPTA_HAVE_CUDA
  #include <petscdevice_cuda.h>
#endif
#include <petsctime.h>

/* Keeps the message of where an error began, prints nothing */
static PetscErrorCode Remember(MPI_Comm, int, const char *function, const char *, PetscErrorCode code, PetscErrorType type,
                               const char *message, PetscCtx context)
{
  std::string *failure = (std::string *)context;

  if (failure->empty() || type == PETSC_ERROR_INITIAL)
    *failure =
      message && *message ? message : std::string("error ") + std::to_string((int)code) + " in " + (function ? function : "?");
  return code;
}

PetscErrorCode BenchTry(const std::string &what, const std::function<PetscErrorCode()> &f, std::string *failure)
{
  std::string    message;
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(PetscPushErrorHandler(Remember, &message));
  code = f();
  PetscCall(PetscPopErrorHandler());
  if (code) {
    *failure = message.empty() ? "error " + std::to_string((int)code) : message;
    PetscCall(PetscFPrintf(PETSC_COMM_SELF, PETSC_STDERR, "bench: %s failed: %s\n", what.c_str(), failure->c_str()));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BenchNow(PetscBool device, double *seconds)
{
  PetscLogDouble now;

  PetscFunctionBegin;
#ifdef HEPTA_HAVE_CUDA
  if (device) PetscCallCUDA(cudaDeviceSynchronize());
#else
  (void)device;
#endif
  PetscCall(PetscTime(&now));
  *seconds = now;
  PetscFunctionReturn(PETSC_SUCCESS);
}
