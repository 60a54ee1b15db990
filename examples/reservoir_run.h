/*
   One solve of the reservoir example: a matrix in one type, its solver, the answer and the times
*/
#pragma once

#include <petscksp.h>

typedef struct {
  Mat       A;         /* in PETSc's own type */
  Vec       b, e;      /* right-hand side; the exact answer, or NULL */
  PetscBool generated; /* not from a file */
} System;

typedef struct {
  Mat                A;
  KSP                ksp;
  Vec                x, b;      /* where A's vectors live */
  PetscBool          converged; /* the solver says so and the true residual agrees */
  KSPConvergedReason reason;
  PetscInt           its;
  PetscReal          residual, error; /* ||b - A x|| / ||b||, max |x - e| */
  PetscReal         *history;         /* residual norms, its + 1 of them, allocated here */
  PetscInt           nhistory;
  PetscLogDouble     convert, setup, solve, product; /* seconds; the last two are medians when there were repeats */
} Run;

/* Converts A, which is the system's matrix in any type, sets up the solver from the options and solves once */
PetscErrorCode RunCreate(const System *system, Mat A, MatType type, Run *run);
PetscErrorCode RunDestroy(Run *run);

/* Times of solves and products; the runs take turns, so that a machine that slows down does so for all. Nothing is done for
   repeats = 0. */
PetscErrorCode RunsTime(PetscInt n, Run run[], PetscInt repeats);

PetscErrorCode RunReport(const System *system, const Run *run);
PetscErrorCode RunsCompare(const Run *first, const Run *other);

/* Residual histories as FILE with the extension .csv, and through scripts/plot_convergence.py the picture FILE */
PetscErrorCode RunsPlot(PetscInt n, const Run run[], const char file[]);
