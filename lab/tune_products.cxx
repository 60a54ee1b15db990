/* Launches of products, and the bandwidth that vectors reach */
#include "tune.h"

#include <memory>

HeptaTuneMatrix::~HeptaTuneMatrix()
{
  (void)VecDestroy(&x);
  (void)VecDestroy(&y);
  (void)MatDestroy(&A);
}

/* A block of couplings between cells m and q: -1 on its diagonal, less beside it; *sum gets what rows have */
static PetscErrorCode Couple(Mat A, PetscInt m, PetscInt q, PetscInt bs, PetscReal *sum)
{
  const PetscScalar beside = -0.01;

  PetscFunctionBegin;
  for (PetscInt r = 0; r < bs; r++) {
    for (PetscInt c = 0; c < bs; c++) {
      if (m != q || r != c) PetscCall(MatSetValue(A, m * bs + r, q * bs + c, r == c ? -1 : beside, INSERT_VALUES));
    }
  }
  *sum += (m == q ? 0 : 1) + 0.01 * (PetscReal)(bs - 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of the grid's operator, which is definite and badly conditioned */
static PetscErrorCode FillGrid(const PetscInt n[3], PetscInt bs, Mat A)
{
  const PetscInt stride[3] = {1, n[0], n[0] * n[1]};
  PetscInt       start, end;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt m = start / bs; m < end / bs; m++) {
    PetscReal sum = 1e-3;
    PetscCall(Couple(A, m, m, bs, &sum));
    for (int a = 0; a < 3; a++) {
      const PetscInt at = m / stride[a] % n[a];
      if (at > 0) PetscCall(Couple(A, m, m - stride[a], bs, &sum));
      if (at + 1 < n[a]) PetscCall(Couple(A, m, m + stride[a], bs, &sum));
    }
    for (PetscInt r = 0; r < bs; r++) PetscCall(MatSetValue(A, m * bs + r, m * bs + r, sum, INSERT_VALUES));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTuneGrid(MPI_Comm comm, const PetscInt n[3], PetscInt bs, MatType type, bool solvable, HeptaTuneMatrix *M)
{
  const PetscInt rows = n[0] * n[1] * n[2] * bs;
  PetscBool      ours = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(MatCreate(comm, &M->A));
  PetscCall(MatSetSizes(M->A, PETSC_DECIDE, PETSC_DECIDE, rows, rows));
  PetscCall(MatSetBlockSize(M->A, bs));
  PetscCall(MatSetType(M->A, type));
  PetscCall(PetscStrbeginswith(type, MATBDIA, &ours));
  if (ours) PetscCall(MatBDIASetGrid(M->A, n[0], n[1], n[2]));
  else PetscCall(MatSetUp(M->A));
  if (solvable || !ours) PetscCall(FillGrid(n, bs, M->A));
  PetscCall(MatAssemblyBegin(M->A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(M->A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(M->A, MAT_SPD, PETSC_TRUE));
  PetscCall(MatCreateVecs(M->A, &M->x, &M->y));
  PetscCall(VecSetRandom(M->x, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  HeptaMatCreateStar - Creates the matrix of a grid whose cells are coupled with their neighbors along the axes, symmetric and
  definite

  Collective

  Input Parameters:
+ comm - the communicator
- n    - cells along each axis, numbered along the first one first

  Output Parameter:
. A - a `MATAIJ`: -1 beside a diagonal that is larger than its row's other entries by 0.001

  Level: developer

.seealso: `HeptaMatAdvise()`, `DMDACreate3d()`
@*/
PetscErrorCode HeptaMatCreateStar(MPI_Comm comm, const PetscInt n[3], Mat *A)
{
  HeptaTuneMatrix M;

  PetscFunctionBegin;
  PetscCall(HeptaTuneGrid(comm, n, 1, MATAIJ, true, &M));
  PetscCall(PetscObjectReference((PetscObject)M.A));
  *A = M.A;
  PetscFunctionReturn(PETSC_SUCCESS);
}

HeptaTuneCase HeptaTuneGridCase(HeptaTuner *t, int dim, PetscInt n, PetscInt bs, MatType type, const std::string &options,
                                PetscInt iterations)
{
  const std::string type_of = type;
  auto              M       = std::make_shared<HeptaTuneMatrix>();

  return {type_of + " " + std::to_string(n) + "^" + std::to_string(dim) + ", blocks of " + std::to_string(bs) + ", " + options,
          [=](double *us) {
            const PetscInt sides[3] = {n, n, dim == 3 ? n : 1};
            PetscFunctionBegin;
            if (!M->A) PetscCall(HeptaTuneGrid(PETSC_COMM_SELF, sides, bs, type_of.c_str(), true, M.get()));
            PetscCall(HeptaTuneSolve(t, *M, options, iterations, us));
            PetscFunctionReturn(PETSC_SUCCESS);
          }};
}

/* Iterations of fusedcg are recorded, so that no launch hides a product */
static HeptaTuneCase Product(HeptaTuner *t, int dim, PetscInt n, PetscInt bs, MatType type)
{
  return HeptaTuneGridCase(t, dim, n, bs, type, "-pc_type jacobi -ksp_norm_type natural", 60);
}

std::vector<HeptaTuneCase> HeptaTuneProductCases(HeptaTuner *t, bool held_out)
{
  std::vector<HeptaTuneCase> cases;
  const PetscInt             sides2[] = {48, 100, 180, 360, 720}, other2[] = {70, 140, 250, 500}, sides3[] = {14, 26, 44, 80},
                             other3[] = {18, 34, 60};

  for (PetscInt n :
       held_out ? std::vector<PetscInt>(other2, other2 + 4) : std::vector<PetscInt>(sides2, sides2 + (t->quick ? 4 : 5))) {
    cases.push_back(Product(t, 2, n, 1, MATBDIACUDA));
    if (n < 300) cases.push_back(Product(t, 2, n, 3, MATBDIACUDA));
    if (n < 300) cases.push_back(Product(t, 2, n, 1, MATBROWCUDA));
  }
  for (PetscInt n :
       held_out ? std::vector<PetscInt>(other3, other3 + 3) : std::vector<PetscInt>(sides3, sides3 + (t->quick ? 3 : 4))) {
    cases.push_back(Product(t, 3, n, 1, MATBDIACUDA));
    if (n < 40) cases.push_back(Product(t, 3, n, 5, MATBDIACUDA));
    if (n < 40) cases.push_back(Product(t, 3, n, 3, MATBROWCUDA));
  }
  return cases;
}

/* Products whose matrices are about as large as the second-level cache, of 25 to 126 MB */
std::vector<HeptaTuneCase> HeptaTuneCacheCases(HeptaTuner *t, bool held_out)
{
  std::vector<HeptaTuneCase> cases;

  for (PetscInt n : held_out   ? std::vector<PetscInt>{80, 104}
                    : t->quick ? std::vector<PetscInt>{76, 96}
                               : std::vector<PetscInt>{64, 76, 88, 96, 110})
    cases.push_back(Product(t, 3, n, 1, MATBDIACUDA));
  return cases;
}

PetscErrorCode HeptaTuneProducts(HeptaTuner *t)
{
  PetscFunctionBegin;
  {
    const std::vector<HeptaTuneCase> cases = HeptaTuneProductCases(t, false);
    PetscCall(HeptaTuneSearch(t, "busy_threads", hepta_busy_threads, cases));
    PetscCall(HeptaTuneSearch(t, "product_threads", hepta_product_threads, cases));
  }
  PetscCall(HeptaTuneSearch(t, "cache_share", hepta_cache_shares, HeptaTuneCacheCases(t, false)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
