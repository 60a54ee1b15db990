/*
   The solvers of the bubbly example: one for each preconditioner, set up again in every time step
*/
#pragma once

#include <petscksp.h>
#include "bubbly_problem.h"

#define MAX_COMPARE 6

typedef struct {
  char               name[32]; /* the preconditioner */
  Mat                A;        /* borrowed */
  KSP                ksp;
  Vec                x;         /* the answer, and the next step's first guess */
  PetscBool          converged; /* the solver says so and the true residual agrees */
  PetscBool          failed;    /* in this step or one before */
  KSPConvergedReason reason;
  PetscInt           its;
  PetscReal          residual, error; /* ||b - A x|| / ||b||, max |x - exact| */
  PetscReal         *history;         /* residual norms of the last solve */
  PetscInt           nhistory;
  PetscLogDouble    *progress;                 /* when something was last said, or NULL */
  PetscLogDouble     setup, solve;             /* seconds, of the last step */
  PetscLogDouble     total_setup, total_solve; /* of all steps */
} Run;

typedef struct {
  Flow      flow;
  Mat       A, other; /* in the DM's type, and in PETSc's type for the solvers to compare with, or NULL */
  Vec       b, exact;
  PetscBool has_exact, monitor_error; /* monitor_error: the solvers print the error in each iteration, */
  PetscReal exact_norms[2];           /* relative to these norms of the exact solution */
} System;

/* pc: the preconditioner, NULL: the default for the matrix and Hepta's fusedcg, open to -pc_type and -ksp_type; the options of
   solvers to compare with begin with -compare_<pc>_ */
PetscErrorCode RunCreate(const System *, Mat A, const char pc[], Run *);
PetscErrorCode RunDestroy(Run *);
/* Sets the solver up and solves; guess: from what is in x */
PetscErrorCode RunSolve(const System *, PetscBool guess, Run *);

/* The norms of the exact solution for -monitor_error, which must be known */
PetscErrorCode SystemExactNorms(System *);

/* Seconds, until what the flow's device computes has come to its end on all processes */
PetscErrorCode FlowNow(Flow, PetscLogDouble *);

PetscErrorCode RunViewSolver(const Run *);
PetscErrorCode RunReport(const System *, const Run *);
PetscErrorCode RunsCompare(const Run *first, const Run *other);
/* Density and pressure as NAME_0001.vts */
PetscErrorCode OutputVTK(Flow, PetscInt step, Vec x, const char name[]);
/* NAME_fields.csv, NAME_convergence.csv and, by scripts/plot_flow.py, pictures of the same names */
PetscErrorCode OutputPlot(const System *, PetscInt n, const Run run[], const char name[]);
