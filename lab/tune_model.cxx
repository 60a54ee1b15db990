/* The throughput of products and of iterations by the bytes that they move, for predictions */
#include "model.h"
#include "tune.h"

#include <cmath>
#include <memory>

/* What is measured for each grid: products, or iterations or set-ups of a method */
struct Measured {
  std::string             name; /* of its throughput */
  const HeptaModelMethod *method;
  bool                    set_up;
};

/* For a grid of n^3 cells */
static PetscErrorCode TimeOne(HeptaTuner *t, const HeptaTuneMatrix &M, double n, const std::string &type, const Measured &m,
                              double *bytes, double *us)
{
  const double rows = n * n * n, matrix = HeptaModelGridBytes(type, rows);

  PetscFunctionBegin;
  *bytes = m.method && !m.set_up ? HeptaModelBytes(*m.method, matrix, rows) : matrix + 2 * 8 * rows;
  if (!m.method) PetscCall(HeptaTuneQueued([&] { return MatMult(M.A, M.x, M.y); }, us));
  else if (m.set_up) PetscCall(HeptaTuneSetUp(t, M, m.method->options, us));
  else PetscCall(HeptaTuneIteration(t, M, m.method->options, us));
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

/* What is measured with matrices of a type: methods take ours alone, those of grids bdia alone */
static std::vector<Measured> AllOf(const std::string &type)
{
  const bool            bdia = type == MATBDIACUDA, brow = type == MATBROWCUDA;
  const std::string     format = bdia ? "bdia_" : "brow_";
  std::vector<Measured> all    = {{"product_" + type, nullptr, false}};

  for (const HeptaModelMethod &m : hepta_model_methods) {
    if (!bdia && (!brow || m.of_grids)) continue;
    all.push_back({"iteration_" + format + m.name, &m, false});
    if (m.sets_up) all.push_back({"setup_" + format + m.name, &m, true});
  }
  return all;
}

/* Measures what is asked for with each grid, and fits a throughput */
static PetscErrorCode Fit(HeptaTuner *t, const std::string &type, const Measured &m,
                          const std::vector<std::unique_ptr<HeptaTuneMatrix>> &grids)
{
  std::vector<double> bytes, us;
  HeptaThroughput     B;

  PetscFunctionBegin;
  for (const auto &grid : grids) {
    PetscInt rows;
    double   x, y;
    PetscCall(MatGetSize(grid->A, &rows, nullptr));
    if (m.set_up && type == MATBROWCUDA && rows > 30000) continue; /* parts of it are on the host: that takes long */
    PetscCall(TimeOne(t, *grid, std::cbrt((double)rows), type, m, &x, &y));
    bytes.push_back(x);
    us.push_back(y);
  }
  PetscCall(HeptaThroughputFit(bytes, us, &B));
  HeptaModelAdd(m.name, B, &t->file);
  PetscCall(PetscViewerASCIIPrintf(t->viewer, "  %s: mu %.2f, sigma %.2f, nu %.4g bytes a microsecond, off by %.3f\n",
                                   m.name.c_str(), B.mu, B.sigma, B.nu, B.off));
  for (size_t k = 0; k < us.size(); k++)
    PetscCall(PetscViewerASCIIPrintf(t->viewer, "    %.0f bytes: %.2f us, fitted %.2f\n", bytes[k], us[k], B.Fitted(bytes[k])));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTuneModel(HeptaTuner *t)
{
  PetscFunctionBegin;
  if (t->quick) PetscFunctionReturn(PETSC_SUCCESS); /* it takes as long as all the rest */
  for (const std::string type : hepta_model_types) {
    std::vector<std::unique_ptr<HeptaTuneMatrix>> grids;
    for (PetscInt n : {8, 16, 30, 44, 58, 68, 80, 95, 120}) {
      grids.emplace_back(new HeptaTuneMatrix);
      PetscCall(MakeGrid(n, type, grids.back().get()));
    }
    for (const Measured &m : AllOf(type)) PetscCall(Fit(t, type, m, grids));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
