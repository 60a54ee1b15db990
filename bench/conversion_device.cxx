/* From compressed rows on the device to blocks on the device: MatConvert() to brow against cuSPARSE's csr2bsr */
#include "contest.h"

/* cuSPARSE's blocks; sorting them by the length of rows, which ours does, is not counted */
struct BlocksOfCusparse {
  cusparseHandle_t    handle;
  const DeviceMatrix *A;
  PetscInt            bs;
  DeviceMatrix        blocks;
  cusparseMatDescr_t  plain = nullptr;

  BlocksOfCusparse(cusparseHandle_t h, const DeviceMatrix *matrix, PetscInt size) : handle(h), A(matrix), bs(size) {}
  ~BlocksOfCusparse()
  {
    (void)blocks.Destroy();
    (void)cusparseDestroyMatDescr(plain);
  }
  PetscErrorCode Run()
  {
    const PetscInt n     = A->rows / bs;
    int            count = 0;

    PetscFunctionBegin;
    if (!plain) PetscCallCUSPARSE(cusparseCreateMatDescr(&plain));
    PetscCall(blocks.Destroy());
    PetscCallCUDA(cudaMalloc(&blocks.ptr, ((size_t)n + 1) * sizeof(int)));
    PetscCallCUSPARSE(cusparseXcsr2bsrNnz(handle, CUSPARSE_DIRECTION_COLUMN, A->rows, A->rows, plain, (const int *)A->ptr,
                                          (const int *)A->col, bs, plain, (int *)blocks.ptr, &count));
    PetscCallCUDA(cudaMalloc(&blocks.col, (size_t)count * sizeof(int)));
    PetscCallCUDA(cudaMalloc(&blocks.val, (size_t)count * bs * bs * sizeof(double)));
    PetscCallCUSPARSE(cusparseDcsr2bsr(handle, CUSPARSE_DIRECTION_COLUMN, A->rows, A->rows, plain, (const double *)A->val,
                                       (const int *)A->ptr, (const int *)A->col, bs, plain, (double *)blocks.val,
                                       (int *)blocks.ptr, (int *)blocks.col));
    blocks.ncol = (size_t)count;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /* A x by what was made */
  PetscErrorCode Get(const std::vector<PetscScalar> &x, std::vector<double> &y)
  {
    CusparseProduct p;

    PetscFunctionBegin;
    blocks.format = Format::BlockColumns;
    blocks.rows   = A->rows;
    blocks.nc     = bs;
    PetscCall(p.Create(handle, blocks, CUSPARSE_SPMV_BSR_ALG1, false, x));
    PetscCall(p.Get(y));
    PetscCall(p.Destroy());
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

/* MatConvert() of an aijcusparse */
struct BlocksOfOurs {
  Mat         from, to = nullptr;
  std::string bs;

  BlocksOfOurs(Mat A, const std::string &size) : from(A), bs(size) {}
  ~BlocksOfOurs() { (void)MatDestroy(&to); }
  PetscErrorCode Run()
  {
    PetscFunctionBegin;
    PetscCall(MatDestroy(&to));
    PetscCall(BenchConvert(from, MATSEQBROWCUDA, "-mat_brow_bs", bs.c_str(), &to));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode Get(const std::vector<PetscScalar> &x, std::vector<double> &y)
  {
    Vec vx, vy;

    PetscFunctionBegin;
    PetscCall(BenchCreateVecs(to, x, &vx, &vy));
    PetscCall(MatMult(to, vx, vy));
    PetscCall(BenchGet(vy, y));
    PetscCall(VecDestroy(&vx));
    PetscCall(VecDestroy(&vy));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

template <class Q> static void Add(Contest &c, const std::string &name, std::shared_ptr<Q> q)
{
  const std::vector<PetscScalar> &x = c.x;

  c.contestants.push_back({name, CONVERSION, Way::Host, 1e-12, [q]() { return q->Run(); },
                           [q, &x](std::vector<double> &y) { return q->Get(x, y); }, 3});
}

PetscErrorCode AddConversions(Bench &b, Contest &c, PetscInt bs)
{
  Mat C;

  PetscFunctionBegin;
  PetscCall(MatConvert(c.aij, MATSEQAIJCUSPARSE, MAT_INITIAL_MATRIX, &C));
  c.mats.push_back(C);
  if (c.A.nc == bs && bs > 1) Add(c, "csr2bsr", std::make_shared<BlocksOfCusparse>(b.handle, c.matrices.front().get(), bs));
  Add(c, "brow", std::make_shared<BlocksOfOurs>(C, std::to_string(bs)));
  Add(c, "brow, tile chosen", std::make_shared<BlocksOfOurs>(C, "auto"));
  PetscFunctionReturn(PETSC_SUCCESS);
}
