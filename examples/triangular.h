/*
   The triangular example: a triangle with its levels, and the solvers that are compared on it
*/
#pragma once

#include <petscksp.h>

#define MAX_NUMBERS 8 /* of right-hand sides */
#define MAX_RUNS    8

typedef struct {
  Mat       T, abs; /* abs: |t_ij| */
  PetscBool upper;
  PetscInt  levels, blocks, ell; /* of HeptaMatGetLevels() */
  PetscInt *rows;                /* rows[l]: how many rows have level l + 1 */
} Triangle;

/* The solutions of T X = B for k right-hand sides; with k = 1 as vectors */
typedef struct {
  PetscInt k;
  Vec      b, x;
  Mat      B, X;
} Sides;

/* One way to solve */
typedef struct {
  char           name[32];
  PetscBool      ours;
  PC             pc;
  PetscReal      error[MAX_NUMBERS];        /* the largest |b - T x|_i / (|T| |x| + |b|)_i of all rows and right-hand sides */
  PetscLogDouble setup, solve[MAX_NUMBERS]; /* seconds, medians */
} Run;

/* The triangle "upper" or "lower" of the ILU(0) of A in the order "natural" or "level", or with "file" A itself, which must be
   triangular then */
PetscErrorCode TriangleCreate(Mat A, const char triangle[], const char ordering[], MatType type, Triangle *t);
PetscErrorCode TriangleReport(const Triangle *t);
/* Rows of each level as FILE with the extension .csv, and through triangular_plot.py the picture FILE */
PetscErrorCode TrianglePlot(const Triangle *t, const char file[]);
PetscErrorCode TriangleDestroy(Triangle *t);

PetscErrorCode SidesCreate(Mat T, PetscInt k, Sides *s);
PetscErrorCode SidesDestroy(Sides *s);

/* PCBBS with the engine, or without one PETSc's own triangular solver; solves once with every number of right-hand sides and
   finds the error */
PetscErrorCode RunCreate(const Triangle *t, const char engine[], PetscInt n, Sides s[], Run *run);
PetscErrorCode RunDestroy(Run *run);
/* Times set-ups and solves; the runs take turns, so that a machine that slows down does so for all; nothing for repeats = 0 */
PetscErrorCode RunsTime(const Triangle *t, PetscInt nruns, Run run[], PetscInt n, Sides s[], PetscInt repeats);
/* The errors, a table for each of the questions that the times answer; good: no error is larger than rounding explains */
PetscErrorCode RunsReport(const Triangle *t, PetscInt nruns, const Run run[], PetscInt n, const Sides s[], PetscBool *good);
