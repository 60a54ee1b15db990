#!/usr/bin/env bash
# make check-packages: builds the Debian packages from the tarball of `make dist`, installs them into a folder, and runs programs
# with what lies there: linked by pkg-config and by find_package, and one of PETSc alone with -dll_append; and a project that fetches
# the tarball and builds Hepta with itself. The PETSc is Debian's where libpetsc-real-dev is installed and late enough, else that of
# scripts/petsc.sh. Minutes, because the library is compiled twice.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/env.sh"

if ! command -v apt-get >/dev/null 2>&1 && ! command -v dh >/dev/null 2>&1; then
  say "skipped: no dpkg-buildpackage and debhelper on this system"
  exit 0
fi
"$HEPTA_ROOT/scripts/setup.sh" packages
work=$HEPTA_BUILD/packages
tests=$HEPTA_ROOT/tests

debian_petsc() {
  local earliest found
  earliest=$(sed -nE 's/.*libpetsc-real-dev \(>= ([0-9.]+)\).*/\1/p' "$HEPTA_ROOT/packaging/debian/control")
  # shellcheck disable=SC2016
  found=$(dpkg-query -W -f '${Version}' libpetsc-real-dev 2>/dev/null) && dpkg --compare-versions "$found" ge "$earliest"
}

# Sets petsc, the installed or built PETSc, and options, those of dpkg-buildpackage
find_petsc() {
  local variables
  petsc=/usr/lib/petsc options=(-us -uc -b)
  if [ -n "${PETSC_DIR:-}" ] || ! debian_petsc; then
    variables=$(HEPTA_CUDA=OFF "$HEPTA_ROOT/scripts/petsc.sh")
    eval "$variables"
    petsc=$PETSC_DIR${PETSC_ARCH:+/$PETSC_ARCH} options+=(-d) # without Debian's PETSc, which debian/control names
  fi
}

# Sets tarball and launcher, of compilers
build_packages() {
  rm -rf "$work"
  mkdir -p "$work"
  tarball=$("$HEPTA_ROOT/scripts/dist.sh")
  tar xf "$tarball" -C "$work"
  mv "$work"/hepta-* "$work/source"
  cp -r "$work/source/packaging/debian" "$work/source/"
  launcher=$(command -v ccache || true)
  say "building the Debian packages with the PETSc in $petsc"
  (cd "$work/source" && CCACHE_BASEDIR=$work CMAKE_C_COMPILER_LAUNCHER=$launcher CMAKE_CXX_COMPILER_LAUNCHER=$launcher \
    DEB_BUILD_OPTIONS=parallel=$HEPTA_JOBS quietly "dpkg-buildpackage" "$work/build.log" dpkg-buildpackage "${options[@]}")
}

# Installs into a folder with a database of its own, so that the machine's packages stay: by dpkg for root, without it unpacked.
# Dependencies lie outside the folder. Sets lib, the folder of the library
install_packages() {
  local packages=("$work"/libhepta[0-9].[0-9]_*.deb "$work"/libhepta-dev_*.deb) twice
  twice=$(for p in "${packages[@]}"; do dpkg-deb --fsys-tarfile "$p" | tar t | grep -v '/$'; done | sort | uniq -d)
  [ -z "$twice" ] || die "two packages have $twice"
  if [ "$petsc" = /usr/lib/petsc ] && ! dpkg-deb -f "${packages[0]}" Depends | grep libpetsc >/dev/null; then
    die "$(basename "${packages[0]}") depends on no libpetsc"
  fi
  if [ "$(id -u)" = 0 ]; then
    mkdir -p "$work/root/var/lib/dpkg/info" "$work/root/var/lib/dpkg/updates"
    touch "$work/root/var/lib/dpkg/status"
    quietly "dpkg -i" "$work/dpkg.log" dpkg "--root=$work/root" --force-depends -i "${packages[@]}"
  else
    for p in "${packages[@]}"; do dpkg-deb -x "$p" "$work/root"; done
  fi
  lib=$(dirname "$(find "$work/root/usr/lib" -name libhepta.so)")
}

# runs NAME ARGUMENT...: on one process and on two
runs() {
  local ranks
  for ranks in 1 2; do
    quietly "$1 on $ranks processes" "$work/$1.log" timeout 120 "$mpiexec" -n "$ranks" "$work/$1" "${@:2}"
  done
}

# A project that builds Hepta with itself, from the tarball
check_fetched() {
  say "building a project that fetches Hepta"
  quietly "a project that fetches Hepta" "$work/fetched.log" cmake -S "$tests/install/fetched" -B "$work/fetched.build" "-DHEPTA_URL=$tarball" -DHEPTA_CUDA=OFF \
    -DCMAKE_BUILD_TYPE=Release "-DCMAKE_C_COMPILER_LAUNCHER=$launcher" "-DCMAKE_CXX_COMPILER_LAUNCHER=$launcher"
  CCACHE_BASEDIR=$work quietly "a project that fetches Hepta" "$work/fetched.log" cmake --build "$work/fetched.build" --parallel "$HEPTA_JOBS" --target laplace
  ln -s fetched.build/laplace "$work/fetched"
}

check_programs() {
  local mpicc mpiexec
  export PKG_CONFIG_PATH=$lib/pkgconfig:$petsc/lib/pkgconfig
  unset PETSC_DIR PETSC_ARCH # the packages know where PETSc is
  mpicc=$(pkg-config --variable=ccompiler PETSc) mpiexec=$(pkg-config --variable=mpiexec hepta)
  # shellcheck disable=SC2046
  quietly "a program by pkg-config" "$work/linked.log" "$mpicc" $(pkg-config --cflags hepta) "$tests/install/project/laplace.c" -o "$work/linked" \
    $(pkg-config --libs hepta) -lm
  quietly "a program by find_package" "$work/found.log" cmake -S "$tests/install/project" -B "$work/found.build" "-DCMAKE_PREFIX_PATH=$work/root/usr"
  quietly "a program by find_package" "$work/found.log" cmake --build "$work/found.build"
  ln -s found.build/laplace "$work/found"
  # shellcheck disable=SC2046
  quietly "a program of PETSc alone" "$work/plugin.log" "$mpicc" $(pkg-config --cflags PETSc) "$tests/registration/types.c" -o "$work/plugin" \
    "-Wl,-rpath,$petsc/lib" $(pkg-config --libs PETSc) -lm
  runs fetched
  runs linked
  runs found
  runs plugin -dll_append "$(echo "$lib"/libhepta.so.?.?)" # the name in the package without headers
}

find_petsc
build_packages
install_packages
check_fetched
check_programs
say "the packages work: $(cd "$work" && echo *.deb)"
