#include "device_timing.h"

#include "copy.h"

#include <petsctime.h>

#include <algorithm>
#include <cmath>

double DeviceContestant::Median() const
{
  std::vector<double> s = ms;

  std::nth_element(s.begin(), s.begin() + s.size() / 2, s.end());
  return s[s.size() / 2];
}

PetscErrorCode DeviceTimer::Create()
{
  void *handle;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-repeats", &repeats, nullptr));
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-graphs", &use_graphs, nullptr));
  PetscCheck(repeats >= 1, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-repeats must be at least 1");
  /* the legacy default stream cannot be captured, so timing has a context of its own */
  PetscCall(PetscDeviceContextCreate(&context));
  PetscCall(PetscDeviceContextSetStreamType(context, PETSC_STREAM_NONBLOCKING));
  PetscCall(PetscDeviceContextSetUp(context));
  PetscCall(PetscDeviceContextGetStreamHandle(context, &handle));
  stream = *(cudaStream_t *)handle;
  PetscCallCUDA(cudaEventCreate(&begin));
  PetscCallCUDA(cudaEventCreate(&end));
  PetscCallCUDA(cudaMalloc(&from, copy_bytes));
  PetscCallCUDA(cudaMalloc(&to, copy_bytes));
  PetscCallCUDA(cudaMemset(from, 0x3c, copy_bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeviceTimer::Destroy()
{
  PetscFunctionBegin;
  PetscCallCUDA(cudaEventDestroy(begin));
  PetscCallCUDA(cudaEventDestroy(end));
  PetscCallCUDA(cudaFree(from));
  PetscCallCUDA(cudaFree(to));
  PetscCall(PetscDeviceContextDestroy(&context));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One run on the stream that belongs to its way; host calls stay on PETSc's own */
PetscErrorCode DeviceTimer::Once(DeviceContestant &c)
{
  PetscDeviceContext before;
  PetscErrorCode     code;

  PetscFunctionBegin;
  if (c.way == Way::Host) {
    PetscCall(c.run());
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscDeviceContextGetCurrentContext(&before));
  PetscCall(PetscDeviceContextSetCurrentContext(context));
  code = c.run();
  PetscCall(PetscDeviceContextSetCurrentContext(before));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeviceTimer::Check(std::vector<DeviceContestant> &contestants, const std::vector<double> &y)
{
  std::vector<double> mine;
  double              scale = 0;

  PetscFunctionBegin;
  for (double v : y) scale = std::max(scale, std::abs(v));
  for (DeviceContestant &c : contestants) {
    double error = 0;
    PetscCallCUDA(cudaDeviceSynchronize()); /* vectors were filled by another stream */
    PetscCall(Once(c));
    PetscCallCUDA(cudaDeviceSynchronize());
    if (!c.get) continue;
    PetscCall(c.get(mine));
    for (size_t i = 0; i < y.size(); i++)
      error = std::isfinite(mine[i]) ? std::max(error, std::abs(mine[i] - y[i])) : PETSC_MAX_REAL;
    PetscCheck(error <= c.tolerance * scale, PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "The product of \"%s\" is wrong: largest error %g where values reach %g", c.name.c_str(), error, scale);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Without a graph the batch is a plain loop, which small matrices may find bound by the launches */
PetscErrorCode DeviceTimer::Capture(DeviceContestant &c)
{
  cudaGraph_t    graph = nullptr;
  PetscErrorCode code  = PETSC_SUCCESS;
  cudaError_t    ended;

  PetscFunctionBegin;
  if (!use_graphs || c.way != Way::Device) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Once(c)); /* memory that was last used in another context waits for that one, which cannot be captured */
  PetscCallCUDA(cudaDeviceSynchronize());
  PetscCallCUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
  for (PetscInt k = 0; k < c.calls && !code; k++) code = Once(c);
  PetscCall(PetscPopErrorHandler());
  ended = cudaStreamEndCapture(stream, &graph);
  if (!code && ended == cudaSuccess) ended = cudaGraphInstantiate(&c.graph, graph, 0);
  if (code || ended != cudaSuccess) {
    (void)cudaGetLastError(); /* a capture that failed leaves its error behind */
    c.graph = nullptr;
    PetscCall(PetscFPrintf(PETSC_COMM_SELF, PETSC_STDERR,
                           "note: %s could not be captured in a graph (%s); timed as a loop of calls\n", c.name.c_str(),
                           code ? "error in the product" : cudaGetErrorString(ended)));
  }
  if (graph) PetscCallCUDA(cudaGraphDestroy(graph));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeviceTimer::Batch(DeviceContestant &c)
{
  PetscLogDouble t0, t1;
  float          ms;

  PetscFunctionBegin;
  PetscCallCUDA(cudaDeviceSynchronize());
  if (c.way == Way::Device) {
    /* keeps the device busy while the batch is being launched, so that launching it does not count */
    PetscCallCUDA(cudaMemcpyAsync(to, from, copy_bytes / 2, cudaMemcpyDeviceToDevice, stream));
    PetscCallCUDA(cudaEventRecord(begin, stream));
  }
  PetscCall(PetscTime(&t0));
  if (c.graph) PetscCallCUDA(cudaGraphLaunch(c.graph, stream));
  else {
    for (PetscInt k = 0; k < c.calls; k++) PetscCall(Once(c));
  }
  if (c.way == Way::Device) PetscCallCUDA(cudaEventRecord(end, stream));
  PetscCallCUDA(cudaDeviceSynchronize());
  PetscCall(PetscTime(&t1));
  if (c.way == Way::Device) PetscCallCUDA(cudaEventElapsedTime(&ms, begin, end));
  c.ms.push_back((c.way == Way::Device ? ms : 1e3 * (t1 - t0)) / (double)c.calls);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeviceTimer::Run(std::vector<DeviceContestant> &contestants, double *bytes_per_ms)
{
  DeviceContestant copy{"copy", -1, Way::Device, 0, nullptr, nullptr};

  PetscFunctionBegin;
  copy.calls = 3;
  copy.run   = [this]() {
    PetscFunctionBegin;
    PetscCallCUDA(BenchCopy(to, from, copy_bytes, stream));
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  contestants.push_back(copy);
  for (DeviceContestant &c : contestants) PetscCall(Capture(c));
  for (PetscInt k = -1; k < repeats; k++) {
    for (DeviceContestant &c : contestants) {
      PetscCall(Batch(c));
      if (k < 0) c.ms.clear(); /* the first round warms up */
    }
  }
  for (DeviceContestant &c : contestants) {
    if (c.graph) PetscCallCUDA(cudaGraphExecDestroy(c.graph));
    c.graph = nullptr;
  }
  *bytes_per_ms = 2.0 * (double)copy_bytes / contestants.back().Median();
  contestants.pop_back();
  PetscFunctionReturn(PETSC_SUCCESS);
}
