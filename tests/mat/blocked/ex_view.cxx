static char help[] = "Views of MATBDIA: the info formats name the storage, all others show what MATAIJ shows,\n\
binary files load as either type, also with a DMDA.\n\n";

#include "pair.h"

#include <petscdmda.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <sstream>

/* A file of this run in the working directory: rank 0 chooses its name */
static PetscErrorCode FileName(const char suffix[], std::string *name)
{
  int pid = (int)getpid();

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Bcast(&pid, 1, MPI_INT, 0, PETSC_COMM_WORLD));
  *name = "ex_view_" + std::to_string(pid) + "_" + suffix;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What MatView() writes in an ascii format, on rank 0; lines with the type, which differ, left out */
static PetscErrorCode Text(Mat A, PetscViewerFormat format, std::string *text)
{
  PetscViewer viewer;
  std::string name, line;
  PetscMPIInt rank;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(FileName("ascii", &name));
  PetscCall(PetscObjectSetName((PetscObject)A, "M"));
  PetscCall(PetscViewerASCIIOpen(PETSC_COMM_WORLD, name.c_str(), &viewer));
  PetscCall(PetscViewerPushFormat(viewer, format));
  PetscCall(MatView(A, viewer));
  PetscCall(PetscViewerPopFormat(viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  text->clear();
  std::ifstream in(rank ? "/dev/null" : name);
  while (std::getline(in, line)) {
    if (line.find("type:") == std::string::npos && line.find("Mat Object") == std::string::npos &&
        line.find("Mat_0x") == std::string::npos)
      *text += line + "\n";
  }
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  if (!rank) (void)unlink(name.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Formats(Mat aij, Mat bdia, const char what[])
{
  std::string a, b;

  PetscFunctionBeginUser;
  for (PetscViewerFormat format : {PETSC_VIEWER_DEFAULT, PETSC_VIEWER_ASCII_MATLAB, PETSC_VIEWER_ASCII_DENSE,
                                   PETSC_VIEWER_ASCII_MATRIXMARKET, PETSC_VIEWER_ASCII_COMMON, PETSC_VIEWER_LOAD_BALANCE}) {
    PetscCall(Text(aij, format, &a));
    PetscCall(Text(bdia, format, &b));
    PetscCheck(a == b, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s, format %s: bdia writes\n%s\naij writes\n%s", what,
               PetscViewerFormats[format], b.c_str(), a.c_str());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Raises an error on rank 0 unless the view has every one of the words */
static PetscErrorCode Contains(Mat A, PetscViewerFormat format, const std::vector<std::string> &words)
{
  std::string text;
  PetscMPIInt rank;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(Text(A, format, &text));
  for (const std::string &w : words)
    PetscCheck(rank || text.find(w) != std::string::npos, PETSC_COMM_SELF, PETSC_ERR_PLIB, "\"%s\" is missing in\n%s", w.c_str(),
               text.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Info(const PairSpec &s)
{
  Pair        p;
  PetscMPIInt size;
  const bool  half = s.symmetric;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PairCreate(PETSC_COMM_WORLD, s, &p));
  /* with indices larger than values brow may choose larger tiles */
  const bool               tiles = !TestIsBDIA() && sizeof(PetscInt) > sizeof(PetscScalar);
  std::vector<std::string> words = {TestKind() + ": ", tiles ? "fill " : "fill 1",
                                    half && TestIsBDIA() ? "diagonal and upper half" : "storage: double, full", "entries set"};
  if (size > 1) words.insert(words.end(), {"border block rows", "balance of ranks: the largest has "});
  if (TestIsBDIA()) words.insert(words.end(), {"block size " + std::to_string(s.bs), "block offsets"});
  if (TestIsBDIA() && size == 1) words.push_back(half ? "3 block offsets: 0 1 5" : "5 block offsets: -5 -1 0 1 5");
  PetscCall(Contains(p.bdia, PETSC_VIEWER_ASCII_INFO, words));
  words.push_back("[" + std::to_string(size - 1) + (TestIsBDIA() ? "] block offsets:" : "] local rows"));
  PetscCall(Contains(p.bdia, PETSC_VIEWER_ASCII_INFO_DETAIL, words));
  PetscCall(PairDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Neighboring rows only: a border row has one column on another rank */
static PetscErrorCode Ghosts()
{
  Mat         A;
  PetscMPIInt size;
  PetscInt    start, end, n;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
  PetscCall(MatSetSizes(A, 5, 5, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetType(A, TestType()));
  PetscCall(MatSetUp(A));
  PetscCall(MatGetSize(A, &n, nullptr));
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    for (PetscInt j = PetscMax(0, i - 1); j < PetscMin(n, i + 2); j++) PetscCall(MatSetValue(A, i, j, 1 + i + j, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  if (size > 1) PetscCall(Contains(A, PETSC_VIEWER_ASCII_INFO_DETAIL, {"at most 1 ghost blocks each"}));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What bdia writes loads as aij and as bdia */
static PetscErrorCode Binary(const Pair &p, const PairSpec &s)
{
  PetscViewer viewer;
  std::string name;
  Mat         B;
  PetscMPIInt rank;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(FileName("binary", &name));
  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, name.c_str(), FILE_MODE_WRITE, &viewer));
  PetscCall(MatView(p.bdia, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  for (MatType type : {(MatType)MATAIJ, TestType()}) {
    PetscInt bs;
    PetscCall(MatCreate(PETSC_COMM_WORLD, &B));
    PetscCall(MatSetType(B, type));
    PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, name.c_str(), FILE_MODE_READ, &viewer));
    PetscCall(MatLoad(B, viewer));
    PetscCall(PetscViewerDestroy(&viewer));
    PetscCall(MatGetBlockSize(B, &bs));
    PetscCheck(bs == s.bs, PETSC_COMM_WORLD, PETSC_ERR_PLIB,
               "Loaded as %s with block size %" PetscInt_FMT ", written with %" PetscInt_FMT, type, bs, s.bs);
    Mat whole[2];
    IS  all;
    PetscCall(ISCreateStride(PETSC_COMM_WORLD, rank ? 0 : s.nb * s.bs, 0, 1, &all)); /* the rows may be split otherwise */
    PetscCall(MatCreateSubMatrix(p.aij, all, all, MAT_INITIAL_MATRIX, &whole[0]));
    PetscCall(MatCreateSubMatrix(B, all, all, MAT_INITIAL_MATRIX, &whole[1]));
    PetscCall(CheckMat(whole[0], whole[1], 0, "MatLoad"));
    PetscCall(ISDestroy(&all));
    for (Mat &m : whole) PetscCall(MatDestroy(&m));
    PetscCall(MatDestroy(&B));
  }
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  if (!rank) {
    (void)unlink(name.c_str());
    (void)unlink((name + ".info").c_str());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* String and draw viewers get through */
static PetscErrorCode Others(const Pair &p)
{
  PetscViewer viewer;
  char        text[256] = "";
  std::string name;

  PetscFunctionBeginUser;
  PetscCall(PetscViewerStringOpen(PETSC_COMM_WORLD, text, sizeof(text), &viewer));
  PetscCall(MatView(p.bdia, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCheck(strstr(text, "MatType"), PETSC_COMM_SELF, PETSC_ERR_PLIB, "String viewer: \"%s\"", text);
  PetscCall(FileName("draw", &name)); /* a folder, which is removed again, has the title's name */
  PetscCall(PetscOptionsInsertString(nullptr, "-draw_type image -nox_warning"));
  PetscCall(PetscViewerDrawOpen(PETSC_COMM_WORLD, nullptr, name.c_str(), PETSC_DECIDE, PETSC_DECIDE, 300, 300, &viewer));
  PetscCall(MatView(p.bdia, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* DMDA puts its own view over the matrix's: natural numbering for the entries, ours for the info formats */
static PetscErrorCode WithDMDA(PetscInt dof)
{
  DM  da;
  Mat J[2];

  PetscFunctionBeginUser;
  PetscCall(DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 5, 6, PETSC_DECIDE,
                         PETSC_DECIDE, dof, 1, nullptr, nullptr, &da));
  PetscCall(DMSetUp(da));
  for (int k = 0; k < 2; k++) {
    PetscInt start, end;
    PetscCall(DMSetMatType(da, k ? TestType() : MATAIJ));
    PetscCall(DMCreateMatrix(da, &J[k]));
    PetscCall(MatGetOwnershipRange(J[k], &start, &end));
    for (PetscInt i = start; i < end; i++) {
      const PetscScalar v = i + 1;
      PetscCall(MatSetValues(J[k], 1, &i, 1, &i, &v, INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(J[k], MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(J[k], MAT_FINAL_ASSEMBLY));
  }
  PetscCall(Contains(J[1], PETSC_VIEWER_ASCII_INFO,
                     {TestKind() + ": ", TestIsBDIA() ? "block size " + std::to_string(dof) + ", " : "fill"}));
  PetscCall(Formats(J[0], J[1], "DMDA"));
  for (Mat &m : J) PetscCall(MatDestroy(&m));
  PetscCall(DMDestroy(&da));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PairSpec s;

  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(PetscOptionsInsertString(nullptr, "-mat_no_inode"));
  PetscCall(PairEachBlockSize(12, 8, [](PairSpec &s) {
    Pair p;
    PetscCall(PairCreate(PETSC_COMM_WORLD, s, &p));
    PetscCall(Info(s));
    PetscCall(Formats(p.aij, p.bdia, "random"));
    PetscCall(Binary(p, s));
    PetscCall(Others(p));
    return PairDestroy(&p);
  }));
  for (PetscInt dof : {1, 3}) PetscCall(WithDMDA(dof));
  PetscCall(Ghosts());
  s.bs        = 2;
  s.symmetric = true;
  s.options   = "-pair_mat_bdia_half";
  PetscCall(Info(s));
  PetscCall(PetscFinalize());
  return 0;
}
