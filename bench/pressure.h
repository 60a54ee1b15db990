/* The parts of bench/pressure: preconditioners for the pressure equation of two-phase flow (examples/bubbly_problem.h), ours
   against PETSc's */
#pragma once

#include <petscksp.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <bubbly_problem.h>

#include "table.h"
#include "try.h"

struct PressureOptions {
  PetscBool                device  = PETSC_FALSE;
  PetscInt                 repeats = 5, steps = 20, max_it = 5000;
  PetscReal                rtol = sizeof(PetscReal) < 8 ? 1e-4 : 1e-8, contrast = 1000, budget = 10, dt = 0.01, move = 0.1;
  PetscInt                 apply_n = 0, steps_n = 0, together = 4000000;
  std::vector<PetscInt>    twophase, bubbles, rock, weak_twophase, weak_bubbles, media; /* cells a side */
  std::vector<std::string> files;
};

/* A matrix whose values change with time, of our type and of PETSc's, each made when it is asked for */
struct Problem {
  std::string name; /* of the kind: "two-phase", "bubbles", "cells 1e+07" */
  Mat         ours = nullptr, theirs = nullptr;
  PetscBool   device = PETSC_FALSE;
  PetscInt    rows = 0, dim = 2, n = 0; /* n: cells a side, 0 without a grid */

  virtual ~Problem() = default;
  virtual std::string Title() const { return name; }
  /* The time of a round of all methods; time 0 is that of the first set-ups */
  virtual PetscReal      Time(const PressureOptions &, PetscInt round) const = 0;
  virtual PetscErrorCode SetTime(PetscReal)                                  = 0;
  /* The matrix for the time that is set */
  virtual PetscErrorCode Matrix(bool of_ours, Mat *A) = 0;
  /* The same matrix as PFMG takes it, of type hyprestruct; without a grid `from` itself */
  virtual PetscErrorCode OnGrid(Mat from, Mat *A);
  virtual PetscErrorCode CreateVec(Vec *)                     = 0;
  virtual PetscErrorCode RHS(PetscInt step, Vec b, Vec exact) = 0;
  /* y <- A x, to check an answer with: not by the matrix that a method of ours has */
  virtual PetscErrorCode Apply(Vec x, Vec y) = 0;
  /* What a solver of ours is told beside the matrix */
  virtual PetscErrorCode Tell(KSP);
  virtual PetscErrorCode Destroy();
};

/* A flow on a grid */
struct GridProblem : Problem {
  FlowOptions o;
  Flow        flow    = nullptr;
  Mat         on_grid = nullptr;

  std::string    Title() const override; /* "bubbles 128^3" */
  PetscReal      Time(const PressureOptions &, PetscInt round) const override;
  PetscErrorCode SetTime(PetscReal) override;
  PetscErrorCode Matrix(bool of_ours, Mat *A) override;
  PetscErrorCode OnGrid(Mat from, Mat *A) override;
  PetscErrorCode CreateVec(Vec *) override;
  PetscErrorCode RHS(PetscInt step, Vec b, Vec exact) override;
  PetscErrorCode Apply(Vec x, Vec y) override; /* by the flows over the faces */
  PetscErrorCode Tell(KSP) override;           /* the grid */
  PetscErrorCode Destroy() override;
};

/* A matrix without a grid: theirs is aij, or aijcusparse, and ours brow, or browcuda. At time t it is D A D, where D varies along
   the rows, the same in the rows of a block, and is 1 at time 0. */
struct MeshProblem : Problem {
  PetscReal time = 0, at[2] = {0, 0}; /* what is set, and that of theirs and ours */

  PetscReal      Time(const PressureOptions &, PetscInt round) const override;
  PetscErrorCode SetTime(PetscReal) override;
  PetscErrorCode Matrix(bool of_ours, Mat *A) override;
  PetscErrorCode CreateVec(Vec *) override;
  PetscErrorCode RHS(PetscInt step, Vec b, Vec exact) override;
  PetscErrorCode Apply(Vec x, Vec y) override; /* by theirs */
};

using MethodOptions = std::vector<std::pair<const char *, const char *>>;

/* box_cells 0: the default size, or no boxes at all */
struct Method {
  const char   *tag, *name; /* tag_ is the prefix of its options */
  bool          ours;
  const char   *pc;
  PetscInt      box_cells;
  MethodOptions options; /* of its preconditioner, unless the command line says otherwise */
};

struct Seconds {
  double values, setup, solve;

  double Total() const { return setup + solve; }
};

