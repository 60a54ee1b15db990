/*
   One random sequence of changes to a matrix of ours and to the same matrix as MATAIJ, which must stay equal: entries, products,
   norms, and the preconditioners that are kept over the changes. Its seed decides all of it, on every rank alike.
*/
#pragma once

#include "device.h"
#include <petscksp.h>

#include <random>
#include <string>
#include <vector>
#include <unistd.h>

/* A preconditioner that is kept while the matrix changes; made when it is first asked for */
struct Kept {
  const char *prefix, *options;
  bool        like_aij; /* does the same for MATAIJ */
  PC          pc = nullptr;
};

/* What is stored differently from MATAIJ in a converted copy */
enum class Pattern {
  SAME,
  OTHER /* MATDENSE, MATBAIJ: zeros that MATAIJ does not store */
};

struct Sequence {
  PetscMPIInt       rank = 0, size = 1;
  PetscInt          seed = 1;
  std::mt19937      engine;
  std::string       type;                         /* of our matrix when the sequence begins */
  bool              single = false, half = false; /* its storage */
  PetscReal         tol = 0;                      /* relative, of entries and products */
  PetscInt          bs = 1, m = 0, n = 0, M = 0, N = 0;
  bool              square = true;            /* rows and columns are split over the ranks in the same way */
  Mat               A = nullptr, B = nullptr; /* MATAIJ, and ours */
  std::vector<Kept> kept;
  std::string       trace, failure; /* what was done; what differs on this rank, if anything */
  PetscInt          compared = 0;   /* pairs of matrices */
  PetscInt          applied  = 0;   /* kept preconditioners that were compared with new ones */

  /* From here to the next call, the random numbers depend on the seed and the step alone, so that steps can be left out */
  void Begin(PetscInt step);
  /* 0, ..., n - 1 */
  PetscInt Random(PetscInt n);
  bool     Maybe(PetscInt n) { return Random(n) == 0; }
  /* -1, ..., 1 in steps of 0.001 */
  PetscReal Value() { return (PetscReal)Random(2001) / 1000 - 1; }
  void      Note(const std::string &what) { trace += what + " "; }
  /* Keeps the first difference */
  void Differs(const char format[], ...) PETSC_ATTRIBUTE_FORMAT(2, 3);
};

/* sequence.cxx: shapes, the empty matrices, and vectors and entries given to both */
PetscErrorCode SequenceCreate(Sequence &);
PetscErrorCode SequenceDestroy(Sequence &);
PetscErrorCode SequenceSizes(Sequence &);
PetscErrorCode NewMatrix(const Sequence &, MatType, PetscInt bs, Mat *);
PetscErrorCode AllowNewEntries(Mat);
/* `count` random entries, near the diagonal or anywhere; with `diagonal`, all of those besides */
PetscErrorCode SetEntries(Sequence &, Mat A, Mat B, PetscInt count, InsertMode, bool near, bool diagonal);
/* Random vectors of the same values: v[0] for A, v[1] for B; as long as rows (or columns) */
PetscErrorCode RandomVectors(Sequence &, Mat A, Mat B, bool rows, Vec v[2]);
PetscErrorCode DestroyVectors(Vec v[2]);

/* compare.cxx */
PetscErrorCode Compare(Sequence &, Mat A, Mat B, const char what[], Pattern = Pattern::SAME);
PetscErrorCode CompareVectors(Sequence &, Vec a, Vec b, PetscReal tol, const std::string &what);

/* preconditioners.cxx */
PetscErrorCode ChooseKept(Sequence &);
PetscErrorCode InsertKeptOptions();
PetscErrorCode ComparePreconditioners(Sequence &);
/* A matrix that is not of our blocked types changes by PETSc's operations, whose kept preconditioners may be stale */
PetscErrorCode ForgetKeptOfPETSc(Sequence &);

/* A kind of change */
struct Change {
  const char *name;
  int         weight; /* how often it comes */
  PetscErrorCode (*apply)(Sequence &);
};

/* values.cxx, structures.cxx, copies.cxx */
extern const std::vector<Change> value_changes, structure_changes, copy_changes;
