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
found) # one that fits is taken when asked for, others are passed over with the reason
  mkdir -p "$work/root/cmake" "$work/pip/petsc/include/petsc/private" "$work/pip/petsc/lib" && cp "$source/cmake/HeptaPETSc.cmake" "$work/root/cmake/"
  printf 'import os\ndef get_petsc_dir(): return os.path.dirname(__file__)\n' >"$work/pip/petsc/__init__.py"
  touch "$work/pip/petsc/include/petsc/private/matimpl.h" "$work/pip/petsc/lib/libpetsc.so"
  version() { printf '#define PETSC_VERSION_MAJOR      %d\n#define PETSC_VERSION_MINOR      %d\n#define PETSC_VERSION_SUBMINOR   %d\n' "$@" >"$work/pip/petsc/include/petscversion.h"; }
  export PYTHONPATH=$work/pip PKG_CONFIG_LIBDIR=$work/none HEPTA_PETSC=find
  passes_over() {
    : >"$work/stderr"
    (expect_ready "$(petsc)")
    grep -q "not taken: pip's PETSc in $work/pip/petsc, because $1" "$work/stderr" || fail "not said: $1"
  }
  touch "$work/pip/petsc/include/petscconf.h"
  version 3 20 1
  passes_over "it is 3.20.1, and Hepta needs 3"
  version 3 26 0
  echo '#define PETSC_USE_COMPLEX 1' >"$work/pip/petsc/include/petscconf.h"
  passes_over 'its scalars are complex'
  expect_calls 1/1
  echo '#define PETSC_USE_REAL_DOUBLE 1' >"$work/pip/petsc/include/petscconf.h"
  [ "$(petsc)" = "export PETSC_DIR=$work/pip/petsc PETSC_ARCH=''" ] || fail "pip's PETSc was not taken"
  [ "$(HEPTA_PETSC='' petsc)" != "export PETSC_DIR=$work/pip/petsc PETSC_ARCH=''" ] || fail "pip's PETSc was taken without HEPTA_PETSC=find"
  expect_calls 1/1
  ;;
*) fail "unknown case $case" ;;
esac
