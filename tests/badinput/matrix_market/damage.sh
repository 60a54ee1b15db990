#!/bin/sh
# damage.sh FROM TO: copies a compressed file with its 50th byte overwritten by zero bits and its 51st by ones
set -e
{
  head -c 49 "$1"
  printf '\000\377'
  tail -c +52 "$1"
} >"$2"
