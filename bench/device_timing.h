/*
   Interleaved timing on one GPU: every round runs each contestant once, so that a slow moment of the machine meets all; medians
   count.

   Direct calls and our product count as device time: a batch of calls in a CUDA graph (where it can be captured), between two
   events. What goes through PETSc counts as the host sees it: a loop of calls and one synchronization.
*/
#pragma once

#include <petscdevice_cuda.h>

#include <functional>
#include <string>
#include <vector>

enum class Way {
  Device, /* events around a graph of `calls` runs */
  Host    /* wall clock of `calls` runs and a synchronization */
};

struct DeviceContestant {
  std::string                                          name;
  int                                                  table; /* which of the report's tables it stands in */
  Way                                                  way;
  double                                               tolerance; /* of the result, relative to its largest entry */
  std::function<PetscErrorCode()>                      run;
  std::function<PetscErrorCode(std::vector<double> &)> get; /* the result, null where there is none to check */
  PetscInt                                             calls = 1;
  cudaGraphExec_t                                      graph = nullptr;
  std::vector<double>                                  ms    = {};

  double Median() const;
};

/* The stream that device time is taken on, and the copy that gives the floor */
struct DeviceTimer {
  PetscDeviceContext context = nullptr;
  cudaStream_t       stream  = nullptr;
  cudaEvent_t        begin = nullptr, end = nullptr;
  void              *from = nullptr, *to = nullptr;
  size_t             copy_bytes = (size_t)1 << 30;
  PetscInt           repeats    = 15;
  PetscBool          use_graphs = PETSC_TRUE;

  PetscErrorCode Create();
  PetscErrorCode Destroy();
  /* Runs each contestant once and compares its result with y */
  PetscErrorCode Check(std::vector<DeviceContestant> &contestants, const std::vector<double> &y);
  /* Times the contestants and, as the last of them, a copy: bytes that it moves per millisecond */
  PetscErrorCode Run(std::vector<DeviceContestant> &contestants, double *bytes_per_ms);

private:
  PetscErrorCode Once(DeviceContestant &c);
  PetscErrorCode Capture(DeviceContestant &c);
  PetscErrorCode Batch(DeviceContestant &c);
};
