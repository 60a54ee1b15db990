/*
   Where a test program runs: with HEPTA_TEST_DEVICE=1 in the environment its matrices are MATBDIACUDA, and so their vectors live
   on the device. Without a CUDA device it is skipped then, or fails if HEPTA_TEST_GPU=1 forbids that.
*/
#pragma once

#include <hepta.h>
#include <petscdevice.h>

#include <cstdlib>
#include <cstring>
#if defined(HEPTA_HAVE_CUDA)
  #include <cuda_runtime_api.h>
#endif

static inline bool TestIsSet(const char name[])
{
  const char *value = std::getenv(name);

  return value && !std::strcmp(value, "1");
}

static inline bool TestHasDevice()
{
#if defined(HEPTA_HAVE_CUDA)
  int n = 0;

  if (cudaGetDeviceCount(&n) != cudaSuccess) {
    (void)cudaGetLastError(); /* not to be taken for the failure of a later call */
    return false;
  }
  return n > 0;
#else
  return false;
#endif
}

static inline bool TestOnDevice()
{
  return TestIsSet("HEPTA_TEST_DEVICE");
}

/* Fewer sizes, for tools that make a program a hundred times slower */
static inline bool TestQuick()
{
  return TestIsSet("HEPTA_TEST_QUICK");
}

/* The type of matrix that the programs test */
static inline MatType TestBDIA()
{
  return TestOnDevice() ? MATBDIACUDA : MATBDIA;
}

/* PetscInitialize() and HeptaRegisterAll(); a program that cannot run does not come back from it: one line, exit code 77. With `device` the program is for the device only. */
static inline PetscErrorCode TestInitialize(int *argc, char ***argv, const char help[], bool device = TestOnDevice())
{
  if (device) (void)setenv("HEPTA_TEST_DEVICE", "1", 1); /* TestBDIA() is asked later */
  PetscCall(PetscInitialize(argc, argv, nullptr, help));
  if (device && !TestHasDevice()) {
    PetscCheck(!TestIsSet("HEPTA_TEST_GPU"), PETSC_COMM_WORLD, PETSC_ERR_GPU, "There is no CUDA device, and HEPTA_TEST_GPU=1 forbids to skip this test");
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "skipped: no CUDA device\n"));
    PetscCall(PetscFinalize());
    std::exit(77);
  }
  if (device) PetscCall(PetscDeviceInitialize(PETSC_DEVICE_CUDA)); /* picks this rank's device, also for the cudaMalloc() of a program */
  PetscCall(HeptaRegisterAll());
  return PETSC_SUCCESS; /* without PETSc's record of calls, which begins with PetscInitialize() */
}
