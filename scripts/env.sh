# shellcheck shell=bash
# Sourced by the other scripts: the places and the few words that all of them share. Changes nothing on the machine.
#
#   HEPTA_ROOT    the repository
#   HEPTA_CACHE   what is built once and kept outside the tree (PETSc, Python packages, compiled files by ccache); safe to delete
#   HEPTA_BUILD   the build folder
#   HEPTA_JOBS    how many compilers and tests run at once
#   HEPTA_PYTHON  the Python with the packages of scripts/requirements.txt (made by scripts/setup.sh)

HEPTA_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
: "${HEPTA_CACHE:=${XDG_CACHE_HOME:-$HOME/.cache}/hepta}"
mkdir -p "$HEPTA_CACHE"
HEPTA_CACHE=$(cd "$HEPTA_CACHE" && pwd)
: "${HEPTA_BUILD:=$HEPTA_ROOT/build}"
: "${HEPTA_JOBS:=$(nproc 2>/dev/null || echo 2)}"

# A virtual environment, because Debian's own Python refuses "pip install" (PEP 668); a new one when the list or the interpreter changes
hepta_venv_key=$( (cat "$HEPTA_ROOT/scripts/requirements.txt"; python3 --version; command -v python3; true) 2>/dev/null | sha256sum | cut -c1-12)
HEPTA_VENV=$HEPTA_CACHE/venv-$hepta_venv_key
HEPTA_PYTHON=$HEPTA_VENV/bin/python3
unset hepta_venv_key
export HEPTA_ROOT HEPTA_CACHE HEPTA_BUILD HEPTA_JOBS HEPTA_VENV HEPTA_PYTHON

# What was compiled before, also in other clones, comes from the cache
export CCACHE_DIR=$HEPTA_CACHE/ccache CCACHE_BASEDIR=$HEPTA_ROOT CCACHE_MAXSIZE=1G CCACHE_SLOPPINESS=pch_defines,time_macros
# Without a locale Python gives its children one, as pip to the build of a wheel, and ccache takes their files for others
export LANG=${LANG:-C.UTF-8}

# Open MPI refuses root, as which containers and CI run, and more ranks than cores, unless told otherwise
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1

# nvcc is often installed beside the PATH
if [ "${HEPTA_CUDA:-AUTO}" != OFF ] && ! command -v nvcc >/dev/null 2>&1; then
  for hepta_dir in "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda; do
    if [ -n "$hepta_dir" ] && [ -x "$hepta_dir/bin/nvcc" ]; then
      PATH=$PATH:$hepta_dir/bin
      break
    fi
  done
  unset hepta_dir
fi

# Progress goes to stderr: the stdout of some scripts is read by others
say() { printf 'hepta: %s\n' "$*" >&2; }
die() {
  printf 'hepta: error: %s\n' "$*" >&2
  exit 1
}

# quietly WHAT LOG command...: run the command with its output in LOG; on failure print the log, complete, and stop
quietly() {
  local what=$1 log=$2 status=0
  shift 2
  mkdir -p "$(dirname "$log")"
  "$@" >"$log" 2>&1 </dev/null || status=$?
  if [ $status -ne 0 ]; then
    cat "$log" >&2
    die "$what failed with exit code $status (the output is above and in $log)"
  fi
}
