#!/usr/bin/env bash
# wheel.sh BUILD WORK: makes a source distribution, builds a wheel from it by pip, installs the wheel in a fresh environment below
# WORK and runs test_hepta.py and test_import.py there, with the wheel's library. The wheel is compiled by the commands of BUILD,
# whose objects ccache has, since both folders lie beside the sources: in half a minute. Before: without a PETSc pip refuses at once.
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
# without a PETSc: pip without isolation, and the hook that pip with isolation, which needs a network, calls first
fail() { echo "$*" && exit 1; }
refusal='hepta: PETSC_DIR is not set.*use `pip install --no-build-isolation .`'
pip_without() { (cd "$work" && unset PETSC_DIR && PYTHONPATH=$backend "$HEPTA_PYTHON" -m pip wheel --no-deps "$HEPTA_ROOT" "$@"); }
if pip_without --no-build-isolation >"$work/refused" 2>&1 || ! grep -q "$refusal" "$work/refused"; then
  cat "$work/refused"
  fail "pip wheel without PETSC_DIR does not say what to do"
fi
hook() { PYTHONPATH=$backend:$HEPTA_ROOT/packaging/pip "$HEPTA_PYTHON" -c "import hepta_build; print(hepta_build.$1)"; }
cd "$HEPTA_ROOT"
requires='get_requires_for_build_wheel({})'
if (unset PETSC_DIR && hook "$requires") >"$work/refused" 2>&1 || ! grep -q "$refusal" "$work/refused"; then
  cat "$work/refused"
  fail "an isolated build without PETSC_DIR goes on to petsc4py's requirements, which have a second PETSc"
fi
hook "$requires" >"$work/requirements"
if grep -i petsc "$work/requirements"; then fail "an isolated build requires a PETSc of its own"; fi

tarball=$work/$(hook "build_sdist('$work')" | tail -n 1)
tar xf "$tarball" -C "$work"
source=${tarball%.tar.gz}
for folder in tests bench docs examples lab build; do
  [ ! -e "$source/$folder" ] || fail "the source distribution has $folder"
done
CCACHE_BASEDIR=$source PYTHONPATH=$backend CMAKE_BUILD_PARALLEL_LEVEL=2 "$HEPTA_PYTHON" -m pip wheel "$source" \
  --no-deps --no-build-isolation --wheel-dir "$work" "--config-settings=build-dir=$source/build" "${settings[@]}"

"$HEPTA_PYTHON" -m venv --without-pip "$work/venv"
"$HEPTA_PYTHON" -m pip --python "$work/venv/bin/python" install --no-deps "$work"/hepta-*.whl
unset HEPTA_LIBRARY
numpy=$("$HEPTA_PYTHON" -c 'import numpy, pathlib; print(pathlib.Path(numpy.__file__).parents[1])')
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$petsc4py:$numpy
cd "$work"
venv/bin/python -m hepta | tee there
grep -q "^hepta [0-9.]*: $work/venv/" there
compgen -G "venv/lib/python*/site-packages/hepta/py.typed" >/dev/null || fail "the wheel lacks py.typed"
venv/bin/python "$HEPTA_ROOT/tests/python/test_hepta.py"
exec venv/bin/python "$HEPTA_ROOT/tests/python/test_import.py"
