#!/bin/sh
# check_failure.sh TEXT COMMAND...: the command must fail and print TEXT
text=$1
shift

if output=$("$@" 2>&1); then
  printf '%s\nexpected a failure, but the exit code is 0\n' "$output"
  exit 1
fi
case $output in
  *"$text"*) ;;
  *)
    printf '%s\nexpected: %s\n' "$output" "$text"
    exit 1
    ;;
esac
