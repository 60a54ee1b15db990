#!/usr/bin/env bash
# wheel.sh BUILD WORK: builds a wheel by pip, installs it in a fresh environment below WORK and runs test_hepta.py there, with the
# wheel's library. The wheel is compiled in BUILD-wheel by the commands of BUILD, whose objects ccache has: in half a minute.
set -euo pipefail
source "$HEPTA_ROOT/scripts/env.sh"
build=$1 work=$2
backend=$HEPTA_CACHE/scikit-build-core-0.11.6
cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }

skip() {
  echo "skipped: $*"
  exit 77
}

[ -n "$(cached CMAKE_CXX_COMPILER_LAUNCHER)" ] || skip "a wheel takes as long as the build where there is no ccache"
petsc4py=$(bash "$HEPTA_ROOT/tests/petsc4py/petsc4py.sh" path) || skip "petsc4py could not be built; petsc4py.build says why"
[ -e "$petsc4py/hepta-complete" ] || skip "petsc4py could not be built; petsc4py.build says why"
rm -rf "$work"
mkdir -p "$work"
if [ ! -e "$backend" ]; then # a new name when it is complete
  "$HEPTA_PYTHON" -m pip install --quiet --target "$work/backend" "scikit-build-core==${backend##*-}" ||
    skip "pip cannot install scikit-build-core"
  mv -T "$work/backend" "$backend" || [ -e "$backend" ]
fi

# by the environment, because CMake would name a host compiler to nvcc where it is given by options
CC=$(cached CMAKE_C_COMPILER) CXX=$(cached CMAKE_CXX_COMPILER) CUDACXX=$(cached CMAKE_CUDA_COMPILER)
export CC CXX CUDACXX
if [ -z "$CUDACXX" ]; then unset CUDACXX; fi
for language in C CXX CUDA; do export "CMAKE_${language}_COMPILER_LAUNCHER=$(cached CMAKE_${language}_COMPILER_LAUNCHER)"; done
settings=() # by the long name, since pip before 23.1 (Debian 12) has no -C
for name in HEPTA_CUDA HEPTA_CUDA_ARCH HEPTA_WERROR CMAKE_BUILD_TYPE; do
  settings+=("--config-settings=cmake.define.$name=$(cached $name)")
done
PYTHONPATH=$backend CMAKE_BUILD_PARALLEL_LEVEL=2 "$HEPTA_PYTHON" -m pip wheel "$HEPTA_ROOT" \
  --no-deps --no-build-isolation --wheel-dir "$work" "--config-settings=build-dir=$build-wheel" "${settings[@]}"

"$HEPTA_PYTHON" -m venv --without-pip "$work/venv"
"$HEPTA_PYTHON" -m pip --python "$work/venv/bin/python" install --no-deps "$work"/hepta-*.whl
unset HEPTA_LIBRARY
numpy=$("$HEPTA_PYTHON" -c 'import numpy, pathlib; print(pathlib.Path(numpy.__file__).parents[1])')
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$petsc4py:$numpy
cd "$work"
venv/bin/python -m hepta | tee there
grep -q "^library *$work/venv/" there
exec venv/bin/python "$HEPTA_ROOT/tests/python/test_hepta.py"
