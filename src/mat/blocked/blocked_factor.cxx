/*
   PETSc's own factorizations of a sequential blocked matrix: the factor of its aij copy, with the symbolic and numeric steps
   wrapped so that these steps get the copy instead of the matrix. All later steps (solves, inertia, views) are the aij factor's
   own.
*/
#include "../structure.h"
#include "blocked.h"

struct FactorSteps {
  struct _MatOps ops;       /* the steps of the aij factor that ours call */
  HeptaStructure structure; /* the structure at the last symbolic step */
};

static const char STEPS[] = "HeptaFactorSteps";

static PetscErrorCode FactorStepsDestroy(PetscCtxRt ctx)
{
  PetscFunctionBegin;
  delete *(FactorSteps **)ctx;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetSteps(Mat F, FactorSteps **steps)
{
  PetscContainer container;

  PetscFunctionBegin;
  PetscCall(PetscObjectQuery((PetscObject)F, STEPS, (PetscObject *)&container));
  PetscCheck(container, PetscObjectComm((PetscObject)F), PETSC_ERR_PLIB, "Not a factor made from an aij copy");
  PetscCall(PetscContainerGetPointer(container, steps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Replaces steps of F that are the aij factor's by ours and keeps the replaced steps in *steps. Null steps stay null. */
template <template <auto> class Step, auto... Ops> static void Wrap(Mat F, FactorSteps *steps)
{
  const auto wrap = [](auto &step, auto &theirs, auto ours) {
    if (!step || step == ours) return;
    theirs = step;
    step   = ours;
  };

  (wrap(F->ops[0].*Ops, steps->ops.*Ops, HeptaNoThrow<Step<Ops>::Call>), ...);
}

/*
   Runs a numeric step of the aij factor, which computes the values of the factor that the symbolic step has created, on the copy
   of A
*/
template <auto op> struct Numeric {
  static PetscErrorCode Call(Mat F, Mat A, const MatFactorInfo *info)
  {
    FactorSteps *steps;
    Mat          aij;

    PetscFunctionBegin;
    PetscCall(GetSteps(F, &steps));
    PetscCheck(HeptaIsBlocked(A) && steps->structure.Of(A), PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
               "The factor was made for another matrix, or its type or nonzero locations have changed since: call MatGetFactor() "
               "and the symbolic factorization again");
    PetscCall(MatBlockedGetAIJ(A, &aij));
    F->factorerrortype        = MAT_FACTOR_NOERROR;
    const PetscErrorCode code = (steps->ops.*op)(F, aij, info);
    if (code && !F->factorerrortype) F->factorerrortype = MAT_FACTOR_OTHER;
    if (F->factorerrortype) {
      PetscCall(HeptaFactorFailed(A));
      steps->structure.Note(A);
    }
    PetscCall(code);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

/* Numeric for the symbolic steps: Symbolic<&_MatOps::lufactorsymbolic>::Call(F, A, row, col, info) */
template <auto op> struct Symbolic;
template <class... Args, PetscErrorCode (*_MatOps::*op)(Mat, Mat, Args...)> struct Symbolic<op> {
  static PetscErrorCode Call(Mat F, Mat A, Args... args)
  {
    FactorSteps *steps;
    Mat          aij;

    PetscFunctionBegin;
    PetscCheck(HeptaIsBlocked(A), PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
               "The factor was made for a matrix of one of Hepta's types, not for %s: call MatGetFactor() again",
               ((PetscObject)A)->type_name);
    PetscCall(GetSteps(F, &steps));
    PetscCall(MatBlockedGetAIJ(A, &aij));
    steps->structure.Forget();
    PetscCall((steps->ops.*op)(F, aij, args...));
    /* PETSc's symbolic steps set the numeric steps anew each time */
    Wrap<Numeric, &_MatOps::lufactornumeric, &_MatOps::choleskyfactornumeric>(F, steps);
    steps->structure.Note(A);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

static PetscErrorCode MatGetFactor_Blocked(Mat A, MatFactorType type, Mat *F)
{
  Mat          aij;
  FactorSteps *steps;

  PetscFunctionBegin;
  PetscCall(MatBlockedGetAIJ(A, &aij));
  aij->symmetric = A->symmetric; /* PETSc reads this with complex scalars */
  aij->hermitian = A->hermitian;
  PetscCall(MatGetFactor(aij, MATSOLVERPETSC, type, F));
  if (!*F) PetscFunctionReturn(PETSC_SUCCESS);
  steps = new FactorSteps{(*F)->ops[0], {}};
  PetscCall(PetscObjectContainerCompose((PetscObject)*F, STEPS, steps, HeptaNoThrow<FactorStepsDestroy>));
  Wrap<Symbolic, &_MatOps::lufactorsymbolic, &_MatOps::ilufactorsymbolic, &_MatOps::choleskyfactorsymbolic,
       &_MatOps::iccfactorsymbolic>(*F, steps);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In place: A becomes its factor, of type aij, as with PETSc's aij */
static PetscErrorCode BecomeFactor(Mat A, Mat *F)
{
  FactorSteps *steps;

  PetscFunctionBegin;
  PetscCall(GetSteps(*F, &steps));
  (*F)->ops->lufactorsymbolic  = steps->ops.lufactorsymbolic;
  (*F)->ops->ilufactorsymbolic = steps->ops.ilufactorsymbolic;
  (*F)->ops->lufactornumeric   = steps->ops.lufactornumeric;
  PetscCall(PetscObjectCompose((PetscObject)*F, STEPS, nullptr));
  PetscCall(HeptaTakeHeader(MatHeaderReplace, A, F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatLUFactor_Blocked(Mat A, IS row, IS col, const MatFactorInfo *info)
{
  Mat F;

  PetscFunctionBegin;
  PetscCall(MatGetFactor(A, MATSOLVERPETSC, MAT_FACTOR_LU, &F));
  PetscCall(MatLUFactorSymbolic(F, A, row, col, info));
  PetscCall(MatLUFactorNumeric(F, A, info));
  PetscCall(BecomeFactor(A, &F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatILUFactor_Blocked(Mat A, IS row, IS col, const MatFactorInfo *info)
{
  MatFactorInfo zero_fill = *info;
  Mat           F;

  PetscFunctionBegin;
  PetscCheck(info->levels == 0, PETSC_COMM_SELF, PETSC_ERR_SUP, "Only levels=0 supported for in-place ilu");
  PetscCall(MatGetFactor(A, MATSOLVERPETSC, MAT_FACTOR_ILU, &F));
  zero_fill.fill = PetscMax(1, info->fill);
  PetscCall(MatILUFactorSymbolic(F, A, row, col, &zero_fill));
  PetscCall(MatLUFactorNumeric(F, A, &zero_fill));
  PetscCall(BecomeFactor(A, &F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSolverTypeRegister_Blocked(const char begin[])
{
  PetscFunctionBegin;
  for (MatFactorType type : {MAT_FACTOR_LU, MAT_FACTOR_CHOLESKY, MAT_FACTOR_ILU, MAT_FACTOR_ICC}) {
    /*
       For a solver given by name, PETSc takes the first handler whose type the matrix's type begins with; for any solver, a
       handler of exactly the matrix's type, which another solver has
    */
    PetscCall(MatSolverTypeRegister(MATSOLVERPETSC, begin, type, HeptaNoThrow<MatGetFactor_Blocked>));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
