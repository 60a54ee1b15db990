/* Which numbers the library chooses kernels by: its constants, or those of a file that hepta-tune wrote for this GPU */
#include <algorithm>
#include <hepta.h>
#include <petscdevice.h>

#include "shared/heptaimpl.h"
#include "shared/tuning_file.hxx"

using namespace hepta;

namespace
{

/* What is known since the registration */
struct Known {
  bool                     given  = false; /* by -hepta_tuning */
  bool                     chosen = false;
  std::vector<std::string> paths;
  std::vector<TuningFile>  files;
  int                      used = -1; /* of the files, or the constants */
};
Known known;

} // namespace

static PetscErrorCode Forget(void)
{
  PetscFunctionBegin;
  known    = Known();
  tuning() = Tuning();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *all <- path, line end, text and a zero for each file that process 0 can read: the one that is given, or the user's */
static PetscErrorCode ReadOnFirst(const char *given, std::string *all)
{
  PetscMPIInt rank, length = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  for (const std::string &path : rank ? std::vector<std::string>() : given ? std::vector<std::string>{given} : tuning_paths()) {
    std::string text;
    if (!read_text(path, &text)) continue;
    text.erase(std::remove(text.begin(), text.end(), '\0'), text.end());
    if (all->size() < (1 << 24)) *all += path + '\n' + text + '\0';
  }
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
  if (rank) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFPrintf(
    PETSC_COMM_SELF, PETSC_STDERR,
    "Hepta ignores the tuning file %s: %s. Delete it, or run hepta-tune to make it anew, or say -hepta_tuning none\n",
    path.c_str(), why.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTuningChoose(void)
{
  PetscFunctionBegin;
  if (known.chosen) PetscFunctionReturn(PETSC_SUCCESS);
  known.chosen = true;
#if defined(HEPTA_HAVE_CUDA)
  PetscDeviceContext context;
  TuningKey          here;
  int                old;
  if (known.files.empty() || tuning_key_cuda(&here)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscDeviceContextGetCurrentContext(
    &context)); /* there is a device: PETSc selects that of this process now, if it has not yet */
  PetscCallHepta(tuning_key_cuda(&here));
  known.used = choose_tuning(known.files, here, known.given, &old);
  if (known.used >= 0) tuning() = known.files[(size_t)known.used].numbers;
  else if (old >= 0) PetscCall(SayIgnored(known.paths[(size_t)old], difference(known.files[(size_t)old].key, here)));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTuningSource(std::string *source)
{
  PetscFunctionBegin;
  PetscCall(HeptaTuningChoose());
  *source = known.used >= 0 ? known.paths[(size_t)known.used] : "constants of the library";
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Prints the numbers as a file, and where they are from */
static PetscErrorCode View(void)
{
  TuningFile  file;
  std::string source;

  PetscFunctionBegin;
  PetscCall(HeptaTuningSource(&source));
  if (known.used >= 0) file = known.files[(size_t)known.used];
  else {
    file.key.gpu     = "none";
    file.key.library = HEPTA_VERSION;
#if defined(HEPTA_HAVE_CUDA)
    (void)tuning_key_cuda(&file.key);
#endif
  }
  file.numbers = tuning();
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# Hepta's tuning: %s\n%s", source.c_str(), write_tuning(file).c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTuningFromOptions(void)
{
  char        given[PETSC_MAX_PATH_LEN] = "";
  PetscBool   set = PETSC_FALSE, none = PETSC_FALSE, view = PETSC_FALSE;
  std::string all;

  PetscFunctionBegin;
  PetscCall(PetscRegisterFinalize(Forget));
  PetscOptionsBegin(PETSC_COMM_WORLD, nullptr, "What a GPU takes, by which libhepta chooses its kernels", "HeptaRegisterAll");
  PetscCall(PetscOptionsString("-hepta_tuning", "A file of hepta-tune, or none: by default the one of this GPU",
                               "HeptaRegisterAll", given, given, sizeof(given), &set));
  PetscCall(
    PetscOptionsBool("-hepta_tuning_view", "Print the numbers in use as such a file", "HeptaRegisterAll", view, &view, nullptr));
  PetscOptionsEnd();
  PetscCall(PetscStrcmp(given, "none", &none));
  known.given = set;
  if (!none) PetscCall(ReadOnFirst(set ? given : nullptr, &all));
  PetscCheck(!set || none || !all.empty(), PETSC_COMM_WORLD, PETSC_ERR_FILE_OPEN,
             "-hepta_tuning %s cannot be read: it is a file that hepta-tune has written, or none", given);
  for (size_t at = 0; at < all.size(); at = all.find('\0', at) + 1) {
    const std::string one = all.c_str() + at, path = one.substr(0, one.find('\n'));
    TuningFile        file;
    const std::string bad = read_tuning(one.substr(path.size() + 1), &file);
    if (bad.empty()) {
      known.paths.push_back(path);
      known.files.push_back(file);
    } else PetscCall(SayIgnored(path, bad));
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
  PetscCheck(*number, PETSC_COMM_SELF, PETSC_ERR_ARG_UNKNOWN_TYPE, "There is no number %s in Hepta's tuning: %s", name,
             names.c_str());
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
  PetscCheck(value >= (PetscReal)least_number && value <= (PetscReal)largest_number, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "The number %s of Hepta's tuning must be from %g to %g, not %g", name, least_number, largest_number, (double)value);
  *number = std::min(largest_number, std::max(least_number, (double)value));
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
