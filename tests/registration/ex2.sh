#!/usr/bin/env bash
# ex2.sh WAY RANKS PROGRAM: PETSc's tutorial ksp/ex2 with -mat_type bdia, the library loaded in the given way; the answer must
# be MATAIJ's. HEPTA_PLUGIN is the library, HEPTA_MPIEXEC the mpiexec (set by CTest).
set -euo pipefail
way=$1 np=$2 program=$3
if [ -z "$program" ]; then
  echo "skipped: this PETSc came without its tutorials"
  exit 77
fi

common=(-ksp_monitor_short -ksp_rtol 1e-9 -pc_type jacobi -m 11 -n 13)
cd "$(dirname "$HEPTA_PLUGIN")"
case $way in
append) how=(-dll_append "$HEPTA_PLUGIN") ;;
prepend) how=(-dll_prepend "$HEPTA_PLUGIN") ;;
relative) how=(-dll_append "./$(basename "$HEPTA_PLUGIN")") ;;
without_so) how=(-dll_append "${HEPTA_PLUGIN%.so}") ;;
environment) how=() && export PETSC_OPTIONS="-dll_append $HEPTA_PLUGIN" ;;
two_libraries) how=(-dll_append "$HEPTA_PLUGIN,$HEPTA_PLUGIN") ;;
*) echo "unknown way $way" && exit 1 ;;
esac

run() { "$HEPTA_MPIEXEC" -n "$np" "$program" "${common[@]}" "$@"; }
# blanks: -ksp_monitor_short shows five digits, of which the last may differ in rounding; drop it
answer() { grep -E 'KSP Residual norm|iterations' | sed -E 's/([0-9]\.[0-9]{3})[0-9]+/\1/g; s/Norm of error [^ ]*/Norm of error/'; }

expected=$(PETSC_OPTIONS='' run -mat_type aij | answer)
output=$(run "${how[@]}" -mat_type bdia -ksp_view_mat ::ascii_info)
echo "$output"
type=mpibdia
if [ "$np" -eq 1 ]; then type=seqbdia; fi
grep -q "type: $type" <<<"$output" || { echo "the matrix is not of type $type" && exit 1; }
if [ "$(answer <<<"$output")" != "$expected" ]; then
  printf 'expected, from MATAIJ:\n%s\n' "$expected"
  exit 1
fi
