/* Structure known before any value: the stencil of a DMDA */
#include <array>
#include <petsc/private/dmdaimpl.h>

#include "blocked.h"

/* A rank's box of cells, without and with its ghost cells, in DMDA's order */
struct Box {
  PetscInt start[3] = {0, 0, 0}, size[3] = {1, 1, 1}, ghost_start[3] = {0, 0, 0}, ghost_size[3] = {1, 1, 1};

  /* the position of a cell in the ghosted box, -1 outside */
  PetscInt Ghosted(const PetscInt c[3]) const
  {
    for (int x = 0; x < 3; x++) {
      if (c[x] < ghost_start[x] || c[x] >= ghost_start[x] + ghost_size[x]) return -1;
    }
    return ((c[2] - ghost_start[2]) * ghost_size[1] + c[1] - ghost_start[1]) * ghost_size[0] + c[0] - ghost_start[0];
  }
};

static PetscErrorCode GetBox(DM da, Box *b)
{
  PetscFunctionBegin;
  PetscCall(DMDAGetCorners(da, &b->start[0], &b->start[1], &b->start[2], &b->size[0], &b->size[1], &b->size[2]));
  PetscCall(DMDAGetGhostCorners(da, &b->ghost_start[0], &b->ghost_start[1], &b->ghost_start[2], &b->ghost_size[0],
                                &b->ghost_size[1], &b->ghost_size[2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The steps from a cell to its neighbors in the stencil */
static PetscErrorCode GetStencil(DM da, std::vector<std::array<PetscInt, 3>> &steps)
{
  PetscInt        dim, s, w[3] = {0, 0, 0};
  DMDAStencilType type;

  PetscFunctionBegin;
  PetscCall(
    DMDAGetInfo(da, &dim, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, &s, nullptr, nullptr, nullptr, &type));
  for (PetscInt x = 0; x < dim; x++) w[x] = s;
  for (PetscInt k = -w[2]; k <= w[2]; k++) {
    for (PetscInt j = -w[1]; j <= w[1]; j++) {
      for (PetscInt i = -w[0]; i <= w[0]; i++) {
        if (type == DMDA_STENCIL_BOX || !!i + !!j + !!k <= 1) steps.push_back({i, j, k});
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   DMDASetBlockFills(): the unknowns that an unknown of a cell is coupled to, in its own cell and in other cells. `own` and
   `others` are each compressed rows in one array: w + 1 indices into the array, of w rows, and then the columns; `own` is null
   where all unknowns of a cell are coupled.
*/
struct Fills {
  const PetscInt *own, *others;

  explicit Fills(DM da) : own(((DM_DA *)da->data)->dfill), others(((DM_DA *)da->data)->ofill) {}
  bool Given() const { return others != nullptr; }

  /* adds the columns of cell `column` that unknown r is coupled to */
  void AddColumns(bool same, PetscInt column, PetscInt r, PetscInt dof, std::vector<PetscInt> &cols) const
  {
    const PetscInt *fill = same ? own : others;

    if (fill) {
      for (PetscInt k = fill[r]; k < fill[r + 1]; k++) cols.push_back(column * dof + fill[k]);
    } else {
      for (PetscInt s = 0; s < dof; s++) cols.push_back(column * dof + s);
    }
  }
};

/* Zeros at the locations of a cell's row of blocks: the columns of `cells`, whose entry `own` is the cell itself */
static PetscErrorCode PutCell(Mat A, const Fills &fills, PetscInt row, const std::vector<PetscInt> &cells, size_t own,
                              std::vector<PetscInt> &cols)
{
  const PetscInt dof = HeptaBlockSize(A->rmap);

  PetscFunctionBegin;
  if (!fills.Given()) {
    PetscCall(MatSetValuesBlocked_Blocked(A, 1, &row, (PetscInt)cells.size(), cells.data(), nullptr, INSERT_VALUES));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt r = 0; r < dof; r++) {
    const PetscInt i = row * dof + r;

    cols.clear();
    for (size_t k = 0; k < cells.size(); k++) {
      if (cells[k] >= 0) fills.AddColumns(k == own, cells[k], r, dof, cols);
    }
    PetscCall(MatSetValues_Blocked(A, 1, &i, (PetscInt)cols.size(), cols.data(), nullptr, INSERT_VALUES));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Zeros at every location of the stencil */
static PetscErrorCode PutStencil(Mat A, DM da)
{
  const HeptaTakeAll                   all(A);
  const Fills                          fills(da);
  std::vector<std::array<PetscInt, 3>> steps;
  std::vector<PetscInt>                cells, cols;
  size_t                               own = 0;
  ISLocalToGlobalMapping               ltog;
  const PetscInt                      *global;
  Box                                  box;

  PetscFunctionBegin;
  PetscCall(GetBox(da, &box));
  PetscCall(GetStencil(da, steps));
  PetscCall(DMGetLocalToGlobalMapping(da, &ltog));
  PetscCall(ISLocalToGlobalMappingGetBlockIndices(ltog, &global));
  for (PetscInt k = box.start[2]; k < box.start[2] + box.size[2]; k++) {
    for (PetscInt j = box.start[1]; j < box.start[1] + box.size[1]; j++) {
      for (PetscInt i = box.start[0]; i < box.start[0] + box.size[0]; i++) {
        const PetscInt here[3] = {i, j, k}, row = global[box.Ghosted(here)];

        cells.clear();
        for (const auto &step : steps) {
          const PetscInt there[3] = {i + step[0], j + step[1], k + step[2]}, at = box.Ghosted(there);
          if (!step[0] && !step[1] && !step[2]) own = cells.size();
          if (at >= 0) cells.push_back(global[at]); /* -1 beyond the domain: ignored */
        }
        PetscCall(PutCell(A, fills, row, cells, own, cols));
      }
    }
  }
  PetscCall(ISLocalToGlobalMappingRestoreBlockIndices(ltog, &global));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As DMDA does for aij: coloring finds a complete pattern, and new locations are refused */
PetscErrorCode MatBlockedPresetDMDA(Mat A, DM dm)
{
  PetscBool da;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)dm, DMDA, &da));
  if (!da || dm->prealloc_only || dm->prealloc_skip) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PutStencil(A, dm));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  /* last, because PutStencil() restores the settings that it found */
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
