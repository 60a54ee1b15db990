/*
   A MATSEQAIJ that multiplies through a local part, such as block diagonals: what it keeps in addition to PETSc's compressed rows, and
   what one type of such matrices has of its own
*/
#pragma once

#include <memory>

#include "../blocked/blocked.h"

/* A type of such matrices: its words, and how its local part is made */
struct HeptaSeqAIJKind {
  const char               *name;    /* "seqaijbdia" */
  const char               *root;    /* "aijbdia" */
  const char               *through; /* "block diagonals": what products go through, in views */
  const HeptaBlockedFormat *format;
  PetscErrorCode (*create)(Mat);
  PetscErrorCode (*convert)(Mat, MatType, MatReuse, Mat *); /* from MATSEQAIJ: MatConvert_SeqAIJ_Blocked() with this kind */
  PetscErrorCode (*options)(Mat, hepta::blocked::Settings &);
  /* local <- the compressed rows, with entries and slots counted, or *why says why that is not possible; bs divides rows and columns */
  PetscErrorCode (*read)(const hepta::blocked::Settings &, const hepta::blocked::CSRView &, PetscInt bs, HeptaStorage &local, std::string *why);
  std::string (*title)(const HeptaStorage &); /* what a view tells of the structure */
};

namespace hepta::aijblocked
{

/* Hangs on the matrix as a container, so that A->data and A->spptr stay PETSc's */
struct Extra {
  const HeptaSeqAIJKind        *kind;
  blocked::Settings             set;             /* the limits beyond which the products stay with the compressed rows */
  bool                          current = false; /* local and why show the matrix as it is, unless one of these moved: */
  PetscObjectState              state = -1, nonzerostate = -1;
  PetscObjectState              relaxed     = -1;      /* the structure that PETSc's relaxation by i-nodes sized its buffers for */
  void                         *data        = nullptr; /* A->data: MatHeaderMerge() exchanges it */
  PetscCount                    entries     = 0;
  PetscInt                      filled_rows = 0; /* rows with entries */
  std::string                   why;             /* why the compressed rows are kept; empty: local holds the matrix */
  std::unique_ptr<HeptaStorage> local;
};

} // namespace hepta::aijblocked

#define HEPTA_SEQAIJBLOCKED_KEY "HeptaSeqAIJBlocked"

/* The kind of a type's name */
PETSC_INTERN PetscErrorCode MatSeqAIJBlockedFindKind(const char name[], const HeptaSeqAIJKind **);
/* A's extra part; makes one if A has none */
PETSC_INTERN PetscErrorCode MatSeqAIJBlockedGetExtra(Mat A, hepta::aijblocked::Extra **);
/* the same, local and why showing A as it is now */
PETSC_INTERN PetscErrorCode MatSeqAIJBlockedRefresh(Mat A, hepta::aijblocked::Extra **);
/* PETSc's own operations, as they were before the first conversion */
const struct _MatOps *MatSeqAIJBlockedBaseOps(void);
/* From MATSEQAIJ to a kind's type */
PETSC_INTERN PetscErrorCode MatConvert_SeqAIJ_Blocked(Mat, const HeptaSeqAIJKind &, MatReuse, Mat *);

/* The converter and the constructor of a kind */
template <const HeptaSeqAIJKind &K> PetscErrorCode MatConvert_SeqAIJ(Mat A, MatType, MatReuse reuse, Mat *B)
{
  PetscFunctionBegin;
  PetscCall(MatConvert_SeqAIJ_Blocked(A, K, reuse, B));
  PetscFunctionReturn(PETSC_SUCCESS);
}
template <const HeptaSeqAIJKind &K> PetscErrorCode MatCreate_SeqAIJ(Mat A)
{
  PetscFunctionBegin;
  PetscCall(MatSetType(A, MATSEQAIJ));
  PetscCall(MatConvert_SeqAIJ_Blocked(A, K, MAT_INPLACE_MATRIX, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PETSC_INTERN PetscErrorCode MatMult_SeqAIJBlocked(Mat, Vec, Vec);
PETSC_INTERN PetscErrorCode MatMultAdd_SeqAIJBlocked(Mat, Vec, Vec, Vec);
PETSC_INTERN PetscErrorCode MatMultTranspose_SeqAIJBlocked(Mat, Vec, Vec);
PETSC_INTERN PetscErrorCode MatMultTransposeAdd_SeqAIJBlocked(Mat, Vec, Vec, Vec);