/* A method at work on a problem */
struct Solver {
  const Method        *method = nullptr;
  KSP                  ksp    = nullptr;
  Vec                  b = nullptr, x = nullptr, r = nullptr, exact = nullptr;
  std::string          failure;              /* the error that it ended with */
  Seconds              first{};              /* with the structures made */
  std::vector<Seconds> seconds;              /* later, when only values are new */
  PetscInt             its = 0, all_its = 0; /* the most in a solve, and the sum */
  PetscReal            residual = 0;         /* the largest true relative residual */
  /* the largest error of an unknown, of all solves; the exact solution is in [0, 1) */
  PetscReal error   = 0;
  bool      reached = true; /* the tolerance, in all solves */
  /* a row, of all levels beside the matrix, as its view says; 0 without it and on processes but the first */
  double bytes               = 0;
  double operator_complexity = 0; /* the entries of all levels over those of the first, likewise */

  double Median(double (*of)(const Seconds &)) const;
  double Median() const
  {
    return Median([](const Seconds &s) { return s.Total(); });
  }
};

/* Methods for a grid, ours and then PETSc's, or without one; those that -methods lists by their tags, or all that run here */
PetscErrorCode PressureMethods(const PressureOptions &, bool grid, std::vector<Method> *);
/* Further options of its preconditioner, for the dimension, unless the command line says otherwise */
std::vector<std::pair<const char *, const char *>> MethodOptionsIn(const Method &, PetscInt dim);

PetscErrorCode ProblemCreate(const PressureOptions &, FlowProblem, PetscInt n, GridProblem *);
/* From a PETSc binary file; the block size from FILE.info, the near null space from the coordinates in FILE.coordinates */
PetscErrorCode MeshLoad(const PressureOptions &, const std::string &file, MeshProblem *);
/* The matrix of a flow, which does not know its grid */
PetscErrorCode MeshOfFlow(const PressureOptions &, FlowProblem, PetscInt n, MeshProblem *);

/* Sets prefix's option unless it is set; both without a dash in front */
PetscErrorCode PressureDefault(const std::string &prefix, const char option[], const char value[], PetscBool *given = nullptr);
/* An error of the solver itself ends only that solver; so it is with SolverRun() */
PetscErrorCode SolverCreate(const PressureOptions &, Problem *, const Method *, PetscInt max_it, Solver *);
PetscErrorCode SolverDestroy(Solver *);
/* s->bytes and s->operator_complexity from the view; collective */
PetscErrorCode SolverMeasure(Solver *);
/* Set the time, the matrix and another right-hand side, set up, solve, check */
PetscErrorCode SolverRun(const PressureOptions &, Problem *, Solver *, PetscReal time, PetscInt step);
/* BenchNow() of all processes together */
PetscErrorCode PressureNow(const PressureOptions &, double *seconds);

/*
   A run of each method that makes its structures, at time 0, then `repeats` rounds of all methods in turn, each when the bubbles
   have moved by -move cells more; what has used up its seconds sits out. Solvers in *done are those that ran, their objects
   freed.
*/
PetscErrorCode PressureRounds(const PressureOptions &, Problem *, const std::vector<Method> &, PetscInt repeats, PetscInt max_it,
                              std::vector<Solver> *done);
/* A tiny problem with every method: what is loaded and created once in a process is no part of a first set-up */
PetscErrorCode PressureWarmUp(const PressureOptions &, FlowProblem, const std::vector<Method> &);
/* what a table says of it */
const char *PressureWarmUpNote(void);
/* "yes", "no" or why it failed */
std::string SolverVerdict(const Solver &);
/* The cells of a solver that tables of set-ups and solves begin with, and their columns */
std::vector<BenchCell>   SolverCells(const Problem &, const Solver &);
std::vector<std::string> SolverColumns(void);
/* The least that `of` says of those that reached the tolerance and are chosen, 0 if there is none */
double SolversLeast(const std::vector<Solver> &, bool (*chosen)(const Solver &), double (*of)(const Solver &));

/* Each appends tables; *bad counts our solvers that failed or missed the tolerance */
PetscErrorCode PressureSolve(const PressureOptions &, std::vector<BenchTable> &, PetscInt *bad);
PetscErrorCode PressureApply(const PressureOptions &, std::vector<BenchTable> &, PetscInt *bad);
PetscErrorCode PressureSteps(const PressureOptions &, std::vector<BenchTable> &, PetscInt *bad);
PetscErrorCode PressureWeak(const PressureOptions &, std::vector<BenchTable> &, PetscInt *bad);
PetscErrorCode PressureMeshes(const PressureOptions &, std::vector<BenchTable> &, PetscInt *bad);
