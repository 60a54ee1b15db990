/* The parts of bench/trisolve: triangular solves, ours against cuSPARSE and PETSc */
#pragma once

#include <petscksp.h>

#include <functional>
#include <string>
#include <vector>

#include "csr.h"
#include "table.h"
#include "try.h"

struct TriOptions {
  PetscBool device = PETSC_TRUE, engines = PETSC_FALSE, generated = PETSC_FALSE, preconditioners = PETSC_TRUE, view = PETSC_FALSE,
            verbose = PETSC_FALSE;
  PetscInt  repeats = 15, its = 50, shrink = 1;
  PetscReal budget             = 0.3;
  std::vector<PetscInt>    rhs = {1, 5, 50, 100}, poisson, poisson3;
  std::vector<std::string> files, orders = {"natural", "level"};
};

/* A triangular matrix, and the matrix whose factor it is; a generated triangle has none */
struct TriCase {
  std::string name, order;
  bool        symmetric = false, cg = false; /* cg: also time iterations with A */
  CSR         A, U;
};

/* A case in the making, by order: "natural", "level" */
struct TriSource {
  std::string                                                   name;
  std::vector<std::string>                                      orders;
  std::function<PetscErrorCode(const std::string &, TriCase *)> make;
};

/* What is timed: `calls` runs in a row and one synchronization. What has something to do before each run has one run at a time */
struct TriTimed {
  std::string                             name;
  std::function<PetscErrorCode()>         before, run;  /* before: not timed, may be null */
  std::function<PetscErrorCode(double *)> check   = {}; /* the backward error of the first answer, null where there is none */
  PetscInt                                calls   = 1;  /* set by the warm-up */
  double                                  median  = 0;  /* microseconds a run, 0 when it failed */
  double                                  error   = -1; /* backward error */
  std::string                             failure = {}; /* the error that it ended with */
  std::vector<double>                     us      = {};
  double                                  spent   = 0; /* seconds */
};

/* Right-hand sides and answers, column-major, in the memory that is measured; every contestant writes to the same answers, which
   are checked meanwhile */
struct TriVectors {
  PetscBool    device = PETSC_FALSE;
  PetscInt     rows = 0, n = 0;
  PetscScalar *b = nullptr, *x = nullptr;

  PetscErrorCode Create(PetscBool on_device, PetscInt size, PetscInt columns);
  PetscErrorCode Destroy();
  /* NaN in the first n answers */
  PetscErrorCode Poison(PetscInt columns);
  /* The largest ||b - U x|| / || |U| |x| + |b| ||, in the maximum norm, of the first, the middle and the last of n answers */
  PetscErrorCode Check(const CSR &U, PetscInt columns, double *error) const;
};

/* What HeptaMatGetLevels() says */
struct TriShape {
  PetscInt    levels = 0, blocks = 0, length = 0;
  std::string failure;
};

/* The tables of the report, which grow by a row at each case */
struct TriTables {
  BenchTable ratios, times, errors, engines, preconditioners, cg;
  PetscInt   bad = 0; /* cases where ours failed or gave a wrong answer */

  explicit TriTables(const TriOptions &);
  std::vector<BenchTable> All() const;
};

/* Matrices */
PetscErrorCode TriSources(const TriOptions &, std::vector<TriSource> *);
/* The upper factor of ILU(0), its diagonal with it */
PetscErrorCode TriILU(const CSR &A, CSR *U);
/* U of some levels of equal size in level order; its rows have 2 to `most` entries, few of them many */
CSR TriLevels(PetscInt rows, PetscInt levels, PetscInt most);
/* The first row depends on all others, which are independent */
CSR TriArrow(PetscInt rows);
/* Each row depends on the next */
CSR TriChain(PetscInt rows);

/* Warms up, checks, then takes turns until the repeats are done or a contestant's budget is spent; what fails sits out */
PetscErrorCode TriTime(const TriOptions &, std::vector<TriTimed> &);
/* Names of the contestants for n right-hand sides, ours last */
std::vector<std::string> TriNames(const TriOptions &, PetscInt n);
BenchCell                TriTimeCell(const TriTimed *);
BenchCell                TriErrorCell(const TriTimed *);
/* One line on stderr, for runs that do not live to print their tables */
PetscErrorCode TriSay(const BenchTable &);

/* The engines of bbs, which -engines measures too */
constexpr int            TriEngineCount = 4;
extern const char *const TriEngines[TriEngineCount];

/* Rows of a case: groups[0] is the analysis, groups[1 + k] the solves with rhs[k], our engines behind the contestants */
PetscErrorCode TriReport(const TriOptions &, const TriCase &, const TriShape &, const std::vector<std::vector<TriTimed>> &groups,
                         TriTables &);

/* A case: analysis and solves with U; the preconditioners made of A */
PetscErrorCode TriSolves(const TriOptions &, TriCase &, TriTables &);
PetscErrorCode TriPreconditioners(const TriOptions &, TriCase &, TriTables &);
/* A as a matrix of the type that is measured, its values on the device if that is where it is measured */
PetscErrorCode TriMat(const TriOptions &, CSR &A, Mat *B);
/* The values are new, and the same, on the device if they were there: the next set-up has something to do */
PetscErrorCode TriTouch(Mat B);
