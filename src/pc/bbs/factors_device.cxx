/* Setting the structure of the factors on the device */
#include "factors.h"

#include "../../shared/each.hxx"
#include "bbs_analysis.hxx"

using namespace hepta;
using namespace hepta::bbs;

/* Copies pattern and diagonal to the host, if only the device has them */
PetscErrorCode HeptaFactors::FetchPattern()
{
  const Index *i, *j, *d;

  PetscFunctionBegin;
  if (!structure_on_device || !pattern.i.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(device_i.Access(HeptaSpace(), HeptaAccess::read, &i));
  PetscCall(device_j.Access(HeptaSpace(), HeptaAccess::read, &j));
  PetscCall(device_diagonal.Access(HeptaSpace(), HeptaAccess::read, &d));
  pattern.i.assign(i, i + pattern.n + 1);
  pattern.j.assign(j, j + values);
  diagonal.assign(d, d + pattern.n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if defined(HEPTA_HAVE_CUDA)
/* The kind of a matrix with the blocks found; *good <- do they fit the kind, with all diagonal blocks and in ascending order? */
static HeptaBBSKind KindOf(HeptaBBSKind kind, const Inspection &found, bool *good)
{
  const bool below = found.blocks[0] > 0, above = found.blocks[1] > 0;

  if (kind == HeptaBBSKind::triangle) kind = below && !above ? HeptaBBSKind::lower : HeptaBBSKind::upper;
  *good = !found.faults && !(kind == HeptaBBSKind::upper && below) && !(kind == HeptaBBSKind::lower && above);
  return kind;
}

/* Takes the structure of an aijcusparse in natural order. If there is an error in it, the structure is set on the host instead, which reports the error. */
PetscErrorCode HeptaFactors::SetStructureOnDevice(Mat A, IS row_is, IS col_is)
{
  HeptaSpace      space;
  const PetscInt *i, *j;
  Index          *p[3];
  Inspection      found;
  MatInfo         info;
  PetscBool       natural[2] = {PETSC_TRUE, PETSC_TRUE};
  bool            good, cusparse;

  PetscFunctionBegin;
  PetscCall(HeptaPatternIsCUSPARSE(A, &cusparse));
  if (row_is) PetscCall(ISIdentity(row_is, &natural[0]));
  if (col_is) PetscCall(ISIdentity(col_is, &natural[1]));
  if (!cusparse || !natural[0] || !natural[1] || kind == HeptaBBSKind::icc) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(HeptaPatternSpace(A, &space));
  PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
  pattern   = HeptaPattern();
  pattern.n = A->rmap->n;
  values    = (size_t)info.nz_used;
  PetscCall(CheckSize());
  PetscCall(MatSeqAIJCUSPARSEGetIJ(A, PETSC_FALSE, &i, &j));
  PetscCall(device_i.Make(space, (size_t)pattern.n + 1, &p[0])); /* copies, since the factors may outlive the Mat */
  PetscCall(device_j.Make(space, values, &p[1]));
  PetscCallHepta(copy_on_device(p[0], i, ((size_t)pattern.n + 1) * sizeof(Index), space.stream));
  PetscCallHepta(copy_on_device(p[1], j, values * sizeof(Index), space.stream));
  PetscCall(MatSeqAIJCUSPARSERestoreIJ(A, PETSC_FALSE, &i, &j));
  PetscCall(device_diagonal.Make(space, (size_t)pattern.n, &p[2]));
  PetscCallHepta(inspect_cuda((Index)pattern.n, p[0], p[1], p[2], &found, space.stream));
  const HeptaBBSKind is = KindOf(kind, found, &good);
  if (!good) PetscFunctionReturn(PETSC_SUCCESS);
  kind                = is;
  below               = (size_t)found.blocks[0];
  structure_on_device = true;
  for (auto *v : {&row, &col, &scalar_row[0], &scalar_row[1], &diagonal}) v->clear();
  PetscFunctionReturn(PETSC_SUCCESS);
}
#else
PetscErrorCode HeptaFactors::SetStructureOnDevice(Mat, IS, IS)
{
  return PETSC_SUCCESS;
}
#endif
