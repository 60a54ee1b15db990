/* What all programs have: types, main(), options, files with matrices, what a view says, the end of what they make */
#pragma once

#include "device.h"

#include <petscpc.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

/* Types in which the programs have matrices: with HEPTA_TEST_DEVICE=1 those of the device where there is one */
static inline MatType TestAIJ()
{
  return TestOnDevice() ? MATAIJCUSPARSE : MATAIJ;
}
static inline MatType TestDense()
{
  return TestOnDevice() ? MATDENSECUDA : MATDENSE;
}

/* Initializes, calls f and finalizes. An error ends all processes, as it does in a main() that calls PETSc itself. */
template <class F> int TestMain(int argc, char **argv, const char help[], F f)
{
  PetscCallAbort(PETSC_COMM_WORLD, TestInitialize(&argc, &argv, help));
  PetscCallAbort(PETSC_COMM_WORLD, f());
  PetscCallAbort(PETSC_COMM_WORLD, PetscFinalize());
  return 0;
}

/* Programs that change options all the time do it in a database of their own, so that those of the command line last to the end */
template <class F> PetscErrorCode WithOwnOptions(F f)
{
  PetscOptions own;

  PetscFunctionBegin;
  PetscCall(PetscOptionsCreate(&own));
  PetscCall(PetscOptionsPush(own));
  PetscCall(f());
  PetscCall(PetscOptionsPop());
  PetscCall(PetscOptionsDestroy(&own));
  PetscFunctionReturn(PETSC_SUCCESS);
}
template <class F> int TestMainOwnOptions(int argc, char **argv, const char help[], F f)
{
  return TestMain(argc, argv, help, [&] { return WithOwnOptions(f); });
}

static inline PetscErrorCode SetOptions(const std::string &options)
{
  PetscFunctionBegin;
  PetscCall(PetscOptionsClear(nullptr));
  PetscCall(PetscOptionsInsertString(nullptr, ("-use_gpu_aware_mpi 0 -mat_bdia_max_fill 100000 -mat_bdia_max_offsets 100000 " + options).c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds the files *.mtx.gz of a folder, by the name before the dot, but those whose name is there already */
static inline PetscErrorCode AddMatrixFiles(const std::string &folder, std::map<std::string, std::string> *files)
{
  const std::string end = ".mtx.gz";
  PetscBool         there;

  PetscFunctionBegin;
  PetscCall(PetscTestDirectory(folder.c_str(), 'r', &there));
  PetscCheck(there, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "There is no folder %s with matrices", folder.c_str());
  for (const auto &f : std::filesystem::directory_iterator(folder)) {
    const std::string name = f.path().filename().string();
    if (name.size() > end.size() && name.substr(name.size() - end.size()) == end) files->insert({name.substr(0, name.size() - end.size()), f.path().string()});
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Names and paths of matrices, in the same order on every rank: in the folder of -matrices, which must be given and not be empty, and in that of HEPTA_MATRICES in the environment */
static inline PetscErrorCode MatrixFiles(std::map<std::string, std::string> *files)
{
  const char *more                     = std::getenv("HEPTA_MATRICES");
  char        name[PETSC_MAX_PATH_LEN] = "";

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-matrices", name, sizeof(name), nullptr));
  PetscCheck(name[0], PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "-matrices FOLDER is missing: tests/matrices");
  PetscCall(AddMatrixFiles(name, files));
  PetscCheck(!files->empty(), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "There are no matrices in %s", name);
  if (more && more[0]) PetscCall(AddMatrixFiles(more, files));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the view says of a preconditioner, which the first process writes, must hold the words */
static inline PetscErrorCode CheckView(PC pc, const std::vector<const char *> &words)
{
  FILE       *f         = tmpfile();
  char        text[512] = "";
  std::string all;
  PetscViewer viewer;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCheck(f, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "No temporary file");
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)pc), &rank));
  PetscCall(PetscViewerASCIIOpenWithFILE(PetscObjectComm((PetscObject)pc), f, &viewer));
  PetscCall(PCView(pc, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  rewind(f);
  while (fgets(text, sizeof(text), f)) all += text;
  fclose(f);
  for (const char *w : words) PetscCheck(rank || all.find(w) != std::string::npos, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The view does not hold \"%s\":\n%s", w, all.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Destroys PETSc's objects of any classes */
template <class... T> PetscErrorCode Destroy(T *...objects)
{
  PetscFunctionBegin;
  for (PetscObject *o : {(PetscObject *)objects...}) PetscCall(PetscObjectDestroy(o));
  PetscFunctionReturn(PETSC_SUCCESS);
}
