/* A system in a type of ours and in one of PETSc's own, and the preconditioners of ours by dense arithmetic */
#pragma once

#include "blockic_dense.h"
#include "deflation_dense.h"
#include "entries.h"
#include "ip_dense.h"

/* One system; the vectors x are the direct solver's answers, of the transposed system too */
struct Problem {
  std::string           name;
  Entries               e;
  std::vector<PetscInt> size;                             /* cells of the grid */
  Mat                   ours = nullptr, theirs = nullptr; /* theirs on the host: aij, or baij whose factors are of point blocks */
  Vec                   b = nullptr, their_b = nullptr, x[2] = {nullptr, nullptr};
  Dense                 a;
  std::vector<PetscInt> rank; /* of each row */

  PetscInt Cells() const { return e.n / e.bs; }
};

static inline PetscErrorCode Ranks(Mat A, std::vector<PetscInt> *rank)
{
  PetscMPIInt     size;
  const PetscInt *range;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)A), &size));
  PetscCall(MatGetOwnershipRanges(A, &range));
  rank->clear();
  for (PetscMPIInt r = 0; r < size; r++) rank->resize(range[r + 1], r);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By PETSc's LU of aij, which each rank has all of */
static inline PetscErrorCode SolveDirectly(Problem *p)
{
  Mat aij;
  KSP ksp;

  PetscFunctionBeginUser;
  PetscCall(Make(PETSC_COMM_WORLD, MATAIJ, p->e, &aij));
  PetscCall(NewKSP(aij, "-ksp_type preonly -pc_type redundant -redundant_pc_type lu", &ksp));
  for (int transposed = 0; transposed < 2; transposed++) {
    PetscCall(VecDuplicate(p->their_b, &p->x[transposed]));
    PetscCall((transposed ? KSPSolveTranspose : KSPSolve)(ksp, p->their_b, p->x[transposed]));
  }
  PetscCall(Destroy(&ksp, &aij));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Flow on a grid with jumps, the diagonal being `dominance` times the sum of a cell's couplings; wind makes it unsymmetric */
static inline PetscErrorCode ProblemCreate(const std::vector<PetscInt> &size, PetscInt bs, PetscReal wind, PetscReal dominance,
                                           Problem *p)
{
  PetscFunctionBeginUser;
  p->name = std::string(wind > 0 ? "convection" : "diffusion") + ", block size " + std::to_string(bs);
  p->size = size;
  p->size.resize(3, 1);
  p->e = Jumps(size, bs, wind, 1);
  for (size_t k = 0; k < p->e.v.size(); k++) {
    if (p->e.i[k] == p->e.j[k]) p->e.v[k] *= dominance / 1.2; /* Jumps() has 1.2 */
  }
  PetscCall(Make(PETSC_COMM_WORLD, TestType(), p->e, &p->ours));
  PetscCall(Make(PETSC_COMM_WORLD, bs > 1 ? MATBAIJ : MATAIJ, p->e, &p->theirs));
  PetscCall(MatCreateVecs(p->ours, nullptr, &p->b));
  PetscCall(MatCreateVecs(p->theirs, nullptr, &p->their_b));
  for (Vec b : {p->b, p->their_b}) PetscCall(FillVec(b, 2));
  PetscCall(DenseFromMat(p->theirs, &p->a));
  PetscCall(Ranks(p->theirs, &p->rank));
  PetscCall(SolveDirectly(p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode ProblemDestroy(Problem *p)
{
  PetscFunctionBeginUser;
  PetscCall(Destroy(&p->ours, &p->theirs, &p->b, &p->their_b, &p->x[0], &p->x[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* C as a matrix with the rows of A */
static inline PetscErrorCode MatFromDense(Mat A, const Dense &C, Mat *M)
{
  PetscInt start, end;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  PetscCall(MatCreateDense(PetscObjectComm((PetscObject)A), end - start, end - start, C.n, C.n, nullptr, M));
  for (PetscInt i = start; i < end; i++) {
    for (PetscInt j = 0; j < C.n; j++) PetscCall(MatSetValue(*M, i, j, C(i, j), INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*M, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*M, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where a rank's block rows belong: `lines` and `boxes` of the grid, or `rows` counted from the rank's first */
static inline std::vector<PetscInt> BlockICGroups(const Problem &p, const std::string &blocks, PetscInt size, PetscInt first,
                                                  PetscInt end)
{
  std::vector<PetscInt> group;
  const PetscInt        J = p.size[0], H = p.size[1];

  for (PetscInt m = first; m < end; m++) {
    if (blocks == "rows") group.push_back((m - first) / size);
    else if (blocks == "lines") group.push_back(m / J / size);
    else group.push_back(m % J / size + 100 * (m / J % H / size + 100 * (m / J / H / size)));
  }
  return group;
}

/* (L D V)^-1 of the blocks of each rank; by_rows as in DenseILU */
static inline PetscErrorCode DenseBlockIC(const Problem &p, const std::string &blocks, PetscInt size, bool by_rows, Dense *M)
{
  const PetscInt bs = p.e.bs;
  PetscInt       start, end;
  DenseILU       d;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(p.theirs, &start, &end));
  PetscCall(DenseLoad(p.theirs, BlockICGroups(p, blocks, size, start / bs, end / bs), &d));
  d.by_rows = by_rows;
  DenseFactor(&d);
  Dense L(d.n), U(d.n);
  for (PetscInt i = 0; i < d.n; i++) {
    for (PetscInt j = 0; j < d.n; j++) (j / bs < i / bs ? L : U)(i, j) = d.F(i, j);
    L(i, i) = 1;
  }
  const Dense inverse = DenseInverse(DenseProduct(L, U));
  *M                  = Dense(p.e.n);
  for (PetscInt i = 0; i < d.n; i++) {
    for (PetscInt j = 0; j < d.n; j++) (*M)(start + i, start + j) = inverse(i, j);
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, M->a.data(), (PetscMPIInt)M->a.size(), MPIU_REAL, MPIU_SUM, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* For PC bbs, from A = L + D + U of each rank's diagonal block: D + L, D + U, or (I + L D^-1) and D + U in one matrix */
static inline Dense DenseTriangle(const Problem &p, const std::string &triangle)
{
  const PetscInt bs    = p.e.bs;
  const auto     local = [&](PetscInt i, PetscInt j) { return p.rank[i] == p.rank[j]; };
  const Dense    L     = DenseFilter(p.a, [&](PetscInt i, PetscInt j) { return local(i, j) && j / bs < i / bs; });
  const Dense    U     = DenseFilter(p.a, [&](PetscInt i, PetscInt j) { return local(i, j) && j / bs > i / bs; });
  const Dense    D     = DenseFilter(p.a, [&](PetscInt i, PetscInt j) { return j / bs == i / bs; });

  if (triangle == "lower") return DenseSum(1, L, 1, D);
  if (triangle == "upper") return DenseSum(1, U, 1, D);
  return DenseSum(1, DenseProduct(L, DenseInverse(D)), 1, DenseSum(1, U, 1, D));
}

/* What PC bbs is to make of it */
static inline Dense DenseOfTriangle(const Problem &p, const Dense &T, const std::string &triangle)
{
  const PetscInt bs = p.e.bs;

  if (triangle != "both") return DenseInverse(T);
  const Dense L = DenseFilter(T, [&](PetscInt i, PetscInt j) { return j / bs < i / bs; });
  return DenseInverse(DenseProduct(DenseSum(1, DenseIdentity(T.n), 1, L), DenseSum(1, T, -1, L)));
}

/* A matrix of the type under test at the locations of C's entries and, so that blocks are whole, of its diagonal blocks */
static inline PetscErrorCode MatOfTriangle(const Problem &p, const Dense &C, Mat *P)
{
  Entries e;

  PetscFunctionBeginUser;
  e.n  = C.n;
  e.bs = p.e.bs;
  for (PetscInt i = 0; i < C.n; i++) {
    for (PetscInt j = 0; j < C.n; j++) {
      if (C(i, j) != 0 || i / e.bs == j / e.bs) e.Add(i, j, C(i, j));
    }
  }
  PetscCall(Make(PETSC_COMM_WORLD, TestType(), e, P));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Subdomains of the grid's cells: boxes of `size` cells a side, or `size` stripes */
static inline std::vector<PetscInt> Subdomains(const Problem &p, bool boxes, PetscInt size, PetscInt *count)
{
  const PetscInt        J = p.size[0], H = p.size[1], nj = (J + size - 1) / size, nh = (H + size - 1) / size;
  std::vector<PetscInt> label;

  for (PetscInt m = 0; m < p.Cells(); m++)
    label.push_back(boxes ? m % J / size + nj * (m / J % H / size + nh * (m / J / H / size)) : m * size / p.Cells());
  *count = *std::max_element(label.begin(), label.end()) + 1;
  return label;
}
