/*
   A trial: seven-point products and damped Jacobi sweeps with stored couplings against couplings made from the coefficients of the
   cells, harmonic means 2ab / (a + b), the coefficient of a face being read with its cells.
     nvcc -O3 -arch=sm_90 bench/matrix_free_trial.cu -o trial && ./trial 256
   Prints microseconds (median of 21), and the largest difference of the two ways.
*/
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_bf16.h>

#define CHECK(call) \
  do { \
    cudaError_t e_ = (call); \
    if (e_ != cudaSuccess) { \
      std::printf("%s: %s\n", #call, cudaGetErrorString(e_)); \
      std::exit(1); \
    } \
  } while (0)

struct Grid {
  int  n;
  long plane, cells;
};

__device__ inline float value(float a) { return a; }
__device__ inline float value(__nv_bfloat16 a) { return __bfloat162float(a); }

/* Couplings of cell c to its six neighbors, zero at walls: read as stored for the three upper faces of each cell */
template <class S> struct Stored {
  const S *face; /* of direction d: face + d * cells */
  __device__ void operator()(const Grid &g, int x, int y, int z, long c, float (&k)[6]) const
  {
    k[0] = x > 0 ? value(face[c - 1]) : 0;
    k[1] = value(face[c]);
    k[2] = y > 0 ? value(face[g.cells + c - g.n]) : 0;
    k[3] = value(face[g.cells + c]);
    k[4] = z > 0 ? value(face[2 * g.cells + c - g.plane]) : 0;
    k[5] = value(face[2 * g.cells + c]);
  }
};

__host__ __device__ inline float mean(float a, float b) { return 2 * a * b / (a + b); }

/* The same from the cells; fast: with the hardware's approximate division */
template <class S, bool FAST> struct Made {
  const S *cell;
  __device__ float face(float a, float b) const { return FAST ? __fdividef(2 * a * b, a + b) : mean(a, b); }
  __device__ void  operator()(const Grid &g, int x, int y, int z, long c, float (&k)[6]) const
  {
    const float a = value(cell[c]);
    k[0] = x > 0 ? face(a, value(cell[c - 1])) : 0;
    k[1] = x < g.n - 1 ? face(a, value(cell[c + 1])) : 0;
    k[2] = y > 0 ? face(a, value(cell[c - g.n])) : 0;
    k[3] = y < g.n - 1 ? face(a, value(cell[c + g.n])) : 0;
    k[4] = z > 0 ? face(a, value(cell[c - g.plane])) : 0;
    k[5] = z < g.n - 1 ? face(a, value(cell[c + g.plane])) : 0;
  }
};

/* y <- A x (SWEEP false), or y <- x + 0.8 D^-1 (b - A x) */
template <class T, bool SWEEP, class K>
__global__ void __launch_bounds__(256) apply(const Grid g, const K coupling, const T *x, const T *b, T *y)
{
  const long c = blockIdx.x * 256L + threadIdx.x;
  if (c >= g.cells) return;
  const int  i = int(c % g.n), j = int(c / g.n % g.n), l = int(c / g.plane);
  const long at[6] = {c - 1, c + 1, c - g.n, c + g.n, c - g.plane, c + g.plane};
  float      k[6];
  coupling(g, i, j, l, c, k);
  T sum = 0, d = T(1e-3); /* a little more than the couplings, so that no cell is singular */
  for (int f = 0; f < 6; f++) {
    d += k[f];
    if (k[f] != 0) sum += k[f] * x[at[f]];
  }
  const T ax = d * x[c] - sum;
  y[c] = SWEEP ? x[c] + T(0.8) / d * (b[c] - ax) : ax;
}

template <class T> T *to_device(const std::vector<T> &v)
{
  T *p;
  CHECK(cudaMalloc(&p, v.size() * sizeof(T)));
  CHECK(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
  return p;
}

template <class F> double median(const F &f)
{
  std::vector<float> ms(21);
  cudaEvent_t        e[2];
  for (cudaEvent_t &v : e) CHECK(cudaEventCreate(&v));
  f();
  for (float &t : ms) {
    CHECK(cudaEventRecord(e[0]));
    for (int r = 0; r < 10; r++) f();
    CHECK(cudaEventRecord(e[1]));
    CHECK(cudaEventSynchronize(e[1]));
    CHECK(cudaEventElapsedTime(&t, e[0], e[1]));
  }
  CHECK(cudaGetLastError());
  std::sort(ms.begin(), ms.end());
  return ms[10] * 100;
}

template <class T, bool SWEEP, class A, class B> void compare(const char *name, const Grid &g, const A &stored, const B &made)
{
  std::vector<T> x(g.cells), b(g.cells), one(g.cells), two(g.cells);
  for (long c = 0; c < g.cells; c++) x[c] = T(std::sin(0.37 * double(c))), b[c] = T(std::cos(0.11 * double(c)));
  T         *dx = to_device(x), *db = to_device(b), *y1 = to_device(one), *y2 = to_device(two);
  const auto blocks = unsigned((g.cells + 255) / 256);
  const double t1 = median([&] { apply<T, SWEEP><<<blocks, 256>>>(g, stored, dx, db, y1); }),
               t2 = median([&] { apply<T, SWEEP><<<blocks, 256>>>(g, made, dx, db, y2); });
  CHECK(cudaMemcpy(one.data(), y1, g.cells * sizeof(T), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(two.data(), y2, g.cells * sizeof(T), cudaMemcpyDeviceToHost));
  double most = 0, size = 0;
  for (long c = 0; c < g.cells; c++) most = std::max(most, std::fabs(double(one[c] - two[c]))), size = std::max(size, std::fabs(double(one[c])));
  std::printf("%-44s stored %8.1f us, made %8.1f us, stored / made %.2f, difference %.1e of %.1e\n", name, t1, t2, t1 / t2, most, size);
  for (T *p : {dx, db, y1, y2}) CHECK(cudaFree(p));
}

template <class S> void couplings(const Grid &g, const std::vector<float> &k, S **face, S **cell)
{
  std::vector<S> f(3 * g.cells), c(k.size());
  for (long m = 0; m < g.cells; m++) {
    const int x = int(m % g.n), y = int(m / g.n % g.n), z = int(m / g.plane);
    c[m]                 = S(k[m]);
    f[m]               = S(x < g.n - 1 ? mean(k[m], k[m + 1]) : 0.f);
    f[g.cells + m]     = S(y < g.n - 1 ? mean(k[m], k[m + g.n]) : 0.f);
    f[2 * g.cells + m] = S(z < g.n - 1 ? mean(k[m], k[m + g.plane]) : 0.f);
  }
  *face = to_device(f);
  *cell = to_device(c);
}

int main(int argc, char **argv)
{
  const int          n = argc > 1 ? std::atoi(argv[1]) : 256;
  const Grid         g = {n, long(n) * n, long(n) * n * n};
  std::vector<float> k(g.cells);
  float             *face, *cell;
  __nv_bfloat16     *face16, *cell16;

  for (long c = 0; c < g.cells; c++) k[c] = (c / 7 + c / g.plane) % 3 ? 1.f : 1e-3f;
  couplings(g, k, &face, &cell);
  couplings(g, k, &face16, &cell16);
  std::printf("%d^3 cells\n", n);
  compare<double, false>("product in double, values in float", g, Stored<float>{face}, Made<float, false>{cell});
  compare<double, false>("product in double, fast division", g, Stored<float>{face}, Made<float, true>{cell});
  compare<float, true>("sweep in float, couplings in bf16", g, Stored<__nv_bfloat16>{face16}, Made<__nv_bfloat16, false>{cell16});
  compare<float, true>("sweep in float, bf16, fast division", g, Stored<__nv_bfloat16>{face16}, Made<__nv_bfloat16, true>{cell16});
  compare<float, true>("sweep in float, cells in float", g, Stored<__nv_bfloat16>{face16}, Made<float, true>{cell});
  return 0;
}
