#include "operators.h"

#include "../mat/matis.h"
#include "../shared/arrays.h"

using namespace hepta::ksp;

PetscErrorCode HeptaKSPOperators::Reset()
{
  PetscFunctionBegin;
  PetscCall(arrays.blocks.Free());
  blocks_of.clear();
  arrays.vecs.clear();
  fused = summed = inverse = A = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Can a pass multiply with this matrix? The answer is the same on all ranks. Of several ranks some may have no rows, and a
   further pass handles the border rows. */
static PetscErrorCode HasPass(Mat A, bool several, bool *has)
{
  const hepta::bdia::Diagonals *D = MatBDIADiagonals(A);

  PetscFunctionBegin;
  PetscCall(HeptaMatCanRecord(A, has));
  *has = *has && D && D->bs <= 8 && D->off.size() <= (size_t)hepta::bdia::max_arguments && D->rows == D->cols &&
         (several ? MatBlocked(A)->ghost.width <= hepta::blocked::long_ghosts : D->rows > 0);
  if (several) PetscCall(HeptaAgreeOnAll(PetscObjectComm((PetscObject)A), has));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* unit <- the vector with ones in row s of each block */
static PetscErrorCode SetUnit(Vec unit, PetscInt bs, PetscInt s)
{
  PetscInt     n, begin;
  PetscScalar *u;

  PetscFunctionBegin;
  PetscCall(VecSet(unit, 1));
  if (bs == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetLocalSize(unit, &n));
  PetscCall(VecGetOwnershipRange(unit, &begin, nullptr));
  PetscCall(VecGetArrayWrite(unit, &u));
  for (PetscInt i = 0; i < n; i++) u[i] = (begin + i) % bs == s;
  PetscCall(VecRestoreArrayWrite(unit, &u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   arrays.blocks <- the inverse diagonal blocks of PCJACOBI or PCPBJACOBI, column by column: the preconditioner's products with
   the unit vectors of a block
*/
PetscErrorCode HeptaKSPOperators::TakeBlocks(Vec unit, Vec column)
{
  /* for PCPBJACOBI alone, since its unit vectors are made on the host */
  const std::string now =
    bs > 1 ? std::string((const char *)&pc->matstate, sizeof(pc->matstate)) + std::to_string(((PetscObject)pc)->id) : "";
  PetscScalar *d;
  PetscInt     n;
  HeptaArrays  at;

  PetscFunctionBegin;
  if (bs > 1 && blocks_of == now) PetscFunctionReturn(PETSC_SUCCESS);
  blocks_of.clear();
  PetscCall(VecGetLocalSize(unit, &n));
  for (PetscInt s = 0; s < bs; s++) {
    PetscCall(SetUnit(unit, bs, s));
    PetscCall(PCApply(pc, unit, column));
    PetscCall(HeptaArraysGet(column, nullptr, nullptr, &at));
    /* keeps memory of the right size, so that recordings with its address stay valid */
    PetscCall(arrays.blocks.Make(at.space, (size_t)n * bs, &d));
    PetscCall(HeptaCopy(at.space, d + (size_t)s * n, at.x, n * sizeof(PetscScalar)));
    PetscCall(HeptaArraysRestore(column, nullptr, nullptr, &at));
  }
  blocks_of = now;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaKSPOperators::PlanInner(bool device, int unit, bool transposes)
{
  PetscBool    none, jacobi, by_blocks;
  MatNullSpace null;
  bool         has = false;

  PetscFunctionBegin;
  inner      = Inner::outside;
  inverse    = nullptr;
  pc_records = false;
  recorded   = {};
  bs         = 1;
  PetscCall(MatGetNullSpace(A, &null));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCNONE, &none));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCJACOBI, &jacobi));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCPBJACOBI, &by_blocks));
  if (by_blocks) PetscCall(MatGetBlockSize(pc->pmat, &bs));
  /* KSP_PCApply() then does more than apply the preconditioner */
  if ((null && !null_last && ksp->pc_side == PC_LEFT) || ksp->transpose_solve) inner = Inner::outside;
  else if (none) inner = Inner::identity;
  else if (jacobi || (by_blocks && bs <= 8 && !(transposes && bs > 1))) inner = bs > 1 ? Inner::blocks : Inner::diagonal;
  else {
    PetscCall(HeptaPCGetRecorded(pc, &recorded));
    if (device) PetscCall(HeptaCommCanRecord(PetscObjectComm((PetscObject)pc), &pc_records));
    pc_records = pc_records && recorded.can;
  }
  if (inner == Inner::diagonal || inner == Inner::blocks) PetscCall(TakeBlocks(arrays.vecs[unit], arrays.vecs[unit + 1]));
  else {
    PetscCall(arrays.blocks.Free());
    blocks_of.clear();
  }
  /* on several ranks products with M are launched and recorded, not part of a pass */
  if (pc_records && recorded.product && !several) PetscCall(HasPass(recorded.product, false, &has));
  if (has) inverse = recorded.product;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is A in blocked rows whose product can compute sums? Equal on all ranks, some of which may have no rows. */
static PetscErrorCode HasSums(Mat A, bool several, const HeptaSpace &space, bool *has)
{
  PetscFunctionBegin;
  *has = false;
#if defined(HEPTA_HAVE_CUDA)
  hepta::brow::BlockRows *B = MatBROWBlockRows(A);

  if (B && B->rows == B->cols && (!several || MatBlocked(A)->ghost.width <= hepta::blocked::long_ghosts)) {
    PetscCall(HeptaVisit(*B, space, HeptaAccess::read, [&](auto view) {
      *has = (several && !B->rows) || rows_have_sums_cuda(view);
      return PETSC_SUCCESS;
    }));
  }
  if (several) PetscCall(HeptaAgreeOnAll(PetscObjectComm((PetscObject)A), has));
#else
  (void)A, (void)several, (void)space;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is the product part of a pass? */
PetscErrorCode HeptaKSPOperators::PlanProduct(const HeptaSpace &space)
{
  bool has = false;

  PetscFunctionBegin;
  border = {};
  fused = summed = nullptr;
  if (!mat_records) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(HeptaMatPrepareToRecord(A, space));
  PetscCall(HasPass(A, several, &has));
  if (has) fused = A;
  else PetscCall(HasSums(A, several, space, &has));
  if (has && !fused) summed = A;
  if (several && has) PetscCall(MatBlocked(A)->ghost.BorderBits(space, &border.bits));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where the arrays are: on the device if the arrays of all ranks are, so that all ranks choose alike */
PetscErrorCode HeptaKSPOperators::FindSpace()
{
  PetscFunctionBegin;
  PetscCall(arrays.Get());
  PetscCall(arrays.Restore());
#if defined(HEPTA_HAVE_CUDA)
  bool device = arrays.space.device;

  if (several) PetscCall(HeptaAgreeOnAll(PetscObjectComm((PetscObject)A), &device));
  if (device == arrays.space.device) PetscFunctionReturn(PETSC_SUCCESS);
  arrays.fetched = true;
  PetscCall(arrays.Get());
  PetscCall(arrays.Restore());
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaKSPOperators::Plan(KSP k, PC p, int unit, bool transposes, HeptaIterations &iterations, Pass &pass)
{
  size_t   partial = 0;
  PetscInt n;

  PetscFunctionBegin;
  ksp         = k;
  pc          = p;
  arrays.vecs = {ksp->vec_sol};
  arrays.vecs.insert(arrays.vecs.end(), ksp->work, ksp->work + ksp->nwork);
  arrays.fetched = false;
  arrays.depth   = 0; /* an error may have left another depth */
  arrays.user    = nullptr;
  PetscCall(PCGetOperators(ksp->pc, &A, nullptr));
  several     = A->rmap->size > 1;
  mat_records = false;
  PetscCall(FindSpace());
  const HeptaSpace space = arrays.space;
  if (space.device && !ksp->transpose_solve) PetscCall(HeptaMatCanRecord(A, &mat_records));
  PetscCall(PlanInner(space.device, unit, transposes));
  PetscCall(PlanProduct(space));
  if (inverse) PetscCall(MatBlocked(inverse)->local->Bring(space));
#if defined(HEPTA_HAVE_CUDA)
  if (space.device) partial = partial_sums_cuda();
#endif
  PetscCall(iterations.SetUp(space, PetscObjectComm((PetscObject)ksp), partial, pass));
  PetscCall(VecGetLocalSize(ksp->vec_sol, &n));
  rows = pass.n = (size_t)n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *bytes <- *bytes + those of matrices and indices that `products` products read on this rank; nothing for a matrix that does not
   say */
static PetscErrorCode AddProductBytes(Mat A, double products, double *bytes)
{
  Mat       local;
  double    copied;
  PetscBool has;
  MatInfo   info;

  PetscFunctionBegin;
  PetscCall(HeptaMatISGetLocal(A, &local, &copied));
  if (HeptaIsBlocked(A)) {
    const Mat_Blocked *a = MatBlocked(A);
    *bytes += products * (a->local->ProductBytes() + (double)(a->ghost.Size() * a->local->ValueSize() + a->ghost.IndexBytes()));
  } else if (local) {
    PetscCall(AddProductBytes(local, products, bytes));
    *bytes += products * copied;
  } else {
    PetscCall(MatHasOperation(A, MATOP_GETINFO, &has));
    if (has) PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
    if (has) *bytes += products * info.nz_used * (sizeof(PetscScalar) + sizeof(PetscInt));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaKSPOperators::Describe(HeptaKSPMethod &method, const void *c, size_t size, const HeptaKSPCounts &counts)
{
  const std::string matrix = mat_records ? "" : std::string("MatMult() of ") + ((PetscObject)A)->type_name;
  const std::string inside =
    pc_records || inner != Inner::outside ? "" : std::string("PCApply() of ") + ((PetscObject)pc)->type_name;
  const auto add = [&](const auto &part) { method.key.append((const char *)&part, sizeof(part)); };

  PetscFunctionBegin;
  arrays.user = &method;
  PetscCall(arrays.Get()); /* a recording has the addresses of all arrays, also of arrays that the passes do not use */
  method.key.assign((const char *)c, size);
  method.key.append((const char *)arrays.a.data(), arrays.a.size() * sizeof(arrays.a[0]));
  add(arrays.d);
  PetscCall(arrays.Restore());
  add(inner);
  PetscCall(HeptaMatAppendKey(A, &method.key));
#if defined(HEPTA_HAVE_CUDA)
  add(hepta::device_frees());
#endif
  if (pc_records) method.key += recorded.key;
  add(border);
  add(inverse);
  method.outside      = matrix + (matrix.empty() || inside.empty() ? "" : " and ") + inside +
                        (matrix.empty() && inside.empty() ? "" : " run between them");
  const bool applies  = pc_records && inner == Inner::outside && !method.fuses_inverse;
  method.many_kernels = applies && recorded.stops;
  method.runs_on      = method.runs_on || (mat_records && !fused && !summed) || (applies && !recorded.stops);
  const bool   norm   = ksp->normtype == KSP_NORM_PRECONDITIONED || ksp->normtype == KSP_NORM_UNPRECONDITIONED;
  const double blocks = inner == Inner::diagonal || inner == Inner::blocks ? 2 * (double)bs - 1 : 0;
  method.flops        = (counts.flops + counts.jacobi * blocks + (norm ? 2 : 0)) * (double)rows;
  if ((fused && !several) || (!counts.alone && (fused || summed)))
    method.flops += (counts.products - counts.transposed) * MatBlockedFlops(A, false);
  if (method.fuses_inverse) method.flops += MatBlockedFlops(inverse, false);
  method.traffic = {counts.vectors, counts.vectors * (double)rows * sizeof(PetscScalar), 0,
                    inner != Inner::outside || method.fuses_inverse};
  PetscCall(AddProductBytes(A, counts.products, &method.traffic.of_matrices));
  if (method.fuses_inverse) PetscCall(AddProductBytes(inverse, 1, &method.traffic.of_matrices));
  PetscFunctionReturn(PETSC_SUCCESS);
}
