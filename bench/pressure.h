/* The parts of bench/pressure: preconditioners for the pressure equation of two-phase flow (examples/bubbly_problem.h), ours against PETSc's */
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
  PetscBool             device  = PETSC_FALSE;
  PetscInt              repeats = 5, steps = 20, max_it = 5000;
  PetscReal             rtol = sizeof(PetscReal) < 8 ? 1e-4 : 1e-8, contrast = 1000, budget = 10, dt = 0.01, move = 0.1;
  PetscInt              apply_n = 0, steps_n = 0, together = 4000000;
  std::vector<PetscInt> twophase, bubbles, rock, weak_twophase, weak_bubbles; /* cells a side */
};

/* A flow with its matrix of our type and of PETSc's, each made when it is asked for */
struct Problem {
  std::string name; /* of the kind: "two-phase", "bubbles", "cells 1e+07" */
  FlowOptions o;
  Flow        flow = nullptr;
  Mat         ours = nullptr, theirs = nullptr, on_grid = nullptr;
  PetscBool   device = PETSC_FALSE;
  PetscInt    rows   = 0;

  std::string Title() const; /* "bubbles 128^3" */
  /* The matrix for the time that the flow is set to */
  PetscErrorCode Matrix(bool of_ours, Mat *A);
  /* The same matrix as PFMG takes it: of type hyprestruct */
  PetscErrorCode OnGrid(Mat from, Mat *A);
};

/* box_cells 0: the default size, or no boxes at all */
struct Method {
  const char                                        *tag, *name; /* tag_ is the prefix of its options */
  bool                                               ours;
  const char                                        *pc;
  PetscInt                                           box_cells;
  std::vector<std::pair<const char *, const char *>> options; /* of its preconditioner, unless the command line says otherwise */
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
  PetscReal            error    = 0;         /* the largest error of an unknown, of all solves; the exact solution is in [0, 1) */
  bool                 reached  = true;      /* the tolerance, in all solves */
  double               bytes    = 0;         /* a row, of all levels of the cycle beside the matrix, as its view says; 0 without it and on processes but the first */

  double Median(double (*of)(const Seconds &)) const;
  double Median() const
  {
    return Median([](const Seconds &s) { return s.Total(); });
  }
};

/* Our methods, then PETSc's; those that -methods lists by their tags, or all that run here */
PetscErrorCode PressureMethods(const PressureOptions &, std::vector<Method> *);
/* Further options of its preconditioner, for the dimension, unless the command line says otherwise */
std::vector<std::pair<const char *, const char *>> MethodOptionsIn(const Method &, PetscInt dim);

PetscErrorCode ProblemCreate(const PressureOptions &, FlowProblem, PetscInt n, Problem *);
PetscErrorCode ProblemDestroy(Problem *);

/* Sets prefix's option unless it is set; both without a dash in front */
PetscErrorCode PressureDefault(const std::string &prefix, const char option[], const char value[], PetscBool *given = nullptr);
/* An error of the solver itself ends only that solver; so it is with SolverRun() */
PetscErrorCode SolverCreate(const PressureOptions &, Problem *, const Method *, PetscInt max_it, Solver *);
PetscErrorCode SolverDestroy(Solver *);
/* s->bytes from the view; collective */
PetscErrorCode SolverMeasure(Solver *);
/* Set the time, the matrix and another right-hand side, set up, solve, check */
PetscErrorCode SolverRun(const PressureOptions &, Problem *, Solver *, PetscReal time, PetscInt step);
/* BenchNow() of all processes together */
PetscErrorCode PressureNow(const PressureOptions &, double *seconds);

/*
   A run of each method that makes its structures, at time 0, then `repeats` rounds of all methods in turn, each when the bubbles have
   moved by -move cells more; what has used up its seconds sits out. Solvers in *done are those that ran, their objects freed.
*/
PetscErrorCode PressureRounds(const PressureOptions &, Problem *, const std::vector<Method> &, PetscInt repeats, PetscInt max_it, std::vector<Solver> *done);
/* A tiny problem with every method: what is loaded and created once in a process is no part of a first set-up */
PetscErrorCode PressureWarmUp(const PressureOptions &, FlowProblem, const std::vector<Method> &);
/* what a table says of it */
const char *PressureWarmUpNote(void);
/* "yes", "no" or why it failed */
std::string SolverVerdict(const Solver &);

/* Each appends tables; *bad counts our solvers that failed or missed the tolerance */
PetscErrorCode PressureSolve(const PressureOptions &, std::vector<BenchTable> &, PetscInt *bad);
PetscErrorCode PressureApply(const PressureOptions &, std::vector<BenchTable> &, PetscInt *bad);
PetscErrorCode PressureSteps(const PressureOptions &, std::vector<BenchTable> &, PetscInt *bad);
PetscErrorCode PressureWeak(const PressureOptions &, std::vector<BenchTable> &, PetscInt *bad);
