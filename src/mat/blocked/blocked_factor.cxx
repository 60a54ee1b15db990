/*
   PETSc's own factorizations of a sequential blocked matrix: the factor of its aij copy, with the symbolic and numeric steps wrapped
   so that they get the copy instead of the matrix. All later steps (solves, inertia, views) are the aij factor's own.
*/
#include "../structure.h"
#include "blocked.h"

/* The steps of the aij factor that ours call */
struct FactorSteps {
  PetscErrorCode (*lu)(Mat, Mat, IS, IS, const MatFactorInfo *);
  PetscErrorCode (*ilu)(Mat, Mat, IS, IS, const MatFactorInfo *);
  PetscErrorCode (*cholesky)(Mat, Mat, IS, const MatFactorInfo *);
  PetscErrorCode (*icc)(Mat, Mat, IS, const MatFactorInfo *);
  PetscErrorCode (*lunumeric)(Mat, Mat, const MatFactorInfo *);
  PetscErrorCode (*choleskynumeric)(Mat, Mat, const MatFactorInfo *);
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

template <auto step> static PetscErrorCode Numeric(Mat F, Mat A, const MatFactorInfo *info);

/* PETSc's symbolic steps choose the numeric ones anew each time */
static void WrapNumeric(Mat F, FactorSteps *steps)
{
  if (F->ops->lufactornumeric && F->ops->lufactornumeric != HeptaNoThrow<Numeric<&FactorSteps::lunumeric>>) {
    steps->lunumeric        = F->ops->lufactornumeric;
    F->ops->lufactornumeric = HeptaNoThrow<Numeric<&FactorSteps::lunumeric>>;
  }
  if (F->ops->choleskyfactornumeric && F->ops->choleskyfactornumeric != HeptaNoThrow<Numeric<&FactorSteps::choleskynumeric>>) {
    steps->choleskynumeric        = F->ops->choleskyfactornumeric;
    F->ops->choleskyfactornumeric = HeptaNoThrow<Numeric<&FactorSteps::choleskynumeric>>;
  }
}

/* Runs one of the aij factor's symbolic steps on the copy of A: Step<&FactorSteps::lu>(F, A, row, col, info) */
template <auto step> struct StepCall;
template <class... Args, PetscErrorCode (*FactorSteps::*step)(Mat, Mat, Args...)> struct StepCall<step> {
  static PetscErrorCode Call(Mat F, Mat A, Args... args)
  {
    FactorSteps *steps;
    Mat          aij;

    PetscFunctionBegin;
    PetscCheck(HeptaIsBlocked(A), PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE, "The factor was made for a matrix of one of Hepta's types, not for %s: call MatGetFactor() again", ((PetscObject)A)->type_name);
    PetscCall(GetSteps(F, &steps));
    PetscCall(MatBlockedGetAIJ(A, &aij));
    steps->structure.Forget();
    PetscCall((steps->*step)(F, aij, args...));
    WrapNumeric(F, steps);
    steps->structure.Note(A);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};
template <auto step> constexpr auto Step = &StepCall<step>::Call;

/* The same for the numeric steps, which compute the values of the factor that the symbolic step has created */
template <auto step> static PetscErrorCode Numeric(Mat F, Mat A, const MatFactorInfo *info)
{
  FactorSteps *steps;
  Mat          aij;

  PetscFunctionBegin;
  PetscCall(GetSteps(F, &steps));
  PetscCheck(HeptaIsBlocked(A) && steps->structure.Of(A), PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
             "The factor was made for another matrix, or its type or nonzero locations have changed since: call MatGetFactor() and the symbolic factorization again");
  PetscCall(MatBlockedGetAIJ(A, &aij));
  F->factorerrortype        = MAT_FACTOR_NOERROR;
  const PetscErrorCode code = (steps->*step)(F, aij, info);
  if (code && !F->factorerrortype) F->factorerrortype = MAT_FACTOR_OTHER;
  if (F->factorerrortype) {
    PetscCall(HeptaFactorFailed(A));
    steps->structure.Note(A);
  }
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

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
  const struct _MatOps &ops = (*F)->ops[0];
  steps                     = new FactorSteps{ops.lufactorsymbolic, ops.ilufactorsymbolic, ops.choleskyfactorsymbolic, ops.iccfactorsymbolic, nullptr, nullptr, {}};
  PetscCall(PetscObjectContainerCompose((PetscObject)*F, STEPS, steps, HeptaNoThrow<FactorStepsDestroy>));
  if (steps->lu) (*F)->ops->lufactorsymbolic = HeptaNoThrow<Step<&FactorSteps::lu>>;
  if (steps->ilu) (*F)->ops->ilufactorsymbolic = HeptaNoThrow<Step<&FactorSteps::ilu>>;
  if (steps->cholesky) (*F)->ops->choleskyfactorsymbolic = HeptaNoThrow<Step<&FactorSteps::cholesky>>;
  if (steps->icc) (*F)->ops->iccfactorsymbolic = HeptaNoThrow<Step<&FactorSteps::icc>>;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In place: A becomes its factor, of type aij, as PETSc's aij does */
static PetscErrorCode BecomeFactor(Mat A, Mat *F)
{
  FactorSteps *steps;

  PetscFunctionBegin;
  PetscCall(GetSteps(*F, &steps));
  (*F)->ops->lufactorsymbolic  = steps->lu;
  (*F)->ops->ilufactorsymbolic = steps->ilu;
  (*F)->ops->lufactornumeric   = steps->lunumeric;
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
    /* Asked for a solver by name, PETSc takes the first handler whose type the matrix's begins with; asked for any, one of the same type: another solver's */
    PetscCall(MatSolverTypeRegister(MATSOLVERPETSC, begin, type, HeptaNoThrow<MatGetFactor_Blocked>));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
