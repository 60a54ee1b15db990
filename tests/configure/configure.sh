#!/usr/bin/env bash
# configure.sh CASE SOURCE WORK: configure SOURCE against the made-up PETSc of CASE and look for the sentence that says why not
set -euo pipefail
case=$1 source=$2 work=$3
rm -rf "$work"

petsc=$work/petsc arch=made-up
mkdir -p "$petsc/include/petsc/private" "$petsc/$arch/include" "$petsc/$arch/lib/pkgconfig"
touch "$petsc/include/petsc.h" "$petsc/include/petsc/private/matimpl.h"
version() { printf '#define PETSC_VERSION_MAJOR      %d\n#define PETSC_VERSION_MINOR      %d\n#define PETSC_VERSION_SUBMINOR   %d\n' "$@" >"$petsc/include/petscversion.h"; }
conf() { printf '#define PETSC_%s 1\n' "$@" >"$petsc/$arch/include/petscconf.h"; }
version 3 26 1
conf USE_REAL_DOUBLE

options=("-DPETSC_DIR=$petsc" "-DPETSC_ARCH=$arch")
unset PETSC_DIR PETSC_ARCH
case $case in
complex)
  conf USE_REAL_DOUBLE USE_COMPLEX
  expected="Hepta works with real scalars, and PETSC_DIR=$petsc PETSC_ARCH=$arch was built with complex ones (--with-scalar-type=complex)."
  ;;
old)
  version 3 21 6
  expected="Hepta needs PETSc 3.22 or later, and PETSC_DIR=$petsc PETSC_ARCH=$arch is 3.21.6."
  ;;
missing_private)
  rm "$petsc/include/petsc/private/matimpl.h"
  expected="PETSc's header $petsc/include/petsc/private/matimpl.h is missing: PETSC_DIR=$petsc PETSC_ARCH=$arch is not a complete PETSc."
  ;;
missing_conf)
  rm "$petsc/$arch/include/petscconf.h"
  expected="PETSc's header $petsc/$arch/include/petscconf.h is missing: PETSC_DIR=$petsc PETSC_ARCH=$arch was not configured, or PETSC_ARCH is wrong."
  ;;
no_library)
  expected="The shared library libpetsc.so is not in $petsc/$arch/lib: PETSC_DIR=$petsc PETSC_ARCH=$arch was not built, or only as a static library."
  ;;
no_mpi)
  conf USE_REAL_DOUBLE HAVE_MPIUNI
  expected="Hepta needs MPI, and PETSC_DIR=$petsc PETSC_ARCH=$arch was built without it (--with-mpi=0)."
  ;;
quadruple)
  conf USE_REAL___FLOAT128
  expected="Hepta works in double or single precision, and PETSC_DIR=$petsc PETSC_ARCH=$arch was built with another one (--with-precision)."
  ;;
not_found)
  options=()
  # pkg-config must not find an installed one either
  export PKG_CONFIG_LIBDIR=$work/none PKG_CONFIG_PATH=
  # shellcheck disable=SC2016
  expected='PETSc was not found: run `make petsc`, or set PETSC_DIR (and PETSC_ARCH).'
  ;;
pkg_config)
  options=()
  version 3 21 6
  printf 'prefix=%s\n\nName: PETSc\nDescription: made up\nVersion: 3.21.6\n' "$petsc/$arch" >"$petsc/$arch/lib/pkgconfig/PETSc.pc"
  export PKG_CONFIG_PATH=$petsc/$arch/lib/pkgconfig
  expected="Hepta needs PETSc 3.22 or later, and PETSC_DIR=$petsc PETSC_ARCH=$arch is 3.21.6."
  ;;
*) echo "unknown case $case" && exit 1 ;;
esac

if "$CMAKE" -S "$source" -B "$work/build" -G Ninja "${options[@]}" >"$work/output" 2>&1; then
  echo "configuring succeeded; it should have said: $expected" && exit 1
fi
cat "$work/output"
# CMake breaks its messages into lines
if ! tr -s ' \n' ' ' <"$work/output" | grep -qF "$expected"; then
  echo "expected: $expected" && exit 1
fi
