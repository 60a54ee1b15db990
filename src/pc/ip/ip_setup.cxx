/* The factors of the Incomplete Poisson preconditioner: their diagonals, the pairs of diagonals in products, and the values */
#include "../../shared/each.hxx"
#include "ip.h"

using hepta::Index;
using namespace hepta::bdia;
using namespace hepta::blocked;
using namespace hepta::ip;

PetscErrorCode HeptaIPFactor::Recipe(const HeptaSpace &space, hepta::ip::Recipe *r)
{
  const Index                    *p[4];
  const std::vector<Index> *const v[4] = {&from, &first, &left, &right};

  PetscFunctionBegin;
  for (int k = 0; k < 4; k++) PetscCall(tables[k].Get(space, *v[k], &p[k]));
  *r = {*this, p[0], p[1], p[2], p[3]};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The off-diagonals of A: offsets and 1-based numbers, negative for the mirror images of half storage */
static std::vector<std::pair<Index, Index>> OffDiagonals(const Diagonals &D)
{
  std::vector<std::pair<Index, Index>> list;

  for (size_t d = 0; d < D.off.size(); d++) {
    if (!D.off[d]) continue;
    list.push_back({D.off[d], (Index)d + 1});
    if (D.half) list.push_back({-D.off[d], -(Index)d - 1});
  }
  return list;
}

/*
   Finds for each diagonal of M the diagonal of A behind it, and the pairs of diagonals with contributing products: upper times
   lower for the scaled form, lower times upper for the published form
*/
static void FindPairs(const Diagonals &A, HeptaIPFactor &f)
{
  const Diagonals &M    = *MatBDIADiagonals(f.M);
  const auto       list = OffDiagonals(A);

  f.first.assign(1, 0);
  for (Index o : M.off) {
    int d = A.Find(o);
    if (d < 0) d = A.Find(-o); /* half storage */
    f.from.push_back(d);
    for (const auto &l : list) {
      for (const auto &r : list) {
        if (!f.pairs || l.first + r.first != o || (f.left_lower ? l.first > 0 || r.first < 0 : l.first < 0 || r.first > 0))
          continue;
        f.left.push_back(l.second);
        f.right.push_back(r.second);
      }
    }
    f.first.push_back((Index)f.left.size());
  }
}

static PetscErrorCode AddFactor(PC pc, const Form &form)
{
  PC_IP                         *ip = (PC_IP *)pc->data;
  Mat                            A  = ip->op.A;
  std::unique_ptr<HeptaIPFactor> f(new HeptaIPFactor);

  PetscFunctionBegin;
  static_cast<Form &>(*f) = form;
  if (ip->rows) PetscCall(ip->rows->CreateFactor(pc, *f));
  else if (ip->op.form == HeptaForm::block_rows) PetscCall(HeptaIPCreateBlockRows(pc, *f));
  else {
    PetscCall(MatBDIACreatePart(A, ip->storage, form.keep_lower, form.keep_upper, &f->M));
    FindPairs(*MatBDIADiagonals(A), *f);
    if (A->rmap->size > 1) PetscCall(HeptaIPPlanGhosts(A, *f));
  }
  ip->factors.push_back(std::move(f)); /* added when complete: an error leaves no incomplete factor */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaIPStructure(PC pc)
{
  PC_IP *ip = (PC_IP *)pc->data;

  PetscFunctionBegin;
  ip->factors.clear();
  ip->rows.reset(ip->op.form == HeptaForm::aij ? new HeptaIPRows : nullptr);
  if (ip->rows) PetscCall(ip->rows->SetStructure(ip->op.A));
  PetscCall(VecDestroy(&ip->work));
  switch (ip->variant) {
  case HEPTA_IP_SCALED: /* (I - D^-1 U) D^-1 (I - L D^-1) on A's pattern */
    PetscCall(AddFactor(pc, {false, true, true, true, true}));
    break;
  case HEPTA_IP_PUBLISHED: /* (I - L D^-1)(I - D^-1 U) on A's pattern */
    PetscCall(AddFactor(pc, {true, false, true, true, true}));
    break;
  case HEPTA_IP_FULL: /* I - L D^-1, then (I - D^-1 U) D^-1 */
    PetscCall(AddFactor(pc, {true, false, true, false, false}));
    PetscCall(AddFactor(pc, {false, true, false, true, false}));
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Raises an error that names the first row with a value that is not finite, or without a pivot; collective */
static PetscErrorCode CheckFound(Mat A, HeptaValues &found)
{
  const MPI_Comm comm = PetscObjectComm((PetscObject)A);
  const PetscInt bs   = HeptaBlockSize(A->rmap);
  const Found   *p;
  PetscInt64     least[2]; /* of all ranks */

  PetscFunctionBegin;
  PetscCall(found.Access(HeptaSpace(), HeptaAccess::read, &p));
  const long long code[] = {p->pivot, p->infinite};
  for (int k = 0; k < 2; k++) least[k] = code[k] ? hepta::first_noted(code[k]) + A->rmap->rstart : PETSC_INT64_MAX;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, least, 2, MPIU_INT64, MPI_MIN, comm));
  if (PetscMin(least[0], least[1]) == PETSC_INT64_MAX) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(HeptaCheckFinite(A, PCIP));
  if (least[0] != PETSC_INT64_MAX) { /* a missing pivot may cause values that are not finite */
    const PetscInt i = (PetscInt)least[0];
    PetscCheck(bs == 1, comm, PETSC_ERR_MAT_LU_ZRPVT,
               "PC ip: row %" PetscInt_FMT " has no pivot: diagonal block %" PetscInt_FMT " of size %" PetscInt_FMT
               " is singular",
               i, i / bs, bs);
    SETERRQ(comm, PETSC_ERR_MAT_LU_ZRPVT, "PC ip: row %" PetscInt_FMT " has a zero diagonal entry", i);
  }
  SETERRQ(
    comm, PETSC_ERR_FP,
    "PC ip: row %" PetscInt_FMT
    " of the approximate inverse overflows: the diagonal entries there are too small, or the others too large; scale the matrix",
    (PetscInt)least[1]);
}

PetscErrorCode HeptaIPValues(PC pc)
{
  PC_IP     *ip = (PC_IP *)pc->data;
  Mat        A  = ip->op.A;
  HeptaSpace space;
  Found     *found;
  Recipe     r;

  PetscFunctionBegin;
  if (!ip->rows) PetscCall(HeptaOperatorSpaceOfAll(A, &space));
  PetscCall(ip->found.Zero(space));
  PetscCall(ip->found.Access(space, HeptaAccess::read_write, &found));
  if (ip->rows) {
    PetscCall(ip->rows->SetValues(A, found));
    PetscCall(CheckFound(A, ip->found));
  }
  for (auto &f : ip->factors) {
    if (ip->rows) PetscCall(ip->rows->FillFactor(*f, found));
    else if (ip->op.form == HeptaForm::block_rows) PetscCall(HeptaIPBlockRowsValues(A, *f, space, ip->inverse, found));
    else if (A->rmap->size == 1 && HeptaBlockSize(A->rmap) == 1) {
      PetscCall(f->Recipe(space, &r)); /* single entries on one rank, in one pass */
      PetscCall(HeptaVisit(*MatBDIADiagonals(A), space, HeptaAccess::read, [&](auto D) {
        return HeptaVisitLaunchEach(*MatBDIADiagonals(f->M), space, HeptaAccess::write, build, D, r, found);
      }));
    } else PetscCall(HeptaIPValuesByBlocks(A, *f, space, found));
    PetscCall(PetscObjectStateIncrease((PetscObject)f->M));
  }
  PetscCall(CheckFound(A, ip->found));
  if (ip->rows) ip->rows->ForgetValues();
  PetscFunctionReturn(PETSC_SUCCESS);
}
