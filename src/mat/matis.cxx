/*
   Products of MATIS. With R_p, which takes the local rows of process p out of a vector,

     A x = sum over the processes p of R_p^T A_p R_p x

   Each row has one owner. Local rows that the process owns are copied between x or y and the local vectors. Values of the other
   local rows, the interface, go through a HeptaHalo: those of x from the owner, those of y to the owner, who adds. PETSc's own
   products exchange the interface by PetscSF, through the host unless MPI knows device memory, and cannot be recorded.

   Where each process has its own rows in the order of its local rows, the work vectors of our Krylov methods lie inside local
   vectors, and no own row is copied.
*/
#include "matis.h"

#include "../shared/arrays.h"
#include "../shared/transport/halo.h"
#include "blocked/blocked.h"

using namespace hepta;
using namespace hepta::blocked;

namespace
{

/* PETSc's functions, called for what is not ours */
struct {
  PetscErrorCode (*create)(Mat)                       = nullptr;
  PetscErrorCode (*destroy)(Mat)                      = nullptr;
  PetscErrorCode (*mult)(Mat, Vec, Vec)               = nullptr;
  PetscErrorCode (*multtranspose)(Mat, Vec, Vec)      = nullptr;
  PetscErrorCode (*assemblyend)(Mat, MatAssemblyType) = nullptr;
} petsc;

/* Composed with a MATIS */
class Substructures {
public:
  /* Decides whether products with the assembled A go this way; connects the processes for a new mapping or layout; collective */
  PetscErrorCode Decide(Mat A);
  /* *fits <- do products with A go this way? Equal on all processes; not after MatHeaderMerge() with another mapping or layout */
  PetscErrorCode Fits(Mat A, bool *fits) const;
  PetscErrorCode Multiply(Mat A, bool transpose, Vec x, Vec y);
  PetscErrorCode Prepare(Mat A, const HeptaSpace &);
  PetscErrorCode MakeVecs(Vec like, PetscInt n, Vec **vecs) const;
  PetscErrorCode Free();
  /* Bytes of the copies in a product, none for vectors of MakeVecs(): two vectors are read and written once more, and the table
     is read twice */
  double CopiedBytes() const { return ordered ? 0 : (double)own * (4 * sizeof(Scalar) + (at.empty() ? 0 : 2 * sizeof(Index))); }

private:
  bool                   ours    = false;
  ISLocalToGlobalMapping map     = nullptr; /* Connect() was called for this mapping and this layout of the rows */
  PetscLayout            layout  = nullptr;
  bool                   once    = false; /* is an own row at most one local row, on all processes? */
  bool                   whole   = false; /* is A its local matrix, with rows in the same order? */
  bool                   ordered = false; /* are the own rows of each process local rows in the same order? */
  /* own row i is local row shift + i, as in stripes of a grid, or else at[i], -1 where other processes have it alone */
  size_t             own   = 0;
  Index              shift = 0;
  std::vector<Index> at;
  HeptaTable<Index>  at_table;
  HeptaHalo          halo;                               /* roots: own rows, leaves: local rows of other owners */
  PetscInt           rows   = 0;                         /* of the local matrix */
  Vec                own_lx = nullptr, own_ly = nullptr; /* local vectors in the memory of the last product's */

  PetscErrorCode Same(Mat A, bool *same) const;
  PetscErrorCode Connect(Mat A);
  PetscErrorCode MakeVectors(const HeptaSpace &);
  PetscErrorCode LocalOf(Vec v, Vec other, Vec *local) const;
  PetscErrorCode GetTable(const HeptaSpace &space, const Index **to)
  {
    return at.empty() ? (*to = nullptr, PETSC_SUCCESS) : at_table.Get(space, at, to);
  }
};

} // namespace

static const char *const KEY       = "HeptaSubstructures";
static const char *const KEY_LOCAL = "HeptaLocalVec"; /* composed with a vector of MakeVecs() */

