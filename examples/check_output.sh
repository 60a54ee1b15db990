#!/bin/sh
# check_output.sh FILE COMMAND...: the command must succeed and print what is in FILE, but for times, numbers with an exponent and folders
expected=$1
shift

output=$("$@" 2>&1)
status=$?
output=$(printf '%s\n' "$output" | sed -E -e '/^(time|ratio) /d' -e 's/[0-9]\.[0-9]+e[-+][0-9]+/#/g' -e 's|/[^ ]*/||g')
if [ $status -ne 0 ]; then
  printf '%s\nexit code %s\n' "$output" $status
  exit 1
fi
if [ -n "${HEPTA_WRITE_OUTPUT:-}" ]; then
  printf '%s\n' "$output" >"$expected"
fi
printf '%s\n' "$output" | diff "$expected" -
