/* Red-black multigrid on the device */
#include <algorithm>

#include "../../shared/overlap.cuh"
#include "gridmg_launch.hxx"
#include "gridmg_march.cuh"

namespace hepta::gridmg
{

constexpr int WARPS    = 4;  /* warps of a thread block in one and two dimensions, each with a tile */
constexpr int RESIDENT = 16; /* tiles that a multiprocessor then works on at once */
constexpr int DOWN_LINES =
  24;                        /* in three dimensions the most warps of a thread block, each with a line of a tile; with as many, */
constexpr int UP_LINES = 20; /* up_kernel() has not enough registers (H100, 256^3: 472 us, with 20 lines 425) */

template <int D, int LINES> constexpr int THREADS = WARP *(D < 3 ? WARPS : LINES);

/* The lines in shared memory, zero at both ends, and what follows them */
template <int D, class T> __device__ Lines<T> make_lines(T *shared, int ring, T **rest)
{
  const Lines<T> lines = {shared, int(blockDim.y + 2) * WARP};

  *rest = shared + (D < 3 ? 0 : 2 * ring * lines.size);
  if (D > 2) {
    for (int k = int(threadIdx.y * WARP + threadIdx.x); k < 2 * ring * lines.size; k += int(blockDim.y) * WARP) shared[k] = 0;
    __syncthreads();
  }
  return lines;
}

template <int D, int S, class T, class U>
__global__ void __launch_bounds__(THREADS<D, DOWN_LINES>) down_kernel(Tiles tiles, Level<T, U> L, Level<T, U> C, Scales *scales)
{
  extern __shared__ double shared[];
  constexpr int            N = 2 * S - 1; /* passes */
  T                       *rest;

  let_next_begin();
  end_after_first();
  if (L.stop && *L.stop) return;
  const Tile<D>  t     = this_tile<D, S>(L, tiles);
  const Lines<T> lines = make_lines<D>(reinterpret_cast<T *>(shared), N + 2, &rest);
  if (scales && !(blockIdx.x | blockIdx.y | blockIdx.z | threadIdx.x | threadIdx.y)) cycle::take_largest(scales);
  if (!t.any) return;
  BoxSums<D, T, U> sums(L, C, t, rest);
  march<D, N>(
    L, t, lines, [](const Cells<D, T, U> &c, Index, Index, Index, bool) { return c.u; },
    [&](int s, Index p, const Cells<D, T, U> &, T z, T, T e, T sum) {
      const T     d = (s == 1 ? z : T(0)) - e * sum; /* in the first pass z is u */
      const Index i = t.i + t.swapped(p);
      if (s == 2 && t.owns(i) && t.owns_plane(p))
        L.t[cycle::cell_index(L.g, i, D == 2 ? t.first[1] + p : t.j, D == 3 ? t.first[2] + p : 0)] = z + d;
      return d;
    },
    [&](Index p, const Cells<D, T, U> &, T sum) {
      if (t.owns_plane(p)) sums.add(p, -sum);
    },
    [&] { sums.take(); });
}

template <int D, int S, bool SLAB, class T, class U>
__global__ void __launch_bounds__(THREADS<D, UP_LINES>)
  up_kernel(Tiles tiles, T weight, Level<T, U> L, Level<T, U> C, const Scales *scales, Scalar *y)
{
  extern __shared__ double shared[];
  constexpr int            N = 2 * S;
  T                       *rest;

  let_next_begin();
  end_after_first();
  if (L.stop && *L.stop) return;
  const Tile<D>  t      = this_tile<D, S>(L, tiles);
  const Lines<T> lines  = make_lines<D>(reinterpret_cast<T *>(shared), N + 2, &rest);
  const double   output = y ? scales->output : 0;
  if (!t.any) return;
  march<D, N>(
    L, t, lines,
    [&](const Cells<D, T, U> &c, Index m, Index j, Index k, bool swap) {
      const Two<T> z = S > 1 ? two_at(L.t + m, swap) : c.u;
      return Two<T>{z.red + weight * C.z[box_index<D, SLAB>(L, C, t.i + swap, j, k)], z.black};
    },
    [&](int, Index, const Cells<D, T, U> &, T, T u, T e, T sum) { return u - e * sum; },
    [&](Index p, const Cells<D, T, U> &c, T) {
      const Index j = D == 2 ? t.first[1] + p : t.j, k = D == 3 ? t.first[2] + p : 0, m = cycle::cell_index(L.g, t.i, j, k);
      const bool  swap = t.swapped(p), one = t.owns(t.i), two = t.owns(t.i + 1);
      const T     a = swap ? c.z.black : c.z.red, b = swap ? c.z.red : c.z.black;
      if (!t.owns_plane(p)) return;
      if (y) {
        Scalar *const to = y + (cycle::row(L.g, t.i, j, k) - L.g.below * (D < 2 ? 1 : D < 3 ? L.g.n[0] : L.g.n[0] * L.g.n[1]));
        if (one) to[0] = Scalar(a * output);
        if (two) to[1] = Scalar(b * output);
      } else if (one && two)
        *reinterpret_cast<cycle::Pair<T> *>(L.z + m) = {
          {a, b}
        };
      else if (one) L.z[m] = a;
      else if (two) L.z[m + 1] = b;
    },
    [] {});
}

/*
   The number of tiles along the last axis, at most `most`, for n planes: with `others` tiles beside each other. It takes the
   fewest steps of the multiprocessors, each of which has `slots` tiles at once; a tile has `around` steps beside those of its
   own planes.
*/
static Index tiles_to_march(Index n, Index most, Index others, Index slots, Index around)
{
  Index best = 1, least = 0;

  for (Index count = 1; count <= most; count += 1 + count / 16) {
    const Index steps = (others * count + slots - 1) / slots * ((n + count - 1) / count + around);
    if (least && steps >= least) continue;
    best  = count;
    least = steps;
  }
  return best;
}

/* Tiles of a level over D axes in boxes[] boxes of box[] cells */
static Tiles make_tiles(int D, int sweeps, int most_lines, const Grid &g, const Index boxes[3], const Index box[3])
{
  const Index halo = 2 * Index(sweeps);
  Tiles       t{};

  for (int a = 0; a < 3; a++) {
    const Index n = g.n[a] - (a + 1 == D ? g.below + g.above : 0), left = n - boxes[a] * box[a];
    /* room for own cells; along the first axis a tile may begin one cell earlier */
    const Index room = (a == 0 ? WIDE - 1 : most_lines) - 2 * halo - left, most = std::max<Index>(1, room / box[a]);
    Index       few  = a < D ? (boxes[a] + most - 1) / most : 1;
    if (a && a + 1 == D)
      few = tiles_to_march(n, boxes[a], t.count[0] * (D < 3 ? 1 : t.count[1]), processors() * (D < 3 ? RESIDENT : 1), 3 * halo);
    const Index share = (boxes[a] + few - 1) / few; /* boxes of tiles of nearly the same size */
    t.own[a]          = share * box[a];
    t.count[a]        = (boxes[a] + share - 1) / share;
  }
  return t;
}

/* Launches a kernel of n passes over tiles */
template <class T, class K, class... A>
static Status launch_tiles(K kernel, int D, int sweeps, int n, const Grid &g, const Tiles &t, Stream stream, const A &...args)
{
  const Index    lines = t.own[1] + std::max<Index>(0, g.n[1] - t.own[1] * t.count[1]) + 4 * Index(sweeps);
  const unsigned high  = D < 3 ? WARPS : unsigned(lines);
  const std::size_t bytes = ((D < 3 ? 0 : 2 * std::size_t(n + 2) * (high + 2) * WARP) + 2 * std::size_t(high) * WIDE) * sizeof(T);
  const dim3        blocks(unsigned(D == 1 ? (t.count[0] + WARPS - 1) / WARPS : t.count[0]),
                           unsigned(D == 2 ? (t.count[1] + WARPS - 1) / WARPS : t.count[1]), unsigned(t.count[2]));

  if (bytes > block_shared) {
    if (Status s = cuda_status(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes)))) return s;
  }
  return launch_next(true, kernel, blocks, dim3(WARP, high), bytes, (cudaStream_t)stream, t, args...);
}

