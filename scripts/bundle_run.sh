#!/usr/bin/env bash
# Runs the programs of this bundle with its own libraries, and CUDA's from this machine.
#
#   run.sh tests [PATTERN]             all tests, or those whose line "where program ranks" matches; where is device, host, rooms, large
#   run.sh mutants [PATTERN]           each fault of the folder mutants (make mutants DEVICE=1 fills it), or those whose name matches: does the test that is meant to find it fail?
#   run.sh sanitize [PROGRAM]...       compute-sanitizer on ex_device, ex_mult, ex_values and the programs of
#                                      tests/trials and tests/ksp, with small sizes
#   run.sh bench [-n RANKS] NAME ...   a benchmark, with its arguments
#   run.sh exec [-n RANKS] PROGRAM ... any program, such as examples/reservoir
#
#   HEPTA_GPU_AWARE_MPI (0: the bundle's MPI does not know device memory; 1, with another libmpich.so.12 in lib: it does),
#   NCCL_HOME (a folder with lib/libnccl.so.2, which the transport nccl loads, where the loader does not find it),
#   CUDA_HOME (/usr/local/cuda), HEPTA_JOBS (8: tests at once), HEPTA_LOGS (logs: the output of each test), HEPTA_TIMEOUT (300 s a test),
#   HEPTA_TOOLS (memcheck initcheck racecheck synccheck: those of compute-sanitizer)
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cuda=${CUDA_HOME:-/usr/local/cuda}
: "${HEPTA_JOBS:=8}" "${HEPTA_LOGS:=$here/logs}" "${HEPTA_TIMEOUT:=300}"
export HEPTA_JOBS HEPTA_LOGS HEPTA_TIMEOUT

die() {
  echo "run.sh: error: $*" >&2
  exit 1
}

usage() { sed -n '2,/^set /s/^# \{0,1\}//p' "$here/run.sh"; }

# CUDA's libraries: in the usual places, or else where they are found
set_paths() {
  local missing name dir
  export LD_LIBRARY_PATH=$here/lib:$cuda/lib64:$cuda/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  missing=$(ldd "$here/lib/libpetsc.so."* "$here/lib/libhepta.so" | awk '/not found/ { print $1 }' | sort -u)
  for name in $missing; do
    dir=$(dirname "$(find -L /usr/local /opt /usr/lib -name "$name" -print -quit 2>/dev/null)")
    [ "$dir" != . ] || die "$name was not found: set CUDA_HOME to a CUDA toolkit that has it"
    LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$dir
  done
}

# NCCL's library, which programs load when they take the transport nccl: where the loader looks, or else where it is found
set_nccl() {
  local dir
  if [ -n "${NCCL_HOME:-}" ]; then
    [ -e "$NCCL_HOME/lib/libnccl.so.2" ] || die "NCCL_HOME=$NCCL_HOME has no lib/libnccl.so.2"
    LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$NCCL_HOME/lib
  elif [ -n "$(LD_PRELOAD=libnccl.so.2 env true 2>&1)" ]; then
    dir=$(dirname "$(find -L /usr/local /opt /usr/lib -name libnccl.so.2 -print -quit 2>/dev/null)")
    if [ "$dir" = . ]; then echo "run.sh: libnccl.so.2 was not found, so there is no transport nccl: set NCCL_HOME to a folder with lib/libnccl.so.2" >&2; else LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$dir; fi
  fi
}

# One machine without network; messages go through its memory
set_environment() {
  export PATH=$here/bin:$PATH OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 HEPTA_PLUGIN=$here/lib/libhepta.so HEPTA_MPIEXEC=$here/bin/mpiexec.hydra
  export UCX_TLS=${UCX_TLS:-self,sm} UCX_MODULE_DIR=$here/lib/ucx UCX_WARN_UNUSED_ENV_VARS=n HWLOC_PLUGINS_PATH=$here/lib/hwloc
  export HYDRA_LAUNCHER=fork HYDRA_IFACE=lo XDG_CACHE_HOME=${XDG_CACHE_HOME:-$here/cache}
  # the machine's name may lead nowhere, and the interface may have another name
  mpiexec.hydra -n 1 true >/dev/null 2>&1 || unset HYDRA_IFACE
}

# launch RANKS PROGRAM ARGUMENT...
launch() {
  local ranks=$1
  shift
  "$here/bin/mpiexec.hydra" -n "$ranks" "$@"
}

