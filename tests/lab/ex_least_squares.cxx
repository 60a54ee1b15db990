static char help[] = "Fits by least squares: known parameters, and no more evaluations than asked where residuals are flat.\n\n";

#include "least_squares.h"

#include <algorithm>
#include <cmath>

/* Residuals log(sum of w_kn exp(p_n)) - y_k, as the estimates of bbs have them, not below `floor` */
struct Model {
  size_t              n, cases;
  std::vector<double> w, y;
  double              floor;
  PetscInt            evaluations = 0;

  Model(size_t n_, size_t cases_, double floor_) : n(n_), cases(cases_), w(n_ * cases_), y(cases_), floor(floor_)
  {
    for (size_t k = 0; k < w.size(); k++) w[k] = 1 + std::sin(1. + (double)(k * k));
  }
  double Estimate(size_t k, const double *p) const
  {
    double sum = 0;

    for (size_t i = 0; i < n; i++) sum += w[k * n + i] * std::exp(std::max(-5., std::min(5., p[i])));
    return std::log(sum);
  }
  PetscErrorCode Fit(PetscInt most, std::vector<double> *p, double *norm)
  {
    return HeptaLeastSquares(
      p, cases + n, most,
      [this](const double *at, double *r) {
        evaluations++;
        for (size_t k = 0; k < cases; k++) r[k] = std::max(floor, Estimate(k, at) - y[k]);
        for (size_t i = 0; i < n; i++) r[cases + i] = 1e-3 * at[i];
        return PETSC_SUCCESS;
      },
      norm);
  }
};

static PetscErrorCode Known(void)
{
  const double        known[] = {0.5, -1, 0.25};
  std::vector<double> p(3, 0.);
  Model               model(3, 12, -1e30);
  double              norm;

  PetscFunctionBeginUser;
  for (size_t k = 0; k < model.cases; k++) model.y[k] = model.Estimate(k, known);
  PetscCall(model.Fit(200, &p, &norm));
  for (size_t i = 0; i < 3; i++)
    PetscCheck(std::abs(p[i] - known[i]) < 0.02, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Parameter %d is %g in place of %g", (int)i,
               p[i], known[i]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Bounded(void)
{
  PetscFunctionBeginUser;
  for (size_t n : {1, 2, 6}) {
    for (int flat = 0; flat < 3; flat++) {
      std::vector<double> p(n, 0.);
      Model               model(n, 9, 0.2 * flat - 0.5);
      double              norm;
      for (size_t k = 0; k < model.cases; k++) model.y[k] = 2 * std::sin((double)(k + n * (size_t)flat));
      PetscCall(model.Fit(20, &p, &norm));
      PetscCheck(model.evaluations <= 20 + (PetscInt)n + 3, PETSC_COMM_SELF, PETSC_ERR_PLIB,
                 "%d parameters: %" PetscInt_FMT " evaluations in place of 20", (int)n, model.evaluations);
      PetscCheck(std::isfinite(norm), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%d parameters: the norm is %g", (int)n, norm);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, help));
  PetscCall(Known());
  PetscCall(Bounded());
  PetscCall(PetscFinalize());
  return 0;
}
