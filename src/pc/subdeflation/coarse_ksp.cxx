/* The coarse problem as a sparse matrix and a KSP: for an E too large for a dense inverse, or on request */
#include <algorithm>

#include "../../shared/arrays.h"
#include "../solve_start.h"
#include "subdeflation.h"

using namespace hepta::subdeflation;

/* E for boxes is a matrix of block diagonals on the grid of boxes, so that PCSUBDEFLATION may precondition E in turn */
static PetscErrorCode CreateE(PC pc, const HeptaSpace &space)
{
  PC_Subdeflation *s      = Subdeflation(pc);
  HeptaCoarse     &c      = s->coarse;
  const PetscInt   bs     = HeptaBlockSize(s->rows.A->rmap);
  const bool       grid   = s->boxes[0] && s->coarse_type == HEPTA_SUBDEFLATION_COARSE_KSP;
  bool             device = space.device;

  PetscFunctionBegin;
  /* ranks may have the matrix in different memories, but E is of one type */
  PetscCall(HeptaAgreeOnAll(PetscObjectComm((PetscObject)pc), &device));
  PetscCall(MatCreate(PetscObjectComm((PetscObject)pc), &c.E));
  PetscCall(MatSetSizes(c.E, PETSC_DECIDE, PETSC_DECIDE, c.d, c.d));
  PetscCall(MatSetBlockSize(c.E, bs));
  if (grid) {
    PetscCall(MatSetType(c.E, device ? MATBDIACUDA : MATBDIA));
    PetscCall(MatBDIASetGrid(c.E, s->boxes[0], s->boxes[1], s->boxes[2]));
    MatBDIASetMaxFill(c.E, PETSC_MAX_REAL); /* few boxes at the ends of lines */
  } else PetscCall(MatSetType(c.E, device ? MATAIJCUSPARSE : MATAIJ));
  std::vector<PetscInt> i(s->az.segment_f), j(s->az.segment_e);
  PetscCall(MatSetPreallocationCOO(c.E, (PetscCount)i.size(), i.data(), j.data()));
  if (c.symmetric) {
    PetscCall(MatSetOption(c.E, MAT_SYMMETRIC, PETSC_TRUE));
    PetscCall(MatSetOption(c.E, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  }
  PetscCall(MatCreateVecs(c.E, &c.ey, &c.eq));
  if (c.E->rmap->size > 1) PetscCall(c.parts.SetUpGather(PetscObjectComm((PetscObject)pc), c.E->rmap->n, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Makes E regular for a factorization: for each null vector c, the diagonal entry in the row of c's largest entry is increased.
   The solution changes by null vectors only.
*/
static PetscErrorCode PinNullSpace(HeptaCoarse &c)
{
  Vec       diagonal;
  PetscReal size;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(c.E, &diagonal, nullptr));
  PetscCall(MatGetDiagonal(c.E, diagonal));
  PetscCall(VecNorm(diagonal, NORM_INFINITY, &size));
  PetscCall(VecSet(diagonal, 0));
  auto left = c.null;
  /* vector n is eliminated from the vectors m > n in its row, so that each vector has a row of its own */
  for (size_t n = 0; n < left.size(); n++) {
    const auto    &v = left[n];
    const PetscInt row =
      (PetscInt)(std::max_element(v.begin(), v.end(),
                                  [](PetscScalar a, PetscScalar b) { return PetscAbsScalar(a) < PetscAbsScalar(b); }) -
                 v.begin());
    for (size_t m = n + 1; m < left.size(); m++) {
      const PetscScalar f = left[m][row] / v[row];
      for (size_t k = 0; k < v.size(); k++) left[m][k] -= f * v[k];
    }
    if (row >= c.E->rmap->rstart && row < c.E->rmap->rend) PetscCall(VecSetValue(diagonal, row, size, ADD_VALUES));
  }
  PetscCall(VecAssemblyBegin(diagonal));
  PetscCall(VecAssemblyEnd(diagonal));
  PetscCall(MatDiagonalSet(c.E, diagonal, ADD_VALUES));
  PetscCall(VecDestroy(&diagonal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* E's null space <- c.null; without null vectors an earlier null space of E is removed */
static PetscErrorCode AttachNullSpace(HeptaCoarse &c)
{
  std::vector<Vec> vecs;
  MatNullSpace     space;

  PetscFunctionBegin;
  if (c.null.empty()) {
    PetscCall(MatSetNullSpace(c.E, nullptr));
    PetscCall(MatSetTransposeNullSpace(c.E, nullptr));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (const auto &v : c.null) {
    Vec          x;
    PetscScalar *a;
    PetscCall(MatCreateVecs(c.E, &x, nullptr));
    PetscCall(VecGetArrayWrite(x, &a));
    std::copy(v.begin() + c.E->rmap->rstart, v.begin() + c.E->rmap->rend, a);
    PetscCall(VecRestoreArrayWrite(x, &a));
    vecs.push_back(x);
  }
  PetscCall(MatNullSpaceCreate(PetscObjectComm((PetscObject)c.E), PETSC_FALSE, (PetscInt)vecs.size(), vecs.data(), &space));
  PetscCall(MatSetNullSpace(c.E, space));
  PetscCall(MatSetTransposeNullSpace(c.E, space));
  PetscCall(MatNullSpaceDestroy(&space));
  for (Vec &x : vecs) PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   direct: PETSc's factorization, of the whole E on every rank. Otherwise cg or gmres with algebraic multigrid to a relative
   tolerance of 1e-3.
*/
static PetscErrorCode CreateKSP(PC pc)
{
  PC_Subdeflation *s      = Subdeflation(pc);
  HeptaCoarse     &c      = s->coarse;
  const bool       direct = s->coarse_type == HEPTA_SUBDEFLATION_COARSE_CHOLESKY;
  const char      *factor = c.symmetric ? PCCHOLESKY : PCLU;
  PC               coarse_pc;
  KSP              inner;

  PetscFunctionBegin;
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)pc), &c.ksp));
  PetscCall(KSPSetNestLevel(c.ksp, pc->kspnestlevel));
  PetscCall(PetscObjectIncrementTabLevel((PetscObject)c.ksp, (PetscObject)pc, 1));
  PetscCall(KSPSetErrorIfNotConverged(c.ksp, pc->erroriffailure));
  PetscCall(PetscObjectSetOptions((PetscObject)c.ksp, ((PetscObject)pc)->options));
  PetscCall(KSPSetOptionsPrefix(c.ksp, ((PetscObject)pc)->prefix));
  PetscCall(KSPAppendOptionsPrefix(c.ksp, "pc_subdeflation_coarse_"));
  PetscCall(KSPSetType(c.ksp, direct ? KSPPREONLY : c.symmetric ? KSPCG : KSPGMRES));
  /*
     The residual of a good solve may first grow by the square root of E's condition number: no divergence tolerance. With a null
     space of constants that the program did not declare, a right-hand side may be inconsistent, and an outer method with varying
     coarse solves would report convergence. The tolerance 1e-10 prevents the false report; single does not reach it.
  */
  PetscCall(KSPSetTolerances(c.ksp, c.found_constants ? PetscMax(1e-10, 10 * PETSC_MACHINE_EPSILON) : 1e-3, PETSC_CURRENT,
                             PETSC_UNLIMITED, PETSC_CURRENT));
  PetscCall(KSPGetPC(c.ksp, &coarse_pc));
  PetscCall(PCSetType(coarse_pc, !direct ? PCAGGMG : c.E->rmap->size > 1 ? PCREDUNDANT : factor));
  if (direct && c.E->rmap->size > 1) {
    PetscCall(PCRedundantGetKSP(coarse_pc, &inner));
    PetscCall(KSPGetPC(inner, &coarse_pc));
    PetscCall(PCSetType(coarse_pc, factor));
  }
  PetscCall(KSPSetOperators(c.ksp, c.E, c.E));
  PetscCall(KSPSetFromOptions(c.ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaSubdeflationKSPSetUp(PC pc, const HeptaSpace &space, const std::vector<PetscScalar> &value)
{
  PC_Subdeflation *s = Subdeflation(pc);
  HeptaCoarse     &c = s->coarse;
  PC               coarse_pc;
  PCFailedReason   reason;

  PetscFunctionBegin;
  PetscCheck(s->UsesLabels(), PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP,
             "The vectors of PCSubdeflationSetVectors() need -pc_subdeflation_coarse inverse");
  if (!c.E) PetscCall(CreateE(pc, space));
  PetscCall(MatSetValuesCOO(c.E, value.data(), INSERT_VALUES));
  if (s->coarse_type == HEPTA_SUBDEFLATION_COARSE_KSP) PetscCall(AttachNullSpace(c));
  else if (!c.null.empty()) PetscCall(PinNullSpace(c));
  if (!c.ksp) PetscCall(CreateKSP(pc));
  PetscCall(KSPSetOperators(c.ksp, c.E, c.E));
  PetscCall(KSPSetUp(c.ksp));
  PetscCall(KSPGetPC(c.ksp, &coarse_pc));
  PetscCall(PCGetFailedReason(coarse_pc, &reason));
  PetscCheck(reason == PC_NOERROR, PetscObjectComm((PetscObject)pc),
             c.symmetric ? PETSC_ERR_MAT_CH_ZRPVT : PETSC_ERR_MAT_LU_ZRPVT,
             "The coarse matrix Z^T A Z of size %" PetscInt_FMT
             " has no factorization (%s). Is the matrix indefinite, or singular without MatSetNullSpace()?",
             c.d, PCFailedReasons[reason]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each rank solves for its part of the subdomains; every rank gets the whole solution */
PetscErrorCode HeptaSubdeflationKSPSolve(PC pc)
{
  HeptaCoarse &c = Subdeflation(pc)->coarse;
  HeptaArrays  p;
  PetscScalar *q, *y;

  PetscFunctionBegin;
  PetscCall(HeptaArraysGet(nullptr, nullptr, c.eq, &p));
  PetscCall(c.q.Access(p.space, HeptaAccess::read, &q));
  HeptaLaunchEach(p.space, hepta::blocked::copy, (size_t)c.E->rmap->n, (const PetscScalar *)q + c.E->rmap->rstart, p.y);
  PetscCall(HeptaArraysRestore(nullptr, nullptr, c.eq, &p));
  const HeptaSolveStart start(c.ksp, c.eq, 0);
  const PetscErrorCode  code = KSPSolve(c.ksp, c.eq, c.ey);
  if (code) start.Undo();
  PetscCall(code);
  /* after a failed solve the solution becomes infinite, which the outer method detects */
  PetscCall(KSPCheckSolve(c.ksp, pc, c.ey));
  PetscCall(HeptaArraysGet(c.ey, nullptr, nullptr, &p));
  PetscCall(c.y.Access(p.space, HeptaAccess::write, &y));
  if (c.parts) PetscCall(c.parts.Bring({p.space, p.x, y}));
  else HeptaLaunchEach(p.space, hepta::blocked::copy, (size_t)c.d, p.x, y);
  PetscCall(HeptaArraysRestore(c.ey, nullptr, nullptr, &p));
  PetscFunctionReturn(PETSC_SUCCESS);
}
