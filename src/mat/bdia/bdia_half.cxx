/*
   Half storage: only block offsets >= 0 are kept. While values are being set both halves are stored; at the end of assembly the
   two halves are compared, entry by entry, and the lower half is freed.

   A program may set the upper half alone (as for sbaij): if no rank sets a block below the diagonal, the upper half is used for
   both; likewise inside the diagonal blocks, if no rank sets an entry below the diagonal there. Otherwise a_ij and a_ji must be
   equal for every entry.
*/
#include <algorithm>
#include <cmath>

#include "bdia.h"

using namespace hepta::bdia;

/* Are two entries equal up to the rounding of sums in different order? */
static bool SameValue(PetscScalar x, PetscScalar y, bool single)
{
  const PetscReal rounding = single || PetscDefined(USE_REAL_SINGLE) ? 1e-5 : 1e-10;

  return x == y || PetscAbsScalar(x - y) <= rounding * PetscMax(PetscAbsScalar(x), PetscAbsScalar(y));
}

/*
   Calls f(m, r, s, here, there) for the slots of diagonal o >= 0: entry (m*bs + r, (m + o)*bs + s) has slot `here`, its mirror
   image slot `there` on diagonal -o
*/
template <class F> static void ForPairs(const Diagonals &D, PetscInt o, F f)
{
  for (PetscInt s = 0; s < D.bs; s++) {
    for (PetscInt m = 0; m < D.nbr - o; m++) {
      for (PetscInt r = 0; r < (o ? D.bs : s); r++)
        f(m, r, s, (size_t)s * D.ld + (size_t)m * D.bs + r, (size_t)r * D.ld + (size_t)(m + o) * D.bs + s);
    }
  }
}

/* Copies value and bit of one slot */
template <class V> static void CopySlot(const Diagonal &from, size_t here, Diagonal &to, size_t there)
{
  const uint32_t bit = from.set[here >> 5] >> (here & 31) & 1;

  ((V *)to.v)[there] = ((V *)from.v)[here];
  to.set[there >> 5] |= bit << (there & 31);
}

