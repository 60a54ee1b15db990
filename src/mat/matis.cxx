/*
   Products of MATIS. With R_p, which takes the local rows of process p out of a vector,

     A x = sum over the processes p of R_p^T A_p R_p x

   Each row has one owner. Local rows that the process owns are copied between x or y and the local vectors. Values of the other
   local rows, the interface, go through a HeptaHalo: those of x from the owner, those of y to the owner, who adds. PETSc's own
   products exchange the interface by PetscSF, through the host unless MPI knows device memory, and cannot be recorded.
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
  PetscErrorCode (*mult)(Mat, Vec, Vec)               = nullptr;
  PetscErrorCode (*multtranspose)(Mat, Vec, Vec)      = nullptr;
  PetscErrorCode (*assemblyend)(Mat, MatAssemblyType) = nullptr;
} petsc;

/* Composed with a MATIS */
class Substructures {
public:
  Substructures()                                 = default;
  Substructures(const Substructures &)            = delete;
  Substructures &operator=(const Substructures &) = delete;
  ~Substructures()
  {
    (void)VecDestroy(&lx);
    (void)VecDestroy(&ly);
    (void)ISLocalToGlobalMappingDestroy(&map);
  }

  /* Decides `ours` for an assembled A, and connects the processes for a new mapping; collective */
  PetscErrorCode Assembled(Mat A);
  /* *fits <- do products with A go this way? Equal on all processes; false after MatHeaderMerge() with another mapping */
  PetscErrorCode Fits(Mat A, bool *fits) const;
  PetscErrorCode Multiply(Mat A, bool transpose, Vec x, Vec y);
  PetscErrorCode Prepare(Mat A, const HeptaSpace &);

private:
  bool                   ours      = false;
  ISLocalToGlobalMapping map       = nullptr; /* the mapping for which the processes are connected, or were found not to fit */
  bool                   connected = false;
  bool                   whole     = false; /* is A its local matrix, with rows in the same order? */
  /* own row i is local row shift + i, as in stripes of a grid, or else at[i], -1 where other processes have it alone */
  size_t             own   = 0;
  Index              shift = 0;
  std::vector<Index> at;
  HeptaTable<Index>  at_table;
  HeptaHalo          halo;   /* roots: own rows, leaves: local rows of other owners */
  PetscObjectId      id = 0; /* of the local matrix that has the local vectors */
  Vec                lx = nullptr, ly = nullptr;

  PetscErrorCode Connect(Mat A);
  PetscErrorCode GetLocal(Mat A, Mat *local);
  PetscErrorCode GetTable(const HeptaSpace &space, const Index **to)
  {
    return at.empty() ? (*to = nullptr, PETSC_SUCCESS) : at_table.Get(space, at, to);
  }
};

} // namespace

static const char *const KEY = "HeptaSubstructures";

