/*
   What a test program tests, and where it runs. HEPTA_TEST_TYPE in the environment names the kind of blocked matrices, bdia if
   unset. With HEPTA_TEST_DEVICE=1 they are of its type for the device, MATBDIACUDA, and so their vectors live there. Without a
   CUDA device a program is skipped then, or fails if HEPTA_TEST_GPU=1 forbids that.
*/
#pragma once

#include <hepta.h>
#include <petscdevice.h>

#include <cstdlib>
#include <cstring>
#include <string>
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

/* The kind of matrices that the programs test, "bdia": the root of its types' names and of its options */
static inline std::string TestKind()
{
  const char *kind = std::getenv("HEPTA_TEST_TYPE");

  return kind ? kind : MATBDIA;
}

/* Is it bdia? For what concerns block offsets and half storage */
static inline bool TestIsBDIA()
{
  return TestKind() == MATBDIA;
}

/* Its types whose vectors live on the host and on the device */
static inline MatType TestTypeOf(bool device)
{
  static const std::string type[2] = {TestKind(), TestKind() + "cuda"};

  return type[device].c_str();
}

/* The type of matrix that the programs test */
static inline MatType TestType()
{
  return TestTypeOf(TestOnDevice());
}

/* Is A of one of the kind's types? */
static inline bool TestIsOfKind(Mat A)
{
  PetscBool is;

  return !PetscObjectBaseTypeCompareAny((PetscObject)A, &is, ("seq" + TestKind()).c_str(), ("mpi" + TestKind()).c_str(), "") && is;
}

/* Options given for bdia, under the kind's name: -mat_bdia_storage becomes -mat_<kind>_storage. Those that the kind lacks have no effect. */
static inline std::string TestOptions(std::string options)
{
  const std::string bdia = "mat_bdia_", ours = "mat_" + TestKind() + "_";

  for (size_t at = options.find(bdia); at != std::string::npos; at = options.find(bdia, at + ours.size())) options.replace(at, bdia.size(), ours);
  return options;
}

/* PetscInitialize() and HeptaRegisterAll(); a program that cannot run does not come back from it: one line, exit code 77. With `device` the program is for the device only. */
static inline PetscErrorCode TestInitialize(int *argc, char ***argv, const char help[], bool device = TestOnDevice())
{
  if (device) (void)setenv("HEPTA_TEST_DEVICE", "1", 1); /* TestType() is asked later */
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
