/*
   Preconditioners that are kept while the matrix changes: each must give what a new one gives, and those that do the same for
   MATAIJ what they give there. An error counts as an answer: the kept one and the new one must both have it.
*/
#include "sequence.h"

/* '@' stands for the prefix of the options */
static const std::vector<Kept> of_any      = {{"p0_", "-@pc_type ip", true},
                                              {"p1_", "-@pc_type ip -@pc_ip_variant full", true},
                                              {"p2_", "-@pc_type blockic", false},
                                              {"p3_", "-@pc_type subdeflation -@pc_subdeflation_count 2", false},
                                              {"p4_", "-@pc_type subdeflation -@pc_subdeflation_type material", false},
                                              {"p5_", "-@pc_type jacobi", true},
                                              {"p6_", "-@pc_type sor", false}};
static const std::vector<Kept> of_one_rank = {
  {"q0_", "-@pc_type ip -@pc_ip_variant published", true},
  {"q1_", "-@pc_type blockic -@pc_blockic_size 3", false},
  {"q2_", "-@pc_type subdeflation -@pc_subdeflation_count 3 -@pc_subdeflation_variant bnn", false},
  {"q3_", "-@pc_type ilu -@pc_factor_mat_solver_type bbs", true},
  {"q4_", "-@pc_type ilu -@pc_factor_mat_solver_type petsc", true},
  {"q5_", "-@pc_type bbs -@pc_bbs_triangle both", false},
  {"q6_", "-@pc_type lu", true},
  {"q7_", "-@pc_type pbjacobi", false}};
static const std::vector<Kept> of_several = {
  {"r0_", "-@pc_type subdeflation -@pc_subdeflation_type graph -@pc_subdeflation_count 2", false},
  {"r1_", "-@pc_type bjacobi -@sub_pc_type ilu -@sub_pc_factor_mat_solver_type bbs", true},
  {"r2_", "-@pc_type bjacobi -@sub_pc_type ilu -@sub_pc_factor_mat_solver_type petsc", true},
  {"r3_", "-@pc_type bjacobi -@sub_pc_type bbs -@sub_pc_bbs_triangle both", false}};
static const std::vector<Kept> of_symmetric = {
  {"s0_", "-@pc_type icc -@pc_factor_mat_solver_type bbs", true},
  {"s1_", "-@pc_type icc -@pc_factor_mat_solver_type petsc", true},
  {"s2_", "-@pc_type subdeflation -@pc_subdeflation_count 3 -@pc_subdeflation_coarse cholesky", false}};

PetscErrorCode InsertKeptOptions()
{
  PetscFunctionBegin;
  for (auto list : {&of_any, &of_one_rank, &of_several, &of_symmetric}) {
    for (const Kept &k : *list) {
      std::string text = k.options;
      for (size_t at = text.find('@'); at != std::string::npos; at = text.find('@')) text.replace(at, 1, k.prefix);
      PetscCall(PetscOptionsInsertString(nullptr, text.c_str()));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -keep names one, to reduce a sequence; otherwise each comes in one of four sequences */
PetscErrorCode ChooseKept(Sequence &s)
{
  std::vector<Kept> all = of_any;
  char              name[16];
  PetscBool         named;

  PetscFunctionBegin;
  const std::vector<Kept> &more = s.size == 1 ? of_one_rank : of_several;
  all.insert(all.end(), more.begin(), more.end());
  if (s.half && s.size == 1) all.insert(all.end(), of_symmetric.begin(), of_symmetric.end());
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-keep", name, sizeof(name), &named));
  for (const Kept &k : all) {
    const bool drawn = s.Maybe(4);
    if (named ? k.prefix == std::string(name) : drawn) s.kept.push_back(k);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes *pc if there is none, tells it of M as it is now, and applies it */
static PetscErrorCode Apply(const Kept &k, Mat M, Vec x, Vec y, PC *pc)
{
  PetscFunctionBegin;
  if (!*pc) {
    PetscCall(PCCreate(PETSC_COMM_WORLD, pc));
    PetscCall(PCSetOptionsPrefix(*pc, k.prefix));
    PetscCall(PCSetOperators(*pc, M, M));
    PetscCall(PCSetFromOptions(*pc));
  } else PetscCall(PCSetOperators(*pc, M, M));
  PetscCall(PCSetUp(*pc));
  PetscCall(PCApply(*pc, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An error is returned, not printed; one that some rank has counts for all */
static PetscErrorCode TryApply(const Kept &k, Mat M, Vec x, Vec y, PC *pc, PetscMPIInt *failed)
{
  PetscFunctionBegin;
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
  *failed = Apply(k, M, x, y, pc) != PETSC_SUCCESS;
  PetscCall(PetscPopErrorHandler());
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, failed, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y: what a new one of ours gives. Those that look at blocks are not compared, nor are values in float with double ones. */
static PetscErrorCode CompareWithAIJ(Sequence &s, const Kept &k, Vec x, Vec y, bool ours_failed)
{
  PC          pc = nullptr;
  Vec         z;
  PetscMPIInt failed;

  PetscFunctionBegin;
  if (!k.like_aij || s.bs > 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDuplicate(x, &z));
  PetscCall(TryApply(k, s.A, x, z, &pc, &failed));
  if (failed != ours_failed) s.Differs("%s: an error with %s, none with the other", k.options, failed ? MATAIJ : s.type.c_str());
  if (!failed && !ours_failed && s.tol < 1e-8)
    PetscCall(CompareVectors(s, z, y, 100 * s.tol, std::string(k.options) + ": not as for aij"));
  PetscCall(VecDestroy(&z));
  PetscCall(PCDestroy(&pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ComparePreconditioners(Sequence &s)
{
  Vec x[2], y, z;

  PetscFunctionBegin;
  for (Kept &k : s.kept) {
    PC          pc = nullptr;
    PetscMPIInt kept, made;

    PetscCall(RandomVectors(s, s.A, s.B, true, x));
    PetscCall(VecDuplicate(x[1], &y));
    PetscCall(VecDuplicate(x[1], &z));
    PetscCall(TryApply(k, s.B, x[1], y, &k.pc, &kept));
    PetscCall(TryApply(k, s.B, x[1], z, &pc, &made));
    if (kept != made)
      s.Differs("%s: the kept preconditioner %s, a new one %s", k.options, kept ? "fails" : "does not fail",
                made ? "does" : "does not");
    if (!kept && !made)
      PetscCall(CompareVectors(s, z, y, PetscMax(s.tol, 1e-7), std::string(k.options) + ": kept, not as a new one"));
    PetscCall(CompareWithAIJ(s, k, x[0], z, made));
    if (kept) PetscCall(PCDestroy(&k.pc));
    PetscCall(PCDestroy(&pc));
    PetscCall(VecDestroy(&y));
    PetscCall(VecDestroy(&z));
    PetscCall(DestroyVectors(x));
    s.applied++;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   PETSc does not notice that a matrix of its own has another structure when its counts of changes happen to agree, and PCPBJACOBI
   applies on the device for good once it was set up there
*/
PetscErrorCode ForgetKeptOfPETSc(Sequence &s)
{
  PetscBool ours;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)s.B, &ours, MATSEQBDIA, MATMPIBDIA, MATSEQBROW, MATMPIBROW, MATSEQBDIACUDA,
                                      MATMPIBDIACUDA, MATSEQBROWCUDA, MATMPIBROWCUDA, ""));
  for (Kept &k : s.kept) {
    if (!ours || (TestOnDevice() && std::string(k.options).find("pbjacobi") != std::string::npos)) PetscCall(PCDestroy(&k.pc));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
