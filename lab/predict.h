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

/* *done <- true if f() raises no error, which is not shown */
PetscErrorCode HeptaPredictTry(const std::function<PetscErrorCode()> &f, bool *done);
/*
   Values of A, of type aij, <- -1 beside a diagonal that makes A definite, the entries staying: the residual of an iteration
   falls too slowly to end it. A without a diagonal entry keeps its values. Collective.
*/
PetscErrorCode HeptaPredictDominant(Mat A);
/* The throughput of an iteration, or of a set-up; an error if the file lacks the throughput */
PetscErrorCode HeptaPredictFind(const HeptaPrediction &, const std::string &what, const HeptaModelMethod &, HeptaThroughput *);
/* Microseconds of an iteration with 1/gpus of the matrix, without exchanges */
double HeptaPredictTime(const HeptaPrediction &, const HeptaThroughput &, const HeptaModelMethod &, int gpus);
/* The line of fusedcg with icc */
PetscErrorCode HeptaPredictICC(const HeptaPrediction &, PetscViewer);
