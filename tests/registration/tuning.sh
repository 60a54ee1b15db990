#!/bin/sh
# tuning.sh PROGRAM: which numbers the library takes, and what it says of files that it does not take
set -e
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export XDG_CACHE_HOME="$dir/cache"
mkdir -p "$dir/cache/hepta"

fail() {
  echo "tuning.sh: $*"
  exit 1
}
# has FILE TEXT: a line holds it in each of the times that the program initializes
has() {
  [ "$(grep -cF -- "$2" "$1")" = "$times" ] || fail "\"$2\" is not there $times times: $(cat "$1")"
}
run() { "$program" "$@" >"$dir/out" 2>"$dir/err"; }

program=$1
run -hepta_tuning_view
times=$(grep -c "^hepta tuning 1" "$dir/out")
has "$dir/out" "# Hepta's tuning: constants of the library"
[ ! -s "$dir/err" ] || fail "without files: $(cat "$dir/err")"
sed -n '/^# Hepta/,/^end$/p' "$dir/out" >"$dir/constants"

run -hepta_view
for line in "  tuning: constants of the library" "  GPU of the first process: " "  Mat: bdia bdiacuda seqaijbdia brow" "  PC: ip blockic gridmg aggmg" "  KSP: fusedcg fusedbcgs"; do
  has "$dir/out" "$line"
done

if run -hepta_tuning "$dir"; then fail "a folder is taken"; fi
head -c 2000000 /dev/zero | tr "\\0" "#" >"$dir/big"
if run -hepta_tuning "$dir/big"; then fail "a file of 2 MB is taken"; fi

# a file of another GPU, in the folder: it is for another machine of the same user, and no word is lost about it
sed 's/^gpu .*/gpu Another one/; s/^pass 5 /pass 7.25 /; s/^multi.*/multiprocessors 3/; s/^driver .*/driver 13000/; s/^cuda .*/cuda 13000/' "$dir/constants" >"$dir/cache/hepta/tuning-another.txt"
run -hepta_tuning_view
sed -n '/^# Hepta/,/^end$/p' "$dir/out" | diff "$dir/constants" -
[ ! -s "$dir/err" ] || fail "with a file of another GPU: $(cat "$dir/err")"

# damaged, there or given
head -n 12 "$dir/cache/hepta/tuning-another.txt" >"$dir/cache/hepta/tuning-half.txt"
run -hepta_tuning_view
has "$dir/err" "Hepta ignores the tuning file $dir/cache/hepta/tuning-half.txt: it has no line \"end\": a part of it is lost. Delete it, or run hepta-tune"
sed -n '/^# Hepta/,/^end$/p' "$dir/out" | diff "$dir/constants" -
run -hepta_tuning "$dir/cache/hepta/tuning-half.txt"
has "$dir/err" "Hepta ignores the tuning file"
run -hepta_tuning none -hepta_tuning_view
[ ! -s "$dir/err" ] || fail "with none: $(cat "$dir/err")"
echo "any text" >"$dir/text"
run -hepta_tuning "$dir/text"
has "$dir/err" "its first line is not \"hepta tuning 1\""

# of two processes the first reads, and alone says so
"$HEPTA_MPIEXEC" -n 2 "$program" -hepta_tuning "$dir/text" >"$dir/out" 2>"$dir/err"
has "$dir/err" "its first line is not \"hepta tuning 1\""

if run -hepta_tuning "$dir/missing"; then fail "a file that is not there is taken"; fi
cat "$dir/out" >>"$dir/err"
grep -qF -- "-hepta_tuning $dir/missing cannot be read: it is a file that hepta-tune has written, or none" "$dir/err" || fail "$(cat "$dir/err")"
