#include "plot_script.h"

#include <spawn.h>
#include <sys/wait.h>
#include <cerrno>
#include <cstdlib>
#include <vector>

extern char **environ;

int RunPlotScript(const char script[], std::initializer_list<const char *> arguments)
{
  const char         *env    = std::getenv("HEPTA_PYTHON");
  const char         *python = env && *env ? env : "python3";
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
