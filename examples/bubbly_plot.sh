#!/bin/sh
# bubbly_plot.sh BUBBLY FOLDER: -plot writes the numbers always, and the pictures or a sentence that says why not; -vtk a file for each step
bubbly=$1
name=$2/bubbly_plot

fail() {
  printf '%s\n%s\n' "$output" "$1"
  exit 1
}

# without Python
rm -f "$name"_*
output=$(HEPTA_PYTHON=/no/such/python "$bubbly" -n 8 -problem bubbles -pc_type jacobi -steps 2 -vtk "$name" -plot "$name" 2>&1) || fail "a missing Python must not stop the solve"
printf '%s\n' "$output" | grep -q "^picture  not made: it needs python3 with matplotlib" || fail "no sentence about the missing Python"
[ "$(head -n 1 "${name}_fields.csv")" = "x,y,z,density,random solution" ] || fail "no numbers in ${name}_fields.csv"
[ "$(wc -l <"${name}_fields.csv")" -eq 65 ] || fail "not a line for each of the 64 cells"
[ "$(wc -l <"${name}_convergence.csv")" -gt 3 ] || fail "too few numbers in ${name}_convergence.csv"
for step in 0000 0001; do
  grep -a -q 'Name="pressure"' "${name}_$step.vts" || fail "no pressure in ${name}_$step.vts"
done

# with it
python=${HEPTA_PYTHON:-python3}
if ! "$python" -c 'import matplotlib' 2>/dev/null; then
  echo "skipped: the numbers are right, but $python has no matplotlib for the pictures"
  exit 77
fi
output=$("$bubbly" -dim 3 -n 8 -rhs gravity -pc_type jacobi -compare icc -plot "$name" 2>&1) || fail "the solve fails"
for picture in fields convergence; do
  [ "$(head -c 4 "${name}_$picture.png" | tail -c 3)" = PNG ] || fail "${name}_$picture.png is not a PNG file"
done