# One test, one line; its output when it fails
run_one() {
  local where=$1 program=$2 ranks=$3 kind=${4:-} start=${EPOCHREALTIME/./} status=0 log limit=$HEPTA_TIMEOUT took
  local options=(-use_gpu_aware_mpi "${HEPTA_GPU_AWARE_MPI:-0}") path=$here/tests/$program
  log=$HEPTA_LOGS/${kind:+$kind.}$where.$program.np$ranks.log
  if [ -n "$kind" ]; then export HEPTA_TEST_TYPE=$kind; fi
  if [ "$program" = rooms ]; then options=(--gtest_brief=1 --gtest_filter="${HEPTA_FILTER:-$([ "$where" = large ] || echo -)AllMemory.*}"); fi # a suite that takes all memory of the device
  if [ -e "${HEPTA_MUTANT:-}/$program" ]; then path=$HEPTA_MUTANT/$program; fi
  if [ "$where" = large ]; then limit=$((4 * limit)); fi
  if [[ $program = ex_*_matrices || $program = ex_krylov_problems ]]; then options+=(-matrices "$here/tests/matrices"); fi
  if [[ $program = ex_seqaijbdia* ]]; then options+=(-dll_append "$here/lib/libhepta.so"); fi
  if [ "$where" = device ] || [ "$where" = large ]; then export HEPTA_TEST_DEVICE=1 HEPTA_TEST_GPU=1; fi
  # ranks share cores: those that wait must sleep
  timeout -k 5 "$limit" "$here/bin/mpiexec.hydra" -n "$ranks" -genv LD_PRELOAD "$here/lib/liboversubscribe.so" "$path" "${options[@]}" >"$log" 2>&1 </dev/null || status=$?
  took=$(((${EPOCHREALTIME/./} - start) / 10000))
  took=$((took / 100)).$(printf %02d $((took % 100)))
  if grep -q '^skipped: ' "$log"; then status=77; fi
  if [ $status -eq 0 ]; then
    echo "pass  $where $program np$ranks $kind  $took s"
  else
    echo "FAIL  $where $program np$ranks $kind  $took s  (exit code $status, $log)"
    echo "${kind:+$kind.}$where.$program.np$ranks" >>"$HEPTA_LOGS/failed"
    grep -vE 'Configure options|Option Table|petsc.org|petsc-maint|ption.? left|unused option|-{8}|Release Version|MPI process|source: command line' "$log" | head -n 8 | cut -c 1-240
    return 1
  fi
}

# list <- an empty file, which is removed when this shell ends, by die too
make_list() {
  list=$(mktemp)
  trap 'rm -f "$list" "$list.large"' EXIT
}

# The large ones, which need the memory for themselves, come last and alone
run_tests() {
  local pattern=${1:-.} status=0
  make_list
  mkdir -p "$HEPTA_LOGS"
  cd "$HEPTA_LOGS" || exit 1 # where programs write their files
  rm -f failed
  grep -v '^large' "$here/tests/list" | grep -E -- "$pattern" | sort -k1,1 -k3,3rn -k2,2 >"$list"
  xargs -r -P "$HEPTA_JOBS" -L 1 "$here/run.sh" one <"$list" || status=1
  grep '^large' "$here/tests/list" | grep -E -- "$pattern" >"$list.large"
  xargs -r -L 1 "$here/run.sh" one <"$list.large" || status=1
  echo "$(cat "$list" "$list.large" | wc -l) tests, $([ $status -eq 0 ] && echo "all passed" || echo "FAILED: $(sort failed | tr '\n' ' ')")"
  return $status
}

# The lines of mutants/list are "fault program ranks kind" or "fault rooms filter". With the library or the rooms of the folder `none`, which has no fault, each of the tests has to pass.
run_mutants() {
  local status=0
  [ -e "$here/mutants/list" ] || die "there is no $here/mutants/list: unpack hepta-mutants.tar.xz of make mutants DEVICE=1 beside hepta-bundle"
  make_list
  mkdir -p "$HEPTA_LOGS"
  grep -E -- "^[^ ]*(${1:-.})" "$here/mutants/list" >"$list" || die "no fault has a name that matches ${1:-.}"
  echo "the tests without a fault"
  sed 's/^[^ ]*/none/' "$list" | sort -u | xargs -r -P "$HEPTA_JOBS" -L 1 "$here/run.sh" mutant || die "without a fault these tests do not pass"
  echo "the tests with a fault each"
  xargs -r -P "$HEPTA_JOBS" -L 1 "$here/run.sh" mutant <"$list" || status=1
  echo "$(wc -l <"$list") faults, $([ $status -eq 0 ] && echo "all found" || echo "NOT ALL FOUND")"
  return $status
}

