/* Matrix Market files as CSR arrays */
#pragma once

#include <string>

#include "csr.h"

/* A square matrix, repeated along the diagonal until there are at least that many rows */
PetscErrorCode CSRRead(const std::string &file, PetscInt rows, CSR *);
/* "name" of "folder/name.mtx.gz" */
std::string CSRFileName(const std::string &file);
