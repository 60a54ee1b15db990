/*
   The rock of the two-phase example, from a file or generated, and its wells
*/
#include "twophase.h"

#include <cmath>
#include <cstdio>
#include <vector>

using namespace hepta::twophase;
using hepta::Index;

constexpr PetscReal LOWEST = 6.65e-4, HIGHEST = 2e4, MEDIAN = 26, SPREAD = 2.3; /* mD; SPREAD of the logarithm */
constexpr PetscReal LENGTH[3] = {6, 12, 1.5};                                   /* correlation lengths in cells */
constexpr int       WAVES     = 48;

/* Standard normal numbers that depend on k only, by Box and Muller */
static double Normal(uint64_t k)
{
  return std::sqrt(-2 * std::log(1 - uniform(2 * k))) * std::cos(2 * PETSC_PI * uniform(2 * k + 1));
}

/* Random waves, whose sum has a Gaussian covariance, and single cells' part of the variance, a fifth */
struct Field {
  double   wave[WAVES][4]; /* angles a cell along x, y and z, and at cell 0 */
  uint64_t cell;           /* number of the first cell's normal number */
};

static Field MakeField(PetscInt seed)
{
  const uint64_t first = uint64_t(seed) << 40;
  Field          f;

  for (uint64_t w = 0; w < WAVES; w++) {
    for (uint64_t d = 0; d < 3; d++) f.wave[w][d] = Normal(first + 4 * w + d) / LENGTH[d];
    f.wave[w][3] = 2 * PETSC_PI * uniform(2 * first + 8 * w + 6);
  }
  f.cell = first + 4 * WAVES;
  return f;
}

/*
   The logarithm of the permeability along x and y is normal. Range, kv/kh and cell size are those of model 2 of the SPE's tenth
   comparative project, whose data they are not.
*/
static void Permeability(const Field &f, const Model &M, const Index at[3], PetscReal k[3])
{
  double sum = 0;

  for (const double *w : f.wave) sum += std::cos(w[0] * at[0] + w[1] * at[1] + w[2] * at[2] + w[3]);
  sum  = std::sqrt(0.8 * 2 / WAVES) * sum + std::sqrt(0.2) * Normal(f.cell + natural(M, at));
  k[0] = k[1] = PetscMin(HIGHEST, PetscMax(LOWEST, MEDIAN * std::exp(SPREAD * sum)));
  k[2]        = k[0] * (k[0] > MEDIAN ? 0.3 : 1e-3); /* in channels, and between channels */
}

