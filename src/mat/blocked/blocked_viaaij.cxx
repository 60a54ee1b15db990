/*
   Operations that blocked matrices leave to MATAIJ. These operations only read the matrix, and run on the converted copy that
   MatBlockedGetAIJ() keeps, with the results of MATAIJ; matrices that they create are MATAIJ.
*/
#include "blocked.h"

/* Runs the operation of the same name on the copy */
template <auto Op> struct ViaAIJCall;
template <class... Args, PetscErrorCode (*_MatOps::*Op)(Mat, Args...)> struct ViaAIJCall<Op> {
  static PetscErrorCode Call(Mat A, Args... args)
  {
    Mat aij;

    PetscFunctionBegin;
    PetscCall(MatBlockedGetAIJ(A, &aij));
    PetscCheck(aij->ops[0].*Op, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP,
               "Neither %s nor %s has this operation: convert with MatConvert() to a type that has it",
               ((PetscObject)A)->type_name, ((PetscObject)aij)->type_name);
    PetscCall((aij->ops[0].*Op)(aij, args...));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};
template <auto Op> constexpr auto ViaAIJ = &ViaAIJCall<Op>::Call;

/* A's operations become the copy's operations of these names: SetViaAIJ<&_MatOps::permute, &_MatOps::getghosts>(A) */
template <auto... Ops> static void SetViaAIJ(Mat A)
{
  ((A->ops[0].*Ops = HeptaNoThrow<ViaAIJ<Ops>>), ...);
}

static PetscErrorCode MatSOR_Blocked(Mat A, Vec b, PetscReal omega, MatSORType flag, PetscReal shift, PetscInt its, PetscInt lits,
                                     Vec x)
{
  Mat aij;

  PetscFunctionBegin;
  PetscCall(MatBlockedGetAIJ(A, &aij));
  aij->factorerrortype = MAT_FACTOR_NOERROR;
  /*
     SOR_EISENSTAT uses multdiagonalblock if present, but mpiaij has the operation with inodes only; without it SOR uses the
     diagonal
  */
  aij->ops->multdiagonalblock = nullptr;
  PetscUseTypeMethod(aij, sor, b, omega, flag, shift, its, lits, x);
  A->factorerrortype = aij->factorerrortype; /* a zero on the diagonal, which PCSOR checks */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Orderings, colorings and PCASM ask for the structure alone: symmetrized, or compressed by inodes where aij has inodes. Callers
   that ask for neither then call MatSeqAIJGetArray(), which treats a matrix of any type as aij. Such callers get no structure
   (*done is false), and PCMPI, which ignores *done, gets an error.
*/
static bool TakesArrays(PetscBool symmetric, PetscBool compressed)
{
  return !symmetric && !compressed;
}

/* Does the caller want the number of rows alone, as MATORDERINGNATURAL does? The number takes no copy of the matrix as aij. */
static bool AsksForRows(Mat A, const PetscInt *ia[], const PetscInt *ja[])
{
  return A->rmap->size == 1 && !ia && !ja && !PCMPIServerInSolve; /* MatBlockedGetAIJ() refuses a solve of the server */
}

static PetscErrorCode MatGetRowIJ_Blocked(Mat A, PetscInt shift, PetscBool symmetric, PetscBool compressed, PetscInt *n,
                                          const PetscInt *ia[], const PetscInt *ja[], PetscBool *done)
{
  Mat aij;

  PetscFunctionBegin;
  if (TakesArrays(symmetric, compressed)) {
    PetscCheck(done, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP,
               "Rows that fit the array of a MATSEQAIJ were asked of a matrix of type %s, as -mpi_linear_solver_server does: "
               "convert it with MatConvert() to " MATAIJ " first",
               ((PetscObject)A)->type_name);
    *done = PETSC_FALSE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (AsksForRows(A, ia, ja)) {
    *n    = A->rmap->n;
    *done = PETSC_TRUE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatBlockedGetAIJ(A, &aij));
  PetscUseTypeMethod(aij, getrowij, shift, symmetric, compressed, n, ia, ja, done);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatRestoreRowIJ_Blocked(Mat A, PetscInt shift, PetscBool symmetric, PetscBool compressed, PetscInt *n,
                                              const PetscInt *ia[], const PetscInt *ja[], PetscBool *done)
{
  Mat aij;

  PetscFunctionBegin;
  if (TakesArrays(symmetric, compressed)) {
    if (done) *done = PETSC_FALSE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (AsksForRows(A, ia, ja)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatBlockedGetAIJ(A, &aij));
  PetscUseTypeMethod(aij, restorerowij, shift, symmetric, compressed, n, ia, ja, done);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The indices are checked here, because aij reads past its end for indices out of range */
static PetscErrorCode CheckIndices(PetscInt n, const IS is[], PetscInt size, const char what[])
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; k++) {
    PetscInt count, least, most;

    PetscCall(ISGetLocalSize(is[k], &count));
    PetscCall(ISGetMinMax(is[k], &least, &most));
    PetscCheck(!count || (least >= 0 && most < size), PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "The index set has %s %" PetscInt_FMT ", outside the matrix's %" PetscInt_FMT, what, least < 0 ? least : most,
               size);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatCreateSubMatrices_Blocked(Mat A, PetscInt n, const IS row[], const IS col[], MatReuse reuse, Mat *B[])
{
  PetscFunctionBegin;
  PetscCall(CheckIndices(n, row, A->rmap->N, "row"));
  PetscCall(CheckIndices(n, col, A->cmap->N, "column"));
  PetscCall(ViaAIJ<&_MatOps::createsubmatrices>(A, n, row, col, reuse, B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatIncreaseOverlap_Blocked(Mat A, PetscInt n, IS is[], PetscInt overlap)
{
  PetscFunctionBegin;
  PetscCall(CheckIndices(n, is, A->rmap->N, "row"));
  PetscCall(ViaAIJ<&_MatOps::increaseoverlap>(A, n, is, overlap));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   The submatrix is of our format if it has the same unknowns of each block, as for PCFIELDSPLIT, and otherwise an aij, since a
   part of a matrix seldom fits our storage; PETSc's callers (PCFIELDSPLIT, PCASM, PCREDUNDANT, DMDA's view, ...) accept any type
*/
static PetscErrorCode MatCreateSubMatrix_Blocked(Mat A, IS row, IS col, MatReuse reuse, Mat *B)
{
  Mat aij;

  PetscFunctionBegin;
  PetscCall(CheckIndices(1, &row, A->rmap->N, "row"));
  if (col) PetscCall(CheckIndices(1, &col, A->cmap->N, "column"));
  if (reuse == MAT_INITIAL_MATRIX && col) {
    PetscCall(MatBlockedCreateFields(A, row, col, B));
    if (*B) PetscFunctionReturn(PETSC_SUCCESS);
  } else if (reuse == MAT_REUSE_MATRIX && HeptaIsBlocked(*B) && MatBlocked(*B)->fields) {
    PetscCall(MatBlockedCopyFields(A, row, col, *B));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatBlockedGetAIJ(A, &aij));
  PetscCall(MatCreateSubMatrix(aij, row, col, reuse, B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatCreateMPIMatConcatenateSeqMat_Blocked(MPI_Comm comm, Mat A, PetscInt n, MatReuse reuse, Mat *B)
{
  Mat aij;

  PetscFunctionBegin;
  PetscCall(MatBlockedGetAIJ(A, &aij));
  PetscCall(MatCreateMPIMatConcatenateSeqMat(comm, aij, n, reuse, B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *B <- the aij copy of a matrix of our types, or A itself if A is of another type */
static PetscErrorCode Plain(Mat A, Mat *B)
{
  PetscFunctionBegin;
  if (HeptaIsBlocked(A)) PetscCall(MatBlockedGetAIJ(A, B));
  else *B = A;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatIsTranspose_Blocked(Mat A, Mat B, PetscReal tol, PetscBool *flag)
{
  Mat a, b;

  PetscFunctionBegin;
  PetscCall(Plain(A, &a));
  PetscCall(Plain(B, &b));
  PetscCall(MatIsTranspose(a, b, tol, flag));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatIsSymmetric_Blocked(Mat A, PetscReal tol, PetscBool *flag)
{
  PetscFunctionBegin;
  PetscCall(MatIsTranspose_Blocked(A, A, tol, flag));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Overwrites the values of a sequential aij */
static PetscErrorCode SetOnes(Mat A)
{
  const PetscInt *ia, *ja;
  PetscInt        n;
  PetscBool       done;
  PetscScalar    *v;

  PetscFunctionBegin;
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &ia, &ja, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_PLIB, "No row structure");
  PetscCall(MatSeqAIJGetArrayWrite(A, &v));
  for (PetscInt k = 0; k < ia[n]; k++) v[k] = 1;
  PetscCall(MatSeqAIJRestoreArrayWrite(A, &v));
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &ia, &ja, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With ones at all entries set, an entry without a mirror image differs from the zero there */
static PetscErrorCode MatIsStructurallySymmetric_Blocked(Mat A, PetscBool *flag)
{
  Mat       aij, ones, diagonal, ghost = nullptr;
  PetscBool seq;

  PetscFunctionBegin;
  PetscCall(MatBlockedGetAIJ(A, &aij));
  PetscCall(MatDuplicate(aij, MAT_COPY_VALUES, &ones));
  diagonal = ones;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)ones, MATSEQAIJ, &seq));
  if (!seq) PetscCall(MatMPIAIJGetSeqAIJ(ones, &diagonal, &ghost, nullptr));
  PetscCall(SetOnes(diagonal));
  if (ghost) PetscCall(SetOnes(ghost));
  PetscCall(PetscObjectStateIncrease((PetscObject)ones));
  PetscCall(MatIsTranspose(ones, ones, 0, flag));
  PetscCall(MatDestroy(&ones));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PCLU and similar preconditioners call this function with -pc_factor_nonzeros_along_diagonal */
static PetscErrorCode MatReorderForNonzeroDiagonal_Blocked(Mat A, PetscReal tol, IS row, IS col)
{
  Mat aij;

  PetscFunctionBegin;
  PetscCall(MatBlockedGetAIJ(A, &aij));
  PetscCall(MatReorderForNonzeroDiagonal(aij, tol, row, col));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Operations that only one of seqaij and mpiaij has; callers check for their presence */
static PetscErrorCode SetOpsBySize(Mat A)
{
  PetscFunctionBegin;
  if (A->rmap->size == 1) {
    A->ops->lufactor  = HeptaNoThrow<MatLUFactor_Blocked>;
    A->ops->ilufactor = HeptaNoThrow<MatILUFactor_Blocked>;
    SetViaAIJ<&_MatOps::getcolumnij, &_MatOps::restorecolumnij, &_MatOps::transposesymbolic>(A);
    PetscCall(MatBlockedComposeFunction(A, "MatReorderForNonzeroDiagonal_C", HeptaNoThrow<MatReorderForNonzeroDiagonal_Blocked>));
  } else {
    SetViaAIJ<&_MatOps::createsubmatricesmpi, &_MatOps::getseqnonzerostructure, &_MatOps::getghosts>(A);
#if PETSC_VERSION_GE(3, 26, 0) /* the operation does not exist before */
    SetViaAIJ<&_MatOps::getordering>(A);
#endif
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBlockedSetOps_ViaAIJ(Mat A)
{
  PetscFunctionBegin;
  A->ops->sor                           = HeptaNoThrow<MatSOR_Blocked>;
  A->ops->increaseoverlap               = HeptaNoThrow<MatIncreaseOverlap_Blocked>;
  A->ops->createsubmatrix               = HeptaNoThrow<MatCreateSubMatrix_Blocked>;
  A->ops->createsubmatrices             = HeptaNoThrow<MatCreateSubMatrices_Blocked>;
  A->ops->creatempimatconcatenateseqmat = HeptaNoThrow<MatCreateMPIMatConcatenateSeqMat_Blocked>;
  A->ops->getrowij                      = HeptaNoThrow<MatGetRowIJ_Blocked>;
  A->ops->restorerowij                  = HeptaNoThrow<MatRestoreRowIJ_Blocked>;
  A->ops->issymmetric                   = HeptaNoThrow<MatIsSymmetric_Blocked>;
  A->ops->isstructurallysymmetric       = HeptaNoThrow<MatIsStructurallySymmetric_Blocked>;
  A->ops->fdcoloringsetup               = HeptaNoThrow<MatFDColoringSetUp_Blocked>;
  A->ops->fdcoloringapply               = HeptaNoThrow<MatFDColoringApply_Blocked>;
  if (!PetscDefined(USE_COMPLEX)) A->ops->ishermitian = HeptaNoThrow<MatIsSymmetric_Blocked>;
  SetViaAIJ<&_MatOps::getmultiprocblock, &_MatOps::permute, &_MatOps::creategraph, &_MatOps::fdcoloringcreate,
            &_MatOps::invertvariableblockdiagonal>(A);
  SetViaAIJ<&_MatOps::getrowmax, &_MatOps::getrowmin, &_MatOps::getrowmaxabs, &_MatOps::getrowminabs, &_MatOps::getrowsumabs,
            &_MatOps::getcolumnreductions>(A);
  SetViaAIJ<&_MatOps::findnonzerorows, &_MatOps::findzerodiagonals, &_MatOps::findoffblockdiagonalentries>(A);
  PetscCall(SetOpsBySize(A));
  PetscCall(MatBlockedComposeFunction(A, "MatIsTranspose_C", HeptaNoThrow<MatIsTranspose_Blocked>));
  PetscCall(MatBlockedComposeFunction(A, "MatProductSetFromOptions_anytype_C", HeptaNoThrow<MatProductSetFromOptions_Blocked>));
  PetscFunctionReturn(PETSC_SUCCESS);
}
