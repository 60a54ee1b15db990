/* Pictures by the Python scripts of this project */
#pragma once

#include <initializer_list>

/* Runs a script by $HEPTA_PYTHON, or python3: 0, or its exit code; it has said itself what was wrong */
int RunPlotScript(const char script[], std::initializer_list<const char *> arguments);
