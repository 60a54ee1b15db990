/* Fits: parameters with which a sum of squares is least */
#pragma once

#include <functional>
#include <vector>

#include <petscsys.h>

/* r <- the residuals for parameters p */
using HeptaResiduals = std::function<PetscErrorCode(const double *p, double *r)>;

/*
   *p <- parameters near those that are given with which the sum of the squares of n residuals is least, found by at most so many evaluations
   without derivatives; *norm <- the root of that sum. f has been called with *p last.
*/
PetscErrorCode HeptaLeastSquares(std::vector<double> *p, size_t n, PetscInt evaluations, const HeptaResiduals &f, double *norm);
