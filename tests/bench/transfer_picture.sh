#!/bin/sh
# transfer_picture.sh SCRIPT FOLDER COMMAND...: runs COMMAND, bench/transfer on two ranks, draws what it measures, and sees to the refusal of a file without measurements
script=$1
cd "$2" || exit 1
shift 2

fail() {
  printf '%s\n' "$1"
  exit 1
}

rm -f transfer.json transfer.png empty.png
"$@" -most 65536 -repeats 1 -calls 3 -json transfer.json || fail "bench/transfer fails"
python=${HEPTA_PYTHON:-python3}
if ! "$python" -c 'import matplotlib' 2>/dev/null; then
  echo "skipped: the times are there, but $python has no matplotlib for the picture"
  exit 77
fi
"$python" -B "$script" transfer.json transfer.png || fail "no picture"
[ "$(head -c 4 transfer.png | tail -c 3)" = PNG ] || fail "transfer.png is not a PNG file"
echo '{"series": [], "bytes": [], "machine": ""}' >empty.json
if message=$("$python" -B "$script" empty.json empty.png 2>&1); then fail "a file without times was drawn"; fi
case $message in
  *"plot_transfer.py: empty.json has no times: run bench/transfer on two ranks or with -device"*) ;;
  *) fail "$message" ;;
esac
