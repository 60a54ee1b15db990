static char help[] = "HeptaMatAdvise() where a product or the making of a matrix fails on one rank alone: the table says so, no "
                     "rank waits for it, and no object is left.\n\n";

#include <hepta.h>
#include "hepta_lab.h"

#include "view.h"

enum class Failure {
  product,
  creation
};

/* What PETSc's log has told */
struct Seen {
  Failure       failure;
  bool          failed   = false; /* on the last rank */
  PetscLogEvent multiply = 0, convert = 0;
  int           products = 0, conversions = 0; /* that have ended; that are under way */
  int           objects = 0;                   /* matrices and vectors that exist */
};

static Seen seen;

/* An error on the last rank alone, once */
static PetscErrorCode Fail()
{
  PetscMPIInt rank, size;

  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (seen.failed || rank < size - 1) return PETSC_SUCCESS;
  seen.failed = true;
  return PETSC_ERR_MEM;
}

static PetscErrorCode Begin(PetscLogEvent event, int, PetscObject, PetscObject, PetscObject, PetscObject)
{
  seen.conversions += event == seen.convert;
  return PETSC_SUCCESS;
}

/* The fifth product fails when the numbers of other ranks have come, so that none waits for them */
static PetscErrorCode End(PetscLogEvent event, int, PetscObject, PetscObject, PetscObject, PetscObject)
{
  seen.conversions -= event == seen.convert;
  seen.products += event == seen.multiply;
  return seen.failure == Failure::product && event == seen.multiply && seen.products == 5 ? Fail() : PETSC_SUCCESS;
}

static bool Has(PetscObject object, PetscClassId wanted)
{
  PetscClassId id = 0;

  return !PetscObjectGetClassId(object, &id) && id == wanted;
}

static int Counts(PetscObject object)
{
  return Has(object, MAT_CLASSID) || Has(object, VEC_CLASSID);
}

/* Once products are measured, a matrix made outside of conversions is the one that a conversion to a type of Hepta needs */
static PetscErrorCode Create(PetscObject object)
{
  if (seen.failure == Failure::creation && seen.products && !seen.conversions && Has(object, MAT_CLASSID)) PetscCall(Fail());
  seen.objects += Counts(object);
  return PETSC_SUCCESS;
}

static PetscErrorCode Destroy(PetscObject object)
{
  seen.objects -= Counts(object);
  return PETSC_SUCCESS;
}

/* The line that says "refused" begins with `format`, and there is no other such line */
static PetscErrorCode Check(Mat A, Failure failure, const std::string &format)
{
  std::string text;
  PetscMPIInt rank;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  seen         = {};
  seen.failure = failure;
  PetscCall(PetscLogEventGetId("MatMult", &seen.multiply));
  PetscCall(PetscLogEventGetId("MatConvert", &seen.convert));
  PetscCall(TakeText(PETSC_COMM_WORLD, &text, [&](PetscViewer viewer) { return HeptaMatAdvise(A, viewer); }));
  PetscCheck(seen.objects == 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %d matrices and vectors are left", format.c_str(),
             seen.objects);
  if (rank) PetscFunctionReturn(PETSC_SUCCESS);
  const size_t at = text.find("refused"), line = text.rfind('\n', at) + 1;
  PetscCheck(at != std::string::npos && text.compare(line, format.size(), format) == 0, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%s is not refused:\n%s", format.c_str(), text.c_str());
  PetscCheck(text.find("refused", at + 1) == std::string::npos, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Not only %s is refused:\n%s",
             format.c_str(), text.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Mat A;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, help));
  PetscCall(HeptaRegisterAll());
  PetscCall(PetscOptionsSetValue(nullptr, "-hepta_advise_measure", "true"));
  PetscCall(HeptaMatCreateGeneralHepta(PETSC_COMM_WORLD, 4, 3, 6, 2, 1, MATAIJ, &A));
  PetscCall(PetscLogLegacyCallbacksBegin(Begin, End, Create, Destroy));
  PetscCall(Check(A, Failure::product, "aij "));
  PetscCall(Check(A, Failure::creation, "bdia "));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "ok\n"));
  PetscCall(PetscFinalize());
  return 0;
}
