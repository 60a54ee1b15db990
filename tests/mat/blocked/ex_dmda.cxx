static char help[] = "MATBDIA made by DMCreateMatrix() from DMDAs of 1 to 3 dimensions, compared with MATAIJ.\n\n";

#include <petscdmda.h>

#include "core.h"
#include "failure.h"

struct Grid {
  PetscInt        dim, size[3], dof, width;
  DMBoundaryType  boundary[3];
  DMDAStencilType stencil;
};

static std::string GridName(const Grid &g)
{
  std::string name = std::to_string(g.dim) + "-D ";

  for (PetscInt x = 0; x < g.dim; x++)
    name += std::to_string(g.size[x]) + (g.boundary[x] == DM_BOUNDARY_PERIODIC  ? "p "
                                         : g.boundary[x] == DM_BOUNDARY_GHOSTED ? "g "
                                                                                : " ");
  return name + "dof " + std::to_string(g.dof) + " width " + std::to_string(g.width) +
         (g.stencil == DMDA_STENCIL_BOX ? " box" : " star");
}

static PetscErrorCode CreateDA(MPI_Comm comm, const Grid &g, DM *da)
{
  PetscFunctionBegin;
  PetscCall(DMDACreate(comm, da));
  PetscCall(DMSetDimension(*da, g.dim));
  PetscCall(DMDASetSizes(*da, g.size[0], g.dim > 1 ? g.size[1] : 1, g.dim > 2 ? g.size[2] : 1));
  PetscCall(DMDASetBoundaryType(*da, g.boundary[0], g.boundary[1], g.boundary[2]));
  PetscCall(DMDASetDof(*da, g.dof));
  PetscCall(DMDASetStencilType(*da, g.stencil));
  PetscCall(DMDASetStencilWidth(*da, g.width));
  PetscCall(DMSetFromOptions(*da));
  PetscCall(DMSetUp(*da));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Calls f(row, column) for the couplings of this rank's cells that the stencil has: cells inside the domain, or beyond it where
   it is periodic */
template <class F> static PetscErrorCode EachCoupling(DM da, const Grid &g, F f)
{
  PetscInt c[3], n[3];

  PetscFunctionBegin;
  PetscCall(DMDAGetCorners(da, &c[0], &c[1], &c[2], &n[0], &n[1], &n[2]));
  const PetscInt w[3] = {g.width, g.dim > 1 ? g.width : 0, g.dim > 2 ? g.width : 0};
  for (PetscInt k = c[2]; k < c[2] + n[2]; k++) {
    for (PetscInt j = c[1]; j < c[1] + n[1]; j++) {
      for (PetscInt i = c[0]; i < c[0] + n[0]; i++) {
        for (PetscInt s = 0; s < (2 * w[0] + 1) * (2 * w[1] + 1) * (2 * w[2] + 1); s++) {
          const PetscInt step[3] = {s % (2 * w[0] + 1) - w[0], s / (2 * w[0] + 1) % (2 * w[1] + 1) - w[1],
                                    s / (2 * w[0] + 1) / (2 * w[1] + 1) - w[2]};
          const PetscInt to[3]   = {i + step[0], j + step[1], k + step[2]};
          bool           inside  = g.stencil == DMDA_STENCIL_BOX || !!step[0] + !!step[1] + !!step[2] <= 1;

          for (PetscInt x = 0; x < g.dim; x++)
            inside = inside && (g.boundary[x] == DM_BOUNDARY_PERIODIC || (to[x] >= 0 && to[x] < g.size[x]));
          if (inside) PetscCall(f({k, j, i, 0}, {to[2], to[1], to[0], 0}));
        }
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscScalar Value(const MatStencil &a, const MatStencil &b, PetscInt r, PetscInt s)
{
  return PairNumber(((a.k * 16 + a.j) * 16 + a.i) * 8 + r, ((b.k * 16 + b.j) * 16 + b.i) * 8 + s + 100000, 5);
}

/* Values by MatSetValuesBlockedStencil() or, entry by entry with some left at zero, by MatSetValuesStencil() */
static PetscErrorCode Fill(DM da, const Grid &g, Mat A, bool blocked, InsertMode mode)
{
  PetscFunctionBegin;
  PetscCall(EachCoupling(da, g, [&](MatStencil row, MatStencil col) -> PetscErrorCode {
    std::vector<PetscScalar> v;
    for (PetscInt r = 0; r < g.dof; r++) {
      for (PetscInt s = 0; s < g.dof; s++) v.push_back(Value(row, col, r, s));
    }
    if (blocked) PetscCall(MatSetValuesBlockedStencil(A, 1, &row, 1, &col, v.data(), mode));
    for (PetscInt k = 0; k < g.dof * g.dof && !blocked; k++) {
      row.c = k / g.dof;
      col.c = k % g.dof;
      if (k % 3 != 2) PetscCall(MatSetValuesStencil(A, 1, &row, 1, &col, &v[k], mode));
    }
    return PETSC_SUCCESS;
  }));
  PetscCall(Assemble(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An entry outside the stencil is refused, as with aij, until the option allows it. The first and the third cell of a line of at
   least five are not coupled by a stencil of width 1. */
static PetscErrorCode CheckOutside(DM da, const Grid &g, Mat A)
{
  DMDALocalInfo info;

  PetscFunctionBegin;
  if (g.width > 1 || g.size[0] < 5) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMDAGetLocalInfo(da, &info));
  const MatStencil row = {info.zs, info.ys, info.xs, 0}, col = {info.zs, info.ys, info.xs + 2, 0};
  if (info.xm < 3) PetscFunctionReturn(PETSC_SUCCESS); /* this rank's box is too narrow */
  PetscCall(ExpectError(PETSC_ERR_ARG_OUTOFRANGE, "Inserting a new nonzero", [&] {
    const PetscScalar one = 1;
    return MatSetValuesStencil(A, 1, &row, 1, &col, &one, INSERT_VALUES);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On one rank, with no periodic side: the block offsets are the stencil's steps in cells */
static PetscErrorCode CheckOffsets(const Grid &g, Mat A)
{
  PetscMPIInt           size;
  PetscInt              nd;
  const PetscInt       *off;
  std::vector<PetscInt> want;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)A), &size));
  if (!TestIsBDIA() || size > 1 || g.boundary[0] == DM_BOUNDARY_PERIODIC || g.boundary[1] == DM_BOUNDARY_PERIODIC ||
      g.boundary[2] == DM_BOUNDARY_PERIODIC)
    PetscFunctionReturn(PETSC_SUCCESS);
  const PetscInt w[3] = {g.width, g.dim > 1 ? g.width : 0, g.dim > 2 ? g.width : 0};
  for (PetscInt k = -w[2]; k <= w[2]; k++) {
    for (PetscInt j = -w[1]; j <= w[1]; j++) {
      for (PetscInt i = -w[0]; i <= w[0]; i++) {
        const bool fits =
          PetscAbsInt(i) < g.size[0] && (g.dim < 2 || PetscAbsInt(j) < g.size[1]) && (g.dim < 3 || PetscAbsInt(k) < g.size[2]);
        if (fits && (g.stencil == DMDA_STENCIL_BOX || !!i + !!j + !!k <= 1))
          want.push_back(i + (g.dim > 1 ? g.size[0] * (j + (g.dim > 2 ? g.size[1] * k : 0)) : 0));
      }
    }
  }
  std::sort(want.begin(), want.end());
  want.erase(std::unique(want.begin(), want.end()), want.end());
  PetscCall(MatBDIAGetOffsets(A, &nd, &off));
  PetscCheck(want == std::vector<PetscInt>(off, off + nd), PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%d block offsets instead of %d, or others", (int)nd, (int)want.size());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Test(MPI_Comm comm, const Grid &g)
{
  DM                da;
  Mat               A[2];
  const std::string name = GridName(g);
  PetscBool         assembled;
  PetscInt          bs;

  PetscFunctionBegin;
  PetscCall(CreateDA(comm, g, &da));
  for (int k = 0; k < 2; k++) {
    PetscCall(DMSetMatType(da, k ? TestType() : MATAIJ));
    PetscCall(DMCreateMatrix(da, &A[k]));
    PetscCall(MatAssembled(A[k], &assembled));
    PetscCheck(assembled, comm, PETSC_ERR_PLIB, "%s: not assembled after DMCreateMatrix()", name.c_str());
  }
  PetscCall(MatGetBlockSize(A[1], &bs));
  PetscCheck(bs == g.dof, comm, PETSC_ERR_PLIB, "%s: block size %d", name.c_str(), (int)bs);
  PetscCall(CheckSame(A[0], A[1], 0, (name + ": empty stencil").c_str()));
  PetscCall(CheckOffsets(g, A[1]));
  for (bool blocked : {false, true}) {
    for (InsertMode mode : {INSERT_VALUES, ADD_VALUES}) {
      for (Mat M : A) PetscCall(Fill(da, g, M, blocked, mode));
      PetscCall(CheckSame(A[0], A[1], 1e-13, name.c_str()));
    }
  }
  for (Mat M : A) PetscCall(CheckOutside(da, g, M));
  for (Mat &M : A) PetscCall(MatDestroy(&M));
  PetscCall(DMDestroy(&da));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const DMBoundaryType none = DM_BOUNDARY_NONE, periodic = DM_BOUNDARY_PERIODIC, ghosted = DM_BOUNDARY_GHOSTED;

/* dof and stencil are filled in */
static const Grid grids[] = {
  {1, {23, 1, 1}, 0, 2, {none, none, none}, DMDA_STENCIL_STAR},
  {1, {22, 1, 1}, 0, 1, {periodic, none, none}, DMDA_STENCIL_STAR},
  {2, {7, 11, 1}, 0, 1, {none, none, none}, DMDA_STENCIL_STAR},
  {2, {11, 8, 1}, 0, 1, {periodic, none, none}, DMDA_STENCIL_STAR},
  {2, {9, 10, 1}, 0, 1, {ghosted, periodic, none}, DMDA_STENCIL_STAR},
  {2, {16, 15, 1}, 0, 2, {periodic, periodic, none}, DMDA_STENCIL_STAR},
  {3, {5, 3, 7}, 0, 1, {none, none, none}, DMDA_STENCIL_STAR},
  {3, {4, 5, 7}, 0, 1, {none, periodic, ghosted}, DMDA_STENCIL_STAR},
};

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(NoLimits({""}));
  for (PetscInt dof = 1; dof <= 4; dof++) {
    for (DMDAStencilType stencil : {DMDA_STENCIL_STAR, DMDA_STENCIL_BOX}) {
      for (Grid g : grids) {
        g.dof     = dof;
        g.stencil = stencil;
        PetscCall(Test(PETSC_COMM_WORLD, g));
      }
    }
  }
  PetscCall(PetscFinalize());
  return 0;
}
