#!/usr/bin/env bash
# cache.sh CASE SOURCE WORK: scripts/petsc.sh on a made-up PETSc that takes a second to build: what it trusts and what not
set -euo pipefail
case=$1 source=$2 work=$3
rm -rf "$work"
mkdir -p "$work/petsc-9.9.9" "$work/root" "$work/bin"
cp -r "$source/scripts" "$work/root/"
export HEPTA_CACHE=$work/cache HEPTA_CUDA=OFF
unset PETSC_DIR PETSC_ARCH PKG_CONFIG_PATH

touch "$work/calls"

# The made-up source distribution: every configure and every make leaves a line in $work/calls
cat >"$work/petsc-9.9.9/configure" <<PYTHON
import os
open("$work/calls", "a").write("configure\n")
os.makedirs("hepta/lib")
PYTHON
printf 'all:\n\t@echo make >>%s; sleep 1; echo compiling; test ! -e %s && touch hepta/lib/libpetsc.so\n' "$work/calls" "$work/broken" >"$work/petsc-9.9.9/makefile"
tar -C "$work" -czf "$work/petsc-9.9.9.tar.gz" petsc-9.9.9
pin() { echo "petsc==9.9.9 --hash=sha256:$(sha256sum "$work/petsc-9.9.9.tar.gz" | cut -d' ' -f1)" >"$work/root/scripts/petsc-sdist.txt"; }
pin
# pip download, without a network
cat >"$work/bin/python3" <<BASH
#!/usr/bin/env bash
if [ "\${1:-} \${2:-} \${3:-}" = "-m pip download" ]; then
  while [ "\$1" != -d ]; do shift; done
  exec cp "$work/petsc-9.9.9.tar.gz" "\$2/"
fi
exec $(command -v python3) "\$@"
BASH
chmod +x "$work/bin/python3"
PATH=$work/bin:$PATH

petsc() { "$work/root/scripts/petsc.sh" 2>>"$work/stderr"; }
fail() {
  echo "$*"
  cat "$work/stderr" "$work/calls" 2>/dev/null || true
  exit 1
}
calls() { grep -c "^$1\$" "$work/calls" || true; }
expect_calls() { [ "$(calls configure)/$(calls make)" = "$1" ] || fail "configure/make were called $(calls configure)/$(calls make) times, not $1"; }
expect_ready() {
  eval "$1"
  [ -e "$PETSC_DIR/$PETSC_ARCH/lib/libpetsc.so" ] || fail "no library after: $1"
}

# A made-up PETSc of pip, Spack or the system; the machine's own are not seen in cases found_...
case $case in found_*)
  mkdir -p "$work/root/cmake" "$work/pip" "$work/pkgconfig" && cp "$source/cmake/HeptaPETSc.cmake" "$work/root/cmake/"
  echo 'raise ImportError("no petsc")' >"$work/pip/petsc.py"
  printf '#!/bin/sh\n[ "$*" = "location -i petsc" ] && cat %q 2>/dev/null\n' "$work/spack-prefix" >"$work/bin/spack" && chmod +x "$work/bin/spack"
  export PYTHONPATH=$work/pip PKG_CONFIG_LIBDIR=$work/pkgconfig HEPTA_PETSC=find
  ;;
esac
version() { printf '#define PETSC_VERSION_MAJOR      %d\n#define PETSC_VERSION_MINOR      %d\n#define PETSC_VERSION_SUBMINOR   %d\n' "$@" >"$found/include/petscversion.h"; }
conf() { printf '#define PETSC_%s 1\n' USE_REAL_DOUBLE "$@" >"$found/include/petscconf.h"; }
fitting() {
  mkdir -p "$found/include/petsc/private" "$found/lib"
  touch "$found/include/petsc/private/matimpl.h" "$found/lib/libpetsc.so"
  version 3 22 0
  conf HAVE_MPI
}
offer() {
  case $1 in
  pip)
    found=$work/pip/petsc whose="pip's"
    mkdir -p "$found"
    printf 'import os\ndef get_petsc_dir(): return os.path.dirname(__file__)\n' >"$found/__init__.py"
    ;;
  spack)
    found=$work/spack/petsc-3.22.0-hash whose="Spack's"
    echo "$found" >"$work/spack-prefix"
    ;;
  system)
    found=$work/usr whose="the system's"
    printf 'prefix=%s\n\nName: PETSc\nDescription: made up\nVersion: 3.22.0\n' "$found" >"$work/pkgconfig/PETSc.pc"
    ;;
  esac
  fitting
}
takes() { [ "$(petsc)" = "export PETSC_DIR=$1 PETSC_ARCH=''" ] || fail "PETSC_DIR=$1 was not taken"; }
# passes_over WHY CHANGE...: the offered PETSc after a change, which is taken back
passes_over() {
  : >"$work/stderr"
  "${@:2}"
  (expect_ready "$(petsc)")
  grep -qF "not taken: $whose PETSc in $found, because $1" "$work/stderr" || fail "not said: $1"
  fitting
}

case $case in
once) # a second call finds what the first one built
  first=$(petsc) && second=$(petsc)
  [ "$first" = "$second" ] || fail "'$first' and then '$second'"
  expect_ready "$first"
  expect_calls 1/1
  ;;
