/* The matrix and the preconditioner of a Krylov method, as its passes use them: as part of a pass, recorded, or launched between
   two passes */
#pragma once

#include "../mat/bdia/bdia.h"
#include "../mat/blocked/blocked.h"
#include "../mat/brow/brow.h"
#include "../pc/recorded.h"
#include "../shared/arrays.h"
#include "iterations.h"
#include "product.hxx"

/* What an iteration does, for the length of recordings, the view and the log */
struct HeptaKSPCounts {
  double flops;         /* of the passes for each row, without products, the preconditioner `none` and the norm */
  double jacobi;        /* further flops where the passes multiply with an inverse diagonal */
  double products;      /* with the matrix or its transpose */
  double vectors;       /* see HeptaKSPTraffic */
  bool   alone      = false; /* the products have no sums */
  double transposed = 0;     /* products with the transpose, which no pass contains */
};

/* Calls launch(view) with the view, on the device, of a storage or a ghost part */
template <class D, class F> PetscErrorCode HeptaLaunchView(D &d, const HeptaSpace &space, F launch)
{
  return HeptaVisit(d, space, HeptaAccess::read, [&](auto view) {
    PetscFunctionBegin;
    PetscCallHepta(launch(view));
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

struct HeptaKSPOperators {
  KSP ksp = nullptr;
  PC  pc  = nullptr; /* M^-1: the PC of ksp, or a PC inside it */
  /* the method does not call KSP_RemoveNullSpace() in its iterations, and removes the null space from x after them */
  bool              null_last = false;
  Mat               A         = nullptr;
  hepta::ksp::Inner inner     = hepta::ksp::Inner::outside;
  Mat               fused     = nullptr; /* A in block diagonals, if passes multiply with it */
  Mat               summed    = nullptr; /* A in blocked rows, if its product computes sums */
  HeptaRecorded     recorded;            /* what pc says of its applications; nothing where pc is inside passes */
  Mat               inverse = nullptr;   /* the matrix in block diagonals of an application, if passes multiply with it */
  /* on several ranks a pass over the border rows follows each pass that multiplies with A */
  bool several = false;

  hepta::ksp::Border border = {}; /* the border rows */
  HeptaKSPArrays     arrays;      /* the method's vectors and the inverse diagonal blocks */

  HeptaKSPOperators()                                     = default;
  HeptaKSPOperators(const HeptaKSPOperators &)            = delete;
  HeptaKSPOperators &operator=(const HeptaKSPOperators &) = delete;
  ~HeptaKSPOperators() { (void)Reset(); }

  /*
     Describes the operators and arrays of the solve that begins, which has applied pc once. The arrays are x and ksp->work; array
     number `unit` and the next array are overwritten. transposes: the method needs products with A^T too, and has made such a
     product. Sets the common part of all passes. Collective.
  */
  PetscErrorCode Plan(KSP, PC, int unit, bool transposes, HeptaIterations &, hepta::ksp::Pass &);
  PetscErrorCode Reset();
  /* Is the preconditioner a part of passes over rows? */
  bool InRows() const { return inner == hepta::ksp::Inner::identity || inner == hepta::ksp::Inner::diagonal; }
  /* the size of the inverse diagonal blocks in arrays.d */
  PetscInt BlockSize() const { return bs; }
  /* the vectors of Multiply(): x, y, and, for sums, `with`, which is x if is_x */
  double VectorsOfProduct(bool summed, bool is_x = false, bool scaled = false) const;
  /* the vectors of Apply() */
  double VectorsOfApply() const { return inner == hepta::ksp::Inner::blocks ? 2 + (double)bs : 0; }
  /*
     operators_apply.cxx, like Apply(): arrays.vecs[y] <- A x, with the sums of ProductSums, whose pass, x and y are set here. The
     arrays must be held, and may have other addresses afterwards.
  */
  PetscErrorCode Multiply(const HeptaSpace &, const hepta::ksp::Pass &, int x, int y, hepta::ksp::ProductSums);
  /*
     A product pass: sends the ghost values of x and meanwhile calls launch(own), where own is p, completed. On several ranks
     end(view, xg, arriving) then launches the pass over the border rows, which takes over the sums of the product pass, from
     number `first` on. The arrays must be held, and may have other addresses afterwards.
  */
  template <class P, class L, class E>
  PetscErrorCode MultiplyInPass(const HeptaSpace &, const P &p, int first, int x, L launch, E end);
  /*
     arrays.vecs[z] <- M^-1 r if no pass of the method computes z, as with Inner::outside and Inner::blocks. follows: State::rho
     is (r, z) of the preceding application in these iterations.
  */
  PetscErrorCode Apply(const HeptaSpace &, const hepta::ksp::Pass &, int r, int z, bool follows = false);
  /* HeptaKSPMethod::Describe() */
  PetscErrorCode Describe(HeptaKSPMethod &, const void *c, size_t size, const HeptaKSPCounts &);

private:
  std::string blocks_of; /* preconditioner and matrix state of the inverse diagonal blocks, if the blocks are expensive */
  PetscInt    bs          = 1;
  size_t      rows        = 0;
  bool        mat_records = false, pc_records = false;

  PetscErrorCode FindSpace();
  PetscErrorCode PlanProduct(const HeptaSpace &);
  PetscErrorCode PlanInner(bool device, int unit, bool transposes);
  PetscErrorCode TakeBlocks(Vec unit, Vec column);
};

#if defined(HEPTA_HAVE_CUDA)
template <class P, class L, class E>
PetscErrorCode HeptaKSPOperators::MultiplyInPass(const HeptaSpace &space, const P &p, int first, int x, L launch, E end)
{
  Mat_Blocked            *a     = MatBlocked(A);
  const PetscScalar      *ghost = nullptr;
  HeptaArrays             at;
  hepta::ksp::ProductSums none = {}; /* for a rank without rows */

  PetscFunctionBegin;
  if (several && a->halo) PetscCall(arrays.Lend([&] { return MatBlockedHaloBegin(A, arrays.vecs[x]); }));
  P own      = p;
  own.beside = several && a->halo.Sends();
  own.leaves = several;
  if (rows) PetscCall(launch(own));
  else {
    static_cast<hepta::ksp::Pass &>(none) = own;
    none.first                            = first;
    PetscCallHepta(run_pass(hepta::DeviceEach{space.stream}, hepta::ksp::pass_of<hepta::ksp::SumProduct>(none)));
  }
  if (!several) PetscFunctionReturn(PETSC_SUCCESS);
  const hepta::transport::Mailboxes *arriving = a->halo.Arriving();
  if (a->halo && !arriving) {
    PetscCall(arrays.Lend([&] { return MatBlockedHaloEnd(A, arrays.vecs[x]); }));
    PetscCall(HeptaArraysGet(a->lvec, nullptr, nullptr, &at));
    ghost = at.x; /* copied, because PETSc clears at.x when the array is restored */
    PetscCall(HeptaArraysRestore(a->lvec, nullptr, nullptr, &at));
  }
  PetscCall(HeptaLaunchView(a->ghost, space, [&](auto B) { return end(B, ghost, arriving); }));
  if (arriving) a->halo.Arrived();
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

/* The base of the data of all our Krylov methods: ksp->data points to it */
struct HeptaKSPData {
  HeptaIterations           iterations;
  HeptaKSPOperators         operators;
  PetscInt                  works = 0; /* the number of work vectors */
  std::vector<const char *> setters;   /* the names of the functions that are composed with the KSP */

  PetscErrorCode (*solve)(KSP) = nullptr; /* the method, which throws nothing */

  virtual ~HeptaKSPData() = default;
  virtual PetscErrorCode           Reset();
  virtual std::vector<std::string> Words() const { return {}; } /* lines that KSPView() begins with */
  /*
     Does Test() decide in place of KSPConvergedDefault()? Test() sets ksp->reason after iterations NextTest() alone, but for
     divergence; the passes pause there.
  */
  virtual bool           Tests(KSP) const { return false; }
  virtual PetscErrorCode Test(KSP, PetscInt /* it */, PetscReal /* norm */) { return PETSC_SUCCESS; }
  virtual PetscInt       NextTest() const { return PETSC_INT_MAX; }
};

/* A solve by a method, as HeptaIterations::Run() sees it */
struct HeptaKSPMethod {
  KSP                ksp;
  HeptaKSPOperators &ops;
  HeptaIterations   &iterations;
  bool               keeps_norm = false;    /* without a check of the norm, is the previous norm reported? Otherwise 0 */
  std::string        key;                   /* a key of all that a recording depends on */
  std::string        outside;               /* what prevents a recording, empty for nothing */
  HeptaKSPTraffic    traffic;               /* of an iteration */
  double             flops         = 0;     /* of the passes of an iteration, with the products inside passes */
  bool               runs_on       = false; /* some kernels of an iteration run even while the passes pause */
  bool               many_kernels  = false; /* an application of the preconditioner is many kernels */
  bool               fuses_inverse = false; /* the passes multiply with the matrix of PC ip */
  bool               left          = false; /* the iterations end without a reason to stop, because another method goes on */

  explicit HeptaKSPMethod(KSP k)
    : ksp(k), ops(((HeptaKSPData *)k->data)->operators), iterations(((HeptaKSPData *)k->data)->iterations)
  {
    k->its = 0;
  }
  virtual ~HeptaKSPMethod() = default;
  /* sets the pointers of the passes, while the arrays are held */
  virtual PetscErrorCode Fill() = 0;
  /* launches the passes of one iteration, while the arrays are held */
  virtual PetscErrorCode Iterate(const HeptaSpace &) = 0;
  /* called when an iteration is done, for the method's own history */
  virtual PetscErrorCode Note(const hepta::ksp::Entry &) { return PETSC_SUCCESS; }
  /* called when the iterations pause although the convergence test continues: sets ksp->reason if there is a reason to stop */
  virtual PetscErrorCode Broken(const hepta::ksp::State &);
  /* launches work before the first iteration that needs the state */
  virtual PetscErrorCode Start() { return PETSC_SUCCESS; }

  Vec Work(int k) const { return ksp->work[k - 1]; } /* vector number k of the arrays, where 0 is x */
  /*
     after Plan(): finds what a recording depends on, what prevents a recording, and the bytes of an iteration; the passes see c,
     which Fill() sets, and do what `counts` says
  */
  template <class C> PetscErrorCode Describe(const C &c, const HeptaKSPCounts &counts)
  {
    return ops.Describe(*this, &c, sizeof(c), counts);
  }
};

/*
   data.cxx: gives a KSP its data, which the KSP owns, the norms that all methods have, and all operations; the set-up makes the
   work vectors, and the solve calls `solve`, which throws nothing
*/
PETSC_INTERN PetscErrorCode HeptaKSPCreate(KSP, HeptaKSPData *, PetscInt works, PetscErrorCode (*solve)(KSP));
PETSC_INTERN PetscErrorCode HeptaKSPSetUp(KSP);
/* seen.cxx */
/* r <- b - A x, flagged if the set-up of the preconditioner failed; started: x may differ from the guess */
PETSC_INTERN PetscErrorCode HeptaKSPResidual(KSP, Vec r, bool started = false);
