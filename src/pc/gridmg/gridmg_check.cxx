/* Findings of a set-up of multigrid on boxes in the values of a matrix, in words */
#include "gridmg_build.hxx"
#include "gridmg_cycle.h"

using namespace hepta::gridmg;
using hepta::Index;

/* Why a ratio of note_ratio() rules out the cycle, or empty; what: the rows of the ratio, `row` being the first */
static std::string Hidden(const char what[], PetscInt row, double ratio)
{
  if (ratio <= LARGEST_RATIO) return "";
  return HeptaFormat("%s that begins with row %" PetscInt_FMT
                     " is coupled with the others by %.2g of its largest diagonal entry, "
                     "which is lost in the rounding of that entry below %.2g",
                     what, row, 1 / ratio, 1 / LARGEST_RATIO);
}

PetscInt HeptaGridMG::FirstRow(Index cell) const
{
  const Grid &last = levels.back().grid;
  Index       c[3] = {cell % last.n[0], cell / last.n[0] % last.n[1], cell / last.n[0] / last.n[1]};

  for (size_t l = levels.size() - 1; l-- > 0;) {
    for (int a = 0; a < 3; a++) {
      Index  fine = 0, coarse = 0; /* where the boxes of a slab begin on both levels */
      size_t r = 0;
      if (a + 1 == axes && l < ranks.gathered) {
        while (levels[l + 1].first[r + 1] <= c[a]) r++;
        fine   = levels[l].first[r];
        coarse = levels[l + 1].first[r];
      }
      c[a] = fine + (c[a] - coarse) * levels[l].grid.box[a];
    }
  }
  return c[0] + (PetscInt)n[0] * (c[1] + (PetscInt)n[1] * c[2]);
}

/* The first problem of the table that the set-up noted, with its row or box; empty: none */
static std::string Problem(const Found &f)
{
  const struct {
    long long   code;
    const char *format;
  } problems[] = {
    {f.diagonal, "the diagonal entry of row %" PetscInt_FMT " is not positive"},
    {f.wrapped, "row %" PetscInt_FMT " has a coupling over the end of a line of the grid"},
    {f.unsymmetric, "the matrix is not symmetric: see row %" PetscInt_FMT},
    {f.coupling, "the matrix is not positive definite: row %" PetscInt_FMT
                 " has a coupling with a later row whose square exceeds the product of both diagonal entries"},
    {f.range, "row or box %" PetscInt_FMT " of a level has couplings that its storage cannot hold beside the first diagonal "
              "entry: leave -pc_gridmg_storage out, or take double"},
    {f.indefinite,
     "the matrix is not positive definite: the sum of its entries over box %" PetscInt_FMT " of one of the levels is negative"},
  };

  for (const auto &p : problems) {
    if (p.code) return HeptaFormat(p.format, (PetscInt)hepta::first_noted(p.code));
  }
  return "";
}

/* Evaluates the problems found by the set-up: raises an error, or sets *why if the cycle cannot be used; *range <- are values out
   of the range of the arithmetic? Sets `symmetric`. */
PetscErrorCode HeptaGridMG::Check(std::string *why, bool *range)
{
  Found   *p;
  Index    cell;
  PetscInt row;

  PetscFunctionBegin;
  PetscCall(found.Access(HeptaSpace(), HeptaAccess::read, &p));
  Found f = *p;
  if (ranks.several)
    PetscCallMPI(
      MPI_Allreduce(MPI_IN_PLACE, &f, sizeof(f) / sizeof(long long), MPI_LONG_LONG, MPI_MAX, PetscObjectComm((PetscObject)op.A)));
  if (f.infinite) {
    PetscCall(HeptaFirstRowNotFinite(op.A, &row));
    SETERRQ(PetscObjectComm((PetscObject)op.A), PETSC_ERR_FP,
            "PC gridmg: row %" PetscInt_FMT " of the matrix has an entry that is Inf or NaN",
            row < 0 ? (PetscInt)hepta::first_noted(f.infinite) : row);
  }
  symmetric = !f.rounded;
  *range    = f.range && !f.diagonal && !f.wrapped && !f.unsymmetric && !f.coupling;
  if (const std::string problem = Problem(f); !problem.empty()) *why = problem;
  const double ratio = noted_ratio(f.ratio, &cell);
  if (why->empty() && PetscIsInfOrNanReal((PetscReal)ratio))
    *why = "the matrix is not positive definite: that of the last level has a negative pivot";
  if (why->empty()) *why = Hidden("the box of cells", FirstRow(cell), ratio);
  PetscFunctionReturn(PETSC_SUCCESS);
}
