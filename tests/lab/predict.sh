#!/bin/sh
# predict.sh PROGRAM ADVISE MPIEXEC: iterations that advise predicts from numbers of a file, by hand; and its errors. PROGRAM: any that prints -hepta_tuning_view
set -e
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export XDG_CACHE_HOME="$dir"
program=$1 advise=$2 mpiexec=$3

fail() {
  echo "predict.sh: $*"
  exit 1
}
# refuses TEXT COMMAND...: it fails with this text
refuses() {
  text=$1
  shift
  if "$@" >"$dir/err" 2>&1; then fail "no error: $*"; fi
  grep -qF -- "$text" "$dir/err" || fail "not \"$text\": $(cat "$dir/err")"
}

# the throughput (bytes + 2^20) / 1 byte a picosecond: sigma is 1 / ln 2
"$program" -hepta_tuning_view | sed -n '/^hepta tuning/,/^end$/p' | sed '/^end$/q' | sed 's/^gpu .*/gpu A GPU/; s/^multi.*/multiprocessors 3/; s/^driver .*/driver 13000/; s/^cuda .*/cuda 13000/; s/^ipc_latency [^ ]*/ipc_latency 2.5/; s/^ipc_bandwidth [^ ]*/ipc_bandwidth 1000/' >"$dir/all"
{
  grep -v '^end$' "$dir/all"
  for what in product_aijcusparse product_bdiacuda product_browcuda product_sellcuda iteration_fusedcg_none iteration_fusedcg_jacobi iteration_fusedcg_ip iteration_fusedcg_gridmg iteration_fusedbcgs_none iteration_fusedbcgs_jacobi; do
    printf 'model %s_mu 20 # mu\nmodel %s_sigma 1.4426950408889634 # sigma\nmodel %s_nu 1e6 # nu\nmodel %s_off 0.04 # off\n' $what $what $what $what
  done
  echo end
} >"$dir/model"

"$advise" -grid 8,8,16 -nc 1 -predict -hepta_advise_model "$dir/model" -hepta_advise_iterations 1000 >"$dir/out"
awk '
  function near(what, a, b) { if (a < 0.98 * b - 0.06 || a > 1.02 * b + 0.06) { print "predict.sh: " what " is " a ", by hand " b; bad = 1 } }
  $1 == "bdia" && $2 == 1 { matrix = $3; near("the product", $6 * 1e6, (matrix + 2 * 8 * 1024 + 2^20) / 1e6) }
  $1 == "fusedcg_jacobi" { # 10 vectors; on two GPUs 64 ghost columns for one product, and two sums
    bytes = matrix + 10 * 8 * 1024
    near("fusedcg", $2, (bytes + 2^20) / 1e6)
    near("fusedcg on two GPUs", $3, (bytes / 2 + 2^20) / 1e6 + 2.5 + 64 * 8 / 1000 + 5)
    near("its uncertainty", $7, 12)
    near("its iterations", $9, 1000)
    near("its solve", $10, (bytes + 2^20) / 1e6)
    cg = 1
  }
  $1 == "fusedbcgs_none" { bytes = 2 * matrix + 18 * 8 * 1024; near("fusedbcgs on four GPUs", $4, (bytes / 4 + 2^20) / 1e6 + 2 * (2.5 + 128 * 8 / 1000) + 5); bcgs = 1 }
  END { if (!cg || !bcgs) { print "predict.sh: lines are missing"; bad = 1 }; exit bad }' "$dir/out" || fail "$(cat "$dir/out")"

# fusedbcgs, which takes this unsymmetric matrix, has fallen by 1e8 before its 50th iteration, so that they are counted
"$advise" -grid 8,8,16 -nc 1 -predict -hepta_advise_model "$dir/model" -hepta_advise_iterations -1 >"$dir/out"
awk '$1 == "fusedbcgs_jacobi" { its = $9 } END { if (!(its >= 33 && its <= 41)) { print "predict.sh: " its " iterations are estimated"; exit 1 } }' "$dir/out" || fail "$(cat "$dir/out")"
awk '$1 == "fusedcg_gridmg" && $9 != "-" { bad = 1 } END { exit bad }' "$dir/out" || fail "gridmg without a grid: $(cat "$dir/out")"

refuses "There is no tuning file of this GPU, from which times are predicted: run hepta-tune" "$advise" -grid 8,8,8 -nc 1 -predict
head -n 20 "$dir/model" >"$dir/half"
refuses "damaged: it has no line \"end\"" "$advise" -grid 8,8,8 -nc 1 -predict -hepta_advise_model "$dir/half"
grep -v "fusedcg_ip" "$dir/model" >"$dir/quick"
refuses "The tuning file has no throughput of fusedcg_ip: run hepta-tune without -quick" "$advise" -grid 8,8,8 -nc 1 -predict -hepta_advise_model "$dir/quick"
refuses "cannot be read" "$advise" -grid 8,8,8 -nc 1 -predict -hepta_advise_model "$dir/none"
refuses "a matrix on one MPI process, not on 2" "$mpiexec" -n 2 "$advise" -grid 8,8,8 -nc 1 -predict -hepta_advise_model "$dir/model"
