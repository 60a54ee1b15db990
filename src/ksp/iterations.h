/*
   The iterations of a Krylov method on the PETSc side. On the device passes are recorded, and launched before the host has
   processed earlier iterations; for each reported iteration the host calls monitors, residual history and convergence test.
*/
#pragma once

#include <petsc/private/kspimpl.h>

#include <functional>

#include "../shared/transport/team.h"
#include "../shared/tuning.hxx"
#include "iteration.hxx"

struct HeptaKSPMethod;

/* The vectors that passes work on, in one memory, and inverse diagonal blocks. Calls of Get() and Restore() nest. */
struct HeptaKSPArrays {
  std::vector<Vec>           vecs;
  std::vector<PetscScalar *> a;
  /* column by column, as in Blocks; none unless the preconditioner is diagonal or by blocks */
  HeptaValues        blocks;
  const PetscScalar *d = nullptr; /* the blocks, while the arrays are held; null for none */
  HeptaSpace         space;
  bool               fetched = false; /* copied to the host, since the vectors are in different memories? */
  int                depth   = 0;
  HeptaKSPMethod    *user    = nullptr; /* user->Fill() is called whenever the arrays have been gotten */

  PetscErrorCode Get();
  PetscErrorCode Restore();
  /* calls f() with the arrays restored; the arrays may have other addresses afterwards */
  template <class F> PetscErrorCode Lend(F f)
  {
    PetscFunctionBegin;
    PetscCall(Restore());
    PetscCall(f());
    PetscCall(Get());
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

/*
   The end of an iteration if no pass has added the sums of all ranks: end(state) on the host, or a kernel that first adds the
   sums
*/
struct HeptaPassEnd {
  std::function<void(hepta::ksp::State &)>                                  host;
  std::function<hepta::Status(const hepta::ksp::RankSums &, hepta::Stream)> device;
};
/* That of pass P with the data c, which must outlive the result */
template <class P, class C> HeptaPassEnd HeptaEndOf(const C &c)
{
  HeptaPassEnd end;

  end.host = [&c](hepta::ksp::State &s) { hepta::ksp::pass_of<P>(c).end(s); };
#if defined(HEPTA_HAVE_CUDA)
  end.device = [&c](const auto &sums, hepta::Stream stream) { return end_pass_cuda(hepta::ksp::pass_of<P>(c), sums, stream); };
#endif
  return end;
}

/* What passes and products of an iteration read and write on this rank */
struct HeptaKSPTraffic {
  double vectors     = 0;    /* of the length of x: a vector that is read and written counts twice */
  double of_vectors  = 0;    /* bytes of the vectors */
  double of_matrices = 0;    /* bytes of matrices */
  bool   whole       = true; /* is all counted, without kernels of a preconditioner besides? */
};

/* The memory to which passes on the device write their results, and the recording; for one space at a time */
class HeptaIterations {
public:
  HeptaIterations()                                   = default;
  HeptaIterations(const HeptaIterations &)            = delete;
  HeptaIterations &operator=(const HeptaIterations &) = delete;
  ~HeptaIterations() { (void)Free(); }

  /*
     allocates the state, the report and `partial` sums of thread blocks, unless allocated in this space, and sets the common part
     of all passes but for n
  */
  PetscErrorCode SetUp(const HeptaSpace &, MPI_Comm, size_t partial, hepta::ksp::Pass &);
  PetscErrorCode Free();
  /* iterates from this state, after its iteration `it`, until ksp->reason or HeptaKSPMethod::left is set; the convergence test
     must have been called for iteration `it` */
  PetscErrorCode Run(HeptaKSPMethod &, hepta::ksp::State);
  /*
     after a pass with n sums from State::sum[first] on, in the space of the passes: unless the passes end by themselves, adds the
     sums of all ranks and then launches `end`, if given; collective
  */
  PetscErrorCode Reduce(const HeptaSpace &, int first, int n, const HeptaPassEnd &end = {});
  /* after SetUp(): do the ends of passes run where the passes do? */
  bool           EndsThere() const { return !space.device || EndsOnDevice(); }
  PetscErrorCode View(PetscViewer, bool detail) const;
  /*
     `between`, if the iterations are recorded: kernels of a recording, and kernels launched one by one beside a recording, log
     nothing
  */
  double FlopsOfReplay() const { return graph ? between : 0; }

private:
  /* What passes write, on separate cache lines; the sums of thread blocks follow */
  struct Memory {
    alignas(hepta::cache_line) hepta::ksp::State state;
    alignas(hepta::cache_line) hepta::ksp::Report report;
  };

  HeptaSpace  space;
  MPI_Comm    comm = MPI_COMM_NULL;
  HeptaTeam   team; /* adds the sums of several ranks on the device */
  PetscMPIInt size = 0;
  HeptaValues values;
  Memory     *memory = nullptr; /* the Memory in `values` */
  /* the report for the host: one memory, addressed by the host and by the device */
  hepta::ksp::Report *report_here = nullptr, *report_there = nullptr;
  hepta::Stream       recording = nullptr;
  void               *graph     = nullptr;
  std::string         key, why;     /* the key of the graph; why there is none */
  int                 recorded = 0; /* iterations in the graph */
  int                 made     = 0; /* graphs so far */
  int                 kernels  = 0; /* kernels in the graph, but for publish_cuda() */
  HeptaKSPTraffic     traffic;      /* of an iteration of the last solve */
  double              flops    = 0; /* of an iteration of the last solve */
  double              between  = 0; /* flops of an iteration's products and preconditioner between the passes */
  int                 length   = 0; /* the number of iterations of a recording; 0 for no recording */
  unsigned long       frees    = 0; /* device_frees() when the graph was made */
  int                 ahead    = 0; /* iterations launched before the host processes the first of these iterations */

  /*
     Do ranks launch in step? Exchanges of NCCL do not stop with the passes, so all ranks must launch the same recordings: a rank
     launches the next recording whenever a recording has ended, even if a later recording has already paused
  */
  bool InStep() const { return graph && team.Gathers(); }
  bool EndsInPass() const { return size == 1 || team.Get(); }
  bool EndsOnDevice() const { return space.device && (EndsInPass() || team.Gathers()); }

  PetscErrorCode Record(HeptaKSPMethod &, bool norm_only);
  PetscErrorCode ChooseLength(const HeptaKSPMethod &, bool *kept);
  PetscErrorCode RecordPasses(HeptaKSPMethod &);
  PetscErrorCode Launch(HeptaKSPMethod &, int left, int *launched);
  PetscErrorCode Wait(int seen, int *done, bool *paused) const;
  PetscErrorCode Resume(HeptaKSPMethod &, bool norm_only, hepta::ksp::State *);
  PetscErrorCode Bring(hepta::ksp::State *) const;
  PetscErrorCode Send(const hepta::ksp::State &) const;
  PetscErrorCode Clear() const;
  PetscErrorCode FreeGraph();
};

/* seen.cxx: do monitors and the convergence test use only the norm, so that iterations need not wait? */
PETSC_INTERN PetscErrorCode HeptaKSPLooksAtNormOnly(KSP, bool *only);
/* *norm <- the tested norm: of r, of z, or the root of `product` = (r, z) */
PETSC_INTERN PetscErrorCode HeptaKSPNorm(KSP, Vec r, Vec z, PetscScalar product, PetscReal *norm);
/* Processes iteration 0: HeptaKSPNorm(); then history, monitors, convergence test */
PETSC_INTERN PetscErrorCode HeptaKSPSeeFirst(KSP, Vec r, Vec z, PetscScalar product);
/* Processes iteration `it` */
PETSC_INTERN PetscErrorCode HeptaKSPSee(HeptaKSPMethod &, int it, const hepta::ksp::Entry &);
