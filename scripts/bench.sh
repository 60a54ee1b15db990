#!/usr/bin/env bash
# make bench: measures on this machine's host and writes bench/results/spmv-host.json and .md. Takes about 2 minutes on an
# otherwise idle core.
#   bench.sh BUILD_DIR
set -euo pipefail
build=$1
results=$(dirname "${BASH_SOURCE[0]}")/../bench/results
mkdir -p "$results"
command="bench/spmv -n ${HEPTA_BENCH_N:-128} -repeats ${HEPTA_BENCH_REPEATS:-15}"
table=$(mktemp)
trap 'rm -f "$table"' EXIT
echo "hepta: measuring on one core (about 2 minutes; leave the machine alone)" >&2
(cd "$build" && taskset -c "$(($(nproc) - 1))" env OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $command -markdown "$table" -json "$table.json")
mv "$table.json" "$results/spmv-host.json"
{
  echo "# Products and assembly on the host, one core"
  echo
  echo "- machine: $(lscpu | sed -n 's/^Model name: *//p' | head -n 1), family $(lscpu | sed -n 's/^CPU family: *//p'), $(nproc) cores; $(c++ --version | head -n 1)"
  echo "- command: \`make bench\` (\`$command\`, one core); date: $(date +%F)"
  echo "- medians of interleaved rounds in one run; floor = values, x and y moved once at the bandwidth of memcpy in the same rounds"
  echo
  cat "$table"
} >"$results/spmv-host.md"
cat "$results/spmv-host.md"
