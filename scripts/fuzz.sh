#!/usr/bin/env bash
# make fuzz: random sequences of changes to matrices of ours and to the same as aij (tests/trials/ex_differential.cxx), with seeds
# not yet tried. Stops at the first difference or crash, says by which seed, and tries which of its steps it needs.
#   fuzz.sh BUILD_DIR
#
#   FUZZ_TIME (3600)     seconds for each number of ranks
#   FUZZ_RANKS (1 2 3 4) the numbers of ranks
#   FUZZ_SEED            the first seed; without it one from the clock
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/env.sh"
build=$(cd "$1" && pwd)
: "${FUZZ_TIME:=3600}" "${FUZZ_RANKS:=1 2 3 4}"
seed=${FUZZ_SEED:-$(($(date +%s) % 1000000 * 1000))}
program=$build/tests/trials/ex_differential
mpiexec=$(sed -n 's/^MPIEXEC_EXECUTABLE:[A-Z]*=//p' "$build/CMakeCache.txt")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 PETSC_OPTIONS=
chunk=200 # sequences to a process: a crash then costs little to find again

# sequences RANKS ARGUMENT...: their output in $work/log
sequences() {
  local ranks=$1
  shift
  (cd "$work" && timeout -k 5 600 "$mpiexec" -n "$ranks" env LD_PRELOAD="$build/tests/oversubscribe/liboversubscribe.so" "$program" -verbose "$@") >"$work/log" 2>&1 </dev/null
}

# reduce RANKS SEED: leaves out one step after another, from the last, while the sequence still fails
reduce() {
  local ranks=$1 seed=$2 steps=() rest step
  mapfile -t steps < <(tail -n +2 "$work/failed" | grep -E '^  ' | tail -n 1 | grep -oE ' [0-9]+ [a-z]+' | awk '{ print $1 }' | sort -nu)
  for step in "${steps[@]}"; do
    rest=()
    for other in "${steps[@]}"; do if [ "$other" != "$step" ]; then rest+=("$other"); fi; done
    if [ ${#rest[@]} -gt 0 ] && ! sequences "$ranks" -seed "$seed" -count 1 -only "$(IFS=,; echo "${rest[*]}")"; then steps=("${rest[@]}"); fi
  done
  (IFS=,; echo "${steps[*]}")
}

for ranks in $FUZZ_RANKS; do
  say "$ranks ranks, seeds from $seed, for $FUZZ_TIME s"
  end=$((SECONDS + FUZZ_TIME))
  begin=$seed
  while [ $SECONDS -lt $end ]; do
    if ! sequences "$ranks" -seed "$seed" -count $chunk -time $((end - SECONDS + 1)); then
      cp "$work/log" "$work/failed"
      seed=$(grep '^seed ' "$work/log" | tail -n 1 | cut -d ' ' -f 2)
      [ -n "$seed" ] || { cat "$work/log" >&2; die "the program did not start"; }
      grep -vE '^(seed|  [a-z])' "$work/failed" | head -n 40
      die "seed $seed fails on $ranks ranks: $mpiexec -n $ranks $program -seed $seed -count 1 -only $(reduce "$ranks" "$seed")"
    fi
    seed=$((seed + $(grep -c '^seed ' "$work/log")))
  done
  say "$((seed - begin)) sequences on $ranks ranks: all like aij"
done
