static char help[] = "HeptaMatAdvise() against what the formats store: bytes and fill of its table, for several types of "
                     "matrices; and what it refuses.\n\n";

#include <hepta.h>
#include "hepta_lab.h"

#include "view.h"

#include <cmath>
#include <cstdlib>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

/* A row of the table */
struct Line {
  std::string type;
  int         bs    = 0; /* 0: none */
  double      bytes = 0, fill = 0;
  std::string rest;
};

struct Table {
  std::vector<Line> lines;
  std::string       advice;
};

/* The table of a matrix, on the first rank */
static PetscErrorCode GetTable(Mat A, Table &t)
{
  std::string text, line;
  char        type[16], bs[16], rest[256];

  PetscFunctionBeginUser;
  t = {};
  PetscCall(TakeText(PETSC_COMM_WORLD, &text, [&](PetscViewer viewer) { return HeptaMatAdvise(A, viewer); }));
  std::istringstream lines(text);
  while (std::getline(lines, line)) {
    Line l;
    rest[0] = 0;
    if (std::sscanf(line.c_str(), "%15s %15s %lf %lf %255[^\n]", type, bs, &l.bytes, &l.fill, rest) >= 4 &&
        (bs[0] == '-' || std::atoi(bs))) {
      l.type = type;
      l.bs   = bs[0] == '-' ? 0 : std::atoi(bs);
      l.rest = rest;
      t.lines.push_back(l);
    } else t.advice = line;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const Line *Find(const Table &t, const std::string &type, int bs)
{
  for (const Line &l : t.lines) {
    if (l.type == type && l.bs == bs) return &l;
  }
  return nullptr;
}

/* The line is there and has about this fill and, if not negative, exactly these bytes */
static PetscErrorCode Expect(const Table &t, const std::string &type, int bs, double fill, double bytes)
{
  const Line *l = Find(t, type, bs);

  PetscFunctionBeginUser;
  if (t.lines.empty()) PetscFunctionReturn(PETSC_SUCCESS); /* not the first rank */
  PetscCheck(l, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The table has no line %s %d", type.c_str(), bs);
  PetscCheck(std::abs(l->fill - fill) < 0.0051, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s %d: fill %g, expected %g", type.c_str(), bs,
             l->fill, fill);
  PetscCheck(bytes < 0 || l->bytes == bytes, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s %d: %.0f bytes, expected %.0f", type.c_str(),
             bs, l->bytes, bytes);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Against the converted matrix: its fill, and on one rank the bytes of compressed blocks */
static PetscErrorCode CheckBlocks(Mat aij, const Table &t, PetscInt bs)
{
  Mat         W, B, D;
  MatInfo     one, info;
  PetscReal   fill;
  PetscInt    rows;
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(MatGetSize(aij, &rows, nullptr));
  PetscCall(MatDuplicate(aij, MAT_COPY_VALUES, &W));
  PetscCall(MatSetBlockSizes(W, bs, bs));
  PetscCall(MatConvert(W, MATBAIJ, MAT_INITIAL_MATRIX, &B));
  PetscCall(MatConvert(W, MATBDIA, MAT_INITIAL_MATRIX, &D));
  PetscCall(MatGetInfo(aij, MAT_GLOBAL_SUM, &one));
  PetscCall(MatGetInfo(B, MAT_GLOBAL_SUM, &info));
  const double blocks = info.nz_used / (double)(bs * bs);
  const double bytes  = info.nz_used * sizeof(PetscScalar) + (blocks + (double)(rows / bs) + 1) * sizeof(PetscInt);
  PetscCall(Expect(t, bs > 1 ? "baij" : "aij", bs > 1 ? (int)bs : 0, info.nz_used / one.nz_used, size == 1 ? bytes : -1));
  if (size == 1) PetscCall(Expect(t, "brow", (int)bs, info.nz_used / one.nz_used, -1));
  PetscCall(MatBDIAGetFill(D, &fill));
  PetscCall(Expect(t, "bdia", (int)bs, (double)fill, size == 1 ? (double)fill * one.nz_used * sizeof(PetscScalar) : -1));
  PetscCall(MatDestroy(&W));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&D));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Random locations: diagonals by the hundred */
static PetscErrorCode CreateRandom(PetscInt n, Mat *A)
{
  PetscInt begin, end;

  PetscFunctionBeginUser;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n, n, 6, nullptr, 6, nullptr, A));
  PetscCall(MatGetOwnershipRange(*A, &begin, &end));
  for (PetscInt i = begin; i < end; i++) {
    for (PetscInt k = 1; k < 6; k++) PetscCall(MatSetValue(*A, i, (i * 7919 + k * k * 104729) % n, 1, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every type gives the same table, but for the times */
static PetscErrorCode CheckTypes(Mat aij, const Table &t)
{
  std::vector<MatType> types = {MATBAIJ, MATBDIA, MATBROW};
  PetscMPIInt          size;
  Table                other;
  Mat                  B;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size == 1) types.push_back(MATDENSE); /* which forgets the block size, that of brow's ghost part */
  for (MatType type : types) {
    PetscCall(MatConvert(aij, type, MAT_INITIAL_MATRIX, &B));
    PetscCall(GetTable(B, other));
    PetscCheck(other.lines.size() == t.lines.size(), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %zu lines, not %zu", type,
               other.lines.size(), t.lines.size());
    for (const Line &l : t.lines) PetscCall(Expect(other, l.type, l.bs, l.fill, l.bytes));
    PetscCall(MatDestroy(&B));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckRandom()
{
  Mat   A;
  Table t;

  PetscFunctionBeginUser;
  PetscCall(CreateRandom(2000, &A));
  PetscCall(PetscOptionsSetValue(nullptr, "-mine_hepta_advise_measure", "true"));
  PetscCall(MatSetOptionsPrefix(A, "mine_"));
  PetscCall(GetTable(A, t));
  if (!t.lines.empty()) {
    const Line *bdia = Find(t, "bdia", 1), *brow = Find(t, "brow", 3);
    double      estimated, measured;

    PetscCheck(bdia && bdia->rest.find("does not fit: ") == 0 && bdia->rest.find(" offsets") != std::string::npos,
               PETSC_COMM_SELF, PETSC_ERR_PLIB, "bdia should not fit");
    PetscCheck(brow && std::sscanf(brow->rest.c_str(), "%lf %lf", &estimated, &measured) == 2, PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "brow 3 has not two times: %s", brow ? brow->rest.c_str() : "");
    PetscCheck(estimated > 0 && measured > 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "brow 3 has times %g and %g", estimated, measured);
    PetscCheck(t.advice.find("-mat_type ") != std::string::npos, PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "The last line is no advice: %s", t.advice.c_str());
  }
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nothing but vectors is read: no format is faster than another, and the advice names no number of times */
static PetscErrorCode CheckEmpty()
{
  Mat   A;
  Table t;

  PetscFunctionBeginUser;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, 3, 300000, 0, nullptr, 0, nullptr, &A));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(GetTable(A, t));
  PetscCheck(t.lines.empty() ||
               (t.advice.find("-mat_type ") != std::string::npos && t.advice.find(" times as fast as aij") == std::string::npos),
             PETSC_COMM_SELF, PETSC_ERR_PLIB, "The advice for an empty matrix: %s", t.advice.c_str());
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A long row on each rank does not make the others' couplings to other ranks longer */
static PetscErrorCode CheckLong()
{
  const PetscInt n = 600;
  PetscInt       begin, end;
  Mat            A;
  Table          t;

  PetscFunctionBeginUser;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n, n, n, nullptr, n, nullptr, &A));
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  for (PetscInt j = 0; j < n && begin < end; j++) PetscCall(MatSetValue(A, begin, j, 1, INSERT_VALUES));
  for (PetscInt i = begin; i < end; i++) PetscCall(MatSetValue(A, i, (i + n / 2) % n, 1, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(GetTable(A, t));
  const Line *aij = Find(t, "aij", 0), *brow = Find(t, "brow", 1);
  PetscCheck(t.lines.empty() || (aij && brow && brow->bytes < 1.5 * aij->bytes), PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "brow 1 has %g bytes, aij %g", brow ? brow->bytes : -1, aij ? aij->bytes : -1);
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Compressed rows on every rank, of its own columns and of others': index and value of an entry, and where each row begins */
static PetscErrorCode CheckBytes(Mat aij, const Table &t)
{
  PetscMPIInt size;
  PetscInt    rows;
  MatInfo     info;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(MatGetSize(aij, &rows, nullptr));
  PetscCall(MatGetInfo(aij, MAT_GLOBAL_SUM, &info));
  PetscCall(Expect(t, "aij", 0, 1,
                   info.nz_used * (sizeof(PetscScalar) + sizeof(PetscInt)) +
                     (size > 1 ? 2 : 1) * (double)(rows + size) * sizeof(PetscInt)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Estimated times go as the bytes and one reading and one writing of a vector, to the three digits of the table */
static PetscErrorCode CheckEstimates(Mat aij, const Table &t)
{
  const Line *l[2] = {Find(t, "aij", 0), Find(t, "baij", 2)};
  double      time[2], vectors;
  PetscInt    rows;

  PetscFunctionBeginUser;
  if (t.lines.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetSize(aij, &rows, nullptr));
  vectors = 2. * (double)rows * sizeof(PetscScalar);
  for (int k = 0; k < 2; k++)
    PetscCheck(l[k] && std::sscanf(l[k]->rest.c_str(), "%lf", &time[k]) == 1, PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "No estimated time");
  const double ratio = time[0] / time[1], expected = (l[0]->bytes + vectors) / (l[1]->bytes + vectors);
  PetscCheck(std::abs(ratio - expected) < 0.01 * expected, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "aij takes %g times as long as baij 2, by the bytes %g times", ratio, expected);
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Mat   A, aij;
  Table t;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, help));
  PetscCall(HeptaRegisterAll());
  PetscCall(HeptaMatCreateGeneralHepta(PETSC_COMM_WORLD, 4, 5, 12, 2, 1, MATBAIJ, &A));
  PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &aij));
  PetscCall(GetTable(aij, t));
  for (PetscInt bs : {1, 2, 4}) PetscCall(CheckBlocks(aij, t, bs));
  PetscCall(CheckBytes(aij, t));
  PetscCall(CheckEstimates(aij, t));
  PetscCall(CheckTypes(aij, t));
  PetscCall(CheckRandom());
  PetscCall(CheckEmpty());
  PetscCall(CheckLong());
  PetscCall(MatDestroy(&aij));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "ok\n"));
  PetscCall(PetscFinalize());
  return 0;
}
