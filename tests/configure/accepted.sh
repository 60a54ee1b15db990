#!/usr/bin/env bash
# accepted.sh CASE SOURCE WORK: configure SOURCE, without CUDA and against the PETSc of the tests, as CASE says, and look at what there is to build
set -euo pipefail
case=$1 source=$2 work=$3
rm -rf "$work"
mkdir -p "$work"

fail() { echo "$*" && exit 1; }
configure() {
  "$CMAKE" -S "$1" -B "$work/build" -G Ninja -DHEPTA_CUDA=OFF "${@:2}" | tee "$work/output"
  "$CMAKE" --build "$work/build" --target help >"$work/targets"
}
has() { grep -q "^$1: " "$work/targets"; }

case $case in
without_packages)
  configure "$source" -DCMAKE_DISABLE_FIND_PACKAGE_{GTest,nlohmann_json,ZLIB}=ON
  for words in "tests of launchers and row functions are left out" "benchmarks are left out" "programs refuse Matrix Market files, and tests that read some are left out"; do
    grep -q "$words" "$work/output" || fail "not said: $words"
  done
  for target in hepta reservoir examples ex_mult ex_krylov_problems; do has $target || fail "there is no $target to build"; done
  for target in rooms bench_fit krylov; do if has $target; then fail "there is a $target to build"; fi; done
  ctest --test-dir "$work/build" -N >"$work/tests"
  grep -q 'ksp.ex_fusedcg.np1$' "$work/tests" || fail "there are no tests of Krylov methods"
  if grep -qE 'ex_krylov_problems|matrix_market|bench[.]' "$work/tests"; then fail "there are tests that read matrices, or benchmarks"; fi
  ;;
subproject)
  printf 'cmake_minimum_required(VERSION 3.22)\nproject(above LANGUAGES C CXX)\nadd_subdirectory(%s hepta)\n' "$source" >"$work/CMakeLists.txt"
  configure "$work"
  has hepta || fail "there is no hepta to build"
  for target in reservoir ex_mult rooms krylov; do if has $target; then fail "there is a $target to build"; fi; done
  ;;
*) fail "unknown case $case" ;;
esac
