#!/bin/sh
# expect_error.sh [-a] ERROR MESSAGE COMMAND...: the command must fail, in good time, with PETSc's ERROR (for example "Read from file failed") followed by
# a line that matches the extended regular expression MESSAGE; both once, so not from every rank; with -a any
# number of ranks may say it (messages of PETSC_COMM_SELF)
any=0
if [ "$1" = -a ]; then
  any=1
  shift
fi
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
# Without prefixes: those of several ranks may stand on one line, before another line with a message
for want in "$error" "$message"; do
  count=$(printf '%s\n' "$output" | sed -E 's/\[[0-9]+\]PETSC ERROR: //g' | grep -c -E -- "^$want\$")
  if [ "$count" -eq 0 ] || { [ "$count" -gt 1 ] && [ $any -eq 0 ]; }; then
    printf '%s\nexpected once, found %s times: %s\n' "$output" "$count" "$want"
    exit 1
  fi
done
