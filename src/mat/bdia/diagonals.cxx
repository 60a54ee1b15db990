/* A rank's block diagonals: allocation, packing, counting */
#include <algorithm>

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
  (void)values.Free();
  (void)PetscFree(set);
  hint    = 0;
  pointed = false;
}

PetscErrorCode Diagonals::Shape(PetscInt bs_, PetscInt nbr_, PetscInt nbc_, bool single_)
{
  PetscFunctionBegin;
  Free();
  bs     = bs_;
  nbr    = nbr_;
  nbc    = nbc_;
  single = single_;
  ld     = leading_dimension((size_t)nbr * bs);
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

/* Makes all diagonals, sorted, part of the packed arrays, whose memory is there but on the host not pointed to yet */
static void PointInto(Diagonals &D)
{
  for (size_t d = 0; d < D.diag.size(); d++) {
    D.diag[d].v   = nullptr;
    D.diag[d].set = D.set + d * D.DiagonalSize() / 32;
    D.diag[d].own = false;
    D.off[d]      = D.diag[d].off;
  }
  D.off_table.Invalidate();
  D.pointed = false;
}

PetscErrorCode Diagonals::BringHome()
{
  void  *v;
  size_t at = 0;

  PetscFunctionBegin;
  PetscCall(values.Access(HeptaSpace(), HeptaAccess::read_write, &v));
  for (Diagonal &d : diag) { /* those that are not packed yet stand behind the others */
    if (!d.own) d.v = (char *)v + at++ * DiagonalSize() * ValueSize();
  }
  pointed = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Diagonals::Forget()
{
  PetscFunctionBegin;
  pointed = false;
  PetscCall(values.Resize(Size() * ValueSize()));
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

PetscErrorCode Diagonals::Pack()
{
  const bool  packed = std::none_of(diag.begin(), diag.end(), [](const Diagonal &d) { return d.own; }) && set;
  HeptaValues all;
  void       *v;
  uint32_t   *bits;

  PetscFunctionBegin;
  hint = 0;
  if (packed) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Edit());
  std::sort(diag.begin(), diag.end(), [](const Diagonal &a, const Diagonal &b) { return a.off < b.off; });
  PetscCall(all.Resize(Size() * ValueSize()));
  PetscCall(all.Access(HeptaSpace(), HeptaAccess::write, &v));
  PetscCall(PetscCalloc1(Size() / 32, &bits));
  for (size_t d = 0; d < diag.size(); d++) { /* each piece goes as soon as it is copied */
    PetscCall(PetscMemcpy((char *)v + d * DiagonalSize() * ValueSize(), diag[d].v, DiagonalSize() * ValueSize()));
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

PetscErrorCode Diagonals::Copy(Diagonals &from, bool with_values)
{
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
  PetscFunctionReturn(PETSC_SUCCESS);
}

void Diagonals::Count()
{
  entries = slots = main = 0;
  for (size_t d = 0; d < diag.size(); d++) {
    const PetscInt   o     = diag[d].off;
    const PetscCount twice = half && o ? 2 : 1; /* the mirrored half */
    PetscCount       n     = 0;

    for (size_t w = 0; w < DiagonalSize() / 32; w++) n += __builtin_popcount(diag[d].set[w]);
    entries += twice * n;
    slots += twice * PetscMax(0, PetscMin(nbr, nbc - o) - PetscMax(0, -o)) * bs * bs;
    for (PetscInt i = 0; i < PetscMin(nbr, nbc) * bs && !o; i++) main += IsSet(((size_t)d * bs + i % bs) * ld + i);
  }
}

} // namespace hepta::bdia
