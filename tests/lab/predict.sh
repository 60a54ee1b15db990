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
"$program" -hepta_tuning_view | sed -n '/^hepta tuning/,/^end$/p' | sed '/^end$/q' | sed 's/^gpu .*/gpu A GPU/; s/^multi.*/multiprocessors 3/; s/^driver .*/driver 13000/; s/^cuda .*/cuda 13000/; s/^ipc_latency [^ ]*/ipc_latency 2.5/; s/^ipc_bandwidth [^ ]*/ipc_bandwidth 1000/; s/^chunk_fetches [^ ]*/chunk_fetches 10/' >"$dir/all"
{
  grep -v '^end$' "$dir/all"
  methods='fusedcg_none fusedcg_jacobi fusedcg_ip fusedcg_gridmg fusedcg_gridmg_single fusedcg_gridmg_double dpcg_ip fusedbcgs_none fusedbcgs_jacobi'
  for what in product_aijcusparse product_bdiacuda product_browcuda product_sellcuda $(printf 'iteration_bdia_%s ' $methods) $(printf 'setup_bdia_%s ' $methods) $(printf 'iteration_brow_%s ' $methods) $(printf 'setup_brow_%s ' $methods); do
    printf 'model %s_mu 20 # mu\nmodel %s_sigma 1.4426950408889634 # sigma\nmodel %s_nu 1e6 # nu\nmodel %s_off 0.04 # off\n' $what $what $what $what
  done
  echo 'model iteration_bdia_fusedbcgs_jacobi_at_1048576 6.291456 # three times what the throughput says'
  echo end
} >"$dir/model"

"$advise" -grid 8,8,16 -nc 1 -predict -hepta_advise_model "$dir/model" -hepta_advise_iterations 1000 >"$dir/out"
awk '
  function near(what, a, b) { if (a < 0.98 * b - 0.06 || a > 1.02 * b + 0.06) { print "predict.sh: " what " is " a ", by hand " b; bad = 1 } }
  $1 == "bdia" && $2 == 1 { matrix = $3; near("the product", $6 * 1e6, (matrix + 2 * 8 * 1024 + 2^20) / 1e6) }
  $1 == "fusedcg_jacobi" { # 12 vectors; on two GPUs an exchange of 64 ghost columns for one product
    bytes = matrix + 12 * 8 * 1024
    near("fusedcg", $2, (bytes + 2^20) / 1e6)
    near("fusedcg on two GPUs", $3, (bytes / 2 + 2^20) / 1e6 + 2.5 + 64 * 8 / 1000)
    near("its uncertainty", $7, 5)
    near("its iterations", $12, 1000)
    near("its solve", $13, (bytes + 2^20) / 1e6)
    near("its error", $14, 0.048 * (bytes + 2^20) / 1e6)
    near("its memory", $11, 1e-6 * (matrix + 64 * 1024))
    cg = 1
  }
  $1 == "fusedbcgs_none" { bytes = 2 * matrix + 19 * 8 * 1024; near("fusedbcgs on four GPUs", $4, (bytes / 4 + 2^20) / 1e6 + 1.5 * (2.5 + 128 * 8 / 1000)); bcgs = 1 }
  $1 == "fusedbcgs_jacobi" { near("fusedbcgs with a measured time", $2, 3 * (2 * matrix + 21 * 8 * 1024 + 2^20) / 1e6) }
  $1 == "fusedcg_ip" { near("the set-up of ip", $10, (matrix + 2 * 8 * 1024 + 2^20) / 1e6); ip = 1 }
  $1 == "fusedbcgs_jacobi" { bcgs_jacobi = $2 }
  $1 == "fusedbcgs_ip" { near("fusedbcgs with ip, a product more for each of its own", $2, bcgs_jacobi + 2 * (matrix + 2 * 8 * 1024 + 2^20) / 1e6); sum = 1 }
  END { if (!cg || !bcgs || !ip || !sum) { print "predict.sh: lines are missing"; bad = 1 }; exit bad }' "$dir/out" || fail "$(cat "$dir/out")"

