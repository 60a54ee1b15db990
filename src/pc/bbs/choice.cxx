#include "choice.h"

#include <algorithm>
#include <cmath>

namespace hepta::bbs
{

/*
   One thread block walks all levels at about 0.2 us each and reads 0.1 TB/s; where chunks share the work a level that waits
   for another chunk costs about 0.9 us. Grids have fewer such levels than levels, so chunks are also taken when x does not fit:
   as large as leaves each multiprocessor one.
*/
Index choose_rows(Index n, std::size_t entries, Index levels, const Limits &limits)
{
  constexpr double alone_level = 0.2, shared_level = 0.9, bytes_per_us = 1e5;
  const double     bytes = double(entries) * sizeof(Entry) + 24. * n;
  const Index      even  = std::max<Index>(256, (n + limits.multiprocessors - 1) / std::max(1, limits.multiprocessors));
  const double     alone = alone_level * levels + bytes / bytes_per_us, shared = shared_level * levels + bytes / (bytes_per_us * ((n + even - 1) / even));

  return n <= limits.rows && alone <= shared ? n : std::min(even, limits.rows);
}

/*
   A kernel costs 5 us and reads 2 TB/s; chunks bring others' values, which take a thread each, at 12 000 a microsecond. So few wide
   levels whose rows have no neighborhood are better taken one after the other.
*/
bool levels_pay(Index n, std::size_t entries, Index levels, std::size_t others)
{
  constexpr double launch = 5, shared_level = 0.9, others_per_us = 12e3, bytes_per_us = 2e6;
  const double     bytes = double(entries) * sizeof(Entry) / 2 + 24. * n;

  return launch * levels + bytes / bytes_per_us < shared_level * levels + double(others) / others_per_us;
}

/*
   Chunks take turns with the room that a multiprocessor has, one of several waits for others besides, and one alone takes less than level_cost()
   says; a value of another chunk takes 60 ps, where that is more
*/
double chunks_time(const ChunkLoad &load, const Plan &plan, const Limits &limits)
{
  constexpr double several = 1.2, alone = 0.7, other = 60e-6, threads = 2048;
  const double     resident = std::min(double(limits.rows) / plan.values, threads / chunk_threads(plan, load.threads, load.chunks == 1));
  const double     steps    = double(load.cost) * 1e-6 / (std::max(1., std::floor(resident)) * limits.multiprocessors);

  return load.chunks == 1 ? alone * steps : several * std::max(steps, other * double(load.others));
}

/* A kernel for each level reads 1.2 TB/s where each vector reads the entries anew */
double levels_time(std::size_t entries)
{
  constexpr double bytes_per_us = 1.2e6;

  return double(entries) * sizeof(Entry) / 2 / bytes_per_us;
}

/* A level, a value that is brought to its place and back, an entry, and an entry of a row that others wait for */
int together_from(Index n, std::size_t entries, Index levels, Index longest, double each)
{
  constexpr double level = 1.25, value = 22e-6, entry = 2e-6, long_entry = 0.25, least = 16, most = 1e6;
  const double     saving = each - n * value - double(entries) * entry, once = level * levels + long_entry * longest;

  return saving <= 0 || once > most * saving ? 0 : int(std::max(least, std::ceil(once / saving)));
}

} // namespace hepta::bbs
