#include "operators.h"

#include <atomic>
#include <cstring>

#include "recorder.hxx"

using namespace hepta::ksp;

PetscErrorCode HeptaIterations::FreeGraph()
{
  PetscFunctionBegin;
#if defined(HEPTA_HAVE_CUDA)
  PetscCallHepta(graph_free(graph));
#endif
  graph    = nullptr;
  recorded = 0;
  key.clear();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaIterations::Free()
{
  PetscFunctionBegin;
  PetscCall(FreeGraph());
#if defined(HEPTA_HAVE_CUDA)
  if (space.device && report_here) {
    PetscCallHepta(hepta::transport::wait_for(space.stream)); /* passes may still write to the report */
    PetscCallHepta(hepta::mapped_free(report_here));
  }
  PetscCallHepta(hepta::free_stream(recording));
  recording = nullptr;
#endif
  PetscCall(team.Reset());
  PetscCall(values.Free());
  report_here = report_there = nullptr;
  size                       = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaIterations::SetUp(const HeptaSpace &where, MPI_Comm c, size_t sums, Pass &pass)
{
  const bool kept = size && space.device == where.device;

  PetscFunctionBegin;
  if (!kept) {
    PetscCall(Free());
    PetscCall(values.Resize(sizeof(Memory) + sums * sizeof(PetscScalar)));
  }
  space = where;
  PetscCall(values.Access(space, HeptaAccess::write, &memory));
  if (!kept) {
    PetscMPIInt ranks;

    comm = c;
    PetscCallMPI(MPI_Comm_size(comm, &ranks));
#if defined(HEPTA_HAVE_CUDA)
    if (space.device) {
      PetscCallHepta(hepta::mapped_alloc(sizeof(Report), (void **)&report_here, (void **)&report_there));
      PetscCallHepta(hepta::new_stream(&recording));
      if (ranks > 1) PetscCall(team.SetUp(space, comm));
    }
#endif
    if (!space.device) report_here = report_there = &memory->report;
    size = ranks; /* set last, because size says that everything is set up */
  }
  pass.ends    = EndsInPass();
  pass.state   = &memory->state;
  pass.report  = EndsOnDevice() ? &memory->report : report_here; /* the report that passes, or kernels after passes, write */
  pass.partial = (PetscScalar *)(memory + 1);
  pass.team    = team.Get();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Copies the state to the host, or to the memory of the passes */
PetscErrorCode HeptaIterations::Bring(State *s) const
{
  PetscFunctionBegin;
  if (!space.device) *s = memory->state;
#if defined(HEPTA_HAVE_CUDA)
  if (space.device) PetscCallHepta(hepta::copy_to_host(s, &memory->state, sizeof(State), space.stream));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaIterations::Send(const State &s) const
{
  PetscFunctionBegin;
  if (!space.device) memory->state = s;
#if defined(HEPTA_HAVE_CUDA)
  if (space.device) PetscCallHepta(hepta::copy_to_device(&memory->state, &s, sizeof(State), space.stream));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Clears the reports; no pass may be running */
PetscErrorCode HeptaIterations::Clear() const
{
  PetscFunctionBegin;
  std::memset((void *)report_here, 0, sizeof(Report));
#if defined(HEPTA_HAVE_CUDA)
  if (space.device) PetscCallHepta(hepta::device_zero(&memory->report, sizeof(Report), space.stream));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaIterations::Reduce(const HeptaSpace &where, int first, int n, const HeptaPassEnd &end)
{
  State s;

  PetscFunctionBegin;
  if (EndsInPass()) PetscFunctionReturn(PETSC_SUCCESS);
#if defined(HEPTA_HAVE_CUDA)
  if (EndsOnDevice()) {
    RankSums sums = {&memory->state, nullptr, (int)size, first, n};
    PetscCall(team.Gather(where, memory->state.sum + first, n, &sums.all));
    PetscCallHepta(end.device ? end.device(sums, where.stream) : end_pass_cuda(Pass{}, sums, where.stream));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif
  (void)where;
  PetscCall(Bring(&s));
  if (s.pause) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, s.sum + first, n, MPIU_SCALAR, MPIU_SUM, comm));
  if (end.host) end.host(s);
  PetscCall(Send(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Launches iterations, of which at most `left` are wanted. Passes of unwanted iterations return at once; if other kernels would
   do useless work, the last iterations are launched one by one.
*/
PetscErrorCode HeptaIterations::Launch(HeptaKSPMethod &method, int left, int *launched)
{
  PetscFunctionBegin;
#if defined(HEPTA_HAVE_CUDA)
  /* a monitor or a convergence test made a preconditioner free memory whose address the graph may have */
  if (graph && frees != hepta::device_frees()) {
    PetscCall(FreeGraph());
    PetscCall(RecordPasses(method));
  }
  if (graph && (recorded <= left || !method.runs_on)) {
    PetscCall(method.ops.arrays.Get());
    PetscCallHepta(replay(graph, space.stream));
    PetscCall(team.Follow(space));
    PetscCall(method.ops.arrays.Restore());
    *launched += recorded;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif
  PetscCall(method.ops.arrays.Get());
#if defined(HEPTA_HAVE_CUDA)
  /*
     these launches run at once; their exchanges still stop at the pause, because other ranks may have launched fewer iterations
  */
  const HeptaRecording stops(nullptr, graph ? &memory->state.pause : nullptr);
#endif
  PetscLogDouble before, after;
  PetscCall(PetscGetFlops(&before));
  const PetscErrorCode code = method.Iterate(space);
  PetscCall(PetscGetFlops(&after));
  PetscCall(method.ops.arrays.Restore());
  PetscCall(code);
  if (!graph) between = PetscMax(between, after - before); /* the last iteration may do less */
  *launched += 1;
  (void)left;
#if defined(HEPTA_HAVE_CUDA)
  if (EndsOnDevice()) PetscCallHepta(publish_cuda(&memory->report, report_there, space.stream));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Waits until the report has an iteration that the host has not seen or a pause; if ranks launch in step, until the next
   recording has ended or paused. *done <- the last iteration to process; *paused <- do the iterations pause after iteration
   *done? In step *done and *paused are equal on all ranks, at whatever time their hosts read the report: after the end of the
   recording, *done is its last iteration and *paused is false, whatever a later recording has reported; *paused is true only if
   the recording has not reached its end.
*/
PetscErrorCode HeptaIterations::Wait(int seen, int *done, bool *paused) const
{
  const int until = seen + (InStep() ? recorded : 1);

  PetscFunctionBegin;
#if defined(HEPTA_HAVE_CUDA)
  if (space.device) {
    for (long turns = 1; !report_here->pause && report_here->it < until; turns++) {
      bool idle = false;

      if (turns % 4096) continue;
      PetscCallHepta(stream_idle(space.stream, &idle)); /* an error of the device ends the wait */
      PetscCheck(!idle || report_here->pause || report_here->it >= until, PETSC_COMM_SELF, PETSC_ERR_PLIB,
                 "All passes have run and iteration %d is not done", until);
      PetscCall(team.CheckLate());
    }
    PetscCall(team.CheckLate());
    /* the pause is reported after the iteration: no rank may launch another iteration that does not stop */
    if (size > 1 && !graph) PetscCallHepta(hepta::transport::wait_for(space.stream));
  }
#endif
  /* on the host a pass has run when its launcher returns */
  PetscCheck(space.device || report_here->pause || report_here->it >= until, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "Iteration %d was not launched, and the passes have not paused", until);
  *paused = report_here->pause;
  std::atomic_thread_fence(std::memory_order_acquire); /* makes visible the entries that the device wrote before */
  *done = report_here->it;
  std::atomic_thread_fence(std::memory_order_acquire);
  if (InStep() && *done >= until) {
    *done   = until;
    *paused = false;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The numbers of launched iterations stay below PETSC_INT32_MAX */
constexpr int most_iterations = PETSC_INT32_MAX - Report::size;

/* Sets the norms and the iteration at which the iterations pause, so that the host can act */
static void SetLimits(KSP ksp, bool norm_only, State &s)
{
  const HeptaKSPData *data     = (const HeptaKSPData *)ksp->data;
  const bool          tests    = data->Tests(ksp);
  const bool          untested = ksp->normtype == KSP_NORM_NONE || ksp->converged == KSPConvergedSkip;
  const PetscInt      last     = tests ? PetscMin(ksp->max_it, data->NextTest()) : ksp->max_it;

  s.last  = (int)PetscClipInterval(last, 1, most_iterations); /* cg does at least one iteration */
  s.least = !norm_only ? PETSC_INFINITY : untested || tests ? (PetscReal)-1 : ksp->ttol;
  s.most  = !norm_only || untested ? PETSC_INFINITY : ksp->divtol * ksp->rnorm0;
  s.pause = 0;
}

/*
   After a pause: unless there is a reason to stop, lets the iterations go on, with the present limits, since the program may have
   called KSPSetTolerances(). All launches after the pause have then run: passes and exchanges did nothing, and products repeated
   a result that no pass uses, on several ranks perhaps without its ghost part.
*/
PetscErrorCode HeptaIterations::Resume(HeptaKSPMethod &method, bool norm_only, State *s)
{
  const KSP ksp = method.ksp;

  PetscFunctionBegin;
  PetscCall(Bring(s));
  PetscCall(method.Broken(*s));
  if (ksp->reason || method.left) PetscFunctionReturn(PETSC_SUCCESS);
  SetLimits(ksp, norm_only, *s);
  PetscCheck(s->it < s->last, PetscObjectComm((PetscObject)ksp), PETSC_ERR_SUP,
             "KSP %s does at most %d iterations: lower -ksp_max_it, which is %" PetscInt_FMT, ((PetscObject)ksp)->type_name,
             most_iterations, ksp->max_it);
  PetscCall(Send(*s));
  PetscCall(Clear());
  report_here->it = s->it;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaIterations::Run(HeptaKSPMethod &method, State s)
{
  const KSP ksp       = method.ksp;
  bool      norm_only = false, paused = false;
  int       launched = s.it, seen = s.it, done = s.it;

  PetscFunctionBegin;
  PetscCall(HeptaKSPLooksAtNormOnly(ksp, &norm_only));
  PetscCall(Record(method, norm_only));
  traffic   = method.traffic;
  flops     = method.flops;
  between   = graph ? between : 0;
  ahead     = graph ? 2 * recorded : 1; /* ranks whose exchanges do not stop with the passes must launch equal recordings */
  s.tickets = 0;
  SetLimits(ksp, norm_only, s);
  if (s.breakdown != Breakdown::none) {
    PetscCall(method.Broken(s));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Send(s));
  PetscCall(Clear());
  report_here->it = s.it;
  PetscCall(method.Start());
  while (!ksp->reason && !method.left) {
    while ((InStep() || !report_here->pause) && launched < s.last && launched - seen < ahead)
      PetscCall(Launch(method, s.last - launched, &launched));
    PetscCall(Wait(seen, &done, &paused));
    while (!ksp->reason && seen < done) {
      seen++;
      PetscCall(HeptaKSPSee(method, seen, report_here->entry[seen % Report::size]));
    }
    /* a matrix or a preconditioner of the program's may have lowered max_it */
    if (!paused && !ksp->reason && norm_only && seen >= ksp->max_it && seen < s.last) ksp->reason = KSP_DIVERGED_ITS;
    if (!paused || ksp->reason) continue;
    PetscCall(Resume(method, norm_only, &s));
    launched = seen;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What an iteration launches, moves and computes on the first process */
static PetscErrorCode ViewTraffic(const HeptaKSPTraffic &moves, double kernels, double flops, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "  an iteration: "));
  if (kernels > 0) PetscCall(PetscViewerASCIIPrintf(viewer, "%g kernels, ", kernels));
  PetscCall(PetscViewerASCIIPrintf(viewer, "%g vectors read or written, %.6g bytes, ", moves.vectors, moves.of_vectors));
  if (moves.of_matrices > 0) PetscCall(PetscViewerASCIIPrintf(viewer, "%.6g bytes of matrices, ", moves.of_matrices));
  PetscCall(PetscViewerASCIIPrintf(viewer, "%.6g flops%s\n", flops,
                                   moves.whole ? "" : "; vectors and bytes without those of the preconditioner"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaIterations::View(PetscViewer viewer, bool detail) const
{
  PetscFunctionBegin;
  if (graph)
    PetscCall(PetscViewerASCIIPrintf(
      viewer,
      "  passes recorded for %d iterations (recordings so far: %d), at most %d launched before the host has seen the first\n",
      recorded, made, ahead));
  else if (size)
    PetscCall(PetscViewerASCIIPrintf(
      viewer, "  passes launched one by one, at most %d iterations before the host has seen the first: %s\n", ahead,
      why.c_str()));
  if (detail && size) PetscCall(ViewTraffic(traffic, graph ? (double)kernels / recorded : 0, flops + between, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}
