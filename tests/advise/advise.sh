#!/bin/sh
# advise.sh FOLDER COMMAND...: COMMAND is the example; its advice for matrices of FOLDER (the environment's HEPTA_MATRICES goes
# first), where the fewest bytes are: by the estimate of the host alone, which is the same everywhere
folder=${HEPTA_MATRICES:-$1}
shift
failed=0

if [ ! -d "$folder" ]; then
  echo "skipped: no folder $folder (HEPTA_MATRICES names another folder)"
  exit 77
fi
while read -r name options; do
  if [ ! -f "$folder/$name.mtx.gz" ]; then
    echo "skipped: $name.mtx.gz is not in $folder (HEPTA_MATRICES names another folder)"
    exit 77
  fi
  output=$("$@" -f "$folder/$name.mtx.gz" </dev/null 2>&1)
  case $output in
  *"on the host: $options"*) ;;
  *)
    printf '%s: expected the advice "%s" in\n%s\n' "$name" "$options" "$output"
    failed=1
    ;;
  esac
done <<END
orsreg_1 -mat_type bdia -mat_bdia_bs 1
SPE01_bsr3 -mat_type baij -mat_block_size 3
ted_B -mat_type aij
END
exit $failed
