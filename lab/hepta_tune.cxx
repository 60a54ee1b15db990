static char help[] = "Measures this GPU and writes a tuning file, which libhepta takes by itself.\n\
  -o <file>  : by default tuning-<GPU>-<multiprocessors>.txt in $XDG_CACHE_HOME/hepta or ~/.cache/hepta\n\
  -quick     : in some 10 seconds in place of a minute, without what advise -predict needs\n\
  -begin use : begins with the numbers in use, such as those of -hepta_tuning, in place of the library's constants\n\
  -regret    : writes nothing, and measures how far the choices with the numbers in use are from the best\n\
  -files <f> : for -regret, tuning files in place of the numbers in use, separated by commas\n\
With several MPI processes, each with a GPU of its own, exchanges between them are measured too.\n\n";

#include <cctype>
#include <filesystem>
#include <fstream>
#include <string>

#include <hepta.h>

#include "hepta_lab.h"
#include "shared/tuning_file.hxx"

/* The file of this GPU in the user's cache folder, which is made */
static PetscErrorCode DefaultFile(const std::string &text, std::string *file)
{
  const std::string folder = hepta::tuning_folder();
  hepta::TuningFile tuning;
  std::string       name;
  std::error_code   none;

  PetscFunctionBeginUser;
  PetscCheck(!folder.empty(), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN,
             "Neither XDG_CACHE_HOME nor HOME is set: give the file with -o");
  (void)hepta::read_tuning(text, &tuning);
  for (char c : tuning.key.gpu) name += std::isalnum((unsigned char)c) ? c : '-';
  std::filesystem::create_directories(folder, none);
  *file = folder + "/tuning-" + name + "-" + std::to_string(tuning.key.multiprocessors) + ".txt";
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -regret, of the numbers in use or of -files; *regret <- is it given? */
static PetscErrorCode Regrets(PetscBool *regret)
{
  PetscBool judge = PETSC_FALSE;
  PetscInt  n     = 64;
  char     *files[64];

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-regret", regret, nullptr));
  PetscCall(PetscOptionsGetStringArray(nullptr, nullptr, "-files", files, &n, &judge));
  PetscCheck(!judge || (*regret && n > 0 && n < 64), PETSC_COMM_WORLD, PETSC_ERR_ARG_INCOMP,
             "-files takes 1 to 63 tuning files, and -regret");
  if (!judge) n = 0;
  if (*regret) PetscCall(HeptaTuneRegrets(PETSC_COMM_WORLD, PETSC_VIEWER_STDOUT_WORLD, n, files));
  for (PetscInt k = 0; k < n; k++) PetscCall(PetscFree(files[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run(void)
{
  const char *const begins[]                  = {"constants", "use"};
  char              given[PETSC_MAX_PATH_LEN] = "";
  PetscBool         quick = PETSC_FALSE, regret = PETSC_FALSE;
  PetscInt          begin = 0;
  char             *text  = nullptr;
  std::string       file;
  PetscMPIInt       rank;

  PetscFunctionBeginUser;
  PetscCall(Regrets(&regret));
  if (regret) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-o", given, sizeof(given), nullptr));
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-quick", &quick, nullptr));
  PetscCall(PetscOptionsGetEList(nullptr, nullptr, "-begin", begins, 2, &begin, nullptr));
  PetscCall(HeptaTune(PETSC_COMM_WORLD, PETSC_VIEWER_STDOUT_WORLD, quick, begin == 1 ? PETSC_TRUE : PETSC_FALSE, &text));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (rank == 0) {
    file = given;
    if (file.empty()) PetscCall(DefaultFile(text, &file));
    const std::string part = file + ".part"; /* a program that starts now reads no half of a file */
    std::ofstream     out(part);
    std::error_code   bad;
    out << text;
    out.close();
    if (out.good()) std::filesystem::rename(part, file, bad);
    PetscCheck(out.good() && !bad, PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE,
               "The tuning file %s cannot be written: give another with -o", file.c_str());
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s is written\n", file.c_str()));
  }
  PetscCall(PetscFree(text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, help));
  PetscCall(HeptaRegisterAll());
  PetscCall(Run());
  PetscCall(PetscFinalize());
  return 0;
}
