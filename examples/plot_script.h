/* Pictures by the Python scripts of this project */
#pragma once

#include <petscsys.h>

#include <initializer_list>
#include <string>

/* Runs a script on the first process by $HEPTA_PYTHON, by the Python of scripts/setup.sh, or by python3, and prints `made`, or
   that there is no picture and `instead` */
PetscErrorCode MakePicture(const char script[], std::initializer_list<const char *> arguments, const std::string &made,
                           const std::string &instead);
