#!/usr/bin/env bash
# make check-versions: the library and some tests with earlier versions of PETSc, on the host. Each PETSc is downloaded from
# PyPI and built once, into the cache (four minutes on two cores), and Hepta for it in a build folder of its own.
#   check_versions.sh [version]...    these, of 3.23 and later; otherwise the last release of each
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/env.sh"

[ $# -gt 0 ] || set -- 3.23.7 3.24.6 3.25.6
programs=(ex_coo ex_viaaij ex_factor ex_product ex_view ex_seqaijbdia ex_ip ex_blockic ex_subdeflation ex_deflated_solve
  ex_gridmg ex_gridmg_use ex_aggmg ex_aggmg_use ex_fusedcg ex_fusedbcgs ex_bicgcr ex_dpcg)

build_petsc() {
  local version=$1 dir=$2
  [ ! -e "$dir/hepta-complete" ] || return 0
  say "PETSc $version: download and build (minutes), once"
  rm -rf "$dir"
  mkdir -p "$dir"
  quietly "the download of PETSc $version" "$dir.log" python3 -m pip download --no-deps --no-binary petsc -d "$dir" "petsc==$version"
  tar xf "$dir/petsc-$version.tar.gz" -C "$dir" --strip-components=1
  (
    cd "$dir"
    unset PETSC_DIR PETSC_ARCH
    quietly "PETSc's configure" "$dir.log" ./configure PETSC_ARCH=hepta --with-fc=0 --with-debugging=0 --with-x=0 --with-ssl=0 --with-cuda=0 \
      "--with-cc=$(command -v mpicc)" "--with-cxx=$(command -v mpicxx)" --with-blaslapack-lib=-lopenblas "COPTFLAGS=-O1 -g0" "CXXOPTFLAGS=-O1 -g0"
    quietly "PETSc's build" "$dir.log" make "PETSC_DIR=$dir" PETSC_ARCH=hepta libs "-j$HEPTA_JOBS"
  )
  touch "$dir/hepta-complete"
}

check_version() {
  local version=$1 dir=$HEPTA_CACHE/versions/petsc-$1 tests=("${programs[@]}")
  build_petsc "$version" "$dir"
  say "Hepta with PETSc $version"
  [[ $version == 3.23.* ]] || tests+=(ex_bbs_pc) # calls PCMatApplyTranspose(), which PETSc 3.23 lacks
  HEPTA_CUDA=OFF HEPTA_CTEST_ARGS='-E np[3-8]$' \
    HEPTA_BUILD=$HEPTA_ROOT/build-petsc-$version PETSC_DIR=$dir PETSC_ARCH=hepta \
    "$HEPTA_ROOT/scripts/check.sh" "${tests[@]}"
}

if [ $# -eq 1 ]; then
  "$HEPTA_ROOT/scripts/setup.sh"
  check_version "$1"
else # each version in a process of its own, so that a failure does not end the ones after it
  failed=()
  for version in "$@"; do
    "$0" "$version" || failed+=("$version")
  done
  [ ${#failed[@]} -eq 0 ] || die "failures with PETSc ${failed[*]}"
fi
