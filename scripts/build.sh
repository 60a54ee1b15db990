#!/usr/bin/env bash
# Set-up, PETSc, configure, build: build.sh [target]... (default: everything). HEPTA_CMAKE_ARGS is handed to CMake; with
# HEPTA_SETUP=library the set-up is that of the library alone.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/env.sh"

# The Python packages come while PETSc is built; without them some of the tests cannot run, and a program draws no pictures
"$HEPTA_ROOT/scripts/setup.sh" "${HEPTA_SETUP:-system}"
python=
if [ "${HEPTA_SETUP:-}" != library ]; then
  "$HEPTA_ROOT/scripts/setup.sh" python &
  python=$!
fi
petsc=$("$HEPTA_ROOT/scripts/petsc.sh")
eval "$petsc"
if [ -n "$python" ] && ! wait "$python"; then
  [ $# -gt 0 ] || die "the Python packages are missing: the reason is above"
  say "without the Python packages there are no pictures: the reason is above"
fi

for header in "$PETSC_DIR/include/petsc.h" "$PETSC_DIR${PETSC_ARCH:+/$PETSC_ARCH}/include/petscconf.h"; do
  [ -e "$header" ] || die "PETSC_DIR=$PETSC_DIR PETSC_ARCH=$PETSC_ARCH is no PETSc: $header is missing"
done
# A build folder that knows another PETSc starts anew: CMake remembers what it once found
cached() { sed -n "s/^$1:[A-Z]*=//p" "$HEPTA_BUILD/CMakeCache.txt"; }
if [ -e "$HEPTA_BUILD/CMakeCache.txt" ] && [ "$(cached PETSC_DIR)/$(cached PETSC_ARCH)" != "$PETSC_DIR/$PETSC_ARCH" ]; then
  rm -rf "$HEPTA_BUILD/CMakeCache.txt" "$HEPTA_BUILD/CMakeFiles"
fi

options=("-DPETSC_DIR=$PETSC_DIR" "-DPETSC_ARCH=$PETSC_ARCH" "-DHEPTA_CUDA=${HEPTA_CUDA:-AUTO}" "-DHEPTA_WERROR=${HEPTA_WERROR:-OFF}")
launcher=$(command -v ccache || true)
for language in C CXX CUDA; do options+=("-DCMAKE_${language}_COMPILER_LAUNCHER=$launcher"); done
say "configuring in $HEPTA_BUILD"
# shellcheck disable=SC2086
quietly "configuring" "$HEPTA_BUILD/configure.log" cmake -S "$HEPTA_ROOT" -B "$HEPTA_BUILD" -G Ninja "${options[@]}" ${HEPTA_CMAKE_ARGS:-}

# A line of progress every half minute
watch_build() {
  while sleep 30 >/dev/null 2>&1 && kill -0 $$; do
    say "  $(grep -oE '^\[[0-9]+/[0-9]+\]' "$HEPTA_BUILD/build.log" | tail -n 1) steps after $((SECONDS / 60)) min $((SECONDS % 60)) s"
  done
}

say "building ${*:-everything} with $HEPTA_JOBS jobs"
targets=()
for target in "$@"; do targets+=(--target "$target"); done
SECONDS=0
watch_build >&2 &
watcher=$!
trap 'kill $watcher 2>/dev/null || true' EXIT
quietly "building" "$HEPTA_BUILD/build.log" cmake --build "$HEPTA_BUILD" --parallel "$HEPTA_JOBS" "${targets[@]}"
