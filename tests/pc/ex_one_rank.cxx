static char help[] = "Several processes compute what one does: preconditioners and Krylov methods on matrices cut into the boxes "
                     "of a DMDA, and into lines with a process that has none.\n\n";

#include <petscdmda.h>

#include "entries.h"

/* How rows are dealt out: boxes of a DMDA, each numbered by itself, or runs of whole grid lines in the order of the grid, none
   for the first of several processes */
enum class Cut {
  BOXES,
  LINES
};

/* A grid of cells, 2-D with one cell along the last axis, and where the matrix of all processes has them: cell c is row at[c] */
struct Cells {
  PetscInt              size[3];
  Cut                   cut;
  DM                    da;
  std::vector<PetscInt> at;

  PetscInt N() const { return size[0] * size[1] * size[2]; }
};

/* Fills A, whose row of cell c is at[c]: five or seven points with jumps of the coefficient by 1000 */
static PetscErrorCode FillCells(Mat A, const Cells &g, const std::vector<PetscInt> &at)
{
  Entries e = Jumps({g.size[0], g.size[1], g.size[2]}, 1, 0, 1);

  PetscFunctionBeginUser;
  for (auto *indices : {&e.i, &e.j}) {
    for (PetscInt &c : *indices) c = at[c];
  }
  PetscCall(Fill(A, e));
  PetscCall(MatSetOption(A, MAT_SPD, PETSC_TRUE));
  PetscCall(MatSetOption(A, MAT_SPD_ETERNAL, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NewDA(MPI_Comm comm, const Cells &g, DM *da)
{
  PetscFunctionBeginUser;
  PetscCall(DMDACreate(comm, da));
  PetscCall(DMSetDimension(*da, g.size[2] > 1 ? 3 : 2));
  PetscCall(DMDASetSizes(*da, g.size[0], g.size[1], g.size[2]));
  PetscCall(DMDASetDof(*da, 1));
  PetscCall(DMDASetStencilWidth(*da, 1));
  PetscCall(DMDASetStencilType(*da, DMDA_STENCIL_STAR));
  PetscCall(DMSetMatType(*da, TestType()));
  PetscCall(DMSetUp(*da));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix of all processes, and where its rows are */
static PetscErrorCode NewCut(Cells *g, Mat *A)
{
  PetscMPIInt rank, size;
  AO          ao;

  PetscFunctionBeginUser;
  g->at.resize(g->N());
  for (PetscInt c = 0; c < g->N(); c++) g->at[c] = c;
  if (g->cut == Cut::BOXES) {
    PetscCall(NewDA(PETSC_COMM_WORLD, *g, &g->da));
    PetscCall(DMDAGetAO(g->da, &ao));
    PetscCall(AOApplicationToPetsc(ao, g->N(), g->at.data()));
    PetscCall(DMCreateMatrix(g->da, A));
  } else {
    PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
    const PetscInt lines = g->N() / g->size[0], mine = size == 1 ? lines : rank == size - 1 ? lines - (size - 2) : rank > 0;
    PetscCall(MatCreate(PETSC_COMM_WORLD, A));
    PetscCall(MatSetSizes(*A, mine * g->size[0], mine * g->size[0], g->N(), g->N()));
    PetscCall(MatSetType(*A, TestType()));
  }
  PetscCall(FillCells(*A, *g, g->at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same matrix on this process alone */
static PetscErrorCode NewAlone(const Cells &g, const std::vector<PetscInt> &at, Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, g.N(), g.N(), g.N(), g.N()));
  PetscCall(MatSetType(*A, TestType()));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(FillCells(*A, g, at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A solve: where the cells' rows are in its matrix, and what it gave */
struct Run {
  Mat                    A   = nullptr;
  KSP                    ksp = nullptr;
  std::vector<PetscInt>  at;
  std::vector<PetscReal> norms;
  Vec                    y = nullptr; /* the preconditioner applied to a vector */
};

/* f(row, cell) for the rows of this process */
template <class F> static PetscErrorCode EachCell(const Run &run, F f)
{
  PetscInt start, end;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(run.A, &start, &end));
  for (PetscInt c = 0; c < (PetscInt)run.at.size(); c++) {
    if (run.at[c] >= start && run.at[c] < end) PetscCall(f(run.at[c], c));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers that depend on the cell */
static PetscErrorCode CellVec(const Run &run, PetscInt seed, Vec *x)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(run.A, x, nullptr));
  PetscCall(
    EachCell(run, [&](PetscInt row, PetscInt cell) { return VecSetValue(*x, row, PairNumber(cell, 17, seed), INSERT_VALUES); }));
  PetscCall(VecAssemblyBegin(*x));
  PetscCall(VecAssemblyEnd(*x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Subdomains that the program gives: labels that jump from cell to cell, or three vectors */
static PetscErrorCode SetSubdomains(const Run &run, PC pc, const std::string &options)
{
  PetscInt start, end;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(run.A, &start, &end));
  if (options.find("-pc_subdeflation_type labels") != std::string::npos) {
    std::vector<PetscInt> label(end - start);
    IS                    is;
    PetscCall(EachCell(run, [&](PetscInt row, PetscInt cell) {
      label[row - start] = cell * 7 % 5;
      return PETSC_SUCCESS;
    }));
    PetscCall(ISCreateGeneral(PetscObjectComm((PetscObject)run.A), end - start, label.data(), PETSC_COPY_VALUES, &is));
    PetscCall(PCSubdeflationSetLabels(pc, is));
    PetscCall(ISDestroy(&is));
  }
  if (options.find("-pc_subdeflation_type vectors") != std::string::npos) {
    Vec v[3];
    for (PetscInt k = 0; k < 3; k++) PetscCall(CellVec(run, k, &v[k]));
    PetscCall(PCSubdeflationSetVectors(pc, 3, v));
    for (Vec &each : v) PetscCall(VecDestroy(&each));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On one process the blocks of PCBJACOBI and the overlapping ones of PCASM that several processes have */
static PetscErrorCode SetBlocks(Mat whole, Mat A, PC pc, const std::string &options)
{
  std::vector<PetscInt> sizes;
  std::vector<IS>       own, wide;
  const PetscInt       *first;
  PetscMPIInt           size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)whole), &size));
  PetscCall(MatGetOwnershipRanges(whole, &first));
  for (PetscMPIInt r = 0; r < size; r++) {
    IS is[2];
    if (first[r + 1] == first[r]) continue;
    sizes.push_back(first[r + 1] - first[r]);
    for (IS &each : is) PetscCall(ISCreateStride(PETSC_COMM_SELF, sizes.back(), first[r], 1, &each));
    PetscCall(MatIncreaseOverlap(A, 1, &is[1], 1));
    own.push_back(is[0]);
    wide.push_back(is[1]);
  }
  if (options.find("-pc_type bjacobi") != std::string::npos)
    PetscCall(PCBJacobiSetTotalBlocks(pc, (PetscInt)sizes.size(), sizes.data()));
  if (options.find("-pc_type asm") != std::string::npos)
    PetscCall(PCASMSetLocalSubdomains(pc, (PetscInt)own.size(), wide.data(), own.data()));
  for (size_t k = 0; k < own.size(); k++) PetscCall(Destroy(&own[k], &wide[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Twelve iterations, before rounding has grown, for given numbers; and the preconditioner applied once */
static PetscErrorCode Solve(Mat whole, const std::string &options, Run *run)
{
  Vec              b, x;
  PC               pc;
  PetscInt         n;
  const PetscReal *norms;

  PetscFunctionBeginUser;
  PetscCall(NewKSP(run->A, options + " -ksp_rtol 1e-10 -ksp_max_it 12", &run->ksp));
  PetscCall(KSPSetResidualHistory(run->ksp, nullptr, PETSC_DECIDE, PETSC_TRUE));
  PetscCall(KSPGetPC(run->ksp, &pc));
  PetscCall(SetSubdomains(*run, pc, options));
  if (run->A != whole) PetscCall(SetBlocks(whole, run->A, pc, options));
  PetscCall(CellVec(*run, 5, &b));
  PetscCall(VecDuplicate(b, &x));
  PetscCall(KSPSolve(run->ksp, b, x));
  PetscCall(KSPGetResidualHistory(run->ksp, &norms, &n));
  run->norms.assign(norms, norms + n);
  PetscCall(VecDuplicate(b, &run->y));
  PetscCall(PCApply(pc, b, run->y));
  PetscCall(Destroy(&b, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The values at all cells that this process has agree with those of one process, and so do the norms of the residuals */
static PetscErrorCode CheckRuns(const Run &all, const Run &alone, const std::string &what)
{
  PetscReal          largest;
  PetscInt           start;
  const PetscScalar *y, *z;

  PetscFunctionBeginUser;
  PetscCall(VecNorm(alone.y, NORM_INFINITY, &largest));
  PetscCall(MatGetOwnershipRange(all.A, &start, nullptr));
  PetscCall(VecGetArrayRead(all.y, &y));
  PetscCall(VecGetArrayRead(alone.y, &z));
  PetscCall(EachCell(all, [&](PetscInt row, PetscInt cell) -> PetscErrorCode {
    const PetscScalar a = y[row - start], b = z[alone.at[cell]];
    PetscCheck(PetscAbsScalar(a - b) <= 1e-10 * largest, PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "%s: M^-1 r at cell %d is %.15g instead of %.15g", what.c_str(), (int)cell, (double)PetscRealPart(a),
               (double)PetscRealPart(b));
    return PETSC_SUCCESS;
  }));
  PetscCall(VecRestoreArrayRead(all.y, &y));
  PetscCall(VecRestoreArrayRead(alone.y, &z));
  PetscCheck(all.norms.size() + 1 >= alone.norms.size() && all.norms.size() <= alone.norms.size() + 1, PETSC_COMM_WORLD,
             PETSC_ERR_PLIB, "%s: %d norms instead of %d", what.c_str(), (int)all.norms.size(), (int)alone.norms.size());
  for (size_t k = 0; k < PetscMin(all.norms.size(), alone.norms.size()); k++) {
    PetscCheck(PetscAbsReal(all.norms[k] - alone.norms[k]) <= 1e-8 * alone.norms[0], PETSC_COMM_WORLD, PETSC_ERR_PLIB,
               "%s: norm %d is %g instead of %g", what.c_str(), (int)k, (double)all.norms[k], (double)alone.norms[k]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is the same on one process: in the order of the grid, in that of the processes, or for whole lines of the grid only */
enum class Same {
  GRID,
  ORDER,
  LINES
};

static const struct {
  Same        same;
  const char *options;
} solves[] = {
  {Same::GRID, "-ksp_type fusedcg -pc_type none"},
  {Same::GRID, "-ksp_type fusedcg -pc_type jacobi"},
  {Same::GRID, "-ksp_type fusedbcgs -pc_type jacobi"},
  {Same::GRID, "-ksp_type bicgcr -pc_type jacobi"},
  {Same::ORDER, "-ksp_type fusedcg -pc_type ip"},
  {Same::ORDER, "-ksp_type fusedbcgs -pc_type ip -ksp_pc_side right"},
  {Same::ORDER, "-ksp_type cg -pc_type bjacobi -sub_pc_type icc -sub_pc_factor_mat_solver_type bbs"},
  {Same::ORDER, "-ksp_type gmres -pc_type asm -sub_pc_type ilu -sub_pc_factor_mat_solver_type bbs"},
  {Same::LINES, "-ksp_type cg -pc_type blockic -pc_blockic_blocks lines -pc_blockic_size 1"},
  {Same::ORDER, "-ksp_type fcg -pc_type subdeflation -pc_subdeflation_type stripes -pc_subdeflation_count 7 "
                "-pc_subdeflation_coarse ksp -pc_subdeflation_coarse_pc_type jacobi"},
  {Same::GRID,
   "-ksp_type dpcg -pc_type subdeflation -pc_subdeflation_pc_type jacobi -pc_subdeflation_type boxes -pc_subdeflation_size 3"},
  {Same::GRID, "-ksp_type cg -pc_type subdeflation -pc_subdeflation_pc_type jacobi -pc_subdeflation_type material "
               "-pc_subdeflation_coarse cholesky"},
  {Same::GRID, "-ksp_type cg -pc_type subdeflation -pc_subdeflation_pc_type jacobi -pc_subdeflation_type materialboxes"},
  {Same::ORDER, "-ksp_type dpcg -pc_type subdeflation -pc_subdeflation_pc_type ip -pc_subdeflation_type labels"},
  {Same::ORDER, "-ksp_type cg -pc_type subdeflation -pc_subdeflation_pc_type ip -pc_subdeflation_type vectors"},
};

static PetscErrorCode Compare(const Cells &g, Mat A, Same same, const std::string &options)
{
  const std::string size = std::to_string(g.size[0]) + "," + std::to_string(g.size[1]) + "," + std::to_string(g.size[2]),
                    grid = " -pc_subdeflation_grid " + size + " -pc_blockic_grid " + size;
  Run               all, alone;

  PetscFunctionBeginUser;
  all.A  = A;
  all.at = alone.at = g.at;
  for (PetscInt c = 0; c < g.N() && same == Same::GRID; c++) alone.at[c] = c;
  PetscCall(NewAlone(g, alone.at, &alone.A));
  PetscCall(Solve(A, options + (g.cut == Cut::BOXES ? "" : grid), &all));
  PetscCall(Solve(A, options + (same == Same::ORDER && g.cut == Cut::BOXES ? "" : grid), &alone));
  PetscCall(CheckRuns(all, alone, (g.cut == Cut::BOXES ? "boxes, " : "lines, ") + size + ", " + options));
  PetscCall(Destroy(&all.ksp, &all.y, &alone.ksp, &alone.y, &alone.A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static Cells grids[] = {
  {{8, 9, 1}, Cut::BOXES, nullptr, {}},
  {{5, 4, 6}, Cut::BOXES, nullptr, {}},
  {{8, 9, 1}, Cut::LINES, nullptr, {}},
};

static PetscErrorCode TestAll()
{
  PetscFunctionBeginUser;
  for (Cells &g : grids) {
    Mat A;
    PetscCall(SetOptions(""));
    PetscCall(NewCut(&g, &A));
    for (const auto &solve : solves) {
      if (g.cut == Cut::LINES || solve.same != Same::LINES) PetscCall(Compare(g, A, solve.same, solve.options));
    }
    PetscCall(Destroy(&A, &g.da));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestMainOwnOptions(argc, argv, help, TestAll);
}