PetscErrorCode Substructures::Free()
{
  PetscFunctionBegin;
  for (Vec *v : {&own_lx, &own_ly}) PetscCall(HeptaVecFree(v));
  PetscCall(halo.Reset());
  PetscCall(PetscLayoutDestroy(&layout));
  PetscCall(ISLocalToGlobalMappingDestroy(&map));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Processes are not connected where one has an own row several times, which MatISSetAllowRepeated() permits */
PetscErrorCode Substructures::Connect(Mat A)
{
  const PetscInt          *row;
  PetscMPIInt              rank, owner;
  std::vector<PetscInt>    leaf;
  std::vector<PetscSFNode> root;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)A), &rank));
  PetscCall(ISLocalToGlobalMappingGetSize(map, &rows));
  PetscCall(ISLocalToGlobalMappingGetIndices(map, &row));
  at.assign((size_t)A->rmap->n, -1);
  at_table.Invalidate();
  once = true;
  for (PetscInt k = 0; k < rows; k++) {
    PetscInt i;
    PetscCall(PetscLayoutFindOwnerIndex(A->rmap, row[k], &owner, &i));
    if (owner != rank) {
      leaf.push_back(k);
      root.push_back({owner, i});
    } else {
      once  = once && at[i] < 0;
      at[i] = (Index)k;
    }
  }
  PetscCall(ISLocalToGlobalMappingRestoreIndices(map, &row));
  own           = at.size();
  shift         = own ? at[0] : 0;
  bool in_order = shift >= 0;
  for (size_t i = 0; i < own; i++) in_order = in_order && at[i] == shift + (Index)i;
  whole = in_order && rows == A->rmap->N && A->rmap->size == 1;
  if (in_order) at.clear();
  else shift = 0;
  ordered = in_order;
  PetscCall(HeptaAgreeOnAll(PetscObjectComm((PetscObject)A), &ordered));
  PetscCall(HeptaAgreeOnAll(PetscObjectComm((PetscObject)A), &once));
  if (once && !whole) PetscCall(halo.SetUpGraph(PetscObjectComm((PetscObject)A), 1, A->rmap->n, leaf, root));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Are A's mappings and layouts those of Connect()? */
