#!/bin/sh
# triangular_plot.sh TRIANGULAR FOLDER: -plot writes the numbers always, and the picture or a sentence that says why not
triangular=$1
picture=$2/triangular_plot.png
csv=$2/triangular_plot.csv

fail() {
  printf '%s\n%s\n' "$output" "$1"
  exit 1
}

# without Python
rm -f "$picture" "$csv"
output=$(HEPTA_PYTHON=/no/such/python "$triangular" -repeats 0 -plot "$picture" 2>&1) || fail "a missing Python must not stop the solve"
printf '%s\n' "$output" | grep -q "^picture  not made: it needs python3 with matplotlib" || fail "no sentence about the missing Python"
[ "$(head -n 1 "$csv")" = "level,rows" ] || fail "no numbers in $csv"
[ "$(wc -l <"$csv")" -eq 50 ] || fail "not a line for each of the 49 levels"

# with it
python=${HEPTA_PYTHON:-python3}
if ! "$python" -c 'import matplotlib' 2>/dev/null; then
  echo "skipped: the numbers are right, but $python has no matplotlib for the picture"
  exit 77
fi
output=$("$triangular" -repeats 0 -plot "$picture" 2>&1) || fail "the solve fails"
[ "$(head -c 4 "$picture" | tail -c 3)" = PNG ] || fail "$picture is not a PNG file"
