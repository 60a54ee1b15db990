#!/bin/sh
# expect_output.sh FILE COMMAND...: the command must succeed and print what is in FILE
expected=$1
shift

output=$(timeout 60 "$@" 2>&1)
status=$?
if [ $status -ne 0 ]; then
  printf '%s\nexit code %s\n' "$output" $status
  exit 1
fi
printf '%s\n' "$output" | diff "$expected" -
