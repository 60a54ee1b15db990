/* A rank's block diagonals: allocation, packing, counting */
#include <algorithm>

#include "bdia.h"

namespace hepta::bdia
{

/* Zeroed memory for n values and their bits */
static PetscErrorCode Allocate(size_t n, bool single, void **v, uint32_t **set)
{
  PetscFunctionBegin;
  if (single) PetscCall(PetscCalloc1(n, (float **)v));
  else PetscCall(PetscCalloc1(n, (PetscScalar **)v));
  PetscCall(PetscCalloc1(n / 32, set));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static size_t ValueSize(bool single)
{
  return single ? sizeof(float) : sizeof(PetscScalar);
}

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
  refused.clear();
  (void)PetscFree(v);
  (void)PetscFree(set);
  hint = 0;
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
  PetscCall(Allocate(DiagonalSize(), single, &d.v, &d.set));
  diag.push_back(d);
  off.push_back(offset);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Points the diagonals at their part of the packed arrays */
static void PointInto(Diagonals &D)
{
  for (size_t d = 0; d < D.diag.size(); d++) {
    D.diag[d].v   = (char *)D.v + d * D.DiagonalSize() * ValueSize(D.single);
    D.diag[d].set = D.set + d * D.DiagonalSize() / 32;
    D.diag[d].own = false;
    D.off[d]      = D.diag[d].off;
  }
}

PetscErrorCode Diagonals::Preset(const std::vector<PetscInt> &offsets)
{
  PetscFunctionBegin;
  Free();
  for (PetscInt o : offsets) diag.push_back({o, nullptr, nullptr, false});
  std::sort(diag.begin(), diag.end(), [](const Diagonal &a, const Diagonal &b) { return a.off < b.off; });
  off.resize(diag.size());
  PetscCall(Allocate(Size(), single, &v, &set));
  PointInto(*this);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Diagonals::Pack()
{
  void     *packed;
  uint32_t *bits;

  PetscFunctionBegin;
  hint = 0;
  if (std::none_of(diag.begin(), diag.end(), [](const Diagonal &d) { return d.own; }) && v) PetscFunctionReturn(PETSC_SUCCESS);
  std::sort(diag.begin(), diag.end(), [](const Diagonal &a, const Diagonal &b) { return a.off < b.off; });
  PetscCall(Allocate(Size(), single, &packed, &bits));
  for (size_t d = 0; d < diag.size(); d++) { /* each piece goes as soon as it is copied */
    PetscCall(PetscMemcpy((char *)packed + d * DiagonalSize() * ValueSize(single), diag[d].v, DiagonalSize() * ValueSize(single)));
    PetscCall(PetscArraycpy(bits + d * DiagonalSize() / 32, diag[d].set, DiagonalSize() / 32));
    if (diag[d].own) {
      PetscCall(PetscFree(diag[d].v));
      PetscCall(PetscFree(diag[d].set));
    }
  }
  PetscCall(PetscFree(v));
  PetscCall(PetscFree(set));
  v   = packed;
  set = bits;
  PointInto(*this);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Diagonals::Copy(const Diagonals &from, bool values)
{
  std::vector<PetscInt> offsets;

  PetscFunctionBegin;
  PetscCall(Shape(from.bs, from.nbr, from.nbc, from.single));
  half = from.half;
  for (const Diagonal &d : from.diag) offsets.push_back(d.off);
  PetscCall(Preset(offsets));
  PetscCall(PetscArraycpy(set, from.set, Size() / 32));
  if (values) PetscCall(PetscMemcpy(v, from.v, Size() * ValueSize(single)));
  entries = from.entries;
  slots   = from.slots;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void Diagonals::Count()
{
  entries = slots = 0;
  for (size_t d = 0; d < diag.size(); d++) {
    const PetscInt   o     = diag[d].off;
    const PetscCount twice = half && o ? 2 : 1; /* the mirrored half */
    PetscCount       n     = 0;

    for (size_t w = 0; w < DiagonalSize() / 32; w++) n += __builtin_popcount(diag[d].set[w]);
    entries += twice * n;
    slots += twice * PetscMax(0, PetscMin(nbr, nbc - o) - PetscMax(0, -o)) * bs * bs;
  }
}

} // namespace hepta::bdia
