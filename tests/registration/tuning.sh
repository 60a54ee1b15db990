#!/bin/sh
# tuning.sh PROGRAM: what -hepta_tuning_view prints is an options file that gives the same numbers; an option changes its number and no other
set -e
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
view() { "$@" -hepta_tuning_view | grep -e '^-hepta_tuning_'; }

view "$1" > "$dir/defaults"
view "$1" -hepta_tuning_pass 7.25 > "$dir/changed"
view "$1" -options_file "$dir/changed" > "$dir/again"
sed 's/^\(-hepta_tuning_pass\) 5 /\1 7.25 /' "$dir/defaults" | diff - "$dir/changed"
diff "$dir/changed" "$dir/again"
if diff -q "$dir/defaults" "$dir/changed" > /dev/null; then
  echo "tuning.sh: -hepta_tuning_pass changed nothing"
  exit 1
fi
