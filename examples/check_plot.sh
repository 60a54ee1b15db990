#!/bin/sh
# check_plot.sh RESERVOIR FOLDER: -plot writes the numbers always, and the picture or a sentence that says why not
reservoir=$1
picture=$2/convergence.png
csv=$2/convergence.csv

fail() {
  printf '%s\n%s\n' "$output" "$1"
  exit 1
}

# without Python
rm -f "$picture" "$csv"
output=$(HEPTA_PYTHON=/no/such/python "$reservoir" -grid 4,4,4 -repeats 0 -plot "$picture" 2>&1) || fail "a missing Python must not stop the solve"
printf '%s\n' "$output" | grep -q "^picture  not made: it needs python3 with matplotlib" || fail "no sentence about the missing Python"
[ "$(head -n 1 "$csv")" = "matrix,iteration,residual" ] || fail "no numbers in $csv"
[ "$(wc -l <"$csv")" -gt 3 ] || fail "too few numbers in $csv"

# with it
python=${HEPTA_PYTHON:-python3}
if ! "$python" -c 'import matplotlib' 2>/dev/null; then
  echo "skipped: the numbers are right, but $python has no matplotlib for the picture"
  exit 77
fi
output=$("$reservoir" -grid 4,4,4 -repeats 0 -plot "$picture" 2>&1) || fail "the solve fails"
[ "$(head -c 4 "$picture" | tail -c 3)" = PNG ] || fail "$picture is not a PNG file"
