/* Plans of fused CG: what is a pass, what is launched between passes, and where everything is */
#include "../../mat/blocked/blocked.h"
#include "../../pc/ip/ip.h"
#include "../../shared/arrays.h"
#include "fusedcg_solve.h"

using namespace hepta::ksp;

/* Are A's rows this rank's own alone, and in a storage of ours? */
static PetscErrorCode IsLocal(Mat A, bool *is)
{
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)A), &size));
  *is = size == 1 && HeptaIsBlocked(A);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does a pass multiply with this matrix? */
static PetscErrorCode HasPass(Mat A, bool *has)
{
  PetscFunctionBegin;
  PetscCall(IsLocal(A, has));
  if (!*has) PetscFunctionReturn(PETSC_SUCCESS);
  const HeptaLocal &local = *MatBlocked(A)->local;
  *has                    = local.storage == HeptaStorage::diagonals && local.bs <= 8 && local.rows == local.cols && local.rows > 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaFusedCGSolve::PlanMatrix(bool device)
{
  bool is = false;

  PetscFunctionBegin;
  PetscCall(PCGetOperators(ksp->pc, &A, nullptr));
  if (!device || ksp->transpose_solve) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(IsLocal(A, &is));
  if (is) local = A;
  PetscCall(HasPass(A, &fused));
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

/* cg->inverse <- the inverse diagonal blocks of PCJACOBI or PCPBJACOBI, column by column: their products with the unit vectors of a block */
PetscErrorCode HeptaFusedCGSolve::TakeInverse(PetscInt bs)
{
  Vec         unit = ksp->work[P0], column = ksp->work[P1]; /* which hold nothing yet */
  VecType     type;
  PetscInt    n;
  HeptaArrays at;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(unit, &n));
  PetscCall(VecGetType(unit, &type));
  PetscCall(VecDestroy(&cg->inverse));
  PetscCall(VecCreate(PetscObjectComm((PetscObject)unit), &cg->inverse));
  PetscCall(VecSetSizes(cg->inverse, n * bs, PETSC_DECIDE));
  PetscCall(VecSetType(cg->inverse, type));
  for (PetscInt s = 0; s < bs; s++) {
    PetscCall(SetUnit(unit, bs, s));
    PetscCall(PCApply(ksp->pc, unit, column));
    PetscCall(HeptaArraysGet(column, cg->inverse, cg->inverse, &at));
    if (!at.space.device) PetscCall(PetscArraycpy(at.y + (size_t)s * n, at.x, n));
#if defined(HEPTA_HAVE_CUDA)
    else PetscCallHepta(hepta::copy_on_device(at.y + (size_t)s * n, at.x, n * sizeof(PetscScalar), at.space.stream));
#endif
    PetscCall(HeptaArraysRestore(column, cg->inverse, cg->inverse, &at));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaFusedCGSolve::PlanInner(bool device)
{
  PetscBool    none, jacobi, blocks, ip;
  MatNullSpace null;
  PetscInt     bs  = 1;
  bool         has = false;

  PetscFunctionBegin;
  PetscCall(MatGetNullSpace(A, &null));
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp->pc, PCNONE, &none));
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp->pc, PCJACOBI, &jacobi));
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp->pc, PCPBJACOBI, &blocks));
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp->pc, PCIP, &ip));
  c.inner = Inner::outside;
  PetscCall(VecDestroy(&cg->inverse));
  if (null || ksp->transpose_solve) PetscFunctionReturn(PETSC_SUCCESS); /* KSP_PCApply() does more than the preconditioner then */
  if (blocks) PetscCall(MatGetBlockSize(ksp->pc->pmat, &bs));
  if (none) c.inner = Inner::identity;
  else if (jacobi || (blocks && bs <= 8)) {
    c.inner = bs > 1 ? Inner::blocks : Inner::diagonal;
    c.bs    = (int)bs;
    PetscCall(TakeInverse(bs));
  } else if (ip && device) {
    const PC_IP *data = (const PC_IP *)ksp->pc->data;

    if (data->factors.size() == 1) PetscCall(HasPass(data->factors[0]->M, &has));
    if (has) inner = data->factors[0]->M;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

void HeptaFusedCGSolve::Fill()
{
  c.x    = arrays.a[0];
  c.r    = arrays.a[1 + R];
  c.z    = c.inner == Inner::identity ? c.r : arrays.a[1 + Z];
  c.q    = arrays.a[1 + Q];
  c.p[0] = arrays.a[1 + P0];
  c.p[1] = arrays.a[1 + P1];
  c.d    = cg->inverse ? arrays.a[1 + works] : nullptr;
}

/* The values and tables of a matrix are on the device from here on: a recording cannot bring them */
static PetscErrorCode BringMatrix(Mat M, const HeptaSpace &space)
{
  PetscFunctionBegin;
  if (M) PetscCall(HeptaVisit(*MatBlocked(M)->local, space, HeptaAccess::read, [](auto) { return PETSC_SUCCESS; }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static Norm NormOf(KSPNormType type)
{
  return type == KSP_NORM_NONE ? Norm::none : type == KSP_NORM_PRECONDITIONED ? Norm::preconditioned : type == KSP_NORM_NATURAL ? Norm::natural : Norm::unpreconditioned;
}

PetscErrorCode HeptaFusedCGSolve::Plan()
{
  size_t   partial = 0;
  PetscInt n;

  PetscFunctionBegin;
  arrays.vecs = {ksp->vec_sol, ksp->work[R], ksp->work[Z], ksp->work[Q], ksp->work[P0], ksp->work[P1]};
  PetscCall(arrays.Get());
  PetscCall(arrays.Restore());
  const HeptaSpace space = arrays.space;
  PetscCall(PlanMatrix(space.device));
  PetscCall(PlanInner(space.device));
  for (Mat M : {local, inner}) PetscCall(BringMatrix(M, space));
  if (cg->inverse) arrays.vecs.push_back(cg->inverse);
#if defined(HEPTA_HAVE_CUDA)
  if (space.device) partial = partial_sums_cuda();
#endif
  PetscCall(cg->iterations.SetUp(space, PetscObjectComm((PetscObject)ksp), partial));
  PetscCall(VecGetLocalSize(ksp->vec_sol, &n));
  c.n        = (size_t)n;
  c.norm     = NormOf(ksp->normtype);
  c.flexible = cg->flexible;
  c.two      = fused;
  c.ends     = cg->iterations.EndsInPass();
  c.state    = cg->iterations.TheState();
  c.report   = cg->iterations.TheReport();
  c.partial  = cg->iterations.Partial();
  PetscCall(arrays.Get());
  Fill();
  PetscCall(arrays.Restore());
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::string HeptaFusedCGSolve::Key() const
{
  std::string key((const char *)&c, sizeof(c));

  for (Mat M : {local, inner}) {
    PetscObjectId    id    = 0;
    PetscObjectState state = 0;

    if (M) (void)PetscObjectGetId((PetscObject)M, &id), (void)PetscObjectStateGet((PetscObject)M, &state);
    key.append((const char *)&id, sizeof(id)).append((const char *)&state, sizeof(state));
  }
  return key;
}

std::string HeptaFusedCGSolve::Outside() const
{
  const std::string matrix = local ? "" : std::string("MatMult() of ") + ((PetscObject)A)->type_name;
  const std::string pc     = inner || c.inner != Inner::outside ? "" : std::string("PCApply() of ") + ((PetscObject)ksp->pc)->type_name;

  return matrix + (matrix.empty() || pc.empty() ? "" : " and ") + pc + (matrix.empty() && pc.empty() ? "" : " run between them");
}

double HeptaFusedCGSolve::Bytes() const
{
  const double vectors = 12. * (double)c.n;

  return sizeof(PetscScalar) * (vectors + (local ? (double)MatBlocked(local)->local->entries : 0) + (inner ? (double)MatBlocked(inner)->local->entries : 0));
}