static PetscErrorCode Find(Mat A, Substructures **s)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectContainerQuery((PetscObject)A, KEY, s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Processes are not connected where a process has an own row several times, which MatISSetAllowRepeated() permits */
PetscErrorCode Substructures::Connect(Mat A)
{
  const PetscInt          *row;
  PetscInt                 n;
  PetscMPIInt              rank, owner;
  std::vector<PetscInt>    leaf;
  std::vector<PetscSFNode> root;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)A), &rank));
  PetscCall(ISLocalToGlobalMappingGetSize(map, &n));
  PetscCall(ISLocalToGlobalMappingGetIndices(map, &row));
  at.assign((size_t)A->rmap->n, -1);
  at_table.Invalidate();
  connected = true;
  for (PetscInt k = 0; k < n; k++) {
    PetscInt i;
    PetscCall(PetscLayoutFindOwnerIndex(A->rmap, row[k], &owner, &i));
    if (owner != rank) {
      leaf.push_back(k);
      root.push_back({owner, i});
    } else {
      connected = connected && at[i] < 0;
      at[i]     = (Index)k;
    }
  }
  PetscCall(ISLocalToGlobalMappingRestoreIndices(map, &row));
  own           = at.size();
  shift         = own ? at[0] : 0;
  bool in_order = connected && shift >= 0;
  for (size_t i = 0; i < own; i++) in_order = in_order && at[i] == shift + (Index)i;
  whole = in_order && n == A->rmap->N && A->rmap->size == 1;
  if (in_order) at.clear();
  else shift = 0;
  PetscCall(HeptaAgreeOnAll(PetscObjectComm((PetscObject)A), &connected));
  if (connected && !whole) PetscCall(halo.SetUpGraph(PetscObjectComm((PetscObject)A), 1, A->rmap->n, leaf, root));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Substructures::Assembled(Mat A)
{
  ISLocalToGlobalMapping rows, cols;
  Mat                    now;

  PetscFunctionBegin;
  PetscCall(MatISGetLocalToGlobalMapping(A, &rows, &cols));
  PetscCall(MatISGetLocalMat(A, &now));
  ours = rows && rows == cols && now && HeptaIsBlocked(now);
  PetscCall(MatISRestoreLocalMat(A, &now));
  PetscCall(HeptaAgreeOnAll(PetscObjectComm((PetscObject)A), &ours));
  if (!ours) PetscFunctionReturn(PETSC_SUCCESS);
  if (map != rows) {
    PetscCall(PetscObjectReference((PetscObject)rows));
    PetscCall(ISLocalToGlobalMappingDestroy(&map));
    map       = rows;
    connected = false; /* in case of an error */
    PetscCall(Connect(A));
  }
  ours = connected;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Substructures::Fits(Mat A, bool *fits) const
{
  ISLocalToGlobalMapping rows, cols;

  PetscFunctionBegin;
  *fits = ours;
  if (!ours) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatISGetLocalToGlobalMapping(A, &rows, &cols));
  *fits = rows == map && cols == map;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The local matrix, which MatISSetLocalMat() replaces, and its vectors */
PetscErrorCode Substructures::GetLocal(Mat A, Mat *local)
{
  PetscFunctionBegin;
  PetscCall(MatISGetLocalMat(A, local));
  if (((PetscObject)*local)->id == id) PetscFunctionReturn(PETSC_SUCCESS);
  id = 0;
  PetscCall(VecDestroy(&lx));
  PetscCall(VecDestroy(&ly));
  PetscCall(MatCreateVecs(*local, &lx, &ly));
  id = ((PetscObject)*local)->id;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Substructures::Multiply(Mat A, bool transpose, Vec x, Vec y)
{
  const auto   multiply = transpose ? MatMultTranspose : MatMult;
  const Index *to;
  Mat          local;
  HeptaArrays  p;

  PetscFunctionBegin;
  PetscCall(GetLocal(A, &local));
  if (whole) {
    PetscCall(multiply(local, x, y));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(HeptaArraysGet(x, nullptr, lx, &p));
  PetscCall(GetTable(p.space, &to));
  PetscCall(halo.Begin({p.space, p.x, p.y}));
  HeptaLaunchEach(p.space, scatter, own, to, p.x, p.y + shift);
  PetscCall(halo.End({p.space, p.x, p.y}));
  PetscCall(HeptaArraysRestore(x, nullptr, lx, &p));
  PetscCall(multiply(local, lx, ly));
  PetscCall(HeptaArraysGet(ly, nullptr, y, &p));
  PetscCall(GetTable(p.space, &to));
  HeptaLaunchEach(p.space, gather, own, to, p.x + shift, p.y);
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
  PetscCall(GetLocal(A, &local));
  PetscCall(MatBlocked(local)->local->Bring(space));
  if (whole) PetscFunctionReturn(PETSC_SUCCESS);
  for (Vec v : {lx, ly}) { /* allocates */
    PetscCall(HeptaArraysGet(nullptr, nullptr, v, &p));
    PetscCall(HeptaArraysRestore(nullptr, nullptr, v, &p));
  }
  PetscCall(GetTable(space, &to));
  PetscCall(halo.Prepare(space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

Mat HeptaMatISLocal(Mat A)
{
  Substructures *s     = nullptr;
  Mat            local = nullptr;

  if (Find(A, &s) || !s || MatISGetLocalMat(A, &local)) return nullptr;
  return local;
}

PetscErrorCode HeptaMatISCanRecord(Mat A, bool *can)
{
  Substructures *s = nullptr;

  PetscFunctionBegin;
  *can = false;
  PetscCall(Find(A, &s));
  if (s) PetscCall(s->Fits(A, can));
  if (!*can) PetscFunctionReturn(PETSC_SUCCESS);
  *can = HeptaIsBlocked(HeptaMatISLocal(A)); /* MatISSetLocalMat() may have replaced it by one of another type */
  PetscCall(HeptaAgreeOnAll(PetscObjectComm((PetscObject)A), can));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaMatISPrepare(Mat A, const HeptaSpace &space)
{
  Substructures *s = nullptr;

  PetscFunctionBegin;
  PetscCall(Find(A, &s));
  PetscCall(s->Prepare(A, space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <bool TRANSPOSE> static PetscErrorCode MatMult_IS(Mat A, Vec x, Vec y)
{
  Substructures *s    = nullptr;
  bool           fits = false;

  PetscFunctionBegin;
  PetscCall(Find(A, &s));
  if (s) PetscCall(s->Fits(A, &fits));
  if (fits) PetscCall(s->Multiply(A, TRANSPOSE, x, y));
  else PetscCall((TRANSPOSE ? petsc.multtranspose : petsc.mult)(A, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatAssemblyEnd_IS(Mat A, MatAssemblyType type)
{
  Substructures *s = nullptr;

  PetscFunctionBegin;
  PetscCall(petsc.assemblyend(A, type));
  PetscCall(Find(A, &s));
  if (s && type == MAT_FINAL_ASSEMBLY) PetscCall(s->Assembled(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Destroy(PetscCtxRt ctx)
{
  Substructures **s = (Substructures **)ctx;

  PetscFunctionBegin;
  delete *s;
  *s = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatCreate_IS(Mat A)
{
  PetscFunctionBegin;
  PetscCall(petsc.create(A));
  petsc.mult            = A->ops->mult;
  petsc.multtranspose   = A->ops->multtranspose;
  petsc.assemblyend     = A->ops->assemblyend;
  A->ops->mult          = HeptaNoThrow<MatMult_IS<false>>;
  A->ops->multtranspose = HeptaNoThrow<MatMult_IS<true>>;
  A->ops->assemblyend   = HeptaNoThrow<MatAssemblyEnd_IS>;
  PetscCall(PetscObjectContainerCompose((PetscObject)A, KEY, new Substructures, HeptaNoThrow<Destroy>));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaMatISRegister(void)
{
  PetscErrorCode (*now)(Mat) = nullptr;

  PetscFunctionBegin;
  PetscCall(PetscFunctionListFind(MatList, MATIS, &now));
  if (!now || now == HeptaNoThrow<MatCreate_IS>) PetscFunctionReturn(PETSC_SUCCESS);
  petsc.create = now;
  PetscCall(MatRegister(MATIS, HeptaNoThrow<MatCreate_IS>));
  PetscFunctionReturn(PETSC_SUCCESS);
}