# rows of 7 entries, four of which a thread loads together, for as many threads as rows; a row of all columns stands alone, and so do all
grep -q "^brow *1 .*density 1.00, chain of 8$" "$dir/out" || fail "the chain of rows of 7: $(cat "$dir/out")"
{ echo "%%MatrixMarket matrix coordinate real general"; echo "900 900 1799"; seq 900 | sed 's/.*/& & 4/'; seq 2 900 | sed 's/.*/1 & 1/'; } >"$dir/arrow.mtx"
"$advise" -f "$dir/arrow.mtx" -hepta_advise_model "$dir/model" >"$dir/out"
grep -q "^brow *1 .*chain of 32, 900 rows alone" "$dir/out" || fail "the chain of a row of 900, by 32 lanes: $(cat "$dir/out")"
# which takes 1.1 us as the smallest cube, 0.0685 * (32 - 8) for a longer chain than a cube's, and 0.14; sell: 4 threads for 900 entries, 0.083 * (225 - 2) us
awk '$1 == "brow" && $2 == 1 && /900 rows alone/ { brow = $6 * 1e6 } $1 == "sell" && /chain of 225$/ { sell = $6 * 1e6 }
  END { exit !(brow > 2.83 && brow < 2.93 && sell > 19.5 && sell < 19.7) }' "$dir/out" || fail "the times of these chains: $(cat "$dir/out")"
# bdia: one batch of 7 diagonals for 1024 rows; two of four for the four threads of each of 64 rows
"$advise" -dmda 4,4,4 -hepta_advise_model "$dir/model" >"$dir/few"
"$advise" -dmda 8,8,16 -hepta_advise_model "$dir/model" >"$dir/out"
grep -q "^bdia *1 .*  chain of 4$" "$dir/few" && grep -q "^bdia *1 .*  chain of 2$" "$dir/out" || fail "chains of bdia: $(cat "$dir/few" "$dir/out")"

# the cache ends at 1.4 MB, where sums jump: up to there a product reads x for each column of a block, beyond it the matrix alone, beyond the largest cube as a sum does
{
  grep -v '^end$' "$dir/model"
  printf 'model sum_mu 20 # mu\nmodel sum_sigma 1.4426950408889634 # sigma\nmodel sum_nu 1e6 # nu\nmodel sum_off 0.04 # off\n'
  printf 'model sum_at_1000000 1 # us\nmodel sum_at_2000000 5 # us\nmodel product_bdiacuda_at_1000000 2.048576 # as fitted\nmodel product_bdiacuda_at_6000000 7.048576 # us\n'
  echo end
} >"$dir/cache"
for n in 16 32 40; do
  "$advise" -dmda $n,$n,$n -hepta_advise_model "$dir/cache" >"$dir/out"
  awk -v n=$n '$1 == "bdia" && $2 == 2 {
      rows = n * n * n; cached = ($3 + 8 * rows + 0.79 * $3 / 2) * 72 / (64 + 0.79 * 56); far = $3 * 72 / 56
      shortest = (72 * 512 + 2^20) / 1e6 # with a chain of 8; here of 6, of a cube with as many rows 2
      us = n == 16 ? (((cached + 2^20) / 1e6)^3 + (shortest - 2 * 0.0685)^3 - (shortest - 6 * 0.0685)^3)^(1 / 3) : n == 32 ? (far + 2^20) / 1e6 : 7.048576 + (far - 6e6) * 56 / 72 * 4e-6
      found = $6 * 1e6 / us }
    END { exit !(found > 0.98 && found < 1.02) }' "$dir/out" || fail "bdia of $n^3 cells beside the cache: $(cat "$dir/out")"
done

