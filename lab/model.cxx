#include "model.h"

#include <cmath>

#include <hepta.h>

#include "least_squares.h"

const std::vector<MatType> hepta_model_types = {MATAIJCUSPARSE, MATSELLCUDA, MATBDIACUDA, MATBROWCUDA};

/* From so many rows on the iterations of fusedcg with gridmg are in single */
constexpr PetscInt single_rows = 300000;

#define GRIDMG "-ksp_type fusedcg -pc_type gridmg -ksp_norm_type unpreconditioned"
#define DPCG \
  "-ksp_type dpcg -ksp_norm_type natural -pc_type subdeflation -pc_subdeflation_type stripes -pc_subdeflation_count 64 " \
  "-pc_subdeflation_pc_type jacobi"

const std::vector<HeptaModelMethod> hepta_model_methods = {
  {"fusedcg_none",          "-ksp_type fusedcg -pc_type none -ksp_norm_type natural",   1, 10,   0,  1, false, 0,           0              },
  {"fusedcg_jacobi",        "-ksp_type fusedcg -pc_type jacobi -ksp_norm_type natural", 1, 12,   0,  1, false, 0,           0              },
  {"fusedcg_ip",            "-ksp_type fusedcg -pc_type ip -ksp_norm_type natural",     2, 12,   0,  2, true,  0,           0              },
  {"fusedcg_gridmg",        GRIDMG,                                                     1, 12,   60, 9, true,  0,           single_rows - 1},
  {"fusedcg_gridmg_single", GRIDMG,                                                     0, 5,    76, 9, true,  single_rows, 0              },
  {"dpcg_jacobi",           DPCG,                                                       1, 14.5, 12, 2, true,  0,           0              },
  {"fusedbcgs_none",        "-ksp_type fusedbcgs -pc_type none",                        2, 19,   0,  2, false, 0,           0              },
  {"fusedbcgs_jacobi",      "-ksp_type fusedbcgs -pc_type jacobi",                      2, 21,   0,  2, false, 0,           0              },
};

double HeptaModelBytes(const HeptaModelMethod &m, double matrix, double rows)
{
  return m.matrices * matrix + (m.vectors * (double)sizeof(PetscScalar) + m.more) * rows;
}

double HeptaThroughput::Time(double bytes) const
{
  return bytes / nu * (1 + std::exp(-(std::log2(bytes) - mu) / sigma));
}

/* Of mu, and the logarithms of sigma and nu */
static HeptaThroughput Of(const double p[3])
{
  return {p[0], std::exp(p[1]), std::exp(p[2]), 0};
}

PetscErrorCode HeptaThroughputFit(const std::vector<double> &bytes, const std::vector<double> &us, HeptaThroughput *B)
{
  const double        nu = 1.1 * bytes.back() / us.back(), latency = us.front(); /* of the smallest and the largest */
  std::vector<double> p = {std::log2(latency * nu), std::log(1 / std::log(2.)), std::log(nu)};
  double              norm;

  PetscFunctionBegin;
  const HeptaResiduals f = [&](const double *at, double *r) {
    for (size_t k = 0; k < us.size(); k++) r[k] = std::log(Of(at).Time(bytes[k]) / us[k]);
    return PETSC_SUCCESS;
  };
  PetscCall(HeptaLeastSquares(&p, us.size(), 500, f, &norm));
  *B     = Of(p.data());
  B->off = norm / std::sqrt((double)us.size());
  PetscFunctionReturn(PETSC_SUCCESS);
}

void HeptaModelAdd(const std::string &what, const HeptaThroughput &B, hepta::TuningFile *file)
{
  if (!(B.mu >= hepta::least_number && B.sigma >= hepta::least_number && B.nu >= hepta::least_number && B.mu < 1e9 &&
        B.sigma < 1e9 && B.nu < 1e9))
    return; /* a fit that has failed */
  file->model.push_back({what + "_mu", "throughput nu / (1 + exp(-(log2(bytes) - mu) / sigma)): mu,", B.mu});
  file->model.push_back({what + "_sigma", "sigma,", B.sigma});
  file->model.push_back({what + "_nu", "nu in bytes a microsecond;", B.nu});
  file->model.push_back(
    {what + "_off", "root mean square of the logarithms of fitted over measured times", PetscMax(1e-6, B.off)});
}

bool HeptaModel::Find(const std::string &what, HeptaThroughput *B) const
{
  *B = HeptaThroughput();
  for (const hepta::ModelNumber &n : file.model) {
    if (n.name == what + "_mu") B->mu = n.value;
    if (n.name == what + "_sigma") B->sigma = n.value;
    if (n.name == what + "_nu") B->nu = n.value;
    if (n.name == what + "_off") B->off = n.value;
  }
  return B->nu > 0 && B->sigma > 0;
}

/* *text <- the user's file of this GPU, empty without one */
static void FindFile(std::string *text)
{
#if defined(HEPTA_HAVE_CUDA)
  std::vector<hepta::TuningFile> files;
  hepta::TuningKey               here;
  int                            old;

  text->clear();
  if (hepta::tuning_key_cuda(&here)) return;
  for (const std::string &path : hepta::tuning_paths()) {
    hepta::TuningFile file;
    if (hepta::read_text(path, text) && hepta::read_tuning(*text, &file).empty()) files.push_back(file);
  }
  const int at = hepta::choose_tuning(files, here, false, &old);
  *text        = at < 0 ? "" : hepta::write_tuning(files[(size_t)at]);
#else
  text->clear();
#endif
}

PetscErrorCode HeptaModelLoad(MPI_Comm comm, const std::string &path, HeptaModel *model, bool *found)
{
  std::string text;
  PetscMPIInt rank;
  int         length = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (rank == 0 && path.empty()) FindFile(&text);
  if (rank == 0 && !path.empty() && !hepta::read_text(path, &text)) length = -1;
  if (length == 0) length = (int)text.size();
  PetscCallMPI(MPI_Bcast(&length, 1, MPI_INT, 0, comm));
  PetscCheck(length >= 0, comm, PETSC_ERR_FILE_OPEN, "The tuning file %s cannot be read", path.c_str());
  text.resize((size_t)length);
  PetscCallMPI(MPI_Bcast(&text[0], length, MPI_CHAR, 0, comm));
  *found                = length > 0;
  const std::string bad = *found ? hepta::read_tuning(text, &model->file) : "";
  PetscCheck(bad.empty(), comm, PETSC_ERR_FILE_UNEXPECTED, "The tuning file %s is damaged: %s", path.c_str(), bad.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}
