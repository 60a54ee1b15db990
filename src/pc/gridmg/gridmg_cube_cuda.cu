/* The passes of a level whose tiles are cubes of cells, one for each thread */
#include "gridmg_cube.cuh"
#include "gridmg_launch.hxx"
#include "gridmg_tiles.cuh"

namespace hepta::gridmg
{

/* The cells of a thread block */
template <int D> struct Region {
  Index first[3];         /* the cell of L at the first one, around the own cells */
  Index begin[3], end[3]; /* the own cells of L */

  __device__ Region(const Tiles &t, const Grid &g, int sweeps)
  {
    const Index at[3] = {Index(blockIdx.x), Index(blockIdx.y), Index(blockIdx.z)};
    for (int a = 0; a < 3; a++) {
      own_cells(t, a, at[a], 0, g.n[a], &begin[a], &end[a]);
      first[a] = a < D && begin[a] > 2 * sweeps ? begin[a] - 2 * sweeps : 0;
    }
  }
  /* Does it own cell q of a cube? */
  template <class T> __device__ __forceinline__ bool owns(const Cube<D, T> &c, int q) const
  {
    bool mine = c.any;

    HEPTA_DEVICE_UNROLL
    for (int a = 0; a < D; a++) mine = mine && c.cell[a] + (q >> a & 1) >= begin[a] && c.cell[a] + (q >> a & 1) < end[a];
    return mine;
  }
};

template <int D, class T, class U>
__global__ void __launch_bounds__(Cubes<D>::ALL, D == 3 ? 2 : 1)
  down_cubes_kernel(const __grid_constant__ Tiles tiles, int sweeps, const __grid_constant__ Level<T, U> L,
                    const __grid_constant__ Level<T, U> C, Scales *scales)
{
  extern __shared__ float shared[];
  const Region<D>         region(tiles, L.g, sweeps);
  Cube<D, T>              c(L.g, shared, region.first);
  T                       t[Cube<D, T>::FACE];

  clear_arrays<D>(shared);
  if (!begin_in_turn(L.stop)) return;
  if (scales && !(blockIdx.x | blockIdx.y | blockIdx.z | threadIdx.x)) take_largest(scales);
  c.load_matrix(L);
  c.load_right_hand_side(L);
  c.down(sweeps, t);
  if (sweeps > 1) {
    of_color<D, RED>([&](int q) {
      if (region.owns(c, q)) L.t[t_index<D>(c.index(L.g, q & ~1), c.cell[0], q & 1)] = t[q / 2];
    });
  }
  Index begin[3], end[3];
  for (int a = 0; a < 3; a++) {
    begin[a] = region.begin[a] / L.g.box[a];
    end[a]   = region.end[a] == L.g.n[a] ? C.g.n[a] : region.end[a] / L.g.box[a];
  }
  c.restrict_residual(shared, region.first, L, C, begin, end,
                      [&](const Index I[3], T sum) { C.s[cell_index(C.g, I[0], I[1], I[2])] = sum; });
}

template <int D, class T, class U>
__global__ void __launch_bounds__(Cubes<D>::ALL, D == 3 ? 2 : 1)
  up_cubes_kernel(const __grid_constant__ Tiles tiles, int sweeps, T weight, const __grid_constant__ Level<T, U> L,
                  const __grid_constant__ Level<T, U> C, const Scales *scales, Scalar *y, Scalar *parts)
{
  extern __shared__ float shared[];
  const Region<D>         region(tiles, L.g, sweeps);
  Cube<D, T>              c(L.g, shared, region.first);
  T                       t[Cube<D, T>::FACE];
  Scalar                  own = 0;

  clear_arrays<D>(shared);
  if (!begin_in_turn(L.stop)) return;
  c.load_matrix(L);
  c.load_right_hand_side(L);
  of_color<D, RED>([&](int q) {
    const Index m = c.index(L.g, q & ~1);
    t[q / 2]      = sweeps > 1 && c.inside(L.g, q & ~1) ? L.t[t_index<D>(m, c.cell[0], q & 1)] : c.e[q] * c.s[q];
  });
  c.correct(t, weight, L, C, [&](const Index I[3]) { return C.z[cell_index(C.g, I[0], I[1], I[2])]; });
  c.up(sweeps);
  const double output = y ? scales->output : 0;
  HEPTA_DEVICE_UNROLL
  for (int q = 0; q < 1 << D; q++) {
    if (!region.owns(c, q)) continue;
    const Scalar to = c.z[q];
    if (y) y[gridmg::row(L.g, c.cell[0] + (q & 1), c.cell[1] + (q >> 1 & 1), c.cell[2] + (q >> 2))] = to * output;
    else L.z[c.index(L.g, q)] = c.z[q];
    own += to * c.s[q];
  }
  if (parts) put_part(own, parts);
}

bool cut_into_cubes(int D, int sweeps, const Grid &g, const Index box[3], Tiles *tiles, Index cubes[3])
{
  const Index halo = 2 * Index(sweeps), most = D == 2 ? Cubes<2>::N : Cubes<3>::N;
  Index       unit[3], boxes[3];

  if (D < 2 || g.slab || g.odd) return false;
  for (int a = 0; a < 3; a++) { /* tiles begin at even cells */
    unit[a]  = a >= D || box[a] % 2 == 0 ? box[a] : 2 * box[a];
    boxes[a] = g.n[a] / unit[a];
  }
  for (Index high = 8; high <= most; high *= 2) { /* as small as fit on the device at once */
    const Index room[3] = {2 * most, 2 * high, D == 2 ? 1 : 2 * most};
    Index       blocks  = 1;
    bool        fits    = true;
    for (int a = 0; a < D; a++)
      fits = fits && (g.n[a] <= room[a] || room[a] - 2 * halo - (g.n[a] - boxes[a] * unit[a]) >= unit[a]);
    if (!fits) continue;
    *tiles = make_tiles(D, sweeps, room, g, boxes, unit);
    for (int a = 0; a < 3; a++) {
      cubes[a] = (room[a] + 1) / 2;
      blocks *= tiles->count[a];
    }
    if (blocks <= processors()) return true; /* at most one tile for each multiprocessor: more tiles take longer than march() */
  }
  return false;
}

/* Launches a kernel over tiles */
template <int D, class T, class K, class... A>
static Status launch_cubes(K kernel, int sweeps, const Tiles &t, const Index cubes[3], Stream stream, const A &...args)
{
  return launch_next(true, kernel, dim3(unsigned(t.count[0]), unsigned(t.count[1]), unsigned(t.count[2])),
                     dim3(unsigned(cubes[0] * cubes[1] * cubes[2])), Cubes<D>::SHARED * sizeof(T), (cudaStream_t)stream, t,
                     sweeps, args...);
}

template <class T, class U>
Status down_cubes_cuda(int D, int sweeps, const Tiles &t, const Index cubes[3], const Level<T, U> &L, const Level<T, U> &C,
                       Scales *scales, Stream stream)
{
  return D == 2 ? launch_cubes<2, T>(down_cubes_kernel<2, T, U>, sweeps, t, cubes, stream, L, C, scales)
                : launch_cubes<3, T>(down_cubes_kernel<3, T, U>, sweeps, t, cubes, stream, L, C, scales);
}

template <class T, class U>
Status up_cubes_cuda(int D, int sweeps, const Tiles &t, const Index cubes[3], T weight, const Level<T, U> &L,
                     const Level<T, U> &C, const Scales *scales, Scalar *y, Scalar *parts, Stream stream)
{
  return D == 2 ? launch_cubes<2, T>(up_cubes_kernel<2, T, U>, sweeps, t, cubes, stream, weight, L, C, scales, y, parts)
                : launch_cubes<3, T>(up_cubes_kernel<3, T, U>, sweeps, t, cubes, stream, weight, L, C, scales, y, parts);
}

HEPTA_FLOAT_LEVELS(down_cubes_cuda)
HEPTA_FLOAT_LEVELS(up_cubes_cuda)

} // namespace hepta::gridmg
