#!/usr/bin/env bash
# make dist: build/dist/hepta-VERSION.tar.gz of all tracked files as committed, the same bytes for the same commit; prints its name
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/env.sh"

cd "$HEPTA_ROOT"
version=$(sed -nE 's/^project\(hepta VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
git rev-parse HEAD >/dev/null 2>&1 || die "make dist packs the files that git tracks, and $HEPTA_ROOT is not a clone"
[ -z "$(git status --porcelain --untracked-files=no)" ] || say "changes that are not committed are not packed"
out=$HEPTA_BUILD/dist/hepta-$version.tar.gz
mkdir -p "$(dirname "$out")"
git archive --format=tar --prefix="hepta-$version/" HEAD | gzip -9 -n >"$out.tmp"
mv "$out.tmp" "$out"
echo "$out"
