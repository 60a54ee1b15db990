#!/usr/bin/env bash
# install.sh HOW BUILD WORK: install BUILD below WORK, move the tree, build project/ against it by HOW (cmake or pkg-config),
# and run it. CMAKE and CC name the tools, CFLAGS what the library itself was compiled with (sanitizers).
set -euo pipefail
how=$1 build=$2 work=$3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

rm -rf "$work"
"$CMAKE" --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/tree"
for file in lib/libhepta.so include/hepta.h lib/cmake/hepta/hepta-config.cmake lib/pkgconfig/hepta.pc; do
  [ -e "$work/tree/$file" ] || { echo "not installed: $file" && exit 1; }
done
if grep -rIl "$work/first" "$work/tree"; then
  echo "these files know where they were installed, so the tree cannot be moved" && exit 1
fi

export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 # these programs unload libraries, whose blocks nobody can then name
petsc_dir=$PETSC_DIR petsc_arch=$PETSC_ARCH mpiexec=$HEPTA_MPIEXEC
unset PETSC_DIR PETSC_ARCH # the installed files alone must know PETSC's place
case $how in
cmake)
  "$CMAKE" -S "$here/project" -B "$work/build" -G Ninja "-DCMAKE_PREFIX_PATH=$work/tree"
  "$CMAKE" --build "$work/build"
  ;;
pkg-config)
  export PKG_CONFIG_PATH=$work/tree/lib/pkgconfig
  mpicc=$(sed -n 's/^ccompiler=//p' "$petsc_dir/$petsc_arch/lib/pkgconfig/PETSc.pc")
  mkdir "$work/build"
  # shellcheck disable=SC2046,SC2086
  "$mpicc" -Wall -Wextra ${CFLAGS:-} $(pkg-config --cflags hepta) "$here/project/laplace.c" -o "$work/build/laplace" $(pkg-config --libs hepta) -lm
  ;;
esac
"$mpiexec" -n 1 "$work/build/laplace"
"$mpiexec" -n 2 "$work/build/laplace"
