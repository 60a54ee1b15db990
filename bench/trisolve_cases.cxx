#include "trisolve.h"

#include <hepta.h>
#include <matrix_market.h>

static PetscErrorCode ToCSR(Mat A, CSR *C)
{
  PetscInt           rows, n;
  const PetscInt    *cols;
  const PetscScalar *vals;

  PetscFunctionBegin;
  PetscCall(MatGetSize(A, &rows, nullptr));
  *C      = {};
  C->rows = rows;
  C->ptr  = {0};
  for (PetscInt i = 0; i < rows; i++) {
    PetscCall(MatGetRow(A, i, &n, &cols, &vals));
    C->col.insert(C->col.end(), cols, cols + n);
    C->val.insert(C->val.end(), vals, vals + n);
    C->ptr.push_back((PetscInt)C->col.size());
    PetscCall(MatRestoreRow(A, i, &n, &cols, &vals));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A <- P A P^T in level order */
static PetscErrorCode LevelOrder(CSR *A)
{
  Mat B, C;
  IS  rows, cols;

  PetscFunctionBegin;
  PetscCall(CSRGetAIJ(*A, &B));
  PetscCall(MatGetOrdering(B, MATORDERINGLEVEL, &rows, &cols));
  PetscCall(MatPermute(B, rows, cols, &C));
  PetscCall(MatDestroy(&B)); /* which uses A's arrays */
  PetscCall(ToCSR(C, A));
  PetscCall(MatDestroy(&C));
  PetscCall(ISDestroy(&rows));
  PetscCall(ISDestroy(&cols));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Factor(const std::string &order, TriCase *c)
{
  PetscFunctionBegin;
  if (order == "level") PetscCall(LevelOrder(&c->A));
  PetscCall(TriILU(c->A, &c->U));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FromFile(const std::string &file, const std::string &order, TriCase *c)
{
  Mat       A;
  PetscBool known, symmetric;
  PetscInt  rows, cols;

  PetscFunctionBegin;
  PetscCall(HeptaMatReadMatrixMarket(PETSC_COMM_SELF, file.c_str(), PETSC_DECIDE, &A));
  PetscCall(MatGetSize(A, &rows, &cols));
  PetscCheck(rows == cols, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "%s: a factor needs a square matrix, not one of %" PetscInt_FMT " rows and %" PetscInt_FMT " columns", file.c_str(),
             rows, cols);
  PetscCall(MatIsSymmetricKnown(A, &known, &symmetric));
  c->symmetric = known && symmetric;
  PetscCall(ToCSR(A, &c->A));
  PetscCall(MatDestroy(&A));
  PetscCall(Factor(order, c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void AddPoisson(const TriOptions &o, PetscInt n, bool three, std::vector<TriSource> *sources)
{
  const std::string side   = " x " + std::to_string(n);
  const auto        create = [=](const std::string &order, TriCase *c) {
    PetscFunctionBegin;
    c->A         = CSRPoisson(n, n, three ? n : 1);
    c->symmetric = true;
    c->cg        = !three;
    PetscCall(Factor(order, c));
    PetscFunctionReturn(PETSC_SUCCESS);
  };

  sources->push_back({"Poisson " + std::to_string(n) + side + (three ? side : ""), o.orders, create});
}

static void AddTriangle(const std::string &name, const std::string &order, const std::function<CSR()> &make,
                        std::vector<TriSource> *sources)
{
  const auto create = [=](const std::string &, TriCase *c) {
    PetscFunctionBegin;
    c->U = make();
    PetscFunctionReturn(PETSC_SUCCESS);
  };

  sources->push_back({name, {order}, create});
}

PetscErrorCode TriSources(const TriOptions &o, std::vector<TriSource> *sources)
{
  const PetscInt s = o.shrink;

  PetscFunctionBegin;
  for (const std::string &file : o.files) {
    const size_t slash = file.rfind('/'), from = slash == std::string::npos ? 0 : slash + 1;
    sources->push_back({file.substr(from, file.find('.', from) - from), o.orders,
                        [=](const std::string &order, TriCase *c) { return FromFile(file, order, c); }});
  }
  for (PetscInt n : o.poisson) AddPoisson(o, n, false, sources);
  for (PetscInt n : o.poisson3) AddPoisson(o, n, true, sources);
  if (o.generated) {
    AddTriangle("up to 190 entries, 35 levels", "level", [=]() { return TriLevels(300000 / s, 35, 190); }, sources);
    AddTriangle("up to 12 entries, 7 levels", "level", [=]() { return TriLevels(500000 / s, 7, 12); }, sources);
    AddTriangle("arrow", "natural", [=]() { return TriArrow(300000 / s); }, sources);
    AddTriangle("chain", "natural", [=]() { return TriChain(10000 / s); }, sources);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
