/*
   The bubbles: the default ones, those of a file, those at random positions
*/
#include "bubbly_impl.h"

#include <cmath>
#include <fstream>
#include <sstream>
#include <string>

using namespace hepta::flow;

typedef std::vector<PetscScalar> List;

static void Add(List &list, const PetscReal center[3], PetscReal radius, PetscReal density)
{
  const PetscScalar b[BUBBLE_ITEMS] = {center[0], center[1], center[2], radius, PetscScalar(1) / density};

  list.insert(list.end(), b, b + BUBBLE_ITEMS);
}

static void AddDefault(PetscInt dim, List &list)
{
  const PetscReal side[2] = {0.25, 0.75};

  for (int k = 0; k < 1 << dim; k++) {
    const PetscReal center[3] = {side[k & 1], side[k >> 1 & 1], dim > 2 ? side[k >> 2] : PetscReal(0)};

    Add(list, center, 0.15, 1.0);
  }
}

/* A line's bubble; a sentence if it is wrong. Empty lines and what follows a # are skipped. */
static std::string ReadLine(const std::string &line, PetscInt dim, const PetscReal size[3], List &list)
{
  std::istringstream     words(line.substr(0, line.find('#')));
  std::vector<PetscReal> x;
  std::string            word;
  PetscReal              center[3] = {};

  while (words >> word) {
    char  *end;
    double value = std::strtod(word.c_str(), &end);

    if (*end || !std::isfinite(value)) return "\"" + word + "\" is not a number";
    x.push_back((PetscReal)value);
  }
  if (x.empty()) return "";
  if ((PetscInt)x.size() != dim + 1 && (PetscInt)x.size() != dim + 2)
    return std::to_string(x.size()) + " numbers, wanted are " + std::to_string(dim) +
           " of the center, the radius and, if it is not 1, the density";
  for (PetscInt d = 0; d < dim; d++) {
    center[d] = x[d];
    if (center[d] < 0.0 || center[d] > size[d]) return "the center is outside of the domain, whose sides are 1";
  }
  if (x[dim] <= 0.0) return "the radius must be positive";
  if ((PetscInt)x.size() > dim + 1 && x[dim + 1] <= 0.0) return "the density must be positive";
  Add(list, center, x[dim], (PetscInt)x.size() > dim + 1 ? x[dim + 1] : 1.0);
  return "";
}

/* The first process reads; every process raises its error */
static PetscErrorCode ReadFile(MPI_Comm comm, const FlowOptions *o, const PetscReal size[3], List &list)
{
  char        problem[256] = "";
  PetscMPIInt rank, length;
  std::string line, what;
  int         number = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (rank == 0) {
    std::ifstream file(o->bubbles);

    if (!file) PetscCall(PetscStrncpy(problem, "the file cannot be read", sizeof(problem)));
    while (file && what.empty() && std::getline(file, line)) {
      number++;
      what = ReadLine(line, o->dim, size, list);
    }
    if (file && what.empty() && file.bad()) what = "the file cannot be read";
    if (!what.empty()) PetscCall(PetscSNPrintf(problem, sizeof(problem), "line %d: %s", number, what.c_str()));
    else if (!problem[0] && list.empty()) PetscCall(PetscStrncpy(problem, "there is no bubble in the file", sizeof(problem)));
  }
  PetscCallMPI(MPI_Bcast(problem, sizeof(problem), MPI_CHAR, 0, comm));
  PetscCheck(!problem[0], comm, PETSC_ERR_FILE_READ, "-bubbles %s: %s", o->bubbles, problem);
  length = (PetscMPIInt)list.size();
  PetscCallMPI(MPI_Bcast(&length, 1, MPI_INT, 0, comm));
  list.resize(length);
  PetscCallMPI(MPI_Bcast(list.data(), length, MPIU_SCALAR, 0, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nearer than a tenth more than their radii, which leaves liquid between bubbles on a grid too; also across top and bottom, where
   they leave and enter */
static bool TooNear(const List &list, const PetscReal x[3], PetscReal radius, PetscReal height)
{
  for (size_t k = 0; k < list.size(); k += BUBBLE_ITEMS) {
    const PetscReal dx = x[0] - PetscRealPart(list[k]), dz = x[2] - PetscRealPart(list[k + 2]);
    PetscReal       dy = PetscAbsReal(x[1] - PetscRealPart(list[k + 1])), r = 1.1 * (radius + PetscRealPart(list[k + 3]));

    dy = PetscMin(dy, height - dy);
    if (dx * dx + dy * dy + dz * dz <= r * r) return true;
  }
  return false;
}

/*
   Equal bubbles, inside of the walls, each thrown until it overlaps none before it. Filled to a fifth this takes a few throws; a
   radius of the user's may not fit.
*/
static PetscErrorCode AddRandom(MPI_Comm comm, const FlowOptions *o, const PetscReal size[3], List &list)
{
  const PetscReal volume = size[0] * size[1] * (o->dim > 2 ? size[2] : 1.0), part = 0.2 * volume / (PetscReal)o->nbubbles;
  const PetscReal natural = o->dim > 2 ? std::cbrt(0.75 * part / PETSC_PI) : std::sqrt(part / PETSC_PI);
  const PetscReal radius  = o->radius > 0.0 ? o->radius : PetscMin(natural, 0.2);
  uint64_t        draw    = (uint64_t)o->seed << 32;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < o->nbubbles; k++) {
    PetscReal x[3]  = {};
    PetscInt  tries = 0;

    do {
      PetscCheck(radius < 0.5 * size[0] && tries++ < 10000, comm, PETSC_ERR_ARG_OUTOFRANGE,
                 "-nbubbles %" PetscInt_FMT ": only %" PetscInt_FMT
                 " bubbles of radius %g found a place without overlap; take fewer, a smaller -radius, or another -seed",
                 o->nbubbles, k, (double)radius);
      for (PetscInt d = 0; d < o->dim; d++) x[d] = radius + (size[d] - 2.0 * radius) * (PetscReal)uniform(draw++);
    } while (TooNear(list, x, radius, size[1]));
    Add(list, x, radius, 1.0);
  }
  PetscCheck(radius * o->n >= 1.0, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "-nbubbles %" PetscInt_FMT ": their radius, %g, is less than a cell; take fewer, or more cells by -n", o->nbubbles,
             (double)radius);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FlowBubblesCreate(MPI_Comm comm, const FlowOptions *o, const PetscReal size[3], List &list)
{
  PetscFunctionBegin;
  if (o->bubbles[0]) PetscCall(ReadFile(comm, o, size, list));
  else if (o->nbubbles > 0) PetscCall(AddRandom(comm, o, size, list));
  else AddDefault(o->dim, list);
  PetscFunctionReturn(PETSC_SUCCESS);
}
