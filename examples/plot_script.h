/* Pictures by the Python scripts of this project */
#pragma once

#include <petscsys.h>

#include <initializer_list>
#include <string>

/* Runs a script by $HEPTA_PYTHON, or python3, on the first process, and prints `made`, or that there is no picture and
   `instead` */
PetscErrorCode MakePicture(const char script[], std::initializer_list<const char *> arguments, const std::string &made,
                           const std::string &instead);
