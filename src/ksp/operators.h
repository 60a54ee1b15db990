/* The matrix and the preconditioner of a Krylov method, as its passes meet them: part of a pass, recorded, or launched between two passes */
#pragma once

#include "iterations.h"
#include "product.hxx"

struct HeptaKSPOperators {
  KSP               ksp       = nullptr;
  PC                pc        = nullptr; /* M^-1: that of ksp, or one inside it */
  bool              null_last = false;   /* the method does without KSP_RemoveNullSpace() in its iterations, and takes the null space out of x after them */
  Mat               A         = nullptr;
  hepta::ksp::Inner inner     = hepta::ksp::Inner::outside;
  Mat               fused     = nullptr; /* A in block diagonals, if passes multiply with it, */
  Mat               summed    = nullptr; /* A in blocked rows, if a pass sums with its product, */
  Mat               inverse   = nullptr; /* and the matrix of a PC ip of one factor, likewise */
  HeptaKSPArrays    arrays;              /* the method's vectors, then `blocks` */

  HeptaKSPOperators()                                     = default;
  HeptaKSPOperators(const HeptaKSPOperators &)            = delete;
  HeptaKSPOperators &operator=(const HeptaKSPOperators &) = delete;
  ~HeptaKSPOperators() { (void)Reset(); }

  /*
     What is what for the solve that begins, which has applied pc once. vecs[unit] and the next are work vectors, overwritten; transposes:
     the method needs transposed products too, and has made one. Collective.
  */
  PetscErrorCode Plan(KSP, PC, std::vector<Vec> &&vecs, int unit, bool transposes, HeptaIterations &);
  PetscErrorCode Reset();
  /* the common part of all passes, once planned */
  hepta::ksp::Pass Pass(const HeptaIterations &) const;
  /* inverse diagonal blocks, as in Blocks, of size bs; null if there are none. While the arrays are held. */
  const PetscScalar *BlocksNow() const { return blocks ? arrays.a.back() : nullptr; }
  PetscInt           BlockSize() const { return bs; }
  /* arrays.vecs[y] <- A x and what else ProductSums says, of which the pass, x and y are set here. The arrays are held, and may be elsewhere afterwards. */
  PetscErrorCode Multiply(const HeptaSpace &, const hepta::ksp::Pass &, int x, int y, hepta::ksp::ProductSums);
  PetscErrorCode MultiplyTranspose(int x, int y); /* this and what follows in operators_apply.cxx */
  /* arrays.vecs[z] <- M^-1 r where that is not part of the method's passes, as with Inner::outside and Inner::blocks */
  PetscErrorCode Apply(const HeptaSpace &, const hepta::ksp::Pass &, int r, int z);
  PetscErrorCode ApplyTranspose(int r, int z);
  /* adds to a method what a recording depends on beside the pointers of its passes, what is in the way of one, and the bytes of A and M */
  PetscErrorCode Describe(HeptaKSPMethod *);

private:
  std::string blocks_of;             /* the matrix and its state that `blocks` are of, where they are dear to take */
  Vec         blocks      = nullptr; /* inverse diagonal blocks, column by column */
  PetscInt    bs          = 1;
  size_t      rows        = 0;
  bool        mat_records = false, pc_records = false;

  PetscErrorCode PlanInner(bool device, int unit, bool transposes);
  PetscErrorCode TakeBlocks(Vec unit, Vec column);
  std::string    Outside() const;
  std::string    Key() const;
};

/* recordable.cxx: are products with A, and applications of a preconditioner that has been applied once, launches of ours on one rank and nothing else? */
PETSC_INTERN PetscErrorCode HeptaMatCanRecord(Mat A, bool *can);
PETSC_INTERN PetscErrorCode HeptaPCCanRecord(PC, bool *can);
/* what decides which launches these are */
PETSC_INTERN std::string HeptaMatKey(Mat A);
PETSC_INTERN std::string HeptaPCKey(PC);
