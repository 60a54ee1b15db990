#!/usr/bin/env bash
# petsc4py.sh build:       build petsc4py against PETSC_DIR/PETSC_ARCH, once, into the cache
# petsc4py.sh path:        print the folder of this petsc4py
# petsc4py.sh environment: run solve.py with the plugin from PETSC_OPTIONS
# petsc4py.sh argument:    run solve.py with the plugin from -dll_append
# petsc4py.sh rows:        likewise rows.py
# petsc4py.sh package FILE [ARGUMENT]...: run a program with the Python package, which registers the plugin
# Exit code 77, with the reason, when petsc4py cannot be built.
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

case $1 in
build) build && exit 0 ;;
path) echo "$package" && exit 0 ;;
environment) export PETSC_OPTIONS="-dll_append $HEPTA_PLUGIN" && arguments=() ;;
argument) arguments=(-dll_append "$HEPTA_PLUGIN") ;;
rows) arguments=(-dll_append "$HEPTA_PLUGIN" -mat_bdia_max_offsets 100 -mat_bdia_max_fill 100) && program=$here/rows.py ;;
package)
  export HEPTA_LIBRARY=$HEPTA_PLUGIN PYTHONDONTWRITEBYTECODE=1
  program=$2
  arguments=("${@:3}")
  package=$package:$HEPTA_ROOT/python
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