# iterations jump from 512 to 4096 rows: up to 1024 they take as long as on 512, then as on 4096
{
  grep -v '^end$' "$dir/model"
  printf 'model iteration_bdia_fusedcg_none_at_69632 5 # us\nmodel iteration_bdia_fusedcg_none_at_557056 9 # us\nend\n'
} >"$dir/jump"
for layers in 16 24; do
  "$advise" -dmda 8,8,$layers -predict -hepta_advise_model "$dir/jump" >"$dir/out"
  awk -v us="$((layers == 16 ? 5 : 9))" '$1 == "fusedcg_none" { found = $2 } END { exit !(found > 0.95 * us && found < 1.05 * us) }' "$dir/out" || fail "the jump of $layers layers: $(cat "$dir/out")"
done

# fusedbcgs, which takes this unsymmetric matrix, has fallen by 1e8 before its 50th iteration, so that they are counted
"$advise" -grid 8,8,16 -nc 1 -predict -hepta_advise_model "$dir/model" -hepta_advise_iterations -1 >"$dir/out"
awk '$1 == "fusedbcgs_jacobi" { its = $12 } END { if (!(its >= 33 && its <= 41)) { print "predict.sh: " its " iterations are estimated"; exit 1 } }' "$dir/out" || fail "$(cat "$dir/out")"
grep -q "^fusedcg_gridmg  *refuses this matrix" "$dir/out" || fail "gridmg without a grid: $(cat "$dir/out")"

# on two processes with the ghost columns that each has
"$mpiexec" -n 2 "$advise" -grid 8,8,16 -nc 1 -predict -hepta_advise_model "$dir/model" >"$dir/out"
awk '$1 == "bdia" && $2 == 1 { matrix = $3 }
  $1 == "fusedcg_none" { bytes = matrix + 10 * 8 * 1024; by_hand = (bytes / 2 + 2^20) / 1e6 + 2.5 + 64 * 8 / 1000; exit !($3 > 0.98 * by_hand && $3 < 1.02 * by_hand) }' "$dir/out" || fail "on two processes: $(cat "$dir/out")"

refuses "There is no tuning file of this GPU, from which times are predicted: run hepta-tune" "$advise" -grid 8,8,8 -nc 1 -predict
head -n 20 "$dir/model" >"$dir/half"
refuses "damaged: it has no line \"end\"" "$advise" -grid 8,8,8 -nc 1 -predict -hepta_advise_model "$dir/half"
grep -v "iteration_bdia_fusedcg_ip" "$dir/model" >"$dir/quick"
refuses "The tuning file has no throughput of bdia_fusedcg_ip: run hepta-tune without -quick" "$advise" -grid 8,8,8 -nc 1 -predict -hepta_advise_model "$dir/quick"
refuses "cannot be read" "$advise" -grid 8,8,8 -nc 1 -predict -hepta_advise_model "$dir/none"

# a matrix known by its view: as many rows, blocks, and about as many entries
printf 'Mat Object: 1 MPI process\n  type: seqaij\n  rows=3000, cols=3000, bs=3\n  total: nonzeros=62000, allocated nonzeros=62000\n' >"$dir/view"
"$advise" -view_of "$dir/view" -predict -hepta_advise_model "$dir/model" >"$dir/out"
awk '$1 == 3000 { exit !($6 > 56000 && $6 < 63000) }' "$dir/out" && grep -q "^fusedcg_jacobi " "$dir/out" && grep -q "^bdia *3 .* 1.00 " "$dir/out" || fail "of a view: $(cat "$dir/out")"
sed 's/cols=3000/cols=3001/' "$dir/view" >"$dir/other"
refuses "has 3000 rows, 3001 columns and blocks of 3: it must be square" "$advise" -view_of "$dir/other"
printf "rows=30, cols=30" >"$dir/half"
refuses "has no \"nonzeros=\" with a number from 1 on" "$advise" -view_of "$dir/half"

