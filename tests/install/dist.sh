#!/usr/bin/env bash
# dist.sh SOURCE WORK: the tarball of `make dist` holds the tracked files, a project fetches it, and packages name its version
set -euo pipefail
source=$1 work=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

fail() { echo "$*" && exit 1; }
if ! git -C "$source" rev-parse HEAD >/dev/null 2>&1; then echo "skipped: $source is not a clone of git" && exit 77; fi

rm -rf "$work"
mkdir -p "$work"
version=$(sed -nE 's/^project\(hepta VERSION ([0-9.]+).*/\1/p' "$source/CMakeLists.txt")
tarball=$(HEPTA_BUILD=$work "$source/scripts/dist.sh")
[ "$tarball" = "$work/dist/hepta-$version.tar.gz" ] || fail "the tarball is $tarball"
diff <(tar tzf "$tarball" | grep -v '/$' | sort) <(git -C "$source" ls-tree -r --name-only HEAD | sed "s|^|hepta-$version/|" | sort)
for file in debian/changelog spack/packages/hepta/package.py conda/recipe.yaml; do
  grep -q "$version" "$source/packaging/$file" || fail "packaging/$file does not name version $version"
done
grep -q "^Package: libhepta${version%.*}\$" "$source/packaging/debian/control" || fail "packaging/debian/control names another SONAME than ${version%.*}"

"$CMAKE" -S "$here/fetched" -B "$work/build" -G Ninja "-DHEPTA_URL=$tarball" -DHEPTA_CUDA=OFF
"$CMAKE" --build "$work/build" -- -t targets all >"$work/targets"
for target in hepta laplace; do grep -q "^$target: " "$work/targets" || fail "there is no $target to build"; done
if grep -q '^rooms: ' "$work/targets"; then fail "tests are built too"; fi
"$CMAKE" --build "$work/build" --target "$(sed -n 's/^\(.*laplace\.c\.o\): .*/\1/p' "$work/targets")"
