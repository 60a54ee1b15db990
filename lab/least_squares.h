/* Fits: parameters with which a sum of squares is least */
#pragma once

#include <functional>
#include <vector>

#include <petscsys.h>

/* r <- the residuals for parameters p */
using HeptaResiduals = std::function<PetscErrorCode(const double *p, double *r)>;

/*
   *p <- parameters, near the given parameters, that minimize the sum of the squares of n residuals, found by about
   `evaluations` evaluations without derivatives; *norm <- the root of the least sum. The last call of f has the final *p.
*/
PetscErrorCode HeptaLeastSquares(std::vector<double> *p, size_t n, PetscInt evaluations, const HeptaResiduals &f, double *norm);
