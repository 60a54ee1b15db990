#!/usr/bin/env bash
# make bench: measures on this machine, into bench/results: products and assembly on one core of the host, and where there is a GPU
# products, assembly and solvers on it, and transfers; where there are several, scaling over them. HEPTA_BENCH=host, device, transfer or halo: only that.
#   bench.sh BUILD_DIR
# Takes about 2 minutes on an otherwise idle core, 10 on a GPU.
set -euo pipefail
build=$1
results=$(cd "$(dirname "${BASH_SOURCE[0]}")/../bench/results" && pwd)
gpus=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU' || true)
what=${HEPTA_BENCH:-host$([ "$gpus" -gt 0 ] && echo " device transfer")$([ "$gpus" -gt 1 ] && echo " halo")}
table=$(mktemp)
trap 'rm -f "$table" "$table".*' EXIT
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

# on_host: one core's products and assembly
on_host() {
  local command="bench/spmv -n ${HEPTA_BENCH_N:-128} -repeats ${HEPTA_BENCH_REPEATS:-15}"
  echo "hepta: measuring on one core (about 2 minutes; leave the machine alone)" >&2
  (cd "$build" && taskset -c "$(($(nproc) - 1))" $command -markdown "$table" -json "$table.json")
  mv "$table.json" "$results/spmv-host.json"
  {
    echo "# Products and assembly on the host, one core"
    echo
    echo "- machine: $(lscpu | sed -n 's/^Model name: *//p' | head -n 1), family $(lscpu | sed -n 's/^CPU family: *//p'), $(nproc) cores; $(c++ --version | head -n 1)"
    echo "- command: \`make bench\` (\`$command\`, one core); date: $(date +%F)"
    echo "- medians of interleaved rounds in one run; floor = values, x and y moved once at the bandwidth of memcpy in the same rounds"
    echo
    cat "$table"
  } >"$results/spmv-host.md"
  cat "$results/spmv-host.md"
}

# on_device NAME TITLE [ARGUMENTS]: bench/NAME -device ARGUMENTS, into NAME-<GPU>.json and .md
on_device() {
  local name=$1 title=$2 gpu
  shift 2
  gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)
  local out=$results/$name-$(echo "${gpu##* }" | tr '[:upper:]' '[:lower:]')
  echo "hepta: measuring on the GPU: bench/$name" >&2
  (cd "$build" && "bench/$name" -device "$@" -use_gpu_aware_mpi 0 -markdown "$table" -json "$table.json")
  mv "$table.json" "$out.json"
  {
    echo "# $title"
    echo
    echo "- machine: one $gpu, driver $(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -n 1)"
    echo "- command: \`make bench\` (\`bench/$name -device $*\`); date: $(date +%F)"
    if [ "$name" = krylov ]; then
      echo "- medians of interleaved rounds in one run, wall clock with the device synchronized at the end of each solve; residuals are compared"
    elif [ "$name" = pressure ] || [ "$name" = trisolve ]; then
      echo "- medians of interleaved rounds in one run, wall clock with the device synchronized before and after; every solution was checked"
    else
      echo "- medians of interleaved rounds in one run; every contestant's result was checked; the same matrix is multiplied again and again, so small ones stay in the L2 cache"
    fi
    if [ "$name" = spmv ]; then
      echo "- device time: events around CUDA graphs of 20 to 200 calls; floor = values, x and y moved once at the bandwidth of a copy kernel in the same rounds"
    fi
    echo
    cat "$table"
  } >"$out.md"
  cat "$out.md"
}

# over_gpus: strong scaling of 33.5 million rows and weak scaling of 8.4 million a rank, Nc 4; COO assembly of 524 288 cells with 4 unknowns on all GPUs
over_gpus() {
  local ranks list=""
  for ranks in 1 2 4; do
    [ "$ranks" -le "$gpus" ] || continue
    for grid in "-I 256" "-I 64 -weak"; do
      (cd "$build" && "${HEPTA_MPIEXEC:-mpiexec}" -n "$ranks" bench/halo -J 128 -H 256 $grid -mat_type bdiacuda -use_gpu_aware_mpi "${HEPTA_GPU_AWARE_MPI:-0}" -json "$table.json")
      list+="${list:+,}$(cat "$table.json")"
    done
  done
  echo "[$list]" >"$results/halo-${gpus}gpus.json"
  (cd "$build" && "${HEPTA_MPIEXEC:-mpiexec}" -n "$gpus" bench/assembly -J 128 -H 64 -I 64 -device -blocks -mat_types aijcusparse,bdiacuda,browcuda -use_gpu_aware_mpi "${HEPTA_GPU_AWARE_MPI:-0}") >"$results/assembly-${gpus}gpus.md"
}

# transfers: on 1, 2, 4 and 8 ranks as far as there are GPUs. HEPTA_HOST_LINK and HEPTA_PEER_LINK: specified GB/s of the links in one direction, to compare with
transfers() {
  local ranks out
  for ranks in 1 2 4 8; do
    [ "$ranks" -le "$gpus" ] || continue
    out=$results/transfer-${ranks}gpus
    (cd "$build" && "${HEPTA_MPIEXEC:-mpiexec}" -n "$ranks" bench/transfer -device -host_link "${HEPTA_HOST_LINK:-0}" -peer_link "${HEPTA_PEER_LINK:-0}" -use_gpu_aware_mpi "${HEPTA_GPU_AWARE_MPI:-0}" -markdown "$table" -json "$table.json")
    mv "$table.json" "$out.json"
    {
      echo "# Transfers with $ranks GPUs"
      echo
      echo "- command: \`make bench\` (\`mpiexec -n $ranks bench/transfer -device\`); date: $(date +%F)"
      echo "- medians of rounds in which the ways take turns; what came was compared with what was sent"
      echo
      cat "$table"
    } >"$out.md"
    "${HEPTA_PYTHON:-python3}" "$(dirname "${BASH_SOURCE[0]}")/plot_transfer.py" "$out.json" "$out.png" || true # the picture alone needs matplotlib
  done
}

for part in $what; do
  case $part in
    host) on_host ;;
    device)
      on_device spmv "Products and assembly on one GPU"
      on_device krylov "Krylov iterations on one GPU" -case cg2,cg3,ip,bcgs,dpcg,cr,host,thesis
      on_device pressure "The pressure equation of two-phase flow on one GPU"
      on_device trisolve "Triangular solves on one GPU" -poisson 1024,1448 -poisson3 100,126 -generated -engines
      ;;
    transfer) transfers ;;
    halo) over_gpus ;;
    *)
      echo "hepta: error: HEPTA_BENCH is host, device, transfer or halo, not $part" >&2
      exit 1
      ;;
  esac
done
