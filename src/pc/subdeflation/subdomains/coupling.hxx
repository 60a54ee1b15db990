/* The criterion for two rows, or block rows, to belong to one material */
#pragma once

#include <cmath>

#include "../../../shared/hepta_hd.hxx"

namespace hepta::subdeflation
{

/*
   ij >= strength sqrt(ii jj), for the norms ij of a coupling and ii, jj of the diagonal blocks, by ratios that neither underflow nor overflow where the
   norms themselves do not. A coupling ij = 0 is never strong, whatever the diagonal.
*/
template <class T> HEPTA_HD bool strongly_coupled(T ij, T ii, T jj, T strength)
{
  return ij > 0 && ij / std::sqrt(ii) / std::sqrt(jj) >= strength;
}

} // namespace hepta::subdeflation