static bool empty(const Grid &g)
{
  return !g.n[0] || !g.n[1] || !g.n[2];
}

/* Calls f with the numbers of axes and of sweeps as constants */
template <class F> static Status by_sweeps(int D, int sweeps, F f)
{
  return cycle::by_axes(D, [&](auto axes) {
    return sweeps == 1 ? f(axes, std::integral_constant<int, 1>()) : f(axes, std::integral_constant<int, 2>());
  });
}

template <class T, class U>
Status down_cuda(int D, int sweeps, const Level<T, U> &L, const Level<T, U> &C, Scales *scales, Stream stream)
{
  if (empty(C.g)) return nullptr; /* an MPI process without rows */
  const Tiles t = make_tiles(D, sweeps, DOWN_LINES, L.g, C.g.n, L.g.box);
  return by_sweeps(D, sweeps, [&](auto axes, auto S) {
    return launch_tiles<T>(down_kernel<axes, S, T, U>, axes, S, 2 * S - 1, L.g, t, stream, L, C, scales);
  });
}

template <class T, class U>
Status up_cuda(int D, int sweeps, T weight, const Level<T, U> &L, const Level<T, U> &C, const Scales *scales, Scalar *y,
               Stream stream)
{
  const Index one[3] = {1, 1, 1};
  Index       own[3] = {L.g.n[0], L.g.n[1], L.g.n[2]};

  if (empty(C.g)) return nullptr;
  own[D - 1] -= L.g.below + L.g.above;
  const Tiles t = make_tiles(D, sweeps, UP_LINES, L.g, own, one);
  return by_sweeps(D, sweeps, [&](auto axes, auto S) {
    return L.g.slab ? launch_tiles<T>(up_kernel<axes, S, true, T, U>, axes, S, 2 * S, L.g, t, stream, weight, L, C, scales, y)
                    : launch_tiles<T>(up_kernel<axes, S, false, T, U>, axes, S, 2 * S, L.g, t, stream, weight, L, C, scales, y);
  });
}

#define HEPTA_GRIDMG_OF(T, U) \
  template Status down_cuda(int, int, const Level<T, U> &, const Level<T, U> &, Scales *, Stream); \
  template Status up_cuda(int, int, T, const Level<T, U> &, const Level<T, U> &, const Scales *, Scalar *, Stream);
HEPTA_GRIDMG_OF(float, Bf16)
HEPTA_GRIDMG_OF(float, float)
HEPTA_GRIDMG_OF(double, double)

} // namespace hepta::gridmg
