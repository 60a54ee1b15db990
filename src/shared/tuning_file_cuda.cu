#include "cuda_check.cuh"
#include "processors.cuh"
#include "tuning_file.hxx"

namespace hepta
{

Status tuning_key_cuda(TuningKey *key)
{
  cudaDeviceProp device;
  int            current = 0;

  if (Status bad = cuda_status(cudaGetDevice(&current))) return bad;
  if (Status bad = cuda_status(cudaGetDeviceProperties(&device, current))) return bad;
  key->gpu             = device.name;
  key->multiprocessors = processors();
  key->library         = HEPTA_VERSION;
  if (Status bad = cuda_status(cudaDriverGetVersion(&key->driver))) return bad;
  return cuda_status(cudaRuntimeGetVersion(&key->cuda));
}

} // namespace hepta
