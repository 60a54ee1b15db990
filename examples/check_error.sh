#!/bin/sh
# check_error.sh COMMAND...: with -monitor_error cg prints 1 first, the energy norm falls in every iteration, and both norms are
# small at the end
output=$("$@" -monitor_error 2>&1) || {
  printf '%s\nthe command failed\n' "$output"
  exit 1
}
printf '%s\n' "$output" | awk '
  /^error / {
    n++; two = $5; energy = $9
    if (n == 1 && (two != 1 || energy != 1)) { print "the first error is not 1: " $0; wrong = 1 }
    if (n > 1 && energy + 0 >= last) { print "the energy norm does not fall: " $0; wrong = 1 }
    last = energy + 0
  }
  / after [0-9]+ iterations/ { for (k = 1; k < NF; k++) if ($k == "after") its = $(k + 1) }
  END {
    if (n != its + 1) { print n " errors in " its " iterations"; wrong = 1 }
    if (two > 1e-6 || energy > 1e-6) { print "the last errors are " two " and " energy; wrong = 1 }
    exit wrong
  }'