# run_mutant FAULT PROGRAM RANKS [KIND], or FAULT rooms FILTER: fails where a fault is not found, or where the test fails without one
run_mutant() {
  local name=$1 passed=1 result
  export HEPTA_MUTANT=$here/mutants/$name HEPTA_TIMEOUT=200
  LD_LIBRARY_PATH=$HEPTA_MUTANT:$LD_LIBRARY_PATH
  HEPTA_LOGS=$HEPTA_LOGS/mutants/$name.$2.${3//[^A-Za-z0-9]/_}
  mkdir -p "$HEPTA_LOGS"
  cd "$HEPTA_LOGS" || exit 1
  shift
  result=$*
  if [ "$1" = rooms ]; then
    export HEPTA_FILTER=$2
    set -- rooms 1
  fi
  SECONDS=0
  run_one device "$@" >result || passed=0
  case $name.$passed in
    none.1) echo "pass    $result  $SECONDS s" ;;
    none.0) cat result && return 1 ;;
    *.0) echo "killed  $name  by $result  $SECONDS s" ;;
    *.1) echo "LIVED   $name  $result  $SECONDS s" && return 1 ;;
  esac
}

# Each tool on each program, on one rank
run_sanitizer() {
  local tool program
  PATH=$PATH:$cuda/bin:$cuda/compute-sanitizer
  command -v compute-sanitizer >/dev/null || die "compute-sanitizer was not found: set CUDA_HOME"
  [ $# -gt 0 ] || set -- ex_device ex_mult ex_values ex_differential ex_bad_values ex_changed_in_place ex_null_spaces ex_limits ex_grown_rows ex_fusedcg ex_fusedbcgs ex_bicgcr ex_dpcg
  mkdir -p "$HEPTA_LOGS"
  for tool in ${HEPTA_TOOLS:-memcheck initcheck racecheck synccheck}; do
    for program in "$@"; do echo "$tool $program"; done
  done | xargs -P "$HEPTA_JOBS" -L 1 "$here/run.sh" sanitize_one
}

sanitize_one() {
  local log=$HEPTA_LOGS/$1.$2.log status=0 only=()
  if [ "$1" = racecheck ] || [ "$1" = synccheck ]; then only=(--kernel-name kns=hepta); fi # what they check is within a kernel: those of Hepta alone
  export HEPTA_TEST_DEVICE=1 HEPTA_TEST_GPU=1 HEPTA_TEST_QUICK=1
  timeout -k 5 "$HEPTA_TIMEOUT" compute-sanitizer --tool "$1" "${only[@]}" --error-exitcode 9 "$here/tests/$2" -use_gpu_aware_mpi 0 >"$log" 2>&1 </dev/null || status=$?
  if [ $status -eq 0 ]; then
    echo "pass  $1 $2  $SECONDS s"
  else
    echo "FAIL  $1 $2  $SECONDS s  (exit code $status, $log)"
    grep -m 2 -A 12 -E '={9} (Invalid|Uninit|Error|Program|Race|Host|ERROR)' "$log" | cut -c 1-200 || tail -n 5 "$log"
    return 1
  fi
}

# run_program FOLDER [-n RANKS] PROGRAM ARGUMENT...
run_program() {
  local folder=$1 ranks=1 program
  shift
  if [ "${1:-}" = -n ]; then
    ranks=${2:-}
    shift 2
  fi
  program=${1:-}
  [ -n "$program" ] || die "which program? These are there: $(cd "$here" && echo bench/* examples/* tests/ex_*)"
  shift
  if [ -e "$here/$folder$program" ]; then program=$here/$folder$program; fi
  launch "$ranks" "$program" "$@"
}

action=${1:-}
[ $# -eq 0 ] || shift
case $action in
  tests | mutants | sanitize | bench | exec)
    set_paths
    set_nccl
    set_environment
    ;;
esac
case $action in
  tests) run_tests "$@" ;;
  one) run_one "$@" ;;
  mutants) run_mutants "$@" ;;
  mutant) run_mutant "$@" ;;
  sanitize) run_sanitizer "$@" ;;
  sanitize_one) sanitize_one "$@" ;;
  bench) run_program bench/ "$@" ;;
  exec) run_program "" "$@" ;;
  *)
    usage
    exit 1
    ;;
esac
