/* The parts of bench/krylov: iterations of our Krylov methods against PETSc's own, the fastest of their variants and formats */
#pragma once

#include <petscksp.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "petsc_types.h"
#include "table.h"
#include "try.h"

struct KrylovOptions {
  PetscBool                device = PETSC_FALSE, thesis = PETSC_FALSE;
  PetscInt                 its = 0, repeats = 5, max_it = 0; /* 0: by the size of the problem */
  PetscInt                 shrink = 1, copies_to = 2000000;
  PetscReal                rtol = sizeof(PetscReal) < 8 ? 1e-4 : 1e-8;
  std::vector<std::string> cases, files;
};

/* A matrix in a format, with vectors of its kind */
struct KrylovMatrix {
  bool        ours;
  std::string name;
  Mat         A = nullptr, P = nullptr; /* P: what the preconditioner is made from */
  Vec         b = nullptr, x = nullptr;
  double      bytes = 0; /* that a product reads of it; 0: not known */
};

/* A linear system in several formats. The first matrix that is added stands for the problem where any will do. */
struct KrylovProblem {
  std::string                                     name;
  PetscInt                                        rows = 0, nc = 1;
  double                                          nnz    = 0;
  bool                                            device = false;
  CSR                                             csr;
  Mat                                             aij = nullptr; /* uses csr's arrays */
  DM                                              dm  = nullptr; /* borrowed; null where no preconditioner asks for a grid */
  std::vector<PetscScalar>                        b;
  std::vector<std::unique_ptr<KrylovMatrix>>      matrices;
  std::function<PetscErrorCode(Vec, PetscReal *)> residual; /* true relative residual of x, by neither solver nor format */
};

/* One of PETSc's methods or ours */
struct KrylovMethod {
  const char *name;
  KSPType     type;
  KSPNormType norm;
  PCSide      side;
  bool        single; /* one reduction an iteration, KSPCGUseSingleReduction() */
};

enum class KrylovRole {
  ours,
  rival,
  beside /* PETSc's method on our matrix: what the matrix alone brings */
};

struct KrylovEntry {
  const KrylovMatrix *matrix;
  const KrylovMethod *method;
  KrylovRole          role;
  double              target; /* time of the fastest rival / time of this one, at least; 0: none is set */

  std::string Name() const { return std::string(method->name) + " on " + matrix->name; }
};

/* Entries that solve the same system with the same preconditioner */
struct KrylovContest {
  std::string              what;
  PCType                   pc;
  std::vector<KrylovEntry> entries;
  PetscInt                 most_its = 500; /* iterations of a timed solve */
  /* of the preconditioner, unless the command line has them with the prefix krylov_ */
  std::vector<std::pair<std::string, std::string>> options = {};
};

/* An entry at work */
struct KrylovRun {
  const KrylovEntry *entry = nullptr;
  KSP                ksp   = nullptr;
  std::string        failure, early; /* why it takes no part; why it stopped before the others, if it did */
  double             seconds = 0;    /* of an iteration, the median */
  PetscInt           its     = 0;    /* of a timed solve */
};

/* The report as it grows */
struct KrylovBook {
  BenchTable targets, floors, solves, times, thesis, formats;
  PetscInt   bad = 0, compared = 0; /* ours that failed or have another residual than the rival; ours that were timed */

  KrylovBook();
  PetscErrorCode Write() const;
};

/* krylov_problem.cxx. The aij of p.csr, the right-hand side and the residual; Add: p's aij in another type, with an option set
   meanwhile (null for none). A format that cannot be made is told on stderr and left out. */
PetscErrorCode KrylovProblemStart(const KrylovOptions &, const std::string &name, CSR &&, KrylovProblem *);
PetscErrorCode KrylovProblemAdd(KrylovProblem *, bool ours, const std::string &name, const std::string &type, const char option[],
                                const char value[]);