# the operator of a DMDA, which gridmg and dpcg take
"$advise" -dmda 16,16,16 -predict -hepta_advise_model "$dir/model" >"$dir/out"
grep -q "^4096 x 4096 matrix with 27136 entries" "$dir/out" && grep -q "^fusedcg_gridmg  *[1-9]" "$dir/out" && grep -q "^dpcg_jacobi  *[1-9]" "$dir/out" && grep -q "^dpcg_ip  *[1-9]" "$dir/out" || fail "of a DMDA: $(cat "$dir/out")"
# dpcg takes fusedcg's time and as much more with each preconditioner, fusedbcgs its own and twice as much as fusedcg takes more with one; set-up and memory are those of one
awk '
  function near(what, a, b) { if (a < b - 0.11 || a > b + 0.11) { print "predict.sh: " what " is " a ", by hand " b; bad = 1 } }
  $1 == "bdia" && $2 == 1 { matrix = $3; rows = 4096; gpu = 2^20; deflation = (2 * matrix + (14.5 * 8 + 12) * rows) - (2 * matrix + 12 * 8 * rows) }
  $1 == "fusedcg_icc" { icc = $2 }
  $1 ~ /^(dpcg|fusedbcgs)_/ { us[$1] = $2; two[$1] = $3; setup[$1] = $10; mb[$1] = $11 }
  END {
    none = matrix + 10 * 8 * rows; gridmg = matrix + (12 * 8 + 120) * rows; bcgs = 2 * matrix + 19 * 8 * rows; once = (matrix + 16 * rows + gpu) / 1e6
    near("dpcg with none", us["dpcg_none"], (deflation + none + gpu) / 1e6)
    near("dpcg with gridmg", us["dpcg_gridmg"], (deflation + gridmg + gpu) / 1e6)
    near("fusedbcgs with gridmg", us["fusedbcgs_gridmg"], (bcgs + 2 * (gridmg - none) + gpu) / 1e6)
    near("dpcg with icc", us["dpcg_icc"], icc + deflation / 1e6)
    near("half of fusedbcgs with icc", us["fusedbcgs_icc"] / 2, (bcgs + gpu) / 2e6 + icc - (none + gpu) / 1e6)
    exchange = 2.5 + 256 * 8 / 1000
    near("dpcg with gridmg on two GPUs", two["dpcg_gridmg"], ((deflation + gridmg) / 2 + gpu) / 1e6 + (3 - 1.5 + 2) * exchange)
    near("fusedbcgs with gridmg on two GPUs", two["fusedbcgs_gridmg"], ((bcgs + 2 * (gridmg - none)) / 2 + gpu) / 1e6 + (1.5 + 2 * (2 - 1)) * exchange)
    near("the set-up of dpcg with none", setup["dpcg_none"], 0)
    near("the set-up of dpcg with gridmg", setup["dpcg_gridmg"], once)
    near("the set-up of fusedbcgs with gridmg", setup["fusedbcgs_gridmg"], once)
    near("the memory of fusedbcgs with gridmg", mb["fusedbcgs_gridmg"], 1e-6 * (matrix + (80 + 136 - 56) * rows))
    if (two["dpcg_icc"] two["fusedbcgs_icc"] setup["dpcg_icc"] setup["fusedbcgs_icc"] != "----") { print "predict.sh: icc on two GPUs, or its set-up"; bad = 1 }
    exit bad }' "$dir/out" || fail "sums: $(cat "$dir/out")"
# of two axes gridmg reads two thirds of the couplings
"$advise" -dmda 64,64,1 -predict -hepta_advise_model "$dir/model" >"$dir/flat"
awk '$1 == "bdia" && $2 == 1 { by = ($3 + (12 * 8 + 40) * 4096 + 2^20) / 1e6 } $1 == "fusedcg_gridmg" { us = $2 } END { exit !(us > by - 0.11 && us < by + 0.11) }' "$dir/flat" || fail "gridmg of two axes: $(cat "$dir/flat")"
# solves by these on the host, of fewer iterations with the preconditioner
"$advise" -dmda 16,16,16 -predict -hepta_advise_model "$dir/model" -hepta_advise_iterations -1 >"$dir/its"
awk '$1 ~ /^(dpcg|fusedbcgs)_/ { its[$1] = $(NF - 2) }
  END { exit !(its["dpcg_gridmg"] >= 2 && its["dpcg_gridmg"] <= 8 && its["fusedbcgs_gridmg"] >= 2 && its["fusedbcgs_gridmg"] <= 8 &&
    its["dpcg_icc"] >= 15 && its["dpcg_icc"] < its["dpcg_none"] / 3 && its["fusedbcgs_icc"] >= 15 && its["fusedbcgs_icc"] < its["fusedbcgs_none"] / 2) }' "$dir/its" || fail "iterations: $(cat "$dir/its")"
