#!/bin/sh
# matrices.sh FOLDER COMMAND...: COMMAND is the reservoir example; it must find these block offsets and this fill in the matrices
# of FOLDER and of HEPTA_MATRICES in the environment, and refuse pores_2. One iteration: the solution is not of interest.
folder=$1
shift
failed=0
found=0

# file_of NAME: its path, or nothing
file_of() {
  for f in "$folder/$1.mtx.gz" "${HEPTA_MATRICES:-$folder}/$1.mtx.gz"; do
    if [ -f "$f" ]; then
      echo "$f"
      return
    fi
  done
}

# read_matrix FILE COMMAND...: what the example prints
read_matrix() {
  file=$1
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

while read -r name bs fill offsets; do
  path=$(file_of "$name")
  if [ -z "$path" ]; then
    echo "$name is not there (HEPTA_MATRICES names another folder)"
    continue
  fi
  found=$((found + 1))
  output=$(read_matrix "$path" "$@" -mat_bdia_bs "$bs" </dev/null)
  expect "$name" "$output" "block size $bs, fill $fill, $offsets block offsets:"
  output=$(read_matrix "$path" "$@" -mat_bdia_bs auto </dev/null)
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
if [ $found -lt 3 ]; then
  echo "only $found of the matrices are in $folder"
  failed=1
fi
if output=$(read_matrix "$(file_of pores_2)" "$@" </dev/null); then expect pores_2 "$output" "an error"; fi
expect pores_2 "$output" "The matrix has 367 block offsets at block size 1, more than -mat_bdia_max_offsets 27"
exit $failed
