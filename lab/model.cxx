#include "model.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include <hepta.h>

#include "least_squares.h"

const std::vector<MatType> hepta_model_types = {MATAIJCUSPARSE, MATSELLCUDA, MATBDIACUDA, MATBROWCUDA};

/* From so many rows on the iterations of fusedcg with gridmg are in single */
constexpr PetscInt single_rows = 300000;

#define GRIDMG "-ksp_type fusedcg -pc_type gridmg -ksp_norm_type unpreconditioned -ksp_fusedcg_precision "
#define DPCG \
  "-ksp_type dpcg -ksp_norm_type natural -pc_type subdeflation -pc_subdeflation_type stripes -pc_subdeflation_count 64 " \
  "-pc_subdeflation_pc_type "

/* Kept: x, b and 5 vectors of fusedcg, 8 of fusedbcgs; the diagonal; levels of gridmg, in single; A Z of dpcg */
const std::vector<HeptaModelMethod> hepta_model_methods = {
  {"fusedcg_none", "-ksp_type fusedcg -pc_type none -ksp_norm_type natural", 1, 10, 0, 1, false, false, 0, 0, 0, 56},
  {"fusedcg_jacobi", "-ksp_type fusedcg -pc_type jacobi -ksp_norm_type natural", 1, 12, 0, 1, false, false, 0, 0, 0, 64},
  {"fusedcg_ip", "-ksp_type fusedcg -pc_type ip -ksp_norm_type natural", 2, 12, 0, 1.5, true, false, 0, 0, 1, 64},
  {"fusedcg_gridmg", GRIDMG "double", 1, 12, 60, 2, true, true, 0, single_rows - 1, 0, 96},
  {"fusedcg_gridmg_single", GRIDMG "single", 0, 5, 76, 3, true, true, single_rows, 0, 0, 96},
  {"fusedcg_gridmg_double", GRIDMG "double -pc_gridmg_storage double", 1, 12, 120, 2, true, true, 0, 0, 0, 136},
  {"dpcg_ip", DPCG "ip", 2, 14.5, 12, 3, true, false, 0, 0, 1, 80},
  {"fusedbcgs_none", "-ksp_type fusedbcgs -pc_type none", 2, 19, 0, 1.5, false, false, 0, 0, 0, 80},
  {"fusedbcgs_jacobi", "-ksp_type fusedbcgs -pc_type jacobi", 2, 21, 0, 1.5, false, false, 0, 0, 0, 88},
};

/*
   In the passes of fusedcg and dpcg an application of ip to a matrix that fits bdia is a pass. The deflation of dpcg is what dpcg
   takes more than fusedcg, a preconditioner what fusedcg takes more than without one; fusedbcgs applies it twice. In dpcg and
   fusedbcgs the arithmetic of gridmg is in double.
*/
const std::vector<HeptaModelSum> hepta_model_sums = {
  {"fusedcg_ip", "-ksp_type fusedcg -pc_type ip -ksp_norm_type natural", {{"fusedcg_jacobi", 1}}, 1, true},
  {"dpcg_none", DPCG "none", {{"dpcg_ip", 1}, {"fusedcg_ip", -1}, {"fusedcg_none", 1}}, 0, false},
  {"dpcg_jacobi", DPCG "jacobi", {{"dpcg_ip", 1}, {"fusedcg_ip", -1}, {"fusedcg_jacobi", 1}}, 0, false},
  {"dpcg_ip", DPCG "ip", {{"dpcg_ip", 1}, {"fusedcg_ip", -1}, {"fusedcg_jacobi", 1}}, 1, true},
  {"dpcg_gridmg", DPCG "gridmg", {{"dpcg_ip", 1}, {"fusedcg_ip", -1}, {"fusedcg_gridmg_double", 1}}, 0, false},
  {"fusedbcgs_ip", "-ksp_type fusedbcgs -pc_type ip", {{"fusedbcgs_jacobi", 1}}, 2, false},
  {"fusedbcgs_gridmg",
   "-ksp_type fusedbcgs -pc_type gridmg",
   {{"fusedbcgs_none", 1}, {"fusedcg_gridmg_double", 2}, {"fusedcg_none", -2}},
   0,
   false},
};
const std::vector<HeptaModelSum> hepta_model_factored = {
  {"dpcg_icc",
   DPCG "icc -pc_subdeflation_pc_factor_mat_solver_type bbs",
   {{"dpcg_ip", 1}, {"fusedcg_ip", -1}, {"fusedcg_icc", 1}},
   0,
   false},
  {"fusedbcgs_icc",
   "-ksp_type fusedbcgs -pc_type icc -pc_factor_mat_solver_type bbs",
   {{"fusedbcgs_none", 1}, {"fusedcg_icc", 2}, {"fusedcg_none", -2}},
   0,
   false},
};

const HeptaModelMethod &HeptaModelFind(const std::string &name)
{
  return *std::find_if(hepta_model_methods.begin(), hepta_model_methods.end(),
                       [&](const HeptaModelMethod &m) { return name == m.name; });
}

double HeptaModelGridBytes(const std::string &type, double rows)
{
  const double n = std::cbrt(rows), entries = 7 * rows - 6 * n * n;

  if (type == MATBDIACUDA) return 8 * 7 * rows;
  return type == MATSELLCUDA ? 12 * 7 * rows : 12 * entries + (type == MATBROWCUDA ? 8 * rows : 0);
}

