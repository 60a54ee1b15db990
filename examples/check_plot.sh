#!/bin/sh
# check_plot.sh PROGRAM FOLDER PLOT WITHOUT WITH [FILE TEXT TEST LINES]...: in FOLDER, -plot PLOT, with the options WITHOUT Python and WITH it, writes the
# FILEs always, and a picture for each .csv, and PLOT itself where it is a .png, or a sentence that says why not. A .csv begins with the line TEXT, others hold it;
# TEST: -eq or -gt LINES.
program=$1
cd "$2" || exit 1
plot=$3
without=$4
with=$5
shift 5
case $plot in *.png) pictures=$plot ;; *) pictures= ;; esac

fail() {
  printf '%s\n%s\n' "$output" "$1"
  exit 1
}

# without Python; options are words, none with a space
rm -f "${plot%.png}"[._]*
# shellcheck disable=SC2086
output=$(HEPTA_PYTHON=/no/such/python "$program" $without -plot "$plot" 2>&1) || fail "a missing Python must not stop the solve"
printf '%s\n' "$output" | grep -q "^picture  not made: it needs python3 with matplotlib" || fail "no sentence about the missing Python"
while [ $# -gt 0 ]; do
  case $1 in
    *.csv)
      [ "$(head -n 1 "$1")" = "$2" ] || fail "the first line of $1 is not $2"
      pictures="$pictures ${1%.csv}.png"
      ;;
    *) grep -a -q "$2" "$1" || fail "no $2 in $1" ;;
  esac
  test "$(wc -l <"$1")" "$3" "$4" || fail "$1 has not $3 $4 lines"
  shift 4
done

# with it
python=${HEPTA_PYTHON:-python3}
if ! "$python" -c 'import matplotlib' 2>/dev/null; then
  echo "skipped: the numbers are right, but $python has no matplotlib for the picture"
  exit 77
fi
# shellcheck disable=SC2086
output=$("$program" $with -plot "$plot" 2>&1) || fail "the solve fails"
for picture in $pictures; do
  [ "$(head -c 4 "$picture" | tail -c 3)" = PNG ] || fail "$picture is not a PNG file"
done