/* One number a cell, or the cells' along x, then along y, then along z; the first process reads, all raise its error */
static PetscErrorCode Read(Reservoir r, std::vector<double> &list)
{
  const size_t n        = cells(r->model.n);
  char         why[256] = "";
  PetscMPIInt  rank;
  FILE        *file;
  double       value;
  int          items = 1;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (rank == 0) {
    file = fopen(r->o.permeability, "r");
    if (!file) PetscCall(PetscStrncpy(why, "the file cannot be read", sizeof(why)));
    while (file && !why[0] && (items = fscanf(file, "%lf", &value)) == 1) {
      list.push_back(value);
      if (!std::isfinite(value) || value <= 0)
        PetscCall(PetscSNPrintf(why, sizeof(why), "number %zu is %g: a permeability in mD is positive", list.size(), value));
    }
    if (!why[0] && items == 0)
      PetscCall(PetscSNPrintf(why, sizeof(why), "what stands behind %zu numbers is no number", list.size()));
    if (!why[0] && list.size() != n && list.size() != 3 * n)
      PetscCall(PetscSNPrintf(why, sizeof(why), "%zu numbers, but -grid has %zu cells and needs as many, or three times as many",
                              list.size(), n));
    if (file) fclose(file);
  }
  PetscCallMPI(MPI_Bcast(why, sizeof(why), MPI_CHAR, 0, PETSC_COMM_WORLD));
  PetscCheck(!why[0], PETSC_COMM_WORLD, PETSC_ERR_FILE_READ, "-permeability %s: %s", r->o.permeability, why);
  items = list.size() == n ? 1 : 3;
  PetscCallMPI(MPI_Bcast(&items, 1, MPI_INT, 0, PETSC_COMM_WORLD));
  list.resize(items * n);
  PetscCallMPI(MPI_Bcast(list.data(), (PetscMPIInt)list.size(), MPI_DOUBLE, 0, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Peaceman's index of a well of radius 0.1 m along z */
static PetscReal WellIndex(const Model &M, const PetscReal k[3])
{
  const PetscReal ratio = std::sqrt(k[1] / k[0]), x = M.h[0] * std::sqrt(ratio), y = M.h[1] / std::sqrt(ratio);
  const PetscReal radius = 0.28 * std::hypot(x, y) / (std::sqrt(ratio) + 1 / std::sqrt(ratio));

  return 2 * PETSC_PI * DARCY * std::sqrt(k[0] * k[1]) * M.h[2] / std::log(radius / 0.1);
}

/* 1: injector, -1: producer, 0: neither */
static int Well(const ReservoirOptions *o, const Index at[3])
{
  const bool first = at[0] == 0 && at[1] == 0, last = at[0] == o->grid[0] - 1 && at[1] == o->grid[1] - 1;
  const bool corner = (at[0] == 0 || at[0] == o->grid[0] - 1) && (at[1] == 0 || at[1] == o->grid[1] - 1);

  if (!o->fivespot) return first ? 1 : last ? -1 : 0;
  return at[0] == o->grid[0] / 2 && at[1] == o->grid[1] / 2 ? 1 : corner ? -1 : 0;
}

/* The injector's rate is shared among its cells by their indices, which may be other processes' */
static PetscErrorCode ShareRate(Reservoir r, PetscScalar *rock)
{
  const Model &M        = r->model;
  PetscReal    index[2] = {0, 0}; /* of own cells, of all */
  Index        at[3];

  PetscFunctionBegin;
  for (size_t k = 0; k < cells(M.size); k++) {
    cell_at(M.start, M.size, k, at);
    index[0] += PetscRealPart(rock[ghosted(M, at) * ROCK + RATE]);
  }
  PetscCallMPI(MPIU_Allreduce(&index[0], &index[1], 1, MPIU_REAL, MPIU_SUM, PETSC_COMM_WORLD));
  for (size_t k = 0; k < cells(M.ghost_size); k++) rock[k * ROCK + RATE] *= r->o.rate * M.volume * cells(M.n) / index[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReservoirFillRock(Reservoir r, PetscScalar *rock)
{
  const Model        &M     = r->model;
  const size_t        n     = cells(M.n);
  const Field         field = MakeField(r->o.seed);
  std::vector<double> list;
  PetscReal           range[2] = {PETSC_MAX_REAL, PETSC_MAX_REAL}; /* least, and least of the negative */

  PetscFunctionBegin;
  if (r->o.permeability[0]) PetscCall(Read(r, list));
  for (size_t k = 0; k < cells(M.ghost_size); k++) {
    PetscReal *cell = rock + k * ROCK;
    Index      at[3];

    cell_at(M.ghost_start, M.ghost_size, k, at);
    if (list.empty()) Permeability(field, M, at, cell);
    else
      for (int d = 0; d < 3; d++) cell[d] = list[natural(M, at) + (list.size() == n ? 0 : d * n)];
    const int       well  = Well(&r->o, at);
    const PetscReal index = WellIndex(M, cell);

    cell[RATE]  = well > 0 ? index : 0;
    cell[INDEX] = well < 0 ? index : 0;
    range[0]    = PetscMin(range[0], cell[0]);
    range[1]    = PetscMin(range[1], -cell[0]);
  }
  PetscCall(ShareRate(r, rock));
  PetscCallMPI(MPIU_Allreduce(range, r->range, 2, MPIU_REAL, MPIU_MIN, PETSC_COMM_WORLD));
  r->range[1] *= -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}
