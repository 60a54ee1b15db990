static char help[] = "What one device context writes into a matrix is there for another one, and what one reads is not changed "
                     "by another meanwhile.\n\n";

#include "core.h"
#include "device_array.h"
#include "contexts.h"

#include <unistd.h>

/* The matrix is a number times one with 4 on the diagonal and -1 beside it */
static const PetscInt rows = 100000;

/* What a context works on, and whether its stream was still held up after the last operation that had to wait for it */
struct Contexts {
  PetscDeviceContext one = nullptr, two = nullptr;
  int                waited = 0;
};

static PetscErrorCode StreamOf(PetscDeviceContext context, cudaStream_t *stream)
{
  void *handle = nullptr;

  PetscFunctionBegin;
  PetscCall(PetscDeviceContextGetStreamHandle(context, &handle));
  *stream = *(cudaStream_t *)handle;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void CUDART_CB Sleep(void *)
{
  (void)usleep(300000);
}

/* The context becomes the current one, and what it is given from now on begins late */
static PetscErrorCode HoldUp(PetscDeviceContext context)
{
  cudaStream_t stream = nullptr;

  PetscFunctionBegin;
  PetscCall(PetscDeviceContextSetCurrentContext(context));
  PetscCall(StreamOf(context, &stream));
  TestCuda(cudaLaunchHostFunc(stream, Sleep, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Counts whether the context is still held up: if nothing ever is, nothing was tested */
static PetscErrorCode NoteWaiting(PetscDeviceContext context, Contexts &c)
{
  cudaStream_t stream = nullptr;

  PetscFunctionBegin;
  PetscCall(StreamOf(context, &stream));
  const cudaError_t state = cudaStreamQuery(stream);
  if (state != cudaErrorNotReady) TestCuda(state);
  else (void)cudaGetLastError();
  c.waited += state == cudaErrorNotReady;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y, written under the current context, is the product with ones */
static PetscErrorCode CheckProduct(PetscDeviceContext context, Vec y, PetscReal scale, const char what[])
{
  const PetscScalar *v;
  PetscInt           n, wrong = -1;

  PetscFunctionBegin;
  PetscCall(PetscDeviceContextSynchronize(context));
  PetscCall(VecGetLocalSize(y, &n));
  PetscCall(VecGetArrayRead(y, &v));
  for (PetscInt i = n - 1; i >= 0; i--) {
    const PetscScalar expected = scale * (4 - (i > 0) - (i < n - 1));
    if (!(v[i] == expected)) wrong = i;
  }
  PetscCheck(wrong < 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: row %d of the product is %g instead of %g", what, (int)wrong,
             (double)PetscRealPart(v[wrong]), (double)(scale * (4 - (wrong > 0) - (wrong < n - 1))));
  PetscCall(VecRestoreArrayRead(y, &v));
  TestCuda(cudaDeviceSynchronize());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values of the COO entries in device memory */
static PetscErrorCode NewMatrix(Mat *A, PetscScalar **values)
{
  std::vector<PetscInt>    i, j;
  std::vector<PetscScalar> v;

  PetscFunctionBegin;
  for (PetscInt r = 0; r < rows; r++) {
    for (PetscInt c = PetscMax(0, r - 1); c <= PetscMin(rows - 1, r + 1); c++) {
      i.push_back(r);
      j.push_back(c);
      v.push_back(r == c ? 4 : -1);
    }
  }
  PetscCall(ToDevice(v, values));
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, rows, rows, rows, rows));
  PetscCall(MatSetType(*A, TestType()));
  PetscCall(MatSetPreallocationCOO(*A, (PetscCount)i.size(), i.data(), j.data()));
  PetscCall(MatSetValuesCOO(*A, *values, INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Writers under the first context, held up, and at once a product under the second one */
static PetscErrorCode WriteThenRead(Contexts &c, Mat A, const PetscScalar *values, Vec four, Vec x, Vec y)
{
  PetscFunctionBegin;
  for (int writer = 0; writer < 3; writer++) {
    const char *what = writer == 0   ? "product after MatScale()"
                       : writer == 1 ? "product after MatSetValuesCOO()"
                                     : "product after MatDiagonalScale()";

    PetscCall(HoldUp(c.one));
    if (writer == 0) PetscCall(MatScale(A, 2));
    else if (writer == 1) PetscCall(MatSetValuesCOO(A, values, INSERT_VALUES));
    else PetscCall(MatDiagonalScale(A, four, nullptr));
    PetscCall(PetscDeviceContextSetCurrentContext(c.two));
    PetscCall(MatMult(A, x, y));
    PetscCall(NoteWaiting(c.one, c));
    PetscCall(CheckProduct(c.two, y, writer == 0 ? 2 : writer == 1 ? 1 : 4, what));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A product under the second context, held up, and at once new values under the first one */
static PetscErrorCode ReadThenWrite(Contexts &c, Mat A, Vec x, Vec y)
{
  PetscFunctionBegin;
  PetscCall(HoldUp(c.two));
  PetscCall(MatMult(A, x, y));
  PetscCall(PetscDeviceContextSetCurrentContext(c.one));
  PetscCall(MatScale(A, 8));
  PetscCall(NoteWaiting(c.two, c));
  PetscCall(PetscDeviceContextSetCurrentContext(c.two));
  PetscCall(CheckProduct(c.two, y, 4, "product before MatScale()"));
  PetscCall(MatMult(A, x, y));
  PetscCall(CheckProduct(c.two, y, 32, "product after MatScale() that waited"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The writer's context is destroyed while it is held up; then the values go to the host */
static PetscErrorCode DestroyedWriter(Contexts &c, Mat A, Vec x, Vec y, Vec hx, Vec hy)
{
  PetscDeviceContext third;

  PetscFunctionBegin;
  PetscCall(NewContext(&third));
  PetscCall(HoldUp(third));
  PetscCall(MatScale(A, 0.5));
  PetscCall(PetscDeviceContextSetCurrentContext(c.two));
  PetscCall(PetscDeviceContextDestroy(&third));
  PetscCall(MatMult(A, x, y));
  PetscCall(CheckProduct(c.two, y, 16, "product after a context that is gone"));
  PetscCall(HoldUp(c.one));
  PetscCall(MatScale(A, 0.5));
  PetscCall(PetscDeviceContextSetCurrentContext(c.two));
  PetscCall(MatMult(A, hx, hy));
  PetscCall(CheckProduct(c.two, hy, 8, "product on the host"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Once before, so that memory and tables are there: taking them may wait for the whole device */
static PetscErrorCode WarmUp(Mat A, Vec x, Vec y)
{
  PetscFunctionBegin;
  PetscCall(MatMult(A, x, y));
  PetscCall(MatScale(A, 1));
  PetscCall(MatDiagonalScale(A, x, nullptr));
  TestCuda(cudaDeviceSynchronize());
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Contexts           c;
  PetscDeviceContext before;
  Mat                A;
  PetscScalar       *values;
  Vec                x, y, four, hx, hy;

  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help, true));
  PetscCall(PetscDeviceContextGetCurrentContext(&before));
  PetscCall(NewContext(&c.one));
  PetscCall(NewContext(&c.two));
  PetscCall(NewMatrix(&A, &values));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, rows, &hx));
  PetscCall(VecDuplicate(hx, &hy));
  PetscCall(VecDuplicate(x, &four));
  for (Vec v : {x, y, hx, hy}) PetscCall(VecSet(v, 1));
  PetscCall(VecSet(four, 4));
  PetscCall(WarmUp(A, x, y));
  PetscCall(WriteThenRead(c, A, values, four, x, y));
  PetscCall(ReadThenWrite(c, A, x, y));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%d of 4 operations were submitted while the other context was held up\n", c.waited));
  PetscCheck(c.waited > 1, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "The operations wait for the whole device, so that nothing was tested");
  PetscCall(DestroyedWriter(c, A, x, y, hx, hy));

  PetscCall(PetscDeviceContextSetCurrentContext(before));
  for (Vec *v : {&x, &y, &four, &hx, &hy}) PetscCall(VecDestroy(v));
  PetscCall(MatDestroy(&A));
  PetscCall(FreeDevice(&values));
  PetscCall(PetscDeviceContextDestroy(&c.one));
  PetscCall(PetscDeviceContextDestroy(&c.two));
  PetscCall(PetscFinalize());
  return 0;
}
