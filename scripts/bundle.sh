#!/usr/bin/env bash
# make bundle: puts what a GPU machine without network and PETSc needs to run the tests, examples and benchmarks into one file,
# build/bundle/hepta-bundle.tar.xz. Unpack it there anywhere and start run.sh. Only glibc, libstdc++ and the CUDA toolkit's
# libraries come from that machine, and NCCL's, which is larger than all of this and which run.sh looks for.
#   bundle.sh BUILD_DIR
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/env.sh"
build=$(cd "$1" && pwd)
out=$build/bundle
work=$build/bundle-work # apart from the result, so that the folder of the result can be carried whole
stage=$work/hepta-bundle

# The machine has these itself, of its own version and driver
theirs='^(linux-vdso|ld-linux.*|libc|libm|libdl|libpthread|librt|libresolv|libutil|libstdc\+\+|libgcc_s|libcuda|libcudart|libcublas|libcublasLt|libcusparse|libcusolver|libcufft|libcurand|libnvJitLink|libnvrtc|libnvidia[-a-z]*)\.so'

is_elf() { [ "$(head -c 4 "$1" | tr -d '\0')" = $'\x7fELF' ]; }

cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }

# copy_programs FROM TO: the programs of a folder of the build
copy_programs() {
  local file
  mkdir -p "$stage/$2"
  for file in "$build/$1"/*; do
    if [ -f "$file" ] && [ -x "$file" ] && is_elf "$file" && [[ $file != *.so* ]]; then cp "$file" "$stage/$2/"; fi
  done
}

# MPICH's launcher; another MPI's launcher would need its whole installation
copy_launcher() {
  local mpiexec dir tool
  mpiexec=$(readlink -f "$(cached MPIEXEC_EXECUTABLE)")
  dir=$(dirname "$mpiexec")
  mkdir -p "$stage/bin"
  for tool in mpiexec.hydra hydra_pmi_proxy; do
    [ -x "$dir/$tool" ] || die "$dir/$tool was not found: make bundle needs MPICH"
    cp "$dir/$tool" "$stage/bin/"
  done
}

# Everything that the files in the bundle ask for, by the names they ask for
copy_libraries() {
  local name path
  find "$stage" -type f -print0 | while IFS= read -r -d '' path; do
    if is_elf "$path"; then ldd "$path"; fi
  done | sort -u >"$work/ldd.txt"
  if grep 'not found' "$work/ldd.txt" | awk '{ print $1 }' | grep -vE "$theirs" >&2; then die "these libraries were not found"; fi
  while read -r name path; do
    if [[ ! $name =~ $theirs ]] && [ ! -e "$stage/lib/$name" ]; then cp -L "$path" "$stage/lib/$name"; fi
  done < <(sed -nE 's/^[[:space:]]*([^ ]+) => (\/[^ ]+) .*/\1 \2/p' "$work/ldd.txt" | sort -u)
}

# The tests as CTest knows them: lines "where program ranks kind" for run.sh, the last for programs that test another kind of matrix than bdia
list_tests() {
  ctest --test-dir "$build" -N >"$work/ctest.txt"
  sed -nE 's/.*: (petsc|pc|advise|trials|ksp)\.(brow\.)?(ex_[a-z0-9_]+)\.np([1-4])$/host \3 \4 \2/p' "$work/ctest.txt" | tr -d . | sed 's/ *$//'
  { # those of CTest, some of which are for the device alone, and on several ranks those that it leaves out where there is no GPU
    sed -nE 's/.*: (petsc|pc|bbs|trials|ksp)\.(brow\.)?device\.(ex_[a-z0-9_]+)\.np1$/device \3 1 \2/p' "$work/ctest.txt" | tr -d . | sed 's/ *$//'
    cat "$build/tests/device-tests"
  } | sort -u
  echo "rooms rooms 1"
  sed -nE 's/.*: rooms\.device$/device rooms 1/p; s/.*: rooms\.device_memory$/large rooms 1/p' "$work/ctest.txt"
  if [ -e "$stage/tests/ex_device_large" ]; then echo "large ex_device_large 1"; fi
}

rm -rf "$out" "$work"
mkdir -p "$out" "$stage/lib"
say "collecting the programs of $build"
for dir in tests/{shared,lab,mat,pc,pc/bbs,ksp,trials,rooms}; do copy_programs "$dir" tests; done
copy_programs examples examples
copy_programs bench bench
copy_programs lab lab
cp -r "$HEPTA_ROOT/examples/data" "$stage/examples/"
cp -r "$HEPTA_ROOT/tests/matrices" "$stage/tests/"
cp "$build/libhepta.so" "$stage/lib/"
ln -s libhepta.so "$stage/lib/$(readlink "$build/libhepta.so")" # the name that programs ask for
cp "$build/tests/oversubscribe/liboversubscribe.so" "$stage/lib/"
copy_launcher
copy_libraries
list_tests >"$stage/tests/list"
cp "$HEPTA_ROOT/scripts/bundle_run.sh" "$stage/run.sh"
chmod +x "$stage/run.sh"

# RPATH would come before LD_LIBRARY_PATH, and lead to the places of this machine; RUNPATH comes after
find "$stage" -type f -print0 | while IFS= read -r -d '' file; do
  is_elf "$file" || continue
  chmod u+w "$file"
  if readelf -d "$file" | grep -q '(RPATH)'; then die "$file has an RPATH: link with -Wl,--enable-new-dtags"; fi
  strip --strip-unneeded "$file"
done

say "compressing"
# The same kernels are in libhepta.so and in rooms: next to each other, in a dictionary that is longer than one of them, they take the room of one
twice=(hepta-bundle/lib/libhepta.so hepta-bundle/tests/rooms)
(cd "$work" && printf '%s\n' "${twice[@]}" && find hepta-bundle ! -path "${twice[0]}" ! -path "${twice[1]}") >"$work/files.txt"
tar -C "$work" --owner=0 --group=0 --no-recursion -T "$work/files.txt" -cf - | xz -T "$HEPTA_JOBS" --lzma2=preset=6,dict=64MiB >"$out/hepta-bundle.tar.xz.tmp"
mv "$out/hepta-bundle.tar.xz.tmp" "$out/hepta-bundle.tar.xz"
say "$out/hepta-bundle.tar.xz: $(du -m "$out/hepta-bundle.tar.xz" | cut -f 1) MB, unpacked $(du -sm "$stage" | cut -f 1) MB"
