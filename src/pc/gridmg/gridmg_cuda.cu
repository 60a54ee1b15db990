/* Red-black multigrid on the device */
#include <algorithm>

#include "../../shared/overlap.cuh"
#include "gridmg_launch.hxx"
#include "gridmg_march.cuh"

namespace hepta::gridmg
{

constexpr int WARPS = 4; /* warps of a thread block in one and two dimensions, each with a tile */
/* In three dimensions the most warps of a thread block, each with a line of a tile, so that march() fits into registers */
template <class T> constexpr int DOWN_LINES = sizeof(T) == 4 ? 24 : 12;
template <class T> constexpr int UP_LINES   = sizeof(T) == 4 ? 20 : 12;
constexpr int MOST_LINES = 16; /* of two boxes of four cells a side and the cells around them, for two sweeps */

template <int D, int LINES> constexpr int THREADS = WARP * (D < 3 ? WARPS : LINES);

/* The rest begins with Lines, all zero; what follows */
template <int D, int S, class T> __device__ T *clear_lines(T *shared)
{
  const int all = D < 3 ? 0 : int(blockDim.y + 2) * Lines<S>::SIZE;

  for (int k = int(threadIdx.y * WARP + threadIdx.x); k < all; k += int(blockDim.y) * WARP) shared[k] = 0;
  if constexpr (D > 2) __syncthreads();
  return shared + all;
}

/* z of the red cells at first: on the way down */
struct FromZero {
  template <class A> __device__ void ask(bool, Index, Index, bool, A *) const {}

