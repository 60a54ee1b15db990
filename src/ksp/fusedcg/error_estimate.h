/* Estimates of the energy norm of the error of conjugate gradients, ||x - x_l||_A = sqrt((x - x_l, A (x - x_l))) */
#pragma once

#include <petscksp.h>

#include <vector>

/*
   Iteration j lessens ||x - x_j||_A^2 by D_j = alpha_j (r_j, z_j) (Hestenes and Stiefel 1952, theorem 6:1), so

     ||x - x_l||_A^2 = D_l + D_(l+1) + ...

   The sum up to D_(k-1) is a lower bound, which Gauss quadrature gives too. Iteration k accepts this sum as the estimate of
   iteration l if the rest is small (Meurant, Papez and Tichy 2021, section 3):

     S D_k <= tolerance (D_l + ... + D_(k-1)),   S = max over j < k of (D_j + ... + D_k) / D_j,

   where j goes back to an iteration since which the square of the error has fallen by `fall`.
*/
class HeptaErrorEstimate {
public:
  void Clear() { *this = HeptaErrorEstimate(); }
  /* adds the decrease D of the next iteration */
  void Add(double decrease);
  /* the number of iterations whose error is estimated, of those from 0 on */
  PetscInt Known() const { return (PetscInt)estimates.size(); }
  /* the estimate of iteration l < Known() */
  PetscReal Of(PetscInt l) const { return (PetscReal)estimates[(size_t)l]; }
  /* the error of the initial guess, as far as the iterations have lessened it */
  PetscReal First() const;

private:
  /* a fiftieth, because the published quarter left estimates of a fourth of the error where convergence begins slowly */
  static constexpr double tolerance = 0.02, fall = 1e-6;

  std::vector<double> decreases, estimates;
};
