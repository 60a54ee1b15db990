#include "plot_script.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <cstdlib>
#include <vector>

extern char **environ;

/* Debian's python3 has no matplotlib and takes none from pip: the Python of scripts/setup.sh goes before it */
static const char *Python()
{
  const char *given = std::getenv("HEPTA_PYTHON");

  if (given && *given) return given;
  return access(HEPTA_PLOT_PYTHON, X_OK) ? "python3" : HEPTA_PLOT_PYTHON;
}

/* 0, or the script's exit code: the script has said itself what was wrong */
static int Run(const char script[], std::initializer_list<const char *> arguments)
{
  const char         *python = Python();
  std::vector<char *> argv   = {const_cast<char *>(python), const_cast<char *>(script)};
  pid_t               pid;
  int                 status;

  for (const char *argument : arguments) argv.push_back(const_cast<char *>(argument));
  argv.push_back(nullptr);
  if (posix_spawnp(&pid, python, nullptr, nullptr, argv.data(), environ)) return 127;
  while (waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return 126;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 126;
}

PetscErrorCode MakePicture(const char script[], std::initializer_list<const char *> arguments, const std::string &made,
                           const std::string &instead)
{
  const char  missing[] = "not made: it needs python3 with matplotlib (set HEPTA_PYTHON to one that has it); ";
  PetscMPIInt rank;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (rank) PetscFunctionReturn(PETSC_SUCCESS);
  const std::string text = Run(script, arguments) ? missing + instead : made;
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "picture  %s\n", text.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}
