/* Times on a device of operations that are launched before the device begins with them */
#include "tune.h"

#include <algorithm>

#include "shared/heptaimpl.h"

#if defined(HEPTA_HAVE_CUDA)
  #include <petscdevice_cuda.h>

  #include "queued.hxx"

constexpr int    most_rounds = 7;        /* the time is the median of this number of measurements, */
constexpr double longest     = 2000;     /* each of which takes about this number of microseconds, */
constexpr int    fewest = 3, most = 100; /* within these numbers of calls */
#endif

PetscErrorCode HeptaTuneQueued(const std::function<PetscErrorCode()> &f, double *us)
{
  PetscFunctionBegin;
  *us = -1;
#if defined(HEPTA_HAVE_CUDA)
  std::vector<double> all;
  PetscErrorCode      code = PETSC_SUCCESS;
  cudaStream_t        stream;
  int                 times = fewest;
  double              hold  = 200, launching, sum;
  const auto          many  = [&] {
    for (int k = 0; k < times && !code; k++) code = f();
  };
  const auto measure = [&](double held) {
    const hepta::Status bad = hepta::time_queued_cuda(held, many, stream, &sum, &launching);
    PetscCall(code);
    PetscCheck(!bad, PETSC_COMM_SELF, PETSC_ERR_LIB, "The device fails in a measurement: %s", bad);
    return PETSC_SUCCESS;
  };

  PetscCall(f()); /* memory is allocated */
  PetscCall(PetscGetCurrentCUDAStream(&stream));
  for (int round = -3; round < most_rounds; round++) {
    PetscCall(measure(hold));
    if (round >= 0 && launching <= hold) all.push_back(sum / times);
    if (round == -3) times = (int)PetscMax((double)fewest, PetscMin((double)most, longest * times / PetscMax(1., sum)));
    hold = PetscMin(1e5, PetscMax(hold, (round == -3 ? 2. * times / fewest : 2.) * launching));
  }
  if (all.empty()) { /* f waits for the device */
    PetscCall(measure(0));
    all.push_back(PetscMax(sum, launching) / times);
  }
  std::sort(all.begin(), all.end());
  *us = all[all.size() / 2];
  PetscFunctionReturn(PETSC_SUCCESS);
#else
  (void)f;
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP, "There is no device: this Hepta was built without CUDA");
#endif
}