PetscErrorCode Substructures::Same(Mat A, bool *same) const
{
  ISLocalToGlobalMapping rmap, cmap;
  PetscBool              congruent = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(MatISGetLocalToGlobalMapping(A, &rmap, &cmap));
  if (layout) PetscCall(PetscLayoutCompare(layout, A->rmap, &congruent));
  if (congruent) PetscCall(PetscLayoutCompare(layout, A->cmap, &congruent));
  *same = congruent && rmap == map && cmap == map;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Substructures::Decide(Mat A)
{
  ISLocalToGlobalMapping rmap, cmap;
  PetscBool              congruent;
  Mat                    local;
  bool                   same;

  PetscFunctionBegin;
  PetscCall(MatHasCongruentLayouts(A, &congruent));
  PetscCall(MatISGetLocalToGlobalMapping(A, &rmap, &cmap));
  PetscCall(MatISGetLocalMat(A, &local));
  ours = congruent && rmap && rmap == cmap && local && HeptaIsBlocked(local);
  PetscCall(MatISRestoreLocalMat(A, &local));
  PetscCall(HeptaAgreeOnAll(PetscObjectComm((PetscObject)A), &ours));
  if (!ours) PetscFunctionReturn(PETSC_SUCCESS);
  ours = false; /* in case of an error */
  PetscCall(Same(A, &same));
  if (!same) {
    PetscCall(PetscObjectReference((PetscObject)rmap));
    PetscCall(ISLocalToGlobalMappingDestroy(&map));
    map = rmap;
    PetscCall(PetscLayoutReference(A->rmap, &layout));
    PetscCall(Connect(A));
  }
  ours = once;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Substructures::Fits(Mat A, bool *fits) const
{
  PetscFunctionBegin;
  *fits = ours;
  if (ours) PetscCall(Same(A, fits));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In the memory of the vectors of a product, which may be another one than that of MatCreateVecs() of the local matrix */
PetscErrorCode Substructures::MakeVectors(const HeptaSpace &space)
{
  PetscFunctionBegin;
  for (Vec *v : {&own_lx, &own_ly}) PetscCall(HeptaVecMake(rows, space.device, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *v <- a vector like `like`, which keeps a new local vector of n numbers and lies in its memory from number `first` on */
static PetscErrorCode MakeInside(PetscInt n, Index first, Vec like, PetscBool device, Vec *v)
{
  const MPI_Comm comm  = PetscObjectComm((PetscObject)like);
  Vec            local = nullptr;
  PetscInt       bs, rows, all;
  DM             dm;
  HeptaArrays    p;

  PetscFunctionBegin;
  PetscCall(HeptaVecMake(n, device, &local));
  PetscCall(VecGetBlockSize(like, &bs));
  PetscCall(VecGetLocalSize(like, &rows));
  PetscCall(VecGetSize(like, &all));
  PetscCall(HeptaArraysGet(nullptr, nullptr, local, &p));
  PetscScalar *const inside = p.y + first;
  PetscCall(HeptaArraysRestore(nullptr, nullptr, local, &p));
#if defined(HEPTA_HAVE_CUDA)
  if (device) PetscCall(VecCreateMPICUDAWithArray(comm, bs, rows, all, inside, v));
#endif
  if (!device) PetscCall(VecCreateMPIWithArray(comm, bs, rows, all, inside, v));
  PetscCall(VecGetDM(like, &dm));
  if (dm) PetscCall(VecSetDM(*v, dm));
  PetscCall(PetscObjectCompose((PetscObject)*v, KEY_LOCAL, (PetscObject)local));
  PetscCall(VecDestroy(&local));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Substructures::MakeVecs(Vec like, PetscInt n, Vec **vecs) const
{
  PetscBool device, host, bound;

  PetscFunctionBegin;
  *vecs = nullptr;
  PetscCall(PetscObjectTypeCompare((PetscObject)like, VECMPICUDA, &device));
  PetscCall(PetscObjectTypeCompare((PetscObject)like, VECMPI, &host));
  PetscCall(VecBoundToCPU(like, &bound));
  bool wanted = ours && ordered && !whole && (host || (device && !bound)); /* vectors of some processes may be bound */
  PetscCall(HeptaAgreeOnAll(PetscObjectComm((PetscObject)like), &wanted));
  if (!wanted) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(n, vecs));
  for (PetscInt k = 0; k < n; k++) PetscCall(MakeInside(rows, shift, like, device, *vecs + k));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   *local <- the local vector in whose memory v has its own rows where this mapping has them, else `other`. The memory decides: a
   duplicate of v has the same local vector composed, and v may be of an earlier mapping.
*/
PetscErrorCode Substructures::LocalOf(Vec v, Vec other, Vec *local) const
{
  PetscInt    n = -1;
  HeptaArrays p, whole_of;

  PetscFunctionBegin;
  PetscCall(PetscObjectQuery((PetscObject)v, KEY_LOCAL, (PetscObject *)local));
  if (*local) PetscCall(VecGetLocalSize(*local, &n));
  if (n == rows && at.empty()) {
    PetscCall(HeptaArraysGet(v, nullptr, nullptr, &p));
    PetscCall(HeptaArraysGet(*local, nullptr, nullptr, &whole_of));
    const bool inside = p.x == whole_of.x + shift;
    PetscCall(HeptaArraysRestore(*local, nullptr, nullptr, &whole_of));
    PetscCall(HeptaArraysRestore(v, nullptr, nullptr, &p));
    if (inside) PetscFunctionReturn(PETSC_SUCCESS);
  }
  *local = other;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Substructures::Multiply(Mat A, bool transpose, Vec x, Vec y)
{
  const auto   multiply = transpose ? MatMultTranspose : MatMult;
  const Index *to;
  Mat          local;
  HeptaSpace   space;
  HeptaArrays  p;
  Vec          lx, ly;

  PetscFunctionBegin;
  PetscCall(MatISGetLocalMat(A, &local));
  if (whole) {
    PetscCall(multiply(local, x, y));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(HeptaVecSpace(x, &space));
  PetscCall(MakeVectors(space));
  PetscCall(LocalOf(x, own_lx, &lx));
  PetscCall(LocalOf(y, own_ly, &ly));
  PetscCall(HeptaArraysGet(x, nullptr, lx, &p));
  PetscCall(GetTable(p.space, &to));
  PetscCall(halo.Begin({p.space, p.x, p.y}));
  if (p.y + shift != p.x) HeptaLaunchEach(p.space, scatter, own, to, p.x, p.y + shift);
  PetscCall(halo.End({p.space, p.x, p.y}));
  PetscCall(HeptaArraysRestore(x, nullptr, lx, &p));
  PetscCall(multiply(local, lx, ly));
  PetscCall(HeptaArraysGet(ly, nullptr, y, &p));
  PetscCall(GetTable(p.space, &to));
  if (p.x + shift != p.y) HeptaLaunchEach(p.space, gather, own, to, p.x + shift, p.y);
  PetscCall(halo.Add({p.space, p.y, p.x}));
  PetscCall(HeptaArraysRestore(ly, nullptr, y, &p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Substructures::Prepare(Mat A, const HeptaSpace &space)
{
  const Index *to;
  Mat          local;
  HeptaArrays  p;

  PetscFunctionBegin;
  PetscCall(MatISGetLocalMat(A, &local));
  PetscCall(MatBlocked(local)->local->Bring(space));
  if (whole) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MakeVectors(space));
  for (Vec v : {own_lx, own_ly}) { /* allocates */
    PetscCall(HeptaArraysGet(nullptr, nullptr, v, &p));
    PetscCall(HeptaArraysRestore(nullptr, nullptr, v, &p));
  }
  PetscCall(GetTable(space, &to));
  PetscCall(halo.Prepare(space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <bool TRANSPOSE> static PetscErrorCode MatMult_Substructures(Mat, Vec, Vec);
static PetscErrorCode                           MatAssemblyEnd_Substructures(Mat, MatAssemblyType);

/* *s <- null for other types than MATIS */
static PetscErrorCode Find(Mat A, Substructures **s)
{
  PetscFunctionBegin;
  *s = nullptr;
  if (A->ops->assemblyend == HeptaNoThrow<MatAssemblyEnd_Substructures>)
    PetscCall(PetscObjectContainerQuery((PetscObject)A, KEY, s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <bool TRANSPOSE> static PetscErrorCode MatMult_Substructures(Mat A, Vec x, Vec y)
{
  Substructures *s;
  bool           fits = false;

  PetscFunctionBegin;
  PetscCall(Find(A, &s));
  if (s) PetscCall(s->Fits(A, &fits));
  if (fits) PetscCall(s->Multiply(A, TRANSPOSE, x, y));
  else PetscCall((TRANSPOSE ? petsc.multtranspose : petsc.mult)(A, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatAssemblyEnd_Substructures(Mat A, MatAssemblyType type)
{
  Substructures *s;

  PetscFunctionBegin;
  PetscCall(petsc.assemblyend(A, type));
  PetscCall(Find(A, &s));
  if (s && type == MAT_FINAL_ASSEMBLY) PetscCall(s->Decide(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaMatISGetLocal(Mat A, Mat *local, double *copied)
{
  Substructures *s;

  PetscFunctionBegin;
  *local = nullptr;
  if (copied) *copied = 0;
  PetscCall(Find(A, &s));
  if (!s) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatISGetLocalMat(A, local));
  if (copied) *copied = s->CopiedBytes();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaMatISMakeVecs(Mat A, Vec like, PetscInt n, Vec **vecs)
{
  Substructures *s;
  bool           fits = false;

  PetscFunctionBegin;
  *vecs = nullptr;
  PetscCall(Find(A, &s));
  if (s) PetscCall(s->Fits(A, &fits));
  if (fits) PetscCall(s->MakeVecs(like, n, vecs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaMatISCanRecord(Mat A, bool *can)
{
  Substructures *s;
  Mat            local;

  PetscFunctionBegin;
  *can = false;
  PetscCall(Find(A, &s));
  if (s) PetscCall(s->Fits(A, can));
  if (!*can) PetscFunctionReturn(PETSC_SUCCESS);
  /* MatISSetLocalMat() may have replaced the local matrix, and MatSetOperation() the product */
  PetscCall(MatISGetLocalMat(A, &local));
  *can = HeptaIsBlocked(local) && A->ops->mult == HeptaNoThrow<MatMult_Substructures<false>> &&
         A->ops->multtranspose == HeptaNoThrow<MatMult_Substructures<true>>;
  PetscCall(HeptaAgreeOnAll(PetscObjectComm((PetscObject)A), can));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaMatISPrepare(Mat A, const HeptaSpace &space)
{
  Substructures *s;

  PetscFunctionBegin;
  PetscCall(Find(A, &s));
  PetscCheck(s, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Products with a matrix of type %s cannot be recorded",
             ((PetscObject)A)->type_name);
  PetscCall(s->Prepare(A, space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FreeSubstructures(PetscCtxRt ctx)
{
  Substructures **s = (Substructures **)ctx;

  PetscFunctionBegin;
  PetscCall((*s)->Free());
  delete *s;
  *s = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* MatSetType() to another type comes here, too, and keeps composed objects */
static PetscErrorCode MatDestroy_Substructures(Mat A)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectCompose((PetscObject)A, KEY, nullptr));
  PetscCall(petsc.destroy(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatCreate_Substructures(Mat A)
{
  PetscFunctionBegin;
  PetscCall(petsc.create(A));
  petsc.destroy         = A->ops->destroy;
  petsc.mult            = A->ops->mult;
  petsc.multtranspose   = A->ops->multtranspose;
  petsc.assemblyend     = A->ops->assemblyend;
  A->ops->destroy       = HeptaNoThrow<MatDestroy_Substructures>;
  A->ops->mult          = HeptaNoThrow<MatMult_Substructures<false>>;
  A->ops->multtranspose = HeptaNoThrow<MatMult_Substructures<true>>;
  A->ops->assemblyend   = HeptaNoThrow<MatAssemblyEnd_Substructures>;
  PetscCall(PetscObjectContainerCompose((PetscObject)A, KEY, new Substructures, HeptaNoThrow<FreeSubstructures>));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaMatISRegister(void)
{
  PetscErrorCode (*now)(Mat) = nullptr;

  PetscFunctionBegin;
  PetscCall(PetscFunctionListFind(MatList, MATIS, &now));
  if (!now || now == HeptaNoThrow<MatCreate_Substructures>) PetscFunctionReturn(PETSC_SUCCESS);
  petsc.create = now;
  PetscCall(MatRegister(MATIS, HeptaNoThrow<MatCreate_Substructures>));
  PetscFunctionReturn(PETSC_SUCCESS);
}
