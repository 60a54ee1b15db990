#!/bin/sh
# check_twophase.sh host|device MPIEXEC TWOPHASE OPTION...: matrix types, solvers and numbers of ranks give the same produced
# volumes; device: types on a GPU do, on one rank
where=$1
mpiexec=$2
program=$3
shift 3

# multigrid for the pressures, then ILU(0) for all unknowns
case " $* " in *" -polymer "*) all=0,1,2 ;; *) all=0,1 ;; esac
cpr="-pc_type fieldsplit -pc_fieldsplit_0_fields 0 -pc_fieldsplit_1_fields $all -fieldsplit_0_pc_type aggmg -fieldsplit_1_pc_type bjacobi"

runs() {
  echo "1 -mat_type aij -ksp_type gmres"
  if [ "$where" = host ]; then
    echo "1 -mat_type bdia"
    echo "1 -mat_type brow $cpr"
    echo "2 -mat_type aij $cpr"
    echo "2 -mat_type bdia $cpr -fieldsplit_0_pc_type gridmg"
    echo "2 -mat_type brow -ksp_type bcgs -pc_type pbjacobi"
  else
    echo "1 -mat_type bdiacuda"
    echo "1 -mat_type browcuda $cpr"
    echo "1 -mat_type bdiacuda $cpr -fieldsplit_0_pc_type gridmg"
    echo "1 -mat_type aijcusparse -ksp_type bcgs -pc_type pbjacobi"
  fi
}

first=
runs | while read -r ranks options; do
  # shellcheck disable=SC2086
  output=$("$mpiexec" -n "$ranks" "$program" $options "$@" 2>&1 </dev/null)
  status=$?
  case $output in
    *"needs an NVIDIA GPU"*)
      [ "${HEPTA_TEST_GPU:-}" != 1 ] || exit 1
      echo "skipped: no CUDA device"
      exit 77
      ;;
  esac
  printf '%s ranks, %s\n%s\n' "$ranks" "$options" "$output"
  [ $status -eq 0 ] || exit 1
  state=$(printf '%s\n' "$output" | grep '^state ')
  : "${first:=$state}"
  [ "$state" = "$first" ] || {
    printf 'expected: %s\n' "$first"
    exit 1
  }
done
