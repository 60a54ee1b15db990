#!/bin/sh
# meshes.sh SCRIPT FOLDER COMMAND...: makes small meshes with scripts/meshes.py, has COMMAND, bench/pressure -part meshes, solve their matrices, and sees to block sizes, near null spaces and the refusal of wrong arguments
script=$1
cd "$2" || exit 1
shift 2

fail() {
  printf '%s\n' "$1"
  exit 1
}

python=${HEPTA_PYTHON:-python3}
if ! "$python" -c 'import scipy' 2>/dev/null; then
  echo "skipped: $python has no scipy for meshes"
  exit 77
fi
made=$("$python" -B "$script" plane.bin laplace-2d 300) || fail "no mesh in 2-D"
[ "$made" = "plane.bin: 288 rows, 6.5 entries a row, block size 1" ] || fail "$made"
made=$("$python" -B "$script" solid.bin elasticity-3d 500 --jitter 0.3 --seed 1) || fail "no mesh in 3-D"
case $made in
  "solid.bin: 492 rows, "*" entries a row, block size 3") ;;
  *) fail "$made" ;;
esac
"$python" -B "$script" box.bin elasticity-box 300 || fail "no box"
if message=$("$python" -B "$script" none.bin laplace-2d 300 --jitter 2 2>&1); then fail "a jitter of 2 was taken"; fi
case $message in
  *"--jitter from 0 to 1"*) ;;
  *) fail "$message" ;;
esac

# Near null spaces: GAMG without options for them makes coarse blocks of 6 modes of a node's 3 unknowns
"$@" -check -part meshes -f plane.bin,solid.bin,box.bin -repeats 1 -gamg_0_ksp_view -json meshes.json >meshes.txt || fail "bench/pressure fails"
"$python" -B -c 'import json
rows = json.load(open("meshes.json"))[-1]["rows"]
assert {r["problem"] for r in rows} == {"plane", "solid", "box"} and all(r["reached"] == "yes" for r in rows), rows' || fail "a solver missed the tolerance"
grep -q "bs=6" meshes.txt || fail "no coarse level has rigid-body modes"
