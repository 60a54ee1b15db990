#!/usr/bin/env bash
# make check: build everything, run the tests. Quiet while all is well; a failing test's output is shown whole.
#   check.sh [program]...    these test programs alone: built with the library, and run on every number of ranks that they have
# HEPTA_CTEST_ARGS is handed to CTest, for example HEPTA_CTEST_ARGS="-R bdia". With HEPTA_TEST_GPU=1 (make check GPU=1) tests that
# need a CUDA device fail where there is none, instead of being skipped.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/env.sh"

targets=() filter=()
if [ $# -gt 0 ]; then
  targets=(hepta oversubscribe "$@")
  filter=(-R "(^|[.])($(IFS='|' && echo "$*"))([.]|$)")
fi
"$HEPTA_ROOT/scripts/build.sh" "${targets[@]}"
if [ "${HEPTA_TEST_GPU:-}" = 1 ] && ctest --test-dir "$HEPTA_BUILD" -N -L '^device$' | grep 'Total Tests: 0' >/dev/null; then
  die "GPU=1, and this build has no device kernels: it found no nvcc, or a PETSc without CUDA"
fi

log=$HEPTA_BUILD/ctest.log
watch_tests() {
  while sleep 30 >/dev/null 2>&1 && kill -0 $$; do
    say "  $(grep -cE '^ *[0-9]+/[0-9]+ Test ' "$log" || true) tests done"
  done
}

say "running the tests (all take about 13 minutes on 2 cores; all output in $log)"
status=0
watch_tests >&2 &
watcher=$!
trap 'kill $watcher 2>/dev/null || true' EXIT
# shellcheck disable=SC2086
ctest --test-dir "$HEPTA_BUILD" -j "$HEPTA_JOBS" --output-on-failure --no-tests=error "${filter[@]}" ${HEPTA_CTEST_ARGS:-} >"$log" 2>&1 </dev/null || status=$?
if [ $status -ne 0 ]; then
  cat "$log"
  exit $status
fi
# Why tests were skipped
grep -hiE '^skipped: ' "$HEPTA_BUILD/Testing/Temporary/LastTest.log" | sort -u || true
sed -n '/% tests passed/,$p' "$log"
