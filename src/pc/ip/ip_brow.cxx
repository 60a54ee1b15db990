/* The factors of the Incomplete Poisson preconditioner of single entries in blocked rows, on one process */
#include "../../mat/brow/brow.h"
#include "../../shared/each.hxx"
#include "ip.h"

using hepta::Index;
using hepta::Scalar;
using namespace hepta::ip;

/*
   i and j <- the nonzero pattern of the factor, *count locations: entries of A, and the whole diagonal; a diagonal location
   without an entry of A is an error for the values. Locations with a negative column are ignored.
*/
static PetscErrorCode FindPattern(Mat A, const HeptaIPFactor &f, const HeptaSpace &space, HeptaValues &i, HeptaValues &j,
                                  size_t *count)
{
  hepta::blocked::EntryList   list;
  hepta::blocked::EntryArrays entries;
  const size_t                n = (size_t)A->rmap->n;
  Index                      *rows, *columns;

  PetscFunctionBegin;
  PetscCall(MatBlocked(A)->local->GetEntries(space, list, &entries));
  *count = list.n + n;
  PetscCall(i.Make(space, *count, &rows));
  PetscCall(j.Make(space, *count, &columns));
  HeptaLaunchEach(space, factor_pattern, n, entries.first, entries.column, f.keep_lower, f.keep_upper, rows, columns);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaIPCreateBROW(PC pc, size_t n, PetscInt *i, PetscInt *j, Mat *M)
{
  const PetscLayout       map  = ((PC_IP *)pc->data)->op.A->rmap;
  hepta::brow::BlockRows *rows = MatBROWBlockRows(((PC_IP *)pc->data)->op.A);
  bool                    cuda;

  PetscFunctionBegin;
  PetscCall(HeptaHasDeviceVecs(pc->pmat, &cuda));
  PetscCall(MatCreate(PetscObjectComm((PetscObject)pc), M));
  PetscCall(MatSetSizes(*M, map->n, map->n, map->N, map->N));
  PetscCall(MatSetBlockSize(*M, HeptaBlockSize(map)));
  PetscCall(MatSetType(*M, cuda ? MATBROWCUDA : MATBROW));
  PetscCall(MatBROWSetStorage(*M, ((PC_IP *)pc->data)->storage));
  if (rows) PetscCall(MatBROWSetTileSize(*M, rows->bs)); /* A's pattern, so A's tile size, chosen or given */
  PetscCall(MatSetPreallocationCOO(*M, (PetscCount)n, i, j));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaIPCreateBlockRows(PC pc, HeptaIPFactor &f)
{
  const Mat   A = ((PC_IP *)pc->data)->op.A;
  HeptaSpace  space;
  HeptaValues rows, columns;
  PetscInt   *i, *j;
  size_t      count = 0;

  PetscFunctionBegin;
  PetscCall(HeptaOperatorSpace(A, &space));
  PetscCall(FindPattern(A, f, space, rows, columns, &count));
  PetscCall(rows.Access(space, HeptaAccess::read, &i));
  PetscCall(columns.Access(space, HeptaAccess::read, &j));
  PetscCall(HeptaIPCreateBROW(pc, count, i, j, &f.M));
  PetscCall(MatAssemblyBegin(f.M, MAT_FINAL_ASSEMBLY)); /* with zeros */
  PetscCall(MatAssemblyEnd(f.M, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaIPBlockRowsValues(Mat A, HeptaIPFactor &f, const HeptaSpace &space, HeptaValues &inverse, Found *found)
{
  Scalar *inv;

  PetscFunctionBegin;
  PetscCall(inverse.Make(space, (size_t)A->rmap->n, &inv));
  PetscCall(HeptaVisitLaunchEach(*MatBROWBlockRows(A), space, HeptaAccess::read, invert_diagonal, inv, found));
  PetscCall(HeptaVisit(*MatBROWBlockRows(A), space, HeptaAccess::read, [&](auto D) {
    return HeptaVisitLaunchEach(*MatBROWBlockRows(f.M), space, HeptaAccess::write, build_rows, D, f, (const Scalar *)inv, found);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}
