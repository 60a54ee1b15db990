/* Pairs of strongly coupled rows on the host */
#include <initializer_list>

#include "strength_row.hxx"

namespace hepta::strength
{

/* Rounds of handshakes; in `work` whom each row points to */
static void shake_hands(const Graph &g, bool at_random, Index *partner, Index *work)
{
  bool some = true;

  for (int round = 0; round < ROUNDS && some; round++) {
    some = false;
    for (Index i = 0; i < g.n; i++) work[i] = choose(g, i, partner, at_random);
    for (Index i = 0; i < g.n; i++) {
      if (work[i] < 0 || work[work[i]] != i) continue;
      partner[i] = work[i];
      some       = true;
    }
  }
}

/* name[i] <- the least row of i's aggregate for rows that are left, round by round, so that the order of rows does not matter; before, -1 for these */
static void join_all(const Graph &g, Index *name, Index *work)
{
  bool some = true;

  for (int round = 0; round < ROUNDS && some; round++) {
    some = false;
    for (Index i = 0; i < g.n; i++) work[i] = name[i] < 0 ? join(g, i, name) : -1;
    for (Index i = 0; i < g.n; i++) {
      if (work[i] < 0) continue;
      name[i] = work[i];
      some    = true;
    }
  }
}

Status pair_host(const Graph &g, bool alone_together, Index *number, Index *partner, Index *work, Index *count)
{
  Index alone = -1;

  for (Index i = 0; i < g.n; i++) partner[i] = -1;
  for (bool at_random : {false, true}) shake_hands(g, at_random, partner, work);
  for (Index i = 0; i < g.n; i++) number[i] = partner[i] < 0 ? -1 : partner[i] < i ? partner[i] : i;
  join_all(g, number, work);
  for (Index i = 0; i < g.n; i++) { /* what no coupling joins */
    if (number[i] >= 0) continue;
    if (!alone_together || strongest(g, i) > 0) number[i] = i;
    else number[i] = alone = alone < 0 ? i : alone;
  }
  *count = 0;
  for (Index i = 0; i < g.n; i++) {
    if (number[i] == i) work[i] = (*count)++;
    else work[i] = -1;
  }
  for (Index i = 0; i < g.n; i++) partner[i] = number[i];
  for (Index i = 0; i < g.n; i++) number[i] = work[partner[i]];
  return nullptr;
}

} // namespace hepta::strength
