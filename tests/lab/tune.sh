#!/bin/sh
# tune.sh HEPTA_TUNE: measures quickly, and the library takes the file; where there is no GPU the error says so
set -e
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export XDG_CACHE_HOME="$dir"

echo "hepta tuning 0" >"$dir/older.txt"
# refuses MESSAGE ARGUMENT...: before anything is measured
refuses() {
  message=$1
  shift
  if "$@" >"$dir/out" 2>&1; then
    echo "no error: $*"
    exit 1
  fi
  grep -qF -- "$message" "$dir/out"
}
refuses "The tuning file $dir/missing.txt cannot be read" "$1" -regret -files "$dir/missing.txt"
refuses "$dir/older.txt is no tuning file: its first line is not " "$1" -regret -files "$dir/older.txt"
refuses "-files takes 1 to 63 tuning files, and -regret" "$1" -files "$dir/older.txt"

if ! "$1" -quick >"$dir/out" 2>&1; then
  grep -qE "hepta-tune measures a GPU, and (there is none: |this Hepta was built without CUDA)" "$dir/out" && exit 0
  cat "$dir/out"
  exit 1
fi
file=$(ls "$dir"/hepta/tuning-*.txt)
grep -q "^recording [0-9.e+-]* # " "$file"
test ! -e "$file.part"
"$1" -quick -o "$dir/again.txt" -hepta_tuning_view | grep "^# Hepta's tuning: $file$"
sed 's/^driver .*/driver 1000/' "$file" >"$dir/old.txt"
"$1" -quick -o "$dir/again.txt" -hepta_tuning "$dir/old.txt" 2>&1 >/dev/null | grep "^Hepta ignores the tuning file $dir/old.txt: it is of .* driver for CUDA 1.0, "
