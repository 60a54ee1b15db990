#!/usr/bin/env bash
# make docs: the manual pages, from the comments of the code, into build/docs/man
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/env.sh"

python3 -B "$HEPTA_ROOT/scripts/docs.py" --build "$HEPTA_BUILD/docs/man"
