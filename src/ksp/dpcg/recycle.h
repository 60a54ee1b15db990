/* Deflation vectors that KSP dpcg makes from an earlier solve, beside the subdomains */
#pragma once

#include <string>

#include "../../shared/transport/rank_sums.h"
#include "../iterations.h"

/*
   A solve that learns keeps its directions p_j / sqrt(rho_j), rho_j = (r_j, z_j), which are A-orthogonal to each other and to Z,
   and the scalars of its iterations, which give the Lanczos matrix of M^-1 A in the basis

     v_j = (-1)^j (p_j - beta_j p_(j-1)) / sqrt(rho_j).

   The Ritz vectors of the k smallest eigenvalues are W. In later solves the columns of W are A-orthogonal to Z and
   W^T A W = I, so that the matrix of Z and W together is [E 0; 0 I], and deflation with W is a step by itself:

     x <- x + W W^T (b - A x)  at the start,     z <- z + W (W^T r - (A W)^T z)  after each z = M^-1 r.

   W^T r is zero but for rounding. The iterations have W and A W as floats; W^T r in each iteration corrects what they lose.
*/
class HeptaRecycling {
public:
  HeptaRecycling()                                  = default;
  HeptaRecycling(const HeptaRecycling &)            = delete;
  HeptaRecycling &operator=(const HeptaRecycling &) = delete;
  ~HeptaRecycling() { (void)Reset(); }

  PetscInt asked = 0; /* vectors that the next solve is to recycle; 0 for none */

  PetscErrorCode Reset();
  bool           Recycles() const { return wanted && (stage == learns || stage == uses); }
  /* before the first residual: fits W to the matrix, and corrects x; r, w: work vectors; collective */
  PetscErrorCode Begin(KSP, Vec r, Vec w);
  /* after iterations, if Recycles(): makes W, or judges W; like: a vector as x; bytes: of an iteration here; collective */
  PetscErrorCode End(KSP, Vec like, double bytes);
  /* z <- z + W (W^T r - (A W)^T z), unless the iterations that s belongs to have paused; s may be null; collective */
  PetscErrorCode Correct(MPI_Comm, Vec r, Vec z, const hepta::ksp::State *s);
  /* keeps the direction of iteration s->it: p[1] in odd iterations if two, otherwise p[0] */
  PetscErrorCode Keep(const HeptaSpace &, const hepta::ksp::State *s, const PetscScalar *const p[2], bool two);
  void           Note(const hepta::ksp::Entry &);
  std::string    Key() const;     /* what a recording depends on */
  double         Vectors() const; /* read or written in an iteration, in vectors of PetscScalar */
  std::string    Words() const;

private:
  /* the state of the operators that W was fitted to */
  struct Fitted {
    PetscObjectId    matrix = 0, pc = 0;
    PetscObjectState state  = 0; /* of the matrix */
    PetscCount       coarse = 0;

    bool operator==(const Fitted &o) const { return matrix == o.matrix && pc == o.pc && state == o.state && coarse == o.coarse; }
  };

  enum {
    learns,
    uses,
    dependent, /* nothing is left of W without its parts in Z */
    useless    /* W has cost more than it saved */
  } stage = learns;
  std::vector<Vec>       W;                   /* those of `made` that are independent */
  Vec                   *made = nullptr;      /* side by side in memory, so that repeated sums give the same bits */
  HeptaValues            kept, few_w, few_aw; /* directions; W and A W as floats */
  HeptaValues            partial, q;          /* sums of thread blocks, and W^T r - (A W)^T z */
  HeptaRankSums          of_ranks;
  Fitted                 fitted;
  size_t                 rows   = 0;
  PetscInt               wanted = 0;      /* vectors in this solve */
  PetscInt               most   = 0;      /* directions that there is room for */
  std::vector<PetscReal> alpha, beta;     /* of the iterations of a solve that learns */
  PetscInt               learned = 0;     /* iterations of the solve that has learned */
  bool                   used    = false; /* has a solve been made with W? */

  PetscErrorCode Forget();
  PetscErrorCode Ritz(std::vector<std::vector<PetscScalar>> &factors) const;
  PetscErrorCode Combine(Vec like);
  PetscErrorCode Judge(KSP, double bytes);
  PetscErrorCode Fit(KSP, Vec w);
  PetscErrorCode Orthonormalize(KSP, size_t e, Vec aw, bool *independent);
};
