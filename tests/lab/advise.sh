#!/bin/sh
# advise.sh FOLDER COMMAND...: COMMAND is the example; its advice for matrices of FOLDER and of HEPTA_MATRICES in the environment,
# where the fewest bytes are: by the estimate of the host alone, which is the same everywhere
folder=$1
shift
failed=0
found=0

while read -r name options; do
  file=$folder/$name.mtx.gz
  if [ ! -f "$file" ]; then file=${HEPTA_MATRICES:-$folder}/$name.mtx.gz; fi
  if [ ! -f "$file" ]; then
    echo "$name is not there (HEPTA_MATRICES names another folder)"
    continue
  fi
  found=$((found + 1))
  output=$("$@" -f "$file" </dev/null 2>&1)
  case $output in
  *"on the host: $options"*) ;;
  *)
    printf '%s: expected the advice "%s" in\n%s\n' "$name" "$options" "$output"
    failed=1
    ;;
  esac
done <<END
orsreg_1 -mat_type bdia -mat_bdia_bs 1
steam2 -mat_type baij -mat_block_size 4
pores_2 -mat_type aij
1138_bus -mat_type aij
SPE01_bsr3 -mat_type baij -mat_block_size 3
ted_B -mat_type aij
END
if [ $found -lt 4 ]; then
  echo "only $found of the matrices are in $folder"
  failed=1
fi
exit $failed