double HeptaModelBytes(const HeptaModelMethod &m, double matrix, double rows, double axes)
{
  return m.matrices * matrix + (m.vectors * (double)sizeof(PetscScalar) + m.more * (m.of_grids ? axes / 3 : 1)) * rows;
}

double HeptaThroughput::Time(double bytes) const
{
  const size_t n = measured.size();

  if (n < 2 || bytes <= measured[n - 1].first) return Fitted(bytes) * std::exp(Correction(bytes, n));
  return measured[n - 1].second + (bytes - measured[n - 1].first) * Slope();
}

double HeptaThroughput::Aside(double bytes, double step) const
{
  for (const auto &[at, us] : measured) {
    if (bytes > step && at > step) return std::max(bytes, at);
  }
  for (auto m = measured.rbegin(); m != measured.rend() && bytes <= step; m++) {
    if (m->first <= step) return std::min(bytes, m->first);
  }
  return bytes;
}

double HeptaThroughput::Slope() const
{
  const size_t n = measured.size();

  return n < 2 ? 1 / nu : (measured[n - 1].second - measured[n - 2].second) / (measured[n - 1].first - measured[n - 2].first);
}

double HeptaThroughput::Jump() const
{
  double most = 1, at = std::numeric_limits<double>::infinity();

  for (size_t k = 1; k < measured.size(); k++) {
    const double times = measured[k].second / measured[k - 1].second;
    if (times <= most) continue;
    most = times;
    at   = std::sqrt(measured[k].first * measured[k - 1].first);
  }
  return at;
}

double HeptaThroughput::Correction(double bytes, size_t but) const
{
  double before = 0, before_bytes = 0;

  for (size_t k = 0; k < measured.size(); k++) {
    if (k == but) continue;
    const double at = measured[k].first, correction = std::log(measured[k].second / Fitted(at));
    if (bytes <= at && before_bytes > 0)
      return before + (correction - before) * std::log(bytes / before_bytes) / std::log(at / before_bytes);
    if (bytes <= at) return correction;
    before       = correction;
    before_bytes = at;
  }
  return before;
}

double HeptaThroughput::Uncertainty() const
{
  double sum = 0;

  for (size_t k = 1; k + 1 < measured.size(); k++) {
    const double bytes = measured[k].first, error = std::log(Fitted(bytes) / measured[k].second) + Correction(bytes, k);
    sum += error * error;
  }
  return measured.size() > 2 ? std::sqrt(sum / (double)(measured.size() - 2)) : 0;
}

/* Of mu, and the logarithms of sigma and nu */
static HeptaThroughput Of(const double p[3])
{
  return {p[0], std::exp(p[1]), std::exp(p[2]), 0, {}};
}

PetscErrorCode HeptaThroughputFit(const std::vector<double> &bytes, const std::vector<double> &us, HeptaThroughput *B)
{
  const double        nu = 1.1 * bytes.back() / us.back(), latency = us.front(); /* of the smallest and the largest */
  std::vector<double> p = {std::log2(latency * nu), std::log(1 / std::log(2.)), std::log(nu)};
  double              norm;

  PetscFunctionBegin;
  const HeptaResiduals f = [&](const double *at, double *r) {
    for (size_t k = 0; k < us.size(); k++) r[k] = std::log(Of(at).Fitted(bytes[k]) / us[k]);
    return PETSC_SUCCESS;
  };
  PetscCall(HeptaLeastSquares(&p, us.size(), 500, f, &norm));
  *B = Of(p.data());
  for (size_t k = 0; k < us.size(); k++) B->measured.emplace_back(bytes[k], us[k]);
  B->off = B->Uncertainty();
  PetscFunctionReturn(PETSC_SUCCESS);
}

void HeptaModelAdd(const std::string &what, const HeptaThroughput &B, hepta::TuningFile *file)
{
  const auto usable = [](double x) { return x >= hepta::least_number && x <= hepta::largest_number; };

  if (!usable(B.mu) || !usable(B.sigma) || !usable(B.nu)) return; /* a fit that has failed */
  file->model.push_back({what + "_mu", "throughput nu / (1 + exp(-(log2(bytes) - mu) / sigma)): mu,", B.mu});
  file->model.push_back({what + "_sigma", "sigma,", B.sigma});
  file->model.push_back({what + "_nu", "nu in bytes a microsecond;", B.nu});
  file->model.push_back({what + "_off", "uncertainty: that of a measured time from its neighbors, root mean square of logarithms",
                         PetscMax(1e-6, B.off)});
  for (const auto &[bytes, us] : B.measured)
    file->model.push_back({what + "_at_" + std::to_string((long long)bytes), "microseconds for so many bytes", us});
}

double HeptaModel::Number(const std::string &name) const
{
  for (const hepta::ModelNumber &n : file.model) {
    if (n.name == name) return n.value;
  }
  return 0;
}

double HeptaModel::Cache() const
{
  HeptaThroughput sum;

  (void)Find("sum", &sum);
  return sum.Jump();
}

bool HeptaModel::Find(const std::string &what, HeptaThroughput *B) const
{
  const std::string at = what + "_at_";

  *B = HeptaThroughput();
  for (const hepta::ModelNumber &n : file.model) {
    if (n.name == what + "_mu") B->mu = n.value;
    if (n.name == what + "_sigma") B->sigma = n.value;
    if (n.name == what + "_nu") B->nu = n.value;
    if (n.name == what + "_off") B->off = n.value;
    if (!n.name.compare(0, at.size(), at)) B->measured.emplace_back(std::atof(n.name.c_str() + at.size()), n.value);
  }
  std::sort(B->measured.begin(), B->measured.end());
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
