#include "model.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <petsctao.h>

#include <hepta.h>

const std::vector<MatType> hepta_model_types = {MATAIJCUSPARSE, MATSELLCUDA, MATBDIACUDA, MATBROWCUDA};

const std::vector<HeptaModelMethod> hepta_model_methods = {
  {"fusedcg_none",     "-ksp_type fusedcg -pc_type none -ksp_norm_type natural",              1, 9,  0 },
  {"fusedcg_jacobi",   "-ksp_type fusedcg -pc_type jacobi -ksp_norm_type natural",            1, 10, 0 },
  {"fusedcg_ip",       "-ksp_type fusedcg -pc_type ip -ksp_norm_type natural",                3, 12, 0 },
  {"fusedcg_gridmg",   "-ksp_type fusedcg -pc_type gridmg -ksp_fusedcg_precision double",     1, 11, 60},
  {"fusedbcgs_none",   "-ksp_type fusedbcgs -pc_type none",                                   2, 18, 0 },
  {"fusedbcgs_jacobi", "-ksp_type fusedbcgs -pc_type jacobi",                                 2, 20, 0 },
};

double HeptaModelBytes(const HeptaModelMethod &m, double matrix, double rows)
{
  return m.matrices * matrix + (m.vectors * (double)sizeof(PetscScalar) + m.more) * rows;
}

double HeptaThroughput::Time(double bytes) const
{
  return bytes / nu * (1 + std::exp(-(std::log2(bytes) - mu) / sigma));
}

namespace
{

struct Samples {
  const std::vector<double> *bytes, *us;
};

HeptaThroughput Of(const PetscScalar p[3])
{
  return {(double)PetscRealPart(p[0]), std::exp((double)PetscRealPart(p[1])), std::exp((double)PetscRealPart(p[2]))};
}

} // namespace

static PetscErrorCode Residual(Tao, Vec p, Vec r, PetscCtx context)
{
  const Samples     &s = *(const Samples *)context;
  const PetscScalar *number;
  PetscScalar       *residual;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(p, &number));
  PetscCall(VecGetArrayWrite(r, &residual));
  for (size_t k = 0; k < s.us->size(); k++) residual[k] = std::log(Of(number).Time((*s.bytes)[k]) / (*s.us)[k]);
  PetscCall(VecRestoreArrayWrite(r, &residual));
  PetscCall(VecRestoreArrayRead(p, &number));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaThroughputFit(const std::vector<double> &bytes, const std::vector<double> &us, HeptaThroughput *B, double *error)
{
  Samples            samples = {&bytes, &us};
  const double       nu      = 1.1 * bytes.back() / us.back(), latency = us.front(); /* of the smallest and the largest */
  Tao                tao;
  Vec                p, r;
  const PetscScalar *number;
  PetscReal          norm;

  PetscFunctionBegin;
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, 3, &p));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, (PetscInt)us.size(), &r));
  PetscCall(VecSetValue(p, 0, std::log2(latency * nu), INSERT_VALUES));
  PetscCall(VecSetValue(p, 1, std::log(1 / std::log(2.)), INSERT_VALUES));
  PetscCall(VecSetValue(p, 2, std::log(nu), INSERT_VALUES));
  PetscCall(VecAssemblyBegin(p));
  PetscCall(VecAssemblyEnd(p));
  PetscCall(TaoCreate(PETSC_COMM_SELF, &tao));
  PetscCall(TaoSetType(tao, TAOPOUNDERS));
  PetscCall(TaoSetSolution(tao, p));
  PetscCall(TaoSetResidualRoutine(tao, r, Residual, &samples));
  PetscCall(TaoSetMaximumFunctionEvaluations(tao, 500));
  PetscCall(TaoSolve(tao));
  PetscCall(Residual(tao, p, r, &samples));
  PetscCall(VecNorm(r, NORM_2, &norm));
  *error = (double)norm / std::sqrt((double)us.size());
  PetscCall(VecGetArrayRead(p, &number));
  *B = Of(number);
  PetscCall(VecRestoreArrayRead(p, &number));
  PetscCall(TaoDestroy(&tao));
  PetscCall(VecDestroy(&p));
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void HeptaModelAdd(const std::string &what, const HeptaThroughput &B, hepta::TuningFile *file)
{
  file->model.push_back({what + "_mu", "throughput nu / (1 + exp(-(log2(bytes) - mu) / sigma)): mu,", B.mu});
  file->model.push_back({what + "_sigma", "sigma,", B.sigma});
  file->model.push_back({what + "_nu", "nu in bytes a microsecond", B.nu});
}

bool HeptaModel::Find(const std::string &what, HeptaThroughput *B) const
{
  *B = HeptaThroughput();
  for (const hepta::ModelNumber &n : file.model) {
    if (n.name == what + "_mu") B->mu = n.value;
    if (n.name == what + "_sigma") B->sigma = n.value;
    if (n.name == what + "_nu") B->nu = n.value;
  }
  return B->nu > 0 && B->sigma > 0;
}

/* The file of this GPU, or the first of all where there is no GPU */
static std::string Search(void)
{
  std::string      found;
  std::error_code  none;
  hepta::TuningKey here;
  bool             known = false;

#if defined(HEPTA_HAVE_CUDA)
  known = !hepta::tuning_key_cuda(&here);
#endif
  for (std::filesystem::directory_iterator f(hepta::tuning_folder(), none), end; !none && f != end; f.increment(none)) {
    const std::string  path = f->path().string();
    hepta::TuningFile  file;
    std::ostringstream text;
    if (f->path().filename().string().rfind("tuning-", 0) != 0) continue;
    text << std::ifstream(path).rdbuf();
    if (!hepta::read_tuning(text.str(), &file).empty() || (known && !hepta::difference(file.key, here).empty())) continue;
    if (found.empty() || path < found) found = path;
  }
  return found;
}

PetscErrorCode HeptaModelLoad(MPI_Comm comm, const std::string &given, HeptaModel *model)
{
  const std::string  path = given.empty() ? Search() : given;
  std::ifstream      in(path);
  std::ostringstream text;

  PetscFunctionBegin;
  PetscCheck(!path.empty(), comm, PETSC_ERR_FILE_OPEN, "There is no tuning file of this GPU, from which times are predicted: run hepta-tune, or name a file");
  PetscCheck(in.good(), comm, PETSC_ERR_FILE_OPEN, "The tuning file %s cannot be read", path.c_str());
  text << in.rdbuf();
  const std::string bad = hepta::read_tuning(text.str(), &model->file);
  PetscCheck(bad.empty(), comm, PETSC_ERR_FILE_UNEXPECTED, "The tuning file %s is damaged: %s", path.c_str(), bad.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}