  template <int D, class T, class U> __device__ Two<T> operator()(const Cells<D, T, U> &c, const Arriving<D, false, T, U> &) const
  {
    return {c.e.red * c.r.red, T(0)};
  }
};

template <int D, int S, int LINES, class T, class U>
__global__ void __launch_bounds__(THREADS<D, LINES>) down_kernel(Tiles tiles, Level<T, U> L, Level<T, U> C, Scales *scales)
{
  extern __shared__ __align__(16) double memory[];
  using Plane     = Arriving<D, false, T, U>;
  T *const shared = after_warps<Plane, T>(memory);

  if (!begin_in_turn(L.stop)) return;
  const Tile<D> t    = this_tile<D, S>(L, tiles);
  T *const      rest = clear_lines<D, S>(shared);
  if (scales && !(blockIdx.x | blockIdx.y | blockIdx.z | threadIdx.x | threadIdx.y)) take_largest(scales);
  if (!t.any) return;
  BoxSums<D, T, U> sums(L, C, t, rest);
  march<D, S>(
    L, t, shared, this_warp<Plane, T>(memory), FromZero(),
    [&](int s, Index p, bool swap, T z, T r, T e, T sum) {
      const T d = e * ((s == 1 ? r : T(0)) - sum);
      if (s == 2 && S > 1 && t.stores_t(t.i + swap, p)) L.t[t_index<D>(t.index(p), t.i, swap)] = z + d;
      if (s == 2 * S && t.owns_plane(p)) sums.add(p, swap, -sum);
      return d;
    },
    [](Index, bool, const Cells<D, T, U> &) {}, [&] { sums.take(); });
}

/*
   The place of a thread's solution, and the thread's part of (r, z) over its own cells. The part is in T: a sum of some hundred
   numbers with errors as large as the errors of z. A sum in double, or a test for a wanted sum, would slow the kernel down.
*/
template <int D, class T> struct Solution {
  bool  one, two;  /* is the first cell written, are both cells? Tiles begin at even cells. */
  Index row, rows; /* of y: the row of the first cell of plane 0; the rows of a plane */
  T     sum = 0;

  template <class U> __device__ Solution(const Level<T, U> &L, const Tile<D> &t)
  {
    one  = t.owns(t.i);
    two  = t.owns(t.i + 1);
    rows = D < 3 ? L.g.n[0] : L.g.n[0] * L.g.n[1];
    row  = gridmg::row(L.g, t.i, t.j, 0) + (D < 2 ? -L.g.below : (t.first[D - 1] - L.g.below) * rows);
  }
  __device__ __forceinline__ void add(bool own, T r, T z) { sum += own ? r * z : T(0); }
};

/* z of the red cells at first: on the way up, with the coarse correction */
template <int D, int S, bool SLAB, class T, class U> struct Corrected {
  const Level<T, U> &L, &C;
  T                  weight;
  Index              i, first;
  Index              box[2]; /* of the two cells, without the last axis */

  __device__ Corrected(const Tile<D> &t, T weight, const Level<T, U> &L, const Level<T, U> &C) : L(L), C(C), weight(weight)
  {
    const Index line = D < 3 ? 0 : C.g.stride[1] * box_along<D, SLAB>(L, C, 1, t.j);

    i     = t.i;
    first = D < 2 ? 0 : t.first[D - 1];
    for (int k = 0; k < 2; k++) box[k] = D < 2 ? 0 : line + box_along<D, SLAB>(L, C, 0, i + k);
  }
  __device__ __forceinline__ void ask(bool in, Index p, Index m, bool swap, Arriving<D, true, T, U> *to) const
  {
    const Index q = box_along<D, SLAB>(L, C, D - 1, D < 2 ? i + swap : first + p) * C.g.stride[D - 1];

    if (S > 1) gridmg::ask(in, to->t + threadIdx.x, L.t + t_index<D>(m, i, swap));
    gridmg::ask(in, to->coarse + threadIdx.x, C.z + q + (swap ? box[1] : box[0]));
  }
  __device__ __forceinline__ Two<T> operator()(const Cells<D, T, U> &c, const Arriving<D, true, T, U> &from) const
  {
    const T z = S > 1 ? from.t[threadIdx.x] : c.e.red * c.r.red;

    return {z + weight * from.coarse[threadIdx.x], T(0)};
  }
};

/* Y: the solution goes to y, without a sum: a separate kernel, since a test for a wanted sum takes time */
template <int D, int S, bool SLAB, bool Y, class T, class U>
__device__ __forceinline__ void up_tile(const Tile<D> &t, T *shared, Arriving<D, true, T, U> *arriving, T weight,
                                        const Level<T, U> &L, const Level<T, U> &C, double output, Scalar *y, Solution<D, T> *to)
{
  march<D, S>(
    L, t, shared, arriving, Corrected<D, S, SLAB, T, U>(t, weight, L, C),
    [&](int s, Index p, bool swap, T, T r, T e, T sum) {
      const T z = e * (r - sum);
      if (!Y && s >= 2 * S - 1) to->add(t.owns_plane(p) && ((s == 2 * S) == swap ? to->two : to->one), r, z);
      return z;
    },
    [&](Index p, bool swap, const Cells<D, T, U> &c) {
      const T    a = swap ? c.z.black : c.z.red, b = swap ? c.z.red : c.z.black;
      const bool one = t.owns_plane(p) && to->one, two = t.owns_plane(p) && to->two;
      if constexpr (Y) {
        Scalar *const cell = y + to->row + p * to->rows;
        if (one) cell[0] = Scalar(a * output);
        if (two) cell[1] = Scalar(b * output);
      } else {
        const Pair<T> both = {{a, b}};
        if (two) *reinterpret_cast<Pair<T> *>(L.z + t.index(p)) = both;
        else if (one) L.z[t.index(p)] = a;
      }
    },
    [] {});
}

template <int D, int S, bool SLAB, bool Y, class T, class U>
__global__ void __launch_bounds__(THREADS<D, UP_LINES<T>>)
  up_kernel(Tiles tiles, T weight, Level<T, U> L, Level<T, U> C, const Scales *scales, Scalar *y, Scalar *parts)
{
  extern __shared__ __align__(16) double memory[];
  using Plane     = Arriving<D, true, T, U>;
  T *const shared = after_warps<Plane, T>(memory);

  if (!begin_in_turn(L.stop)) return;
  const Tile<D>  t = this_tile<D, S>(L, tiles);
  Solution<D, T> to(L, t);
  clear_lines<D, S>(shared);
  if (t.any) up_tile<D, S, SLAB, Y>(t, shared, this_warp<Plane, T>(memory), weight, L, C, Y ? scales->output : 0, y, &to);
  if (!Y && parts) put_part(to.sum, parts);
}

static dim3 tile_blocks(int D, const Tiles &t)
{
  if (D < 3) return dim3(unsigned((t.count[0] * t.count[1] + WARPS - 1) / WARPS));
  return dim3(unsigned(t.count[0]), unsigned(t.count[1]), unsigned(t.count[2]));
}

/* The warps of a thread block, of `sweeps` sweeps */
static unsigned tile_warps(int D, int sweeps, const Grid &g, const Tiles &t)
{
  const Index left = std::max<Index>(0, g.n[1] - 2 * t.lead[1] - t.own[1] * t.count[1]);

  return D < 3 ? WARPS : unsigned(t.count[1] == 1 ? g.n[1] : t.own[1] + left + 4 * Index(sweeps));
}

/* The shared memory of a thread block of `warps` warps to which planes arrive as P */
template <int D, int S, class P, class T> static std::size_t tile_bytes(std::size_t warps)
{
  const std::size_t lines = D < 3 ? 0 : (warps + 2) * Lines<S>::SIZE, sums = P::boxes ? 2 * warps * WIDE : 0;

  return warps * DEEP<T> * sizeof(P) + (lines + sums) * sizeof(T);
}

/* Launches a kernel of S sweeps over tiles, with at most LINES lines, to which planes arrive as P */
template <int D, int S, int LINES, class P, class T, class K, class... A>
static Status launch_tiles(K kernel, const Grid &g, const Tiles &t, Stream stream, const A &...args)
{
  const unsigned    high  = tile_warps(D, S, g, t);
  const std::size_t bytes = tile_bytes<D, S, P, T>(high);

  if (D > 2 && high > unsigned(LINES))
    return "a tile of PC gridmg has more lines than its kernel has warps: take -pc_gridmg_size 2";
  if (bytes > most_shared())
    return "the shared memory of a thread block has no room for the tiles of PC gridmg; -pc_gridmg_storage bf16 needs the least";
  if (bytes > block_shared) {
    if (Status s = allow_most_shared(kernel)) return s;
  }
  return launch_next(true, kernel, tile_blocks(D, t), dim3(WARP, high), bytes, (cudaStream_t)stream, t, args...);
}

/* At most LINES lines, as fit into the shared memory of a thread block in three dimensions */
template <int S, int LINES, class P, class T> static Index fitting_lines()
{
  Index lines = LINES;

  while (lines && tile_bytes<3, S, P, T>(lines) > most_shared()) lines--;
  return lines;
}

static bool empty(const Grid &g)
{
  return !g.n[0] || !g.n[1] || !g.n[2];
}

/* Calls f with the numbers of axes and of sweeps as constants */
template <class F> static Status by_sweeps(int D, int sweeps, F f)
{
  return by_axes(D, [&](auto axes) {
    return sweeps == 1 ? f(axes, std::integral_constant<int, 1>()) : f(axes, std::integral_constant<int, 2>());
  });
}

template <class T, class U>
Status down_cuda(int D, int sweeps, const Level<T, U> &L, const Level<T, U> &C, Scales *scales, Stream stream)
{
  Tiles t;
  Index cubes[3];

  if (empty(C.g)) return nullptr; /* an MPI process without rows */
  if constexpr (std::is_same_v<T, float>) {
    if (cut_into_cubes(D, sweeps, L.g, L.g.box, &t, cubes)) return down_cubes_cuda(D, sweeps, t, cubes, L, C, scales, stream);
  }
  return by_sweeps(D, sweeps, [&](auto axes, auto S) {
    using Plane       = Arriving<axes, false, T, U>;
    const auto launch = [&](auto lines) {
      t = tiles_of_lines(axes, S, fitting_lines<S, lines, Plane, T>(), L.g, C.g.n, L.g.box);
      return launch_tiles<axes, S, lines, Plane, T>(down_kernel<axes, S, lines, T, U>, L.g, t, stream, L, C, scales);
    };
    if constexpr (axes == 3 && DOWN_LINES<T> < MOST_LINES) {
      if (least_lines(S, L.g.box) > DOWN_LINES<T>) return launch(std::integral_constant<int, MOST_LINES>());
    }
    return launch(std::integral_constant<int, DOWN_LINES<T>>());
  });
}

constexpr Index PAIRS[3] = {2, 1, 1}; /* tiles begin at even cells */

template <int S, class T, class U> static Tiles up_tiles(int D, const Grid &g)
{
  Index own[3] = {g.n[0], g.n[1], g.n[2]};

  own[D - 1] -= g.below + g.above;
  own[0] /= 2;
  return tiles_of_lines(D, S, fitting_lines<S, UP_LINES<T>, Arriving<3, true, T, U>, T>(), g, own, PAIRS);
}

template <class U> std::size_t up_parts(int D, int sweeps, const Grid &g)
{
  Tiles t;
  Index cubes[3];

  if (empty(g)) return 0;
  if (cut_into_cubes(D, sweeps, g, PAIRS, &t, cubes))
    return std::size_t(t.count[0]) * t.count[1] * t.count[2] * (cubes[0] * cubes[1] * cubes[2] / WARP);
  t                 = sweeps == 1 ? up_tiles<1, float, U>(D, g) : up_tiles<2, float, U>(D, g);
  const dim3 blocks = tile_blocks(D, t);
  return std::size_t(blocks.x) * blocks.y * blocks.z * tile_warps(D, sweeps, g, t);
}

template <class T, class U>
Status up_cuda(int D, int sweeps, T weight, const Level<T, U> &L, const Level<T, U> &C, const Scales *scales, Scalar *y,
               Scalar *parts, Stream stream)
{
  Tiles t;
  Index cubes[3];

  if (empty(C.g)) return nullptr;
  if constexpr (std::is_same_v<T, float>) {
    if (cut_into_cubes(D, sweeps, L.g, PAIRS, &t, cubes))
      return up_cubes_cuda(D, sweeps, t, cubes, weight, L, C, scales, y, parts, stream);
  }
  return by_sweeps(D, sweeps, [&](auto axes, auto S) {
    t                    = up_tiles<S, T, U>(axes, L.g);
    constexpr int lines  = UP_LINES<T>;
    const auto    launch = [&](auto kernel) {
      using Plane = Arriving<axes, true, T, U>;
      return launch_tiles<axes, S, lines, Plane, T>(kernel, L.g, t, stream, weight, L, C, scales, y, parts);
    };
    if (L.g.slab) return launch(y ? up_kernel<axes, S, true, true, T, U> : up_kernel<axes, S, true, false, T, U>);
    return launch(y ? up_kernel<axes, S, false, true, T, U> : up_kernel<axes, S, false, false, T, U>);
  });
}

HEPTA_LEVELS(down_cuda)
HEPTA_LEVELS(up_cuda)
HEPTA_INSTANCE(up_parts, Bf16)
HEPTA_INSTANCE(up_parts, float)

} // namespace hepta::gridmg