template <class V> static PetscErrorCode Mirror(Diagonals &D)
{
  const size_t n = D.diag.size();

  PetscFunctionBegin;
  for (size_t d = 0; d < n; d++) {
    const PetscInt o = D.diag[d].off;
    if (o <= 0) continue;
    PetscCall(D.Add(-o));
    ForPairs(
      D, o, [&](PetscInt, PetscInt, PetscInt, size_t here, size_t there) { CopySlot<V>(D.diag[d], here, D.diag.back(), there); });
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Diagonals::OpenHalf(Mat A)
{
  Mat_Blocked *a = MatBlocked(A);

  PetscFunctionBegin;
  if (!a->set.half || a->mirrored) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Edit());
  if (a->ready) PetscCall(single ? Mirror<float>(*this) : Mirror<PetscScalar>(*this));
  a->mirrored = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static std::string PairMessage(PetscInt i, PetscInt j, PetscScalar aij, PetscScalar aji)
{
  return HeptaFormat("Half storage (-mat_bdia_half) needs a symmetric matrix, but the entry at row %" PetscInt_FMT
                     ", column %" PetscInt_FMT " is %.17g and the one at row %" PetscInt_FMT ", column %" PetscInt_FMT
                     " is %.17g",
                     i, j, (double)PetscRealPart(aij), j, i, (double)PetscRealPart(aji));
}

/* Compares diagonal o >= 0 with -o; entries that are set in only one half become set in the upper half */
template <class V> static PetscErrorCode ComparePair(Mat A, PetscInt o, std::string &why)
{
  Diagonals &D = *MatBDIADiagonals(A);

  PetscFunctionBegin;
  for (PetscInt side : {o, -o}) {
    if (D.Find(side) < 0) PetscCall(D.Add(side));
  }
  Diagonal &up = D.diag[D.Find(o)], &low = D.diag[D.Find(-o)];
  ForPairs(D, o, [&](PetscInt m, PetscInt r, PetscInt s, size_t here, size_t there) {
    const V x = ((V *)up.v)[here], y = ((V *)low.v)[there];
    if (why.empty() && !SameValue(x, y, D.single))
      why = PairMessage(A->rmap->rstart + m * D.bs + r, A->rmap->rstart + (m + o) * D.bs + s, x, y);
    up.set[here >> 5] |= (low.set[there >> 5] >> (there & 31) & 1) << (here & 31);
    if (!o) CopySlot<V>(up, here, up, there);
  });
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Copies the upper triangle of each diagonal block to its lower triangle */
template <class V> static void MirrorBlocks(Diagonals &D)
{
  const int d = D.Find(0);

  if (d >= 0)
    ForPairs(D, 0,
             [&](PetscInt, PetscInt, PetscInt, size_t here, size_t there) { CopySlot<V>(D.diag[d], here, D.diag[d], there); });
}

/* compare: both halves off the diagonal blocks were set; compare_diagonal: both halves of the diagonal blocks were set */
template <class V> static PetscErrorCode CloseLocal(Mat A, bool compare, bool compare_diagonal, std::string &why)
{
  Diagonals            &D = *MatBDIADiagonals(A);
  std::vector<PetscInt> offsets;

  PetscFunctionBegin;
  for (const Diagonal &d : D.diag) offsets.push_back(std::abs(d.off));
  std::sort(offsets.begin(), offsets.end());
  offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
  for (PetscInt o : offsets) {
    if (o ? compare : compare_diagonal) PetscCall(ComparePair<V>(A, o, why));
  }
  if (!compare_diagonal) MirrorBlocks<V>(D);
  for (Diagonal &d : D.diag) {
    if (d.off >= 0) continue;
    PetscCall(PetscFree(d.v));
    PetscCall(PetscFree(d.set));
  }
  D.diag.erase(std::remove_if(D.diag.begin(), D.diag.end(), [](const Diagonal &d) { return d.off < 0; }), D.diag.end());
  D.hint = 0;
  D.off.clear();
  for (const Diagonal &d : D.diag) D.off.push_back(d.off);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Sends every ghost entry a_ij to the owner of row j, which compares a_ij with a_ji or, if only upper entries were set, stores
   a_ij as a_ji
*/
static PetscErrorCode CloseGhost(Mat A, bool compare, std::string &why)
{
  Mat_Blocked            *a = MatBlocked(A);
  std::vector<HeptaEntry> own, out, in;

  PetscFunctionBegin;
  PetscCall(MatBlockedBuildGhost(A));
  PetscCall(a->ghost.Edit());
  PetscCall(a->ghost.Entries(own));
  for (const HeptaEntry &e : own) {
    const PetscInt i = e.i + A->rmap->rstart;
    if (compare || e.j > i) out.push_back({e.j, i, e.v, INSERT_VALUES});
  }
  PetscCall(HeptaExchangeEntries(A->rmap, out, in));
  for (const HeptaEntry &e : in) {
    size_t            at    = 0;
    const bool        found = a->ghost.FindSlot(e.i - A->rmap->rstart, e.j, &at), is_set = found && a->ghost.IsSet(at);
    const PetscScalar mine = is_set ? a->ghost.Value(at) : 0;

    if (compare && why.empty() && !SameValue(e.v, mine, a->ghost.single)) why = PairMessage(e.i, e.j, mine, e.v);
    if (!is_set) a->changed = true;
    if (found) a->ghost.Put(at, compare && is_set ? mine : e.v, INSERT_VALUES);
    else a->ghost.pending.push_back({e.i - A->rmap->rstart, e.j, e.v, INSERT_VALUES});
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Diagonals::MirrorDiagonalBlocks()
{
  PetscFunctionBegin;
  PetscCall(Edit());
  if (single) MirrorBlocks<float>(*this);
  else MirrorBlocks<PetscScalar>(*this);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Diagonals::CloseHalf(Mat A)
{
  Mat_Blocked *a        = MatBlocked(A);
  PetscMPIInt  flags[3] = {a->set_lower, a->set_lower || a->set_lower_in_block, a->mirrored};
  std::string  why;

  PetscFunctionBegin;
  if (!a->set.half) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, flags, 3, MPI_INT, MPI_LOR, PetscObjectComm((PetscObject)A)));
  if (!flags[2]) PetscFunctionReturn(PETSC_SUCCESS); /* nothing was set anywhere */
  PetscCall(OpenHalf(A));
  PetscCall(single ? CloseLocal<float>(A, flags[0], flags[1], why) : CloseLocal<PetscScalar>(A, flags[0], flags[1], why));
  if (A->rmap->size > 1) PetscCall(CloseGhost(A, flags[0], why));
  a->mirrored = a->set_lower = a->set_lower_in_block = false;
  PetscCall(HeptaAgreeOnError(PetscObjectComm((PetscObject)A), why.empty() ? PETSC_SUCCESS : PETSC_ERR_ARG_WRONG, why));
  PetscFunctionReturn(PETSC_SUCCESS);
}