concurrent) # two at once: one builds, the other waits and takes it
  petsc >"$work/one" &
  petsc >"$work/two" &
  wait %1 && wait %2
  expect_ready "$(cat "$work/one")"
  expect_ready "$(cat "$work/two")"
  expect_calls 1/1
  grep -q waiting "$work/stderr" || fail "nobody says that it waits"
  ;;
interrupted) # killed while it builds: the next call starts anew
  set -m
  petsc >/dev/null &
  while [ "$(calls make)" != 1 ]; do sleep 0.1; done
  kill -KILL -- -$!
  wait || true
  set +m
  expect_ready "$(petsc)"
  expect_calls 2/2
  ;;
failed) # the log is shown, the exit code is not 0, nothing is kept
  touch "$work/broken"
  if petsc >/dev/null; then fail "succeeded although make failed"; fi
  if ! grep -q '^compiling' "$work/stderr" || ! grep -q 'building PETSc failed' "$work/stderr"; then fail "the log is not shown"; fi
  rm "$work/broken"
  expect_ready "$(petsc)"
  expect_calls 2/2
  ;;
checksum) # what was downloaded is not what was pinned
  echo more >"$work/petsc-9.9.9/more" && tar -C "$work" -czf "$work/petsc-9.9.9.tar.gz" petsc-9.9.9
  if petsc >/dev/null; then fail "took a wrong download"; fi
  grep -q 'sha256 .* expected .*: not used' "$work/stderr" || fail "the reason is not given"
  expect_calls 0/0
  ;;
own) # a user's own PETSc is taken as it is
  [ "$(PETSC_DIR=/some/where PETSC_ARCH=there petsc)" = "export PETSC_DIR=/some/where PETSC_ARCH=there" ] || fail "PETSC_DIR was not taken"
  mkdir -p "$work/own/arch/lib/pkgconfig"
  printf 'prefix=%s\n\nName: PETSc\nDescription: made up\nVersion: 3.26.1\n' "$work/own/arch" >"$work/own/arch/lib/pkgconfig/PETSc.pc"
  [ "$(PKG_CONFIG_PATH=$work/own/arch/lib/pkgconfig petsc)" = "export PETSC_DIR=$work/own PETSC_ARCH=arch" ] || fail "PETSc.pc was not taken"
  expect_calls 0/0
  ;;
wrong) # a PETSC_DIR without PETSc is refused before the build folder of another PETSc is cleared
  mkdir -p "$work/build"
  echo 'PETSC_DIR:PATH=/some/where' >"$work/build/CMakeCache.txt"
  touch "$work/build/ccache.log" # setup.sh has looked for ccache
  if HEPTA_BUILD=$work/build HEPTA_SETUP=library PETSC_DIR=/no/where "$work/root/scripts/build.sh" 2>>"$work/stderr"; then fail "took a wrong PETSC_DIR"; fi
  grep -q 'is no PETSc: /no/where/include/petsc.h is missing' "$work/stderr" || fail "the reason is not given"
  [ -e "$work/build/CMakeCache.txt" ] || fail "the build folder was cleared"
  ;;
found_pip | found_spack | found_system) # one that fits is taken when asked for, others are passed over with the reason
  offer "${case#found_}"
  passes_over 'it is 3.21.6, and Hepta needs 3' version 3 21 6
  passes_over 'its scalars are complex' conf USE_COMPLEX
  takes "$found"
  [ "$(HEPTA_PETSC='' petsc)" != "export PETSC_DIR=$found PETSC_ARCH=''" ] || fail "$whose PETSc was taken without HEPTA_PETSC=find"
  expect_calls 1/1
  ;;
found_incomplete) # other reasons
  offer spack
  passes_over 'its headers are incomplete' rm "$found/include/petsc/private/matimpl.h"
  passes_over 'it was built without MPI' conf HAVE_MPIUNI
  passes_over 'it has no shared library' rm "$found/lib/libpetsc.so"
  printf '#!/bin/sh\necho made up\n' >"$work/bin/nvcc" && chmod +x "$work/bin/nvcc"
  HEPTA_CUDA=AUTO passes_over 'it was built without CUDA, and nvcc is here (HEPTA_CUDA=OFF takes it)' true
  expect_calls 2/2
  takes "$found"
  conf HAVE_CUDA
  HEPTA_CUDA=AUTO takes "$found"
  ;;
found_first) # the first of those that fit
  offer system && system=$found
  takes "$system"
  offer spack && spack=$found
  takes "$spack"
  offer pip
  takes "$found"
  version 3 21 6
  takes "$spack"
  grep -q "not taken: pip's PETSc in $found, because it is 3.21.6" "$work/stderr" || fail "not said: why pip's PETSc was passed over"
  expect_calls 0/0
  ;;
found_none) # none is there: the pinned release is built
  (expect_ready "$(petsc)")
  expect_calls 1/1
  if grep -qE 'not taken|using' "$work/stderr"; then fail "a PETSc was found"; fi
  ;;
*) fail "unknown case $case" ;;
esac