# icc: two triangles of 46 levels in one chunk, with all passes
awk '/^syncfree_level / { wait = $2 }
  $1 == "bdia" && $2 == 1 { matrix = $3 }
  $1 == "fusedcg_icc" { icc = $2 - 2 * (4.9 + wait * (46 * 0.61 + 0.0034 * (11520 - 2 * 4096))) - (matrix + 12 * 8 * 4096 + 2^20) / 1e6 }
  /^  triangles of 11520 entries in 46 levels$/ { levels = 1 }
  END { exit !(levels && icc * icc < 0.04) }' "$dir/model" "$dir/out" || fail "icc: $(cat "$dir/out")"
# three chunks, the later two of which fetch 170 rows in two dimensions; in three dimensions 961, and engine syncfree takes less
for n in 170,170,1 31,31,31; do
  "$advise" -dmda $n -predict -hepta_advise_model "$dir/model" >"$dir/out"
  awk -v n=$n '/^(syncfree_level|chunk_wait|chunk_step|chunk_handover|syncfree_bandwidth) / { t[$1] = $2 }
    $1 == "bdia" && $2 == 1 { matrix = $3 }
    $1 == "fusedcg_icc" { us = $2 }
    /^  triangles of / { e = $3; l = $6; r = n == "170,170,1" ? 28900 : 29791 }
    END {
      several = l * (t["chunk_wait"] + 1.1 * t["chunk_step"]) + 2 * t["chunk_handover"] + 2 * 170 / 10
      syncfree = t["syncfree_level"] * l * (1 + 0.4 * log(e / r) / log(2)) + (16 * e + 28 * r) / t["syncfree_bandwidth"]
      by_hand = 2 * (4.9 + (r == 28900 ? several : syncfree)) + (matrix + 12 * 8 * r + 2^20) / 1e6
      exit !(us > 0.99 * by_hand && us < 1.01 * by_hand) }' "$dir/model" "$dir/out" || fail "icc of $n cells: $(cat "$dir/out")"
done
# rows that each take the row before; the first hundred of the later two chunks take the first row as well, which a chunk fetches once
awk 'BEGIN { n = 26000; print "%%MatrixMarket matrix coordinate real symmetric"; print n, n, 2 * n + 199
  for (i = 1; i <= n; i++) print i, i, 4; for (i = 2; i <= n; i++) print i, i - 1, -1
  for (i = 1; i <= 100; i++) print 8667 + i, 1, -0.001 "\n" 17334 + i, 1, -0.001 }' >"$dir/shared.mtx"
"$advise" -f "$dir/shared.mtx" -predict -hepta_advise_model "$dir/model" >"$dir/out"
awk '/^(chunk_wait|chunk_step|chunk_handover) / { t[$1] = $2 } $1 == "fusedcg_icc" { us = $2 }
  END { by_hand = 2 * (4.9 + 26000 * (t["chunk_wait"] + 1.1 * t["chunk_step"]) + 2 * t["chunk_handover"] + 4 / 10); exit !(us > by_hand && us < by_hand + 15) }' "$dir/model" "$dir/out" || fail "icc of rows that share one: $(cat "$dir/out")"
# not on several processes, each with a part of the triangles
"$mpiexec" -n 8 "$advise" -dmda 8,8,16 -predict -hepta_advise_model "$dir/model" >"$dir/out"
grep -q "^fusedcg_none" "$dir/out" || fail "on eight processes: $(cat "$dir/out")"
if grep -q "^fusedcg_icc" "$dir/out"; then fail "icc on eight processes: $(cat "$dir/out")"; fi
refuses "-dmda needs cells along each axis, not 0" "$advise" -dmda 16,0
