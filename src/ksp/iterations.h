/*
   The iterations of a Krylov method on the PETSc side. Passes are launched, on the device recorded and ahead of what the host has
   seen; the host repeats what they report: monitors, residual history, convergence test.
*/
#pragma once

#include <petsc/private/kspimpl.h>

#include <functional>

#include "../shared/transport/team.h"
#include "iteration.hxx"

/* The vectors that passes work on, in one memory. Calls of Get() and Restore() nest. */
struct HeptaKSPArrays {
  std::vector<Vec>           vecs;
  std::vector<PetscScalar *> a;
  HeptaSpace                 space;
  bool                       fetched = false; /* they are not in one memory: all come to the host */
  int                        depth   = 0;

  PetscErrorCode Get();
  PetscErrorCode Restore();
};

/* What a method gives to HeptaIterations::Run() */
struct HeptaKSPMethod {
  HeptaKSPArrays                                          *arrays;                /* what passes work on */
  std::function<PetscErrorCode(const HeptaSpace &)>        iterate;               /* launches the passes of one iteration, while the arrays are held */
  std::function<PetscErrorCode(const hepta::ksp::Entry &)> note;                  /* iteration ksp->its is done: the method's own history */
  std::function<PetscErrorCode(const hepta::ksp::State &)> broken;                /* in place of HeptaKSPSeeBreakdown() */
  bool                                                     keeps_norm = false;    /* where it is not checked, the norm is told as that of before, otherwise as 0 */
  std::string                                              key;                   /* of all that a recording depends on */
  std::string                                              outside;               /* what prevents a recording, empty for nothing */
  int                                                      ahead         = 1;     /* without a recording: iterations that are launched before the first of them is seen */
  double                                                   bytes         = 0;     /* that an iteration moves, about */
  bool                                                     runs_on       = false; /* something in an iteration runs although the passes pause */
  bool                                                     pc_runs_on    = false; /* the preconditioner does, */
  bool                                                     many_kernels  = false; /* an application of it is many kernels */
  bool                                                     fuses_inverse = false; /* its passes multiply with the matrix of PC ip */
};

/* What follows the sums of all ranks where no pass has added them: end(state) on the host, or a kernel that adds them first */
struct HeptaPassEnd {
  std::function<void(hepta::ksp::State &)>                                  host;
  std::function<hepta::Status(const hepta::ksp::RankSums &, hepta::Stream)> device;
};
/* end(c, state), and its launcher end_cuda(c, sums, stream) */
#if defined(HEPTA_HAVE_CUDA)
  #define HeptaEndOf(end, c) \
    { \
      [&](hepta::ksp::State &hepta_s_) { end(c, hepta_s_); }, [&](const hepta::ksp::RankSums &hepta_r_, hepta::Stream hepta_stream_) { return end##_cuda(c, hepta_r_, hepta_stream_); } \
    }
#else
  #define HeptaEndOf(end, c) \
    { \
      [&](hepta::ksp::State &hepta_s_) { end(c, hepta_s_); }, nullptr \
    }
#endif

/* Memory that a pass on the device ends in, and the recording; for one space at a time */
class HeptaIterations {
public:
  HeptaIterations()                                   = default;
  HeptaIterations(const HeptaIterations &)            = delete;
  HeptaIterations &operator=(const HeptaIterations &) = delete;
  ~HeptaIterations() { (void)Free(); }

  /* room for the state, the report and `partial` sums of thread blocks; what is there for the same space stays */
  PetscErrorCode SetUp(const HeptaSpace &, MPI_Comm, size_t partial);
  PetscErrorCode Free();
  /* iterates from this state until ksp->reason is set; the convergence test of ksp has seen the norm of iteration 0 */
  PetscErrorCode Run(KSP, hepta::ksp::State, const HeptaKSPMethod &);
  /* after a pass with n sums from State::sum[first] on, in the space of the passes: where the passes do not end by themselves, adds the sums of all ranks and then launches what follows them, if anything; collective */
  PetscErrorCode Reduce(const HeptaSpace &, int first, int n, const HeptaPassEnd &end = {});
  PetscErrorCode View(PetscViewer) const;

  bool                          EndsInPass() const { return size == 1 || team.Get(); }
  bool                          EndsOnDevice() const { return space.device && (EndsInPass() || team.Gathers()); }
  hepta::ksp::State            *TheState() const { return (hepta::ksp::State *)state; }              /* in the space */
  hepta::ksp::Report           *TheReport() const { return EndsOnDevice() ? written : report_here; } /* where passes, or kernels after them, end iterations */
  PetscScalar                  *Partial() const { return (PetscScalar *)partial; }
  const hepta::transport::Team *Team() const { return team.Get(); }

private:
  HeptaSpace          space;
  HeptaOrder          order; /* of its memory there */
  MPI_Comm            comm = MPI_COMM_NULL;
  HeptaTeam           team; /* of several ranks whose passes end by themselves */
  PetscMPIInt         size  = 0;
  void               *state = nullptr, *partial = nullptr;
  hepta::ksp::Report *written     = nullptr;                          /* by the passes on the device, */
  hepta::ksp::Report *report_here = nullptr, *report_there = nullptr; /* and what the host sees of it: one piece of memory, as host and device address it */
  hepta::Stream       recording = nullptr;
  void               *graph     = nullptr;
  std::string         key, why;     /* of the graph; why there is none */
  int                 recorded = 0; /* iterations in the graph */
  int                 length   = 0; /* what a recording is to have; 0: there is to be none */
  unsigned long       frees    = 0; /* of memory on the device, before the graph was made */
  int                 ahead    = 0; /* iterations launched before the first of them is seen */

  /* Exchanges of NCCL do not stop with the passes, so all ranks must launch the same recordings: each launches the next one when it has seen one end, even if a later one has paused already */
  bool InStep() const { return graph && team.Gathers(); }

  PetscErrorCode Record(const HeptaKSPMethod &, bool norm_only);
  PetscErrorCode ChooseLength(const HeptaKSPMethod &, bool *kept);
  PetscErrorCode RecordPasses(const HeptaKSPMethod &);
  PetscErrorCode Launch(const HeptaKSPMethod &, int left, int *launched);
  PetscErrorCode Wait(int seen, int *done, bool *paused) const;
  PetscErrorCode Bring(hepta::ksp::State *) const;
  PetscErrorCode Send(const hepta::ksp::State &) const;
  PetscErrorCode Clear() const;
  PetscErrorCode FreeGraph();
};

/* seen.cxx: the norm that ksp tests */
PETSC_INTERN hepta::ksp::Norm HeptaKSPNorm(KSP);
/* do monitors and the convergence test look at nothing but the norm, so that iterations need not wait for them? */
PETSC_INTERN PetscErrorCode HeptaKSPLooksAtNormOnly(KSP, bool *only);
/* Iteration `it` is done: history, monitors, convergence test */
PETSC_INTERN PetscErrorCode HeptaKSPSee(KSP, int it, const HeptaKSPMethod &, const hepta::ksp::Entry &);
/* The iterations pause although the convergence test lets them go on: is there another reason to stop? */
PETSC_INTERN PetscErrorCode HeptaKSPSeeBreakdown(KSP, hepta::ksp::Breakdown);