/* PETSc's compressed rows and slices; for a block size above 1 that divides the rows PETSc's blocks, on a device cuSPARSE's */
PetscErrorCode      KrylovProblemAddRivals(KrylovProblem *, PetscInt bs);
const KrylovMatrix *KrylovProblemFind(const KrylovProblem &, const std::string &name);
PetscErrorCode      KrylovProblemDestroy(KrylovProblem *);
/* krylov_bsr.cxx: cuSPARSE's product in blocks of bs as a Mat; null where it has none */
PetscErrorCode KrylovCreateBSR(CSR &, PetscInt bs, Mat *);

/* krylov_methods.cxx */
extern const KrylovMethod krylovFusedCG, krylovFusedCGSingle, krylovFusedBCGS, krylovDPCG, krylovBiCGCR, krylovCG,
  krylovCGNatural, krylovCGUnpreconditioned, krylovBCGS;
/* The rivals of fusedcg, fusedbcgs or bicgcr on all matrices that are not ours, and PETSc's cg, bcgs or cr on each of ours */
std::vector<KrylovEntry> KrylovCGRivals(const KrylovProblem &);
std::vector<KrylovEntry> KrylovBCGSRivals(const KrylovProblem &);
std::vector<KrylovEntry> KrylovCRRivals(const KrylovProblem &);
/* Takes out entries whose KSP type is not registered, with a sentence on stderr; *ours: is one of ours left? */
PetscErrorCode KrylovDropMissing(const KrylovProblem &, KrylovContest *, bool *ours);
/* Bytes that the passes of an iteration move at least, 0 where no formula is known */
double KrylovBytes(const KrylovProblem &, const KrylovEntry &, PCType);

/* krylov_time.cxx. Times all entries that work, interleaved, `inner` solves of `its` iterations at a time; *bytes_per_second: of
   a copy in the same run, 0 where no floor is known */
PetscErrorCode KrylovTime(const KrylovOptions &, const KrylovProblem &, const KrylovContest &, PetscInt its, PetscInt inner,
                          std::vector<KrylovRun> *, double *bytes_per_second);
PetscErrorCode KrylovRunsDestroy(std::vector<KrylovRun> *);
/* Solves once, from zero to the tolerance or the limit */
struct KrylovSolved {
  PetscInt           its      = 0;
  double             seconds  = 0;
  PetscReal          residual = 0;
  KSPConvergedReason reason   = KSP_CONVERGED_ITERATING;
};
PetscErrorCode KrylovConverge(const KrylovOptions &, const KrylovProblem &, const KrylovRun &, KSPNormType, KrylovSolved *);
/* krylov_report.cxx. Times, solves and writes down, if there is one of ours */
PetscErrorCode KrylovCompare(const KrylovOptions &, const KrylovProblem &, KrylovContest, KrylovBook *);

/* The cases, krylov_cases.cxx, krylov_flow.cxx, krylov_thesis.cxx and krylov_formats.cxx */
PetscErrorCode KrylovCG2(const KrylovOptions &, KrylovBook *);
PetscErrorCode KrylovCG3(const KrylovOptions &, KrylovBook *);
PetscErrorCode KrylovCR(const KrylovOptions &, KrylovBook *);
PetscErrorCode KrylovIP(const KrylovOptions &, KrylovBook *);
PetscErrorCode KrylovBCGS(const KrylovOptions &, KrylovBook *);
PetscErrorCode KrylovBlocks(const KrylovOptions &, KrylovBook *);
PetscErrorCode KrylovStorage(const KrylovOptions &, KrylovBook *);
PetscErrorCode KrylovDeflation(const KrylovOptions &, KrylovBook *);
PetscErrorCode KrylovHost(const KrylovOptions &, KrylovBook *);
PetscErrorCode KrylovThesis(const KrylovOptions &, KrylovBook *);
PetscErrorCode KrylovFormats(const KrylovOptions &, KrylovBook *);
/* The matrices of -matrix that are there */
PetscErrorCode KrylovFiles(const KrylovOptions &, const char what[], std::vector<std::string> *files);
/* Sizes that an option lists, or these divided by -shrink, the least being `least` */
PetscErrorCode KrylovSizes(const KrylovOptions &, const char option[], PetscInt least, std::vector<PetscInt> *);
