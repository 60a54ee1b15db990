static char help[] = "Blocked matrices in device memory: any memory with either type, no copies, the same bits, values that "
                     "change sides, solves.\n\n";

#include "device_array.h"
#include "testmat.h"

/* A pair whose bdia matrix has the type given */
static PetscErrorCode CreatePair(const TestCase &c, MatType type, Pair *p)
{
  PetscFunctionBeginUser;
  PetscCall(PairCreateOne(c.comm, c.spec, MATAIJ, &p->aij));
  PetscCall(PairCreateOne(c.comm, c.spec, type, &p->bdia));
  PetscCall(MatSetOptionsPrefix(p->bdia, "pair_"));
  PetscCall(PetscOptionsInsertString(nullptr, TestOptions(c.storage.options).c_str()));
  PetscCall(MatSetFromOptions(p->bdia));
  for (Mat A : {p->aij, p->bdia}) {
    PetscCall(PairFill(A, c.spec, c.spec.seed));
    if (c.storage.symmetric) PetscCall(MatSetOption(A, MAT_SPD, PETSC_TRUE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode VecOnArray(MPI_Comm comm, PetscMemType type, PetscInt n, PetscScalar *a, Vec *v)
{
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  if (size == 1) PetscCall(VecCreateSeqWithArrayAndMemType(comm, type, 1, n, a, v));
  else PetscCall(VecCreateMPIWithArrayAndMemType(comm, type, 1, n, PETSC_DECIDE, a, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y <- A x or A^T x with vectors on the caller's own arrays in host or device memory */
static PetscErrorCode ProductOnArrays(Mat A, bool transpose, PetscMemType type, const std::vector<PetscScalar> &x,
                                      std::vector<PetscScalar> &y)
{
  std::vector<PetscScalar> hx = x, hy(y.size(), 1e30);
  PetscScalar             *dx = nullptr, *dy = nullptr;
  const bool               device = PetscMemTypeDevice(type);
  Vec                      vx, vy;

  PetscFunctionBeginUser;
  if (device) PetscCall(ToDevice(hx, &dx));
  if (device) PetscCall(ToDevice(hy, &dy));
  PetscCall(VecOnArray(PetscObjectComm((PetscObject)A), type, (PetscInt)hx.size(), device ? dx : hx.data(), &vx));
  PetscCall(VecOnArray(PetscObjectComm((PetscObject)A), type, (PetscInt)hy.size(), device ? dy : hy.data(), &vy));
  PetscCall(transpose ? MatMultTranspose(A, vx, vy) : MatMult(A, vx, vy));
  TestCuda(cudaDeviceSynchronize()); /* the array is read behind PETSc's back */
  if (device && !y.empty()) TestCuda(cudaMemcpy(hy.data(), dy, hy.size() * sizeof(PetscScalar), cudaMemcpyDeviceToHost));
  y = hy;
  PetscCall(VecDestroy(&vx));
  PetscCall(VecDestroy(&vy));
  PetscCall(FreeDevice(&dx));
  PetscCall(FreeDevice(&dy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The memory decides, not the type: host and device give the same product with both types, and each the same bits again */
static PetscErrorCode TestMemory(const TestCase &c)
{
  PetscFunctionBeginUser;
  for (MatType type : {TestTypeOf(false), TestTypeOf(true)}) {
    Pair     p;
    PetscInt n, start;

    PetscCall(CreatePair(c, type, &p));
    PetscCall(MatGetLocalSize(p.bdia, &n, nullptr));
    PetscCall(MatGetOwnershipRange(p.bdia, &start, nullptr));
    std::vector<PetscScalar> x(n), oracle(n), y(n), again(n);
    for (PetscInt i = 0; i < n; i++) x[i] = PairNumber(start + i, 3, 5);
    for (bool transpose : {false, true}) {
      PetscCall(ProductOnArrays(p.aij, transpose, PETSC_MEMTYPE_HOST, x, oracle));
      for (PetscMemType memory : {PETSC_MEMTYPE_HOST, PETSC_MEMTYPE_CUDA, PETSC_MEMTYPE_HOST, PETSC_MEMTYPE_CUDA}) {
        PetscReal worst = 0;
        PetscCall(ProductOnArrays(p.bdia, transpose, memory, x, y));
        for (PetscInt i = 0; i < n; i++) {
          const PetscReal d = PetscAbsScalar(y[i] - oracle[i]);
          worst             = d <= worst ? worst : d; /* keeps NaN */
        }
        PetscCheck(worst <= 100 * c.storage.tol * c.spec.bs, PETSC_COMM_SELF, PETSC_ERR_PLIB,
                   "%s, %s memory, %s: the product differs by %g", type, PetscMemTypeToString(memory),
                   transpose ? "transposed" : "plain", (double)worst);
        for (int k = 0; k < 2; k++) {
          PetscCall(ProductOnArrays(p.bdia, transpose, memory, x, again));
          PetscCheck(!std::memcmp(y.data(), again.data(), n * sizeof(PetscScalar)), PETSC_COMM_SELF, PETSC_ERR_PLIB,
                     "%s, %s memory, %s: the same product gives other bits", type, PetscMemTypeToString(memory),
                     transpose ? "transposed" : "plain");
        }
      }
    }
    PetscCall(PairDestroy(&p));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* After the first product nothing is copied between host and device, and the flops are the device's */
static PetscErrorCode TestNoCopies(const TestCase &c)
{
  Pair           p;
  Vec            x, b, y, z;
  PetscLogDouble copies = 0, flops = 0;
  PetscInt       n;

  PetscFunctionBeginUser;
  PetscCall(CreatePair(c, TestType(), &p));
  PetscCall(TestRandomVecs(p.bdia, 3, &x, &b));
  PetscCall(VecDuplicate(b, &y));
  PetscCall(VecDuplicate(x, &z));
  PetscCall(MatGetLocalSize(p.bdia, &n, nullptr));
  for (int k = 0; k < 11; k++) {
    PetscCall(MatMult(p.bdia, x, y));
    PetscCall(MatMultTranspose(p.bdia, b, z));
    PetscCall(MatMultAdd(p.bdia, x, b, y));
    PetscCall(MatMultAdd(p.bdia, x, y, y));
    PetscCall(MatMultTransposeAdd(p.bdia, b, x, z));
    PetscCall(MatGetDiagonal(p.bdia, y));
    if (k) continue;
    copies = CountCopies();
    flops  = petsc_gflops;
  }
  PetscCall(CheckCopies(c.comm, copies, "Ten products"));
  PetscCheck(petsc_gflops > flops || !n, PETSC_COMM_SELF, PETSC_ERR_PLIB, "No flops of the device were logged");
  copies = CountCopies();
  PetscCall(MatScale(p.bdia, 2));
  PetscCall(MatShift(p.bdia, 0.5));
  PetscCall(MatDiagonalSet(p.bdia, b, ADD_VALUES));
  if (!c.storage.symmetric) PetscCall(MatDiagonalScale(p.bdia, b, x));
  PetscCall(MatZeroEntries(p.bdia));
  PetscCall(MatMult(p.bdia, x, y));
  PetscCall(CheckCopies(c.comm, copies, "Scaling"));
  for (Vec *v : {&x, &b, &y, &z}) PetscCall(VecDestroy(v));
  PetscCall(PairDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An operation on the device, and the same on the oracle */
typedef PetscErrorCode (*Change)(Mat A, Mat other, Vec v);

static const struct {
  const char *name;
  bool        symmetric; /* may be applied to half storage */
  Change      act;
} changes[] = {
  {"MatScale", true, [](Mat A, Mat, Vec) { return MatScale(A, -1.5); }},
  {"MatShift", true, [](Mat A, Mat, Vec) { return MatShift(A, 2.25); }},
  {"MatDiagonalSet add", true, [](Mat A, Mat, Vec v) { return MatDiagonalSet(A, v, ADD_VALUES); }},
  {"MatDiagonalSet insert", true, [](Mat A, Mat, Vec v) { return MatDiagonalSet(A, v, INSERT_VALUES); }},
  {"MatDiagonalScale", true, [](Mat A, Mat, Vec v) { return MatDiagonalScale(A, v, v); }},
  {"MatDiagonalScale left", false, [](Mat A, Mat, Vec v) { return MatDiagonalScale(A, v, nullptr); }},
  {"MatDiagonalScale right", false, [](Mat A, Mat, Vec v) { return MatDiagonalScale(A, nullptr, v); }},
  {"MatAXPY", true, [](Mat A, Mat other, Vec) { return MatAXPY(A, 0.5, other, SAME_NONZERO_PATTERN); }},
  {"MatCopy", true, [](Mat A, Mat other, Vec) { return MatCopy(other, A, SAME_NONZERO_PATTERN); }},
  {"MatZeroEntries", true, [](Mat A, Mat, Vec) { return MatZeroEntries(A); }},
};

/* Values change on the device and on the host in turn: a host read sees the device's, a product on the device the host's */
static PetscErrorCode TestSides(const TestCase &c)
{
  TestCase o = c;
  Pair     p, other;
  Vec      v, w;

  PetscFunctionBeginUser;
  o.spec.seed += 50;
  PetscCall(CreatePair(c, TestType(), &p));
  PetscCall(CreatePair(o, TestType(), &other));
  PetscCall(TestRandomVecs(p.bdia, 6, &v, &w));
  for (const auto &change : changes) {
    const std::string name = change.name;
    PetscReal         na, nb;

    if (c.storage.symmetric && !change.symmetric) continue;
    PetscCall(MatMult(p.bdia, v, w)); /* the values are on the device */
    PetscCall(change.act(p.aij, other.aij, v));
    PetscCall(change.act(p.bdia, other.bdia, v));
    /* reads rows on the host, then multiplies */
    PetscCall(TestSame(p.aij, p.bdia, c.storage.tol, (name + " on the device").c_str()));
    PetscCall(change.act(p.aij, other.aij, v));
    PetscCall(change.act(p.bdia, other.bdia, v)); /* after the host's reading */
    PetscCall(MatNorm(p.aij, NORM_FROBENIUS, &na));
    PetscCall(MatNorm(p.bdia, NORM_FROBENIUS, &nb));
    PetscCheck(PetscAbsReal(na - nb) <= 10 * c.storage.tol * na, c.comm, PETSC_ERR_PLIB, "%s: norm %g instead of %g", change.name,
               (double)nb, (double)na);
    PetscCall(MatMult(p.bdia, v, w));
    for (Mat A : {p.aij, p.bdia}) PetscCall(PairFill(A, c.spec, c.spec.seed + 1)); /* host writes after the device's */
    PetscCall(TestSame(p.aij, p.bdia, c.storage.tol, (name + ", then values from the host").c_str()));
  }
  PetscCall(VecDestroy(&v));
  PetscCall(VecDestroy(&w));
  PetscCall(PairDestroy(&p));
  PetscCall(PairDestroy(&other));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solve(Mat A, KSPType type, Vec x, PetscInt *its)
{
  KSP                ksp;
  PC                 pc;
  Vec                b, ones;
  KSPConvergedReason reason;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(x, &b));
  PetscCall(VecDuplicate(x, &ones));
  PetscCall(VecSet(ones, 1));
  PetscCall(MatMult(A, ones, b));
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)A), &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, type));
  PetscCall(KSPSetTolerances(ksp, 1e-8, PETSC_CURRENT, PETSC_CURRENT, 200));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCPBJACOBI));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCheck(reason > 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %s", type, KSPConvergedReasons[reason]);
  PetscCall(KSPGetIterationNumber(ksp, its));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&ones));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PCPBJACOBI under two Krylov methods: as many iterations and the same solution as on the host, also with new values */
static PetscErrorCode TestSolve(const TestCase &c)
{
  Pair     host, device;
  Vec      x, y;
  PetscInt its[2];

  PetscFunctionBeginUser;
  PetscCall(CreatePair(c, TestTypeOf(false), &host));
  PetscCall(CreatePair(c, TestType(), &device));
  PetscCall(MatCreateVecs(host.bdia, &x, nullptr));
  PetscCall(MatCreateVecs(device.bdia, &y, nullptr));
  for (PetscInt more : {0, 1}) {
    for (Mat A : {host.bdia, device.bdia}) PetscCall(PairFill(A, c.spec, c.spec.seed + more));
    for (KSPType type : {KSPBCGS, c.storage.symmetric ? KSPCG : KSPGMRES}) {
      PetscCall(Solve(host.bdia, type, x, &its[0]));
      PetscCall(Solve(device.bdia, type, y, &its[1]));
      PetscCheck(PetscAbsInt(its[0] - its[1]) <= 1, c.comm, PETSC_ERR_PLIB, "%s: %d iterations on the host, %d on the device",
                 type, (int)its[0], (int)its[1]);
      PetscCall(CheckVec(x, y, 1e-6, type));
    }
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(PairDestroy(&host));
  PetscCall(PairDestroy(&device));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestProgram(argc, argv, help, {TestMemory, TestNoCopies, TestSides, TestSolve}, true);
}
