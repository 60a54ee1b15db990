/* Which numbers the library chooses kernels by: its constants, or those of a file that hepta-tune wrote for this GPU */
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <hepta.h>

#include "shared/heptaimpl.h"
#include "shared/tuning_file.hxx"

using namespace hepta;

namespace
{
struct Candidate {
  std::string path;
  TuningFile  file;
};

/* What is known since the registration */
struct Known {
  std::vector<Candidate> candidates;
  bool                   given  = false; /* by -hepta_tuning */
  bool                   chosen = false;
  std::string            used   = "constants of the library";
};
Known known;

} // namespace

/* Is it a file of hepta-tune, by its name? */
static bool IsTuningFile(const std::filesystem::path &path)
{
  return path.filename().string().rfind("tuning-", 0) == 0 && path.extension() == ".txt";
}

/* Rank 0's paths and texts, each with a zero behind it */
static std::string ReadFiles(const std::vector<std::string> &paths)
{
  std::string all;

  for (const std::string &path : paths) {
    std::ifstream      in(path);
    std::ostringstream text;
    text << in.rdbuf();
    for (char c : path + '\n' + text.str()) {
      if (c) all += c;
    }
    all += '\0';
  }
  return all;
}

/* *all <- what process 0 reads: the file, or those in the cache folder */
static PetscErrorCode ReadOnFirst(const char *given, std::string *all)
{
  std::vector<std::string> paths;
  PetscMPIInt              rank, length = 0;
  std::error_code          none;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (rank == 0 && given) {
    if (std::ifstream(given).good()) paths.push_back(given);
  } else if (rank == 0) {
    for (std::filesystem::directory_iterator f(tuning_folder(), none), end; !none && f != end; f.increment(none)) {
      if (IsTuningFile(f->path())) paths.push_back(f->path().string());
    }
    std::sort(paths.begin(), paths.end());
  }
  if (rank == 0) *all = ReadFiles(paths);
  length = (PetscMPIInt)all->size();
  PetscCallMPI(MPI_Bcast(&length, 1, MPI_INT, 0, PETSC_COMM_WORLD));
  all->resize((size_t)length);
  PetscCallMPI(MPI_Bcast(&(*all)[0], length, MPI_CHAR, 0, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Says once, on the first process, that a file is of no use */
static PetscErrorCode SayIgnored(const std::string &path, const std::string &why)
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (rank == 0) PetscCall(PetscFPrintf(PETSC_COMM_SELF, PETSC_STDERR, "Hepta ignores the tuning file %s: %s. Run hepta-tune to make it anew, or say -hepta_tuning none\n", path.c_str(), why.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTuningChoose(void)
{
  PetscFunctionBegin;
  if (known.chosen) PetscFunctionReturn(PETSC_SUCCESS);
  known.chosen = true;
#if defined(HEPTA_HAVE_CUDA)
  TuningKey here;
  if (known.candidates.empty() || tuning_key_cuda(&here)) PetscFunctionReturn(PETSC_SUCCESS);
  const Candidate *old = nullptr;
  for (const Candidate &c : known.candidates) {
    if (difference(c.file.key, here).empty()) {
      tuning()   = c.file.numbers;
      known.used = c.path;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    if (known.given || (c.file.key.gpu == here.gpu && c.file.key.multiprocessors == here.multiprocessors)) old = &c;
  }
  if (old) PetscCall(SayIgnored(old->path, difference(old->file.key, here)));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Prints the numbers as a file, and where they are from */
static PetscErrorCode View(void)
{
  TuningFile file;

  PetscFunctionBegin;
  PetscCall(HeptaTuningChoose());
  file.key.gpu     = "none";
  file.key.library = HEPTA_VERSION;
#if defined(HEPTA_HAVE_CUDA)
  (void)tuning_key_cuda(&file.key);
#endif
  file.numbers = tuning();
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# Hepta's tuning: %s\n%s", known.used.c_str(), write_tuning(file).c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTuningFromOptions(void)
{
  char        given[PETSC_MAX_PATH_LEN] = "";
  PetscBool   set = PETSC_FALSE, none = PETSC_FALSE, view = PETSC_FALSE;
  std::string all;

  PetscFunctionBegin;
  known    = Known();
  tuning() = Tuning();
  PetscOptionsBegin(PETSC_COMM_WORLD, nullptr, "What a GPU takes, by which libhepta chooses its kernels", "HeptaRegisterAll");
  PetscCall(PetscOptionsString("-hepta_tuning", "A file of hepta-tune, or none: by default the one of this GPU", "HeptaRegisterAll", given, given, sizeof(given), &set));
  PetscCall(PetscOptionsBool("-hepta_tuning_view", "Print the numbers in use as such a file", "HeptaRegisterAll", view, &view, nullptr));
  PetscOptionsEnd();
  PetscCall(PetscStrcmp(given, "none", &none));
  known.given = set;
  if (!none) PetscCall(ReadOnFirst(set ? given : nullptr, &all));
  PetscCheck(!set || none || !all.empty(), PETSC_COMM_WORLD, PETSC_ERR_FILE_OPEN, "-hepta_tuning %s cannot be read: it is a file that hepta-tune has written, or none", given);
  for (size_t at = 0; at < all.size(); at = all.find('\0', at) + 1) {
    const std::string one = all.c_str() + at, path = one.substr(0, one.find('\n'));
    Candidate         c   = {path, {}};
    const std::string bad = read_tuning(one.substr(path.size() + 1), &c.file);
    if (bad.empty()) known.candidates.push_back(c);
    else PetscCall(SayIgnored(path, bad));
  }
  if (view) PetscCall(View());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The number of this name, or an error that lists all names */
static PetscErrorCode Find(const char name[], double **number)
{
  std::string names;

  PetscFunctionBegin;
  PetscAssertPointer(name, 1);
  PetscCall(HeptaTuningChoose());
  *number = nullptr;
  for (const TuningNumber &n : tuning_numbers()) {
    if (name == std::string(n.name)) *number = &(tuning().*n.value);
    names += (names.empty() ? "" : ", ") + std::string(n.name);
  }
  PetscCheck(*number, PETSC_COMM_SELF, PETSC_ERR_ARG_UNKNOWN_TYPE, "There is no number %s in Hepta's tuning: %s", name, names.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  HeptaSetTuning - Sets one of the numbers by which kernels are chosen, for what this process sets up and solves from now on

  Not Collective, but processes that solve together need the same numbers

  Input Parameters:
+ name  - as `-hepta_tuning_view` prints it, such as `"recording"`
- value - from 1e-9 to 1e9; its unit is in the view

  Level: developer

  Note:
  Programs that measure, such as `hepta-tune`, use this; users keep the file that it writes. Results are the same within rounding.

.seealso: `HeptaGetTuning()`, `HeptaRegisterAll()`
@*/
PetscErrorCode HeptaSetTuning(const char name[], PetscReal value)
{
  double *number;

  PetscFunctionBegin;
  PetscCall(HeptaNoThrow<Find>(name, &number));
  PetscCheck(value >= least_number && value <= largest_number, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "The number %s of Hepta's tuning must be from %g to %g, not %g", name, least_number, largest_number, (double)value);
  *number = (double)value;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  HeptaGetTuning - Gets one of the numbers by which kernels are chosen

  Not Collective

  Input Parameter:
. name - as `-hepta_tuning_view` prints it

  Output Parameter:
. value - the number in use

  Level: developer

.seealso: `HeptaSetTuning()`, `HeptaRegisterAll()`
@*/
PetscErrorCode HeptaGetTuning(const char name[], PetscReal *value)
{
  double *number;

  PetscFunctionBegin;
  PetscAssertPointer(value, 2);
  PetscCall(HeptaNoThrow<Find>(name, &number));
  *value = (PetscReal)*number;
  PetscFunctionReturn(PETSC_SUCCESS);
}
