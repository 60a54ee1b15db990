/* What predictions of a matrix need: HeptaAdvicePredict() and its parts */
#pragma once

#include <functional>

#include "advise.h"
#include "tune.h"

struct HeptaPrediction {
  const HeptaAdvice    &a;
  const HeptaCandidate &c;
  std::vector<int>      gpus;   /* for so many of them, */
  std::vector<double>   ghosts; /* of which one needs so many columns of others */
  HeptaTuneMatrix       host, device;
};

/* What is predicted of iterations of a method; negative: not known */
struct HeptaPredictLine {
  std::string                   name, options;
  std::vector<double>           us; /* for HeptaPrediction::gpus, of which the last ones may be missing; */
  double                        off = 0, host = -1, setup = -1, memory = 0; /* uncertainty of logarithms; us; us; bytes */
  std::function<double(double)> part; /* us on a GPU with this part of the matrix; null: not known */
  std::string triangles; /* text about those of an incomplete factor, with which no more than us[0] is known; empty: without */
};

/* *done <- true if f() raises no error, which is not shown */
PetscErrorCode HeptaPredictTry(const std::function<PetscErrorCode()> &f, bool *done);
/*
   Values of A, of type aij, <- -1 beside a diagonal that makes A definite, the entries staying: the residual of an iteration
   falls too slowly to end it. A without a diagonal entry keeps its values. Collective.
*/
PetscErrorCode HeptaPredictDominant(Mat A);
/* The throughput of an iteration, or of a set-up; an error if the file lacks the throughput */
PetscErrorCode HeptaPredictFind(const HeptaPrediction &, const std::string &what, const HeptaModelMethod &, HeptaThroughput *);
/* Microseconds of a product with this part of the matrix; simple: with the chain of a cube */
double HeptaPredictProduct(const HeptaPrediction &, double part, bool simple);
/* Microseconds of an exchange on gpus[k] GPUs, 0 on one */
double HeptaPredictExchange(const HeptaPrediction &, size_t k);
/* A measured method; a sum */
PetscErrorCode HeptaPredictDescribe(const HeptaPrediction &, const HeptaModelMethod &, HeptaPredictLine *);
/* icc: the line of fusedcg with icc, for sums that contain it; null for the others */
PetscErrorCode HeptaPredictSum(const HeptaPrediction &, const HeptaModelSum &, const HeptaPredictLine *icc, HeptaPredictLine *);
/* Microseconds of an iteration with this part of the matrix, or with a larger one of such rows, without exchanges */
double HeptaPredictTime(const HeptaPrediction &, const HeptaThroughput &, const HeptaModelMethod &, double part);
/* The table: its head, a line, and what follows the lines: storages and vectors */
PetscErrorCode HeptaPredictHead(const HeptaPrediction &, PetscViewer);
PetscErrorCode HeptaPredictPrint(const HeptaPrediction &, const HeptaPredictLine &, PetscViewer);
PetscErrorCode HeptaPredictStorage(const HeptaPrediction &, PetscViewer);
/* fusedcg with icc, for a symmetric matrix of one process */
PetscErrorCode HeptaPredictICC(const HeptaPrediction &, HeptaPredictLine *);
