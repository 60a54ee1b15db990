/*
   A MATSEQAIJ that multiplies through a local part, such as block diagonals: the data in addition to PETSc's compressed rows, and
   the description of one type of such matrices
*/
#pragma once

#include <memory>

#include "../blocked/blocked.h"

/* A type of such matrices: its names, and how its local part is made */
struct HeptaSeqAIJKind {
  const char               *name;    /* "seqaijbdia" */
  const char               *root;    /* "aijbdia": where PETSc looks up which parallel matrix has parts of this type */
  const char               *through; /* "block diagonals": the local part's name in views */
  const HeptaBlockedFormat *format;
  PetscErrorCode (*create)(Mat);
  PetscErrorCode (*convert)(Mat, MatType, MatReuse, Mat *); /* from MATSEQAIJ: MatConvert_SeqAIJ_Blocked() with this kind */
  PetscErrorCode (*options)(Mat, hepta::blocked::Settings &);
  /* local <- the compressed rows, entries and slots counted, or *why <- why that is not possible; bs divides rows and columns */
  PetscErrorCode (*read)(const hepta::blocked::Settings &, const hepta::blocked::CSRView &, PetscInt bs, HeptaStorage &local,
                         std::string *why);
};

namespace hepta::aijblocked
{

/* Composed with the matrix in a container, so that A->data and A->spptr remain PETSc's */
struct Extra {
  const HeptaSeqAIJKind *kind;
  blocked::Settings      set;             /* the limits beyond which the products stay with the compressed rows */
  bool                   current = false; /* `local` and `why` are up to date unless one of these has changed: */
  PetscObjectState       state = -1, nonzerostate = -1;
  /* the structure that PETSc's relaxation by i-nodes sized its buffers for */
  PetscObjectState              relaxed     = -1;
  void                         *data        = nullptr; /* A->data, which MatHeaderMerge() replaces */
  PetscCount                    entries     = 0;
  PetscInt                      filled_rows = 0; /* rows with entries */
  std::string                   why;             /* why the compressed rows are kept; empty: local holds the matrix */
  std::unique_ptr<HeptaStorage> local;
};

/* The operations of a plain seqaij, before the first conversion, the same for all: one copy is enough, and is valid even after
   MatHeaderMerge() has changed a matrix */
extern struct _MatOps base;

} // namespace hepta::aijblocked

#define HEPTA_SEQAIJBLOCKED_KEY "HeptaSeqAIJBlocked"

/* The Extra of A, created if A has none */
PETSC_INTERN PetscErrorCode MatSeqAIJBlockedGetExtra(Mat A, hepta::aijblocked::Extra **);
/* the same, with `local` and `why` up to date */
PETSC_INTERN PetscErrorCode MatSeqAIJBlockedRefresh(Mat A, hepta::aijblocked::Extra **);
/* Converts a MATSEQAIJ to the type of a kind */
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

/* y <- z + op(A) x, z may be null */
PETSC_INTERN PetscErrorCode MatSeqAIJBlockedMultiply(Mat, bool transpose, Vec x, Vec z, Vec y);
