#!/usr/bin/env bash
# make petsc: find or build the PETSc that Hepta works with, and print where it is as two lines that a shell can eval:
#   eval "$(scripts/petsc.sh)"    sets PETSC_DIR and PETSC_ARCH
#
# A user's own PETSc is taken as it is: PETSC_DIR (and PETSC_ARCH), or a PETSc.pc on PKG_CONFIG_PATH. Otherwise the pinned
# release is downloaded, checked, and built once into the cache folder.
#   HEPTA_PETSC=find     take one of pip, Spack or the system, where it fits (make demo and make install do)
#   HEPTA_CUDA=OFF       build it without CUDA although nvcc is there
#   HEPTA_CUDA_ARCH=90   compute capability to build for (default: the machine's own GPU, else 90)
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/env.sh"

sdist=$(grep '^petsc==' "$HEPTA_ROOT/scripts/petsc-sdist.txt")
version=$(sed -E 's/^petsc==([^ ]+).*/\1/' <<<"$sdist")
sha256=$(sed -E 's/.*sha256:([0-9a-f]+).*/\1/' <<<"$sdist")
arch=hepta

print_petsc() {
  printf 'export PETSC_DIR=%q PETSC_ARCH=%q\n' "$1" "$2"
  exit 0
}

# PETSc.pc's prefix is PETSC_DIR of an installed PETSc and PETSC_DIR/PETSC_ARCH of one used where it was built
use_petsc_of_user() {
  local prefix
  if [ -n "${PETSC_DIR:-}" ]; then
    say "using your PETSc: PETSC_DIR=$PETSC_DIR PETSC_ARCH=${PETSC_ARCH:-}"
    print_petsc "$PETSC_DIR" "${PETSC_ARCH:-}"
  elif [ -n "${PKG_CONFIG_PATH:-}" ] && prefix=$(pkg-config --variable=prefix PETSc 2>/dev/null) && [ -n "$prefix" ]; then
    say "using your PETSc: PETSc.pc on PKG_CONFIG_PATH, prefix $prefix"
    if [ -e "$prefix/include/petsc.h" ]; then print_petsc "$prefix" ""; fi
    print_petsc "$(dirname "$prefix")" "$(basename "$prefix")"
  fi
}

# fits DIR ARCH: a PETSc that Hepta can work with, and with CUDA where the build has CUDA; else *why says what is missing
fits() {
  local include=$1/include conf=$1${2:+/$2}/include/petscconf.h earliest found
  why=''
  earliest=$(sed -n 's/^set(HEPTA_PETSC_MINIMUM \([0-9.]*\) .*/\1/p' "$HEPTA_ROOT/cmake/HeptaPETSc.cmake")
  found=$(sed -nE 's/^#define PETSC_VERSION_(MAJOR|MINOR|SUBMINOR) +([0-9]+).*/\2/p' "$include/petscversion.h" 2>/dev/null | paste -sd.)
  if [ -z "$found" ] || [ ! -e "$conf" ] || [ ! -e "$include/petsc/private/matimpl.h" ]; then why='its headers are incomplete'
  elif [ "$(printf '%s\n' "$earliest" "$found" | sort -V | head -n 1)" != "$earliest" ]; then why="it is $found, and Hepta needs $earliest or later"
  elif grep -q '^#define PETSC_USE_COMPLEX' "$conf"; then why='its scalars are complex'
  elif grep -q '^#define PETSC_HAVE_MPIUNI' "$conf"; then why='it was built without MPI'
  elif [ -z "$(find -L "$1${2:+/$2}/lib" -maxdepth 1 -name 'libpetsc*.so' 2>/dev/null)" ]; then why='it has no shared library'
  elif [ -n "$cuda_arch" ] && ! grep -q '^#define PETSC_HAVE_CUDA ' "$conf"; then why='it was built without CUDA, and nvcc is here (HEPTA_CUDA=OFF takes it)'
  fi
  [ -z "$why" ]
}

# The PETScs of pip, Spack and the system: lines "whose prefix"
list_petscs() {
  local prefix
  if prefix=$(python3 -c 'import petsc; print(petsc.get_petsc_dir())' 2>/dev/null); then echo "pip's $prefix"; fi
  if command -v spack >/dev/null && prefix=$(spack location -i petsc 2>/dev/null); then echo "Spack's $prefix"; fi
  if prefix=$(pkg-config --variable=prefix PETSc 2>/dev/null) && [ -n "$prefix" ]; then echo "the system's $prefix"; fi
}

use_petsc_of_system() {
  local line prefix why
  while read -r line; do
    prefix=/${line#* /}
    if fits "$prefix" ''; then
      say "using ${line%% /*} PETSc: PETSC_DIR=$prefix"
      print_petsc "$prefix" ''
    fi
    say "not taken: ${line%% /*} PETSc in $prefix, because $why"
  done < <(list_petscs)
}

# What configure is told; every word of it is part of the cache folder's name
configure_options() {
  printf '%s\n' --with-fc=0 --with-debugging=0 --with-x=0 --with-ssl=0 \
    "--with-cc=$(command -v mpicc)" "--with-cxx=$(command -v mpicxx)" "--with-mpiexec=$(command -v mpiexec)" \
    --with-blaslapack-lib=-lopenblas "COPTFLAGS=-O3 -g0" "CXXOPTFLAGS=-O3 -g0"
  if [ -n "$cuda_arch" ]; then
    printf '%s\n' --with-cuda=1 "--with-cuda-arch=$cuda_arch" CUDAOPTFLAGS=-O3
  else
    printf '%s\n' --with-cuda=0
  fi
}

find_cuda() {
  cuda_arch=''
  if [ "${HEPTA_CUDA:-AUTO}" = OFF ] || ! command -v nvcc >/dev/null; then return 0; fi
  cuda_arch=${HEPTA_CUDA_ARCH:-$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | tr -dc 0-9 || true)}
  cuda_arch=${cuda_arch:-90}
}

