#!/bin/sh
# matrices.sh FOLDER COMMAND...: COMMAND is the reservoir example; it must find these block offsets and this fill in the matrices
# of FOLDER (the environment's HEPTA_MATRICES goes first), and refuse pores_2. One iteration: the solution is not of interest.
folder=${HEPTA_MATRICES:-$1}
shift
failed=0

skip() {
  echo "skipped: $1 (HEPTA_MATRICES names another folder)"
  exit 77
}

# read_matrix NAME COMMAND...: what the example prints
read_matrix() {
  file=$folder/$1.mtx.gz
  shift
  timeout 60 "$@" -f "$file" -ksp_max_it 1 -pc_type none -repeats 0 2>&1
}

# expect NAME OUTPUT WANTED
expect() {
  case $2 in
  *"$3"*) ;;
  *)
    printf '%s: expected "%s" in\n%s\n' "$1" "$3" "$2"
    failed=1
    ;;
  esac
}

[ -d "$folder" ] || skip "no folder $folder"
for name in orsreg_1 saylr4 sherman1 sherman3 sherman2 sherman5 SPE01_bsr3 pores_2; do
  [ -f "$folder/$name.mtx.gz" ] || skip "$name.mtx.gz is not in $folder"
done

while read -r name bs fill offsets; do
  output=$(read_matrix "$name" "$@" -mat_bdia_bs "$bs" </dev/null)
  expect "$name" "$output" "block size $bs, fill $fill, $offsets block offsets:"
  output=$(read_matrix "$name" "$@" -mat_bdia_bs auto </dev/null)
  expect "$name with -mat_bdia_bs auto" "$output" "block size $bs, fill $fill, $offsets block offsets:"
done <<END
orsreg_1 1 1.03 7
saylr4 1 1.10 7
sherman1 1 1.81 7
sherman3 1 1.71 7
sherman2 6 1.83 7
sherman5 3 3.01 7
SPE01_bsr3 3 1.28 11
END
if output=$(read_matrix pores_2 "$@" </dev/null); then expect pores_2 "$output" "an error"; fi
expect pores_2 "$output" "The matrix has 367 block offsets at block size 1, more than -mat_bdia_max_offsets 27"
exit $failed
