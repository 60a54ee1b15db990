/* Measurements that may fail, and the time between them */
#pragma once

#include <petscsys.h>

#include <functional>
#include <string>

/* Calls f; an error is no end but a message in *failure, and is also told on stderr */
PetscErrorCode BenchTry(const std::string &what, const std::function<PetscErrorCode()> &f, std::string *failure);
/* Wall clock after all work of the device */
PetscErrorCode BenchNow(PetscBool device, double *seconds);
