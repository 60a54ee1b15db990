/* Iterations recorded as a graph */
#include <algorithm>
#include <new>

#include <petsc/private/logimpl.h>

#include "../shared/tuning.hxx"
#include "operators.h"
#include "recorder.hxx"

using namespace hepta::ksp;

#if defined(HEPTA_HAVE_CUDA)
/*
   The number of iterations in a recording. The overhead of a recording is to be small compared with its work: a sixtieth, in at
   most 12 iterations. Passes launched after the last iteration return at once. Other products and applications of a
   preconditioner do useless work, so recordings with such kernels are shorter: a fifteenth.

   Recordings with multigrid, many kernels that return at once after the last iteration, have two iterations: an application
   takes longer than the launch of a recording. Where the other passes alone take as long as eight launches, each recording has
   one iteration: thousands of thread blocks of each kernel take as long to return as the launches do.
*/
static int IterationsOf(const HeptaKSPMethod &method)
{
  const hepta::Tuning &t = hepta::tuning();
  const double times     = std::max((method.traffic.of_vectors + method.traffic.of_matrices) / t.bandwidth, t.pass) / t.recording;

  if (method.many_kernels) return times < 8 ? 2 : 1;
  return method.runs_on ? std::clamp(hepta::whole(15 / times), 2, 12) : std::clamp(hepta::whole(60 / times), 4, 12);
}

/*
   The length of a recording depends on the rows of a rank, so ranks that launch in step take the shortest length of all ranks,
   and all record again if one rank has to. *kept <- can the present recording be used? Collective for ranks that launch in step.
*/
PetscErrorCode HeptaIterations::ChooseLength(const HeptaKSPMethod &method, bool *kept)
{
  PetscFunctionBegin;
  length = why.empty() ? IterationsOf(method) : 0;
  *kept  = graph && key == method.key;
  if (!team.Gathers()) PetscFunctionReturn(PETSC_SUCCESS);
  int least[2] = {length, *kept};
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, least, 2, MPI_INT, MPI_MIN, comm));
  length = least[0];
  *kept  = least[1];
  if (!length && why.empty()) why = "another MPI process has a reason against it";
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaIterations::RecordPasses(HeptaKSPMethod &method)
{
  const HeptaSpace to_record = {true, recording};
  PetscErrorCode   code      = PETSC_SUCCESS;
  const double     before    = HeptaRecording::Flops();

  PetscFunctionBegin;
  PetscCall(method.ops.arrays.Get()); /* before the recording, during which PETSc must not use the device */
  PetscCallHepta(record(recording));
  {
    const HeptaRecording all(recording, &memory->state.pause);
    try {
      for (int k = 0; k < length && code == PETSC_SUCCESS; k++) code = method.Iterate(to_record);
    } catch (const std::bad_alloc &) {
      code = PETSC_ERR_MEM;
    }
  }
  const hepta::Status unpublished = publish_cuda(&memory->report, report_there, recording),
                      bad         = record_end(recording, &graph, &kernels);
  PetscCall(method.ops.arrays.Restore());
  PetscCall(code);
  PetscCallHepta(unpublished);
  PetscCallHepta(bad);
  between = (HeptaRecording::Flops() - before) / length;
  kernels--;
  recorded = length;
  made++;
  frees    = hepta::device_frees();
  key      = method.key;
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

/* Makes a graph of several iterations, unless a graph can be kept or something prevents a recording */
PetscErrorCode HeptaIterations::Record(HeptaKSPMethod &method, bool norm_only)
{
  PetscFunctionBegin;
  why = method.outside;
  if (!space.device) why = "the vectors are on the host";
  else if (!norm_only) why = "a monitor or a convergence test looks at more than the norm of each iteration";
  else if (PetscLogGpuTimeFlag) why = "-log_view_gpu_time times launches one by one";
  else if (!EndsOnDevice()) why = "the sums of several ranks meet on the host";
#if defined(HEPTA_HAVE_CUDA)
  bool kept;

  PetscCall(ChooseLength(method, &kept));
  if (!why.empty() || !kept || recorded != length) PetscCall(FreeGraph());
  if (why.empty() && !graph) PetscCall(RecordPasses(method));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}
