/* The locations and values that bench/assembly assembles */
#pragma once

#include <petscmat.h>

#include <algorithm>
#include <vector>
#if defined(HEPTA_HAVE_CUDA)
  #include <cuda_runtime.h>
#endif

struct Options {
  PetscInt  J = 8, H = 8, I = 16, nc = 4, repeats = 3;
  PetscBool device = PETSC_FALSE, blocks = PETSC_FALSE, rows = PETSC_FALSE, system = PETSC_FALSE;

  PetscInt Cells() const { return J * H * I; }
};

/* An array of the caller's, on the host or, as wanted, in device memory */
template <class T> struct Array {
  std::vector<T> host;
  T             *device = nullptr;

  Array()              = default;
  Array(const Array &) = delete;
#if defined(HEPTA_HAVE_CUDA)
  ~Array() { (void)cudaFree(device); }
#endif
  T *Get(const Options &o) { return o.device ? device : host.data(); }
};

struct Locations {
  Array<PetscInt>    i, j, block_i, block_j;
  Array<PetscScalar> v;
};

/* Faces between cells that are next to each other in the numbering of the first axis, and J and J H apart, as
   HeptaMatCreateGeneralHepta() has them */
static inline void AddFaces(const Options &o, PetscInt first, PetscInt last, Locations &p)
{
  for (PetscInt m = first; m < last; m++) {
    for (PetscInt off : {(PetscInt)1, o.J, o.J * o.H}) {
      const PetscInt cell[2] = {m, m + off};
      if (cell[1] >= o.Cells()) continue;
      for (int a = 0; a < 2; a++) {
        for (int b = 0; b < 2; b++) {
          p.block_i.host.push_back(cell[a]);
          p.block_j.host.push_back(cell[b]);
        }
      }
    }
  }
}

/* The blocks of the same matrix, each once, by rows */
static inline void AddBlockRows(const Options &o, PetscInt first, PetscInt last, Locations &p)
{
  std::vector<PetscInt> offsets = {-o.J * o.H, -o.J, -1, 0, 1, o.J, o.J * o.H}; /* some coincide if J = 1 or H = 1 */

  offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
  for (PetscInt m = first; m < last; m++) {
    for (PetscInt off : offsets) {
      if (m + off < 0 || m + off >= o.Cells()) continue;
      p.block_i.host.push_back(m);
      p.block_j.host.push_back(m + off);
    }
  }
}

static inline void AddEntry(const Options &o, PetscInt m, PetscInt r, PetscInt c, PetscInt s, Locations &p)
{
  p.i.host.push_back(m * o.nc + r);
  p.j.host.push_back(c * o.nc + s);
  p.v.host.push_back(m == c ? (r == s ? 2. : 0.5) : -1. / (PetscScalar)(1 + r + s));
}

/* The entries of all blocks: block by block, or with -rows those of one row after another */
static inline void AddEntries(const Options &o, Locations &p)
{
  const size_t n = p.block_i.host.size();

  for (size_t k = 0, end = 0; k < n; k = end) {
    end = k + 1;
    while (o.rows && !o.blocks && end < n && p.block_i.host[end] == p.block_i.host[k]) end++;
    for (PetscInt r = 0; r < o.nc; r++) {
      for (size_t q = k; q < end; q++) {
        for (PetscInt s = 0; s < o.nc; s++) AddEntry(o, p.block_i.host[q], r, p.block_j.host[q], s, p);
      }
    }
  }
}