# The compilers and MPI as they answer now: a new one is a new folder
toolchain() {
  uname -m
  mpicc --version | head -n 1
  mpicxx --version | head -n 1
  mpicc -show 2>/dev/null || true
  if [ -n "$cuda_arch" ]; then
    command -v nvcc
    nvcc --version | tail -n 1
  fi
}

check_sha256() { [ -f "$1" ] && [ "$(sha256sum "$1" | cut -d' ' -f1)" = "$sha256" ]; }

# The download is kept, and written under its final name only when it is whole and right
download() {
  tarball=$HEPTA_CACHE/download/petsc-$version.tar.gz
  if check_sha256 "$tarball"; then return 0; fi
  local found part=$HEPTA_CACHE/download/part.$$
  say "downloading PETSc $version (17 MB, 10 seconds)"
  mkdir -p "$part"
  quietly "the download of PETSc $version" "$log_dir/download.log" \
    python3 -m pip download --no-deps --no-binary petsc -d "$part" "petsc==$version"
  found=$(sha256sum "$part/petsc-$version.tar.gz" | cut -d' ' -f1)
  if [ "$found" = "$sha256" ]; then mv "$part/petsc-$version.tar.gz" "$tarball"; fi
  rm -rf "$part"
  [ "$found" = "$sha256" ] || die "petsc-$version.tar.gz has sha256 $found, expected $sha256: not used"
}

# A line of progress every half minute while make runs
watch_make() {
  local start=$SECONDS
  while sleep 30 >/dev/null 2>&1 && kill -0 $$; do
    say "  $(find "$dir/$arch/obj" -name '*.o' 2>/dev/null | wc -l) of about $files files compiled after $(((SECONDS - start) / 60)) min $(((SECONDS - start) % 60)) s"
  done
}

run_make() {
  local watcher status=0
  watch_make >&2 9>&- &
  watcher=$!
  trap 'kill $watcher 2>/dev/null; exit 130' INT TERM
  (quietly "building PETSc" "$log_dir/make.log" env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make PETSC_DIR="$dir" PETSC_ARCH=$arch V=0 all) || status=$?
  kill $watcher 2>/dev/null || true
  trap - INT TERM
  return $status
}

# PETSc records its path, so it is built in place; the stamp is written last, and nothing without it is ever used
build() {
  local options
  mapfile -t options < <(configure_options)
  rm -rf "$dir"
  mkdir -p "$dir"
  download
  tar -xzf "$tarball" -C "$dir" --strip-components=1
  cd "$dir"
  say "configuring PETSc $version in $dir (about 1 minute)"
  quietly "configuring PETSc" "$log_dir/configure.log" \
    python3 ./configure PETSC_DIR="$dir" PETSC_ARCH=$arch "--with-make-np=$HEPTA_JOBS" "--with-make-load=$((4 * HEPTA_JOBS))" "${options[@]}"
  say "building PETSc $version (on 2 cores: $minutes minutes)"
  run_make
  [ -e "$dir/$arch/lib/libpetsc.so" ] || die "PETSc was built without $dir/$arch/lib/libpetsc.so: see $log_dir/make.log"
  rm -rf "$dir/$arch/obj" "$dir/$arch/tests"
  printf '%s\n' "${options[@]}" >"$dir/$arch/hepta-complete.tmp"
  mv "$dir/$arch/hepta-complete.tmp" "$dir/$arch/hepta-complete"
  say "PETSc $version is ready after $((SECONDS / 60)) min $((SECONDS % 60)) s"
}

use_petsc_of_user
for tool in mpicc mpicxx mpiexec make python3; do
  command -v $tool >/dev/null || die "$tool was not found: run scripts/setup.sh first"
done
find_cuda
if [ "${HEPTA_PETSC:-}" = find ]; then use_petsc_of_system; fi
key=$( (echo "$sha256"; configure_options; toolchain) | sha256sum | cut -c1-12)
dir=$HEPTA_CACHE/petsc-$version-$key
log_dir=$HEPTA_CACHE/log/petsc-$version-$key
stamp=$dir/$arch/hepta-complete
minutes='about 4' files=970
if [ -n "$cuda_arch" ]; then minutes='7 to 8' files=1000; fi

if [ ! -e "$stamp" ]; then
  mkdir -p "$log_dir" "$HEPTA_CACHE/download"
  # The lock is held by this process and its compilers, so that even after a kill nobody builds into the same folder twice at once
  exec 9>"$dir.lock"
  if ! flock -n 9; then
    say "another run builds $dir; waiting for it"
    flock 9
  fi
  if [ ! -e "$stamp" ]; then build; fi
  exec 9>&-
fi
print_petsc "$dir" "$arch"
