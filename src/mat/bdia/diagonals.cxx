/* A rank's block diagonals: allocation, packing, counting */
#include <algorithm>

#include "../blocked/row_groups.h"
#include "diagonals.h"

namespace hepta::bdia
{

Diagonals::~Diagonals()
{
  Free();
}

void Diagonals::Free()
{
  for (Diagonal &d : diag) {
    if (!d.own) continue;
    (void)PetscFree(d.v);
    (void)PetscFree(d.set);
  }
  diag.clear();
  off.clear();
  off_table.Invalidate();
  refused.clear();
  beyond[0] = beyond[1] = -1;
  (void)values.Free();
  (void)PetscFree(set);
  hint           = 0;
  checked        = -1;
  pointers_valid = false;
}

PetscErrorCode Diagonals::Shape(PetscInt bs_, PetscInt nbr_, PetscInt nbc_, bool single_)
{
  PetscFunctionBegin;
  Free();
  bs     = bs_;
  nbr    = nbr_;
  nbc    = nbc_;
  rows   = nbr * bs;
  cols   = nbc * bs;
  single = single_;
  ld     = leading_dimension((size_t)nbr * bs);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Diagonals::SetUp(const blocked::Settings &s, PetscInt bs_, PetscInt rows_, PetscInt cols_)
{
  PetscFunctionBegin;
  PetscCall(Shape(bs_, rows_ / bs_, cols_ / bs_, s.storage == HEPTA_MAT_STORAGE_SINGLE));
  half = s.half;
  PetscFunctionReturn(PETSC_SUCCESS);
}

int Diagonals::Find(PetscInt offset) const
{
  for (size_t d = 0; d < diag.size(); d++) {
    if (diag[d].off == offset) return (int)d;
  }
  return -1;
}

bool Diagonals::FindSlot(PetscInt i, PetscInt j, size_t *slot) const
{
  if (half && j / bs < i / bs) std::swap(i, j);
  const int d = Find(j / bs - i / bs);

  if (d < 0) return false;
  *slot = ((size_t)d * bs + j % bs) * ld + i;
  return true;
}

PetscErrorCode Diagonals::Add(PetscInt offset)
{
  Diagonal d = {offset, nullptr, nullptr, true};

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(DiagonalSize() * ValueSize(), (char **)&d.v));
  PetscCall(PetscCalloc1(DiagonalSize() / 32, &d.set));
  diag.push_back(d);
  off.push_back(offset);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Makes all diagonals, which are sorted, part of the packed arrays, which are allocated; BringHome() sets the pointers to values
   later
*/
static void PointInto(Diagonals &D)
{
  for (size_t d = 0; d < D.diag.size(); d++) {
    D.diag[d].v   = nullptr;
    D.diag[d].set = D.set + d * D.DiagonalSize() / 32;
    D.diag[d].own = false;
    D.off[d]      = D.diag[d].off;
  }
  D.off_table.Invalidate();
  D.pointers_valid = false;
}

PetscErrorCode Diagonals::BringHome()
{
  char  *v;
  size_t at = 0;

  PetscFunctionBegin;
  PetscCall(values.Access(HeptaSpace(), HeptaAccess::read_write, &v));
  for (Diagonal &d : diag) { /* diagonals that are not packed yet come last */
    if (!d.own) d.v = v + at++ * DiagonalSize() * ValueSize();
  }
  pointers_valid = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Diagonals::Preset(const std::vector<PetscInt> &offsets)
{
  PetscFunctionBegin;
  Free();
  for (PetscInt o : offsets) diag.push_back({o, nullptr, nullptr, false});
  std::sort(diag.begin(), diag.end(), [](const Diagonal &a, const Diagonal &b) { return a.off < b.off; });
  off.resize(diag.size());
  PetscCall(values.Resize(Size() * ValueSize()));
  PetscCall(PetscCalloc1(Size() / 32, &set));
  PointInto(*this);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets the structure to the offsets of the entries; offsets beyond the limit are counted for the message */
PetscErrorCode Diagonals::Preset(const blocked::Settings &s, const blocked::OwnEntries &entries)
{
  const PetscInt               most = s.OfFormat<Options>().max_offsets;
  std::vector<PetscInt>        offsets(off.begin(), off.end());
  std::unordered_set<PetscInt> others;
  PetscInt                     near = 0;

  PetscFunctionBegin;
  blocked::for_own_blocks(entries, bs, [&](PetscInt m, PetscInt c) {
    if (PetscLikely(HeptaFindNear(offsets.data(), (PetscInt)offsets.size(), c - m, &near) >= 0)) return;
    if ((PetscInt)offsets.size() < most) offsets.push_back(c - m);
    else others.insert(c - m);
  });
  PetscCall(Preset(offsets));
  refused = std::move(others);
  limit   = most;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Diagonals::Zero()
{
  PetscFunctionBegin;
  for (Diagonal &d : diag) {
    if (d.own) PetscCall(PetscMemzero(d.v, DiagonalSize() * ValueSize()));
  }
  PetscCall(values.Zero());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Diagonals::Pack()
{
  const bool  packed = std::none_of(diag.begin(), diag.end(), [](const Diagonal &d) { return d.own; }) && set;
  HeptaValues all;
  char       *v;
  uint32_t   *bits;

  PetscFunctionBegin;
  hint = 0;
  if (packed) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Edit());
  std::sort(diag.begin(), diag.end(), [](const Diagonal &a, const Diagonal &b) { return a.off < b.off; });
  PetscCall(all.Make(HeptaSpace(), Size() * ValueSize(), &v));
  PetscCall(PetscCalloc1(Size() / 32, &bits));
  for (size_t d = 0; d < diag.size(); d++) { /* each piece is freed as soon as copied */
    PetscCall(PetscMemcpy(v + d * DiagonalSize() * ValueSize(), diag[d].v, DiagonalSize() * ValueSize()));
    PetscCall(PetscArraycpy(bits + d * DiagonalSize() / 32, diag[d].set, DiagonalSize() / 32));
    if (diag[d].own) {
      PetscCall(PetscFree(diag[d].v));
      PetscCall(PetscFree(diag[d].set));
    }
  }
  values.Swap(all);
  PetscCall(PetscFree(set));
  set = bits;
  PointInto(*this);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Diagonals::Copy(HeptaStorage &other, bool with_values)
{
  Diagonals            &from = static_cast<Diagonals &>(other);
  std::vector<PetscInt> offsets;

  PetscFunctionBegin;
  PetscCall(Shape(from.bs, from.nbr, from.nbc, from.single));
  half = from.half;
  for (const Diagonal &d : from.diag) offsets.push_back(d.off);
  PetscCall(Preset(offsets));
  PetscCall(PetscArraycpy(set, from.set, Size() / 32));
  if (with_values) PetscCall(values.CopyOf(from.values));
  entries = from.entries;
  slots   = from.slots;
  main    = from.main;
  checked = from.checked;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Diagonals::Count()
{
  PetscFunctionBegin;
  entries = slots = main = 0;
  for (size_t d = 0; d < diag.size(); d++) {
    const PetscInt   o     = diag[d].off;
    const PetscCount twice = half && o ? 2 : 1; /* the mirrored half */
    PetscCount       n     = 0;

    for (size_t w = 0; w < DiagonalSize() / 32; w++) n += __builtin_popcount(diag[d].set[w]);
    entries += twice * n;
    slots += twice * PetscMax(0, PetscMin((PetscCount)nbr, (PetscCount)nbc - o) - PetscMax(0, -o)) * bs * bs;
    if (!o && bs == 1) main = n;
    for (PetscInt i = 0; i < PetscMin(nbr, nbc) * bs && !o && bs > 1; i++) {
      const size_t at = (size_t)(i % bs) * ld + i;
      main += diag[d].set[at >> 5] >> (at & 31) & 1;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool Diagonals::FindPieces(const HeptaStorage &to, std::vector<blocked::Piece> &pieces) const
{
  const Diagonals &D = static_cast<const Diagonals &>(to);

  if (bs != D.bs || nbr != D.nbr || nbc != D.nbc || half != D.half) return false;
  for (size_t d = 0; d < diag.size(); d++) {
    const int at = D.Find(diag[d].off);
    if (at < 0) return false;
    pieces.push_back({DiagonalSize(), d * DiagonalSize(), at * DiagonalSize()});
  }
  return true;
}

/* "-8 -1 0 1 8", truncated if it is long */
static std::string OffsetList(const std::vector<Index> &off, bool whole)
{
  const size_t most = 9;
  std::string  list;

  for (size_t d = 0; d < off.size() && (whole || d < most); d++)
    list += HeptaFormat(d ? " %" PetscInt_FMT : "%" PetscInt_FMT, (PetscInt)off[d]);
  if (!whole && off.size() > most) list += " ...";
  return list;
}

std::string Diagonals::OptionsTitle(const blocked::Settings &s) const
{
  const PetscInt *grid = s.OfFormat<Options>().grid;

  return grid[0] ? HeptaFormat("grid J,H,I: %" PetscInt_FMT ",%" PetscInt_FMT ",%" PetscInt_FMT, grid[0], grid[1], grid[2]) : "";
}

std::string Diagonals::Title(bool several) const
{
  return HeptaFormat("block size %" PetscInt_FMT ", %" PetscInt_FMT " block offsets%s: %s", bs, (PetscInt)off.size(),
                     several ? " on the first rank" : "", OffsetList(off, false).c_str());
}

std::string Diagonals::Detail() const
{
  return "block offsets: " + OffsetList(off, true);
}

PetscErrorCode Diagonals::ProductTranspose(const HeptaSpace &space, const PetscScalar *x, const PetscScalar *z, PetscScalar *y)
{
  return HeptaVisitLaunch(*this, space, HeptaAccess::read, spmv_transpose, x, z, y);
}

PetscErrorCode Diagonals::AddNorms(const HeptaSpace &space, blocked::Norm type, PetscScalar *work)
{
  if (type == blocked::Norm::one) return HeptaVisitLaunchEach(*this, space, HeptaAccess::read, blocked::column_norms, work);
  return HeptaVisitLaunchEach(*this, space, HeptaAccess::read, blocked::row_norms, type, work);
}

} // namespace hepta::bdia

template struct HeptaTypedStorage<hepta::bdia::Diagonals>;
