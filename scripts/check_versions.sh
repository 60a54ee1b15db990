#!/usr/bin/env bash
# make check-versions, make check-precisions: the library and some tests with other builds of PETSc, on the host. Each PETSc is
# built once, into the cache (four minutes on two cores), and Hepta for it in a build folder of its own.
#   check_versions.sh PETSC...    a version of 3.22 or later; index64, single, index64-single: the pinned version with these types,
#                                 more tests, and warnings as errors; otherwise the last release of each version
#   check_versions.sh --cached PETSC    a test of each matrix, preconditioner and method, if the cache has this PETSc
# index64-single finds most: PetscInt, PetscScalar, int and double have sizes there that a mistake for another one shows.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/env.sh"

cached=
if [ "${1:-}" = --cached ]; then
  cached=yes
  shift
fi
[ $# -gt 0 ] || set -- 3.22.5 3.23.7 3.24.6 3.25.6
pinned=$(sed -nE 's/^petsc==([^ ]+).*/\1/p' "$HEPTA_ROOT/scripts/petsc-sdist.txt")
programs=(ex_coo ex_viaaij ex_factor ex_product ex_view ex_seqaijbdia ex_ip ex_blockic ex_subdeflation ex_deflated_solve
  ex_gridmg ex_gridmg_use ex_aggmg ex_aggmg_use ex_fusedcg ex_fusedbcgs ex_bicgcr ex_dpcg)
more=(rooms ex_dpcg_recycle ex_fusedcg_true ex_mult ex_convert ex_matis ex_bbs_factor ex_differential ex_grown_rows ex_bad_values ex_changed_in_place
  ex_null_spaces ex_limits)
few=(rooms ex_coo ex_mult ex_ip ex_blockic ex_bbs_factor ex_bbs_pc ex_subdeflation ex_gridmg ex_aggmg ex_fusedcg ex_fusedbcgs ex_bicgcr ex_dpcg)

# get_petsc PETSC: sets version, dir, and types, which are configure's options beyond those of all
get_petsc() {
  types=()
  case $1 in
  [0-9]*) version=$1 ;;
  index64 | single | index64-single) version=$pinned ;;
  *) die "$1 is neither a version nor index64, single or index64-single" ;;
  esac
  if [[ $1 == index64* ]]; then types+=(--with-64-bit-indices); fi
  if [[ $1 == *single ]]; then types+=(--with-precision=single); fi
  dir=$HEPTA_CACHE/versions/petsc-$version
  if [ "$1" != "$version" ]; then dir+=-$1; fi
  [ -e "$dir/hepta-complete" ] || [ -n "$cached" ] || build_petsc
}

build_petsc() {
  local tarball=$HEPTA_CACHE/download/petsc-$version.tar.gz # of make petsc
  say "PETSc $version ${types[*]}: download and build (minutes), once"
  rm -rf "$dir"
  mkdir -p "$dir"
  if [ ! -e "$tarball" ]; then
    tarball=$dir/petsc-$version.tar.gz
    quietly "the download of PETSc $version" "$dir.log" python3 -m pip download --no-deps --no-binary petsc -d "$dir" "petsc==$version"
  fi
  tar xf "$tarball" -C "$dir" --strip-components=1
  (
    cd "$dir"
    unset PETSC_DIR PETSC_ARCH
    quietly "PETSc's configure" "$dir.log" ./configure PETSC_ARCH=hepta --with-fc=0 --with-debugging=0 --with-x=0 --with-ssl=0 --with-cuda=0 \
      "--with-cc=$(command -v mpicc)" "--with-cxx=$(command -v mpicxx)" --with-blaslapack-lib=-lopenblas "COPTFLAGS=-O1 -g0" "CXXOPTFLAGS=-O1 -g0" \
      "${types[@]}"
    quietly "PETSc's build" "$dir.log" make "PETSC_DIR=$dir" PETSC_ARCH=hepta libs "-j$HEPTA_JOBS"
  )
  touch "$dir/hepta-complete"
}

check_petsc() {
  local tests=("${programs[@]}") werror=OFF version dir types
  get_petsc "$1"
  if [ ! -e "$dir/hepta-complete" ]; then
    say "no PETSc $1 in the cache: make check-precisions builds it"
    return
  fi
  say "Hepta with PETSc $1"
  [[ $version == 3.2[23].* ]] || tests+=(ex_bbs_pc) # calls PCMatApplyTranspose(), which PETSc 3.22 and 3.23 lack
  if [ ${#types[@]} -gt 0 ]; then
    werror=ON
    tests+=("${more[@]}")
  fi
  if [ -n "$cached" ]; then tests=("${few[@]}"); fi
  HEPTA_WERROR=$werror HEPTA_CUDA=OFF HEPTA_CTEST_ARGS='-E np[3-8]$' \
    HEPTA_BUILD=$HEPTA_ROOT/build-petsc-$1 PETSC_DIR=$dir PETSC_ARCH=hepta \
    "$HEPTA_ROOT/scripts/check.sh" "${tests[@]}"
}

if [ $# -eq 1 ]; then
  "$HEPTA_ROOT/scripts/setup.sh"
  check_petsc "$1"
else # each in a process of its own, so that a failure does not end the ones after it
  failed=()
  for petsc in "$@"; do
    "$0" "$petsc" || failed+=("$petsc")
  done
  [ ${#failed[@]} -eq 0 ] || die "failures with PETSc ${failed[*]}"
fi
