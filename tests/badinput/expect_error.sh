#!/bin/sh
# expect_error.sh ERROR MESSAGE COMMAND...: the command must fail, in good time, with PETSc's ERROR (for example "Read from file failed") followed by
# a line that matches the extended regular expression MESSAGE; both once, so not from every rank
error=$1
message=$2
shift 2

output=$(timeout 60 "$@" 2>&1)
status=$?
if [ $status -eq 0 ]; then
  printf '%s\nexpected an error, but the exit code is 0\n' "$output"
  exit 1
fi
if [ $status -eq 124 ]; then
  printf '%s\nexpected an error, but the command hangs\n' "$output"
  exit 1
fi
for want in "PETSC ERROR: $error\$" "PETSC ERROR: $message\$"; do
  count=$(printf '%s\n' "$output" | grep -c -E -- "$want")
  if [ "$count" -ne 1 ]; then
    printf '%s\nexpected once, found %s times: %s\n' "$output" "$count" "$want"
    exit 1
  fi
done
