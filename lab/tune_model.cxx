/* The throughput of products and of iterations by the bytes that they move, for predictions */
#include "model.h"
#include "tune.h"

#include <memory>

/* Bytes of a 7-point matrix of n^3 cells in this format, values and indices, as HeptaAdviceCount() counts them */
static double GridBytes(const std::string &type, double n)
{
  const double cells = n * n * n, entries = 7 * cells - 6 * n * n;

  if (type == MATBDIACUDA) return 8 * 7 * cells;
  return type == MATSELLCUDA ? 12 * 7 * cells : 12 * entries + (type == MATBROWCUDA ? 8 * cells : 0);
}

/* What is measured for one grid */
static PetscErrorCode TimeOne(HeptaTuner *t, const HeptaTuneMatrix &M, double n, const std::string &type,
                              const HeptaModelMethod *m, double *bytes, double *us)
{
  const double rows = n * n * n, matrix = GridBytes(type, n);

  PetscFunctionBegin;
  if (m) {
    PetscCall(HeptaTuneSolve(t, M, m->options, 12, us));
    *bytes = HeptaModelBytes(*m, matrix, rows);
  } else {
    PetscCall(HeptaTuneTime(
      *t, [&] { return MatMult(M.A, M.x, M.y); }, us));
    *bytes = matrix + 2 * 8 * rows;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A 7-point operator of n^3 cells, for formats that have no assembly of their own by way of aij */
static PetscErrorCode MakeGrid(PetscInt n, const std::string &type, HeptaTuneMatrix *M)
{
  const PetscInt cube[3] = {n, n, n};
  const bool     sell = type == MATSELLCUDA, direct = !sell && type != MATBROWCUDA;

  PetscFunctionBegin;
  PetscCall(HeptaTuneGrid(PETSC_COMM_SELF, cube, 1, direct ? type.c_str() : MATAIJ, true, M));
  if (direct) PetscFunctionReturn(PETSC_SUCCESS);
  if (sell) PetscCall(MatConvert(M->A, MATSELL, MAT_INPLACE_MATRIX, &M->A));
  PetscCall(MatConvert(M->A, type.c_str(), MAT_INPLACE_MATRIX, &M->A));
  PetscCall(VecDestroy(&M->x));
  PetscCall(VecDestroy(&M->y));
  PetscCall(MatCreateVecs(M->A, &M->x, &M->y));
  PetscCall(VecSetRandom(M->x, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTuneModel(HeptaTuner *t)
{
  const std::vector<PetscInt> sides = {12, 20, 30, 44, 64, 90, 120};

  PetscFunctionBegin;
  if (t->quick) PetscFunctionReturn(PETSC_SUCCESS); /* it takes as long as all the rest */
  for (const std::string type : hepta_model_types) {
    const bool                                    ours = type == MATBDIACUDA;
    std::vector<std::unique_ptr<HeptaTuneMatrix>> grids;
    for (PetscInt n : sides) {
      grids.emplace_back(new HeptaTuneMatrix);
      PetscCall(MakeGrid(n, type, grids.back().get()));
    }
    for (size_t m = 0; m <= (ours ? hepta_model_methods.size() : 0); m++) {
      const HeptaModelMethod *method = m ? &hepta_model_methods[m - 1] : nullptr;
      const std::string       what   = method ? std::string("iteration_") + method->name : "product_" + type;
      std::vector<double>     bytes(sides.size()), us(sides.size());
      HeptaThroughput         B;
      for (size_t k = 0; k < sides.size(); k++)
        PetscCall(TimeOne(t, *grids[k], (double)sides[k], type, method, &bytes[k], &us[k]));
      PetscCall(HeptaThroughputFit(bytes, us, &B));
      HeptaModelAdd(what, B, &t->file);
      PetscCall(PetscViewerASCIIPrintf(t->viewer, "  %s: mu %.2f, sigma %.2f, nu %.4g bytes a microsecond, off by %.3f\n",
                                       what.c_str(), B.mu, B.sigma, B.nu, B.off));
      for (size_t k = 0; k < sides.size(); k++)
        PetscCall(PetscViewerASCIIPrintf(t->viewer, "    %.0f bytes: %.2f us, fitted %.2f\n", bytes[k], us[k], B.Time(bytes[k])));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
