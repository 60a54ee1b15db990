#!/usr/bin/env bash
# demo.sh BUILD: solves a reservoir system with Hepta's matrix and BiCGStab and with PETSc's own in the same run, then the pressure of a
# flow with bubbles with Hepta's conjugate gradients and preconditioner and with PETSc's, and says in plain words what came out. MATRIX,
# RHS and OPTIONS are for the reservoir system.
#
#   MATRIX=file.mtx.gz   the system of that Matrix Market file instead of a generated one
#   RHS=file             its right-hand side (otherwise: the one whose answer is all ones)
#   NP=2                 number of MPI processes (otherwise 1)
#   OPTIONS="..."        further options of examples/reservoir, for example "-ksp_type gmres -pc_type asm", which are then for all matrices
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/env.sh"

build=${1:-$HEPTA_BUILD}
reservoir=$build/examples/reservoir
picture=$build/demo/convergence.png
bubbly=$build/examples/bubbly
log=$build/demo/reservoir.log
np=${NP:-1}
read -r -a more <<<"${OPTIONS:-}"

for program in "$reservoir" "$bubbly"; do
  [ -x "$program" ] || die "$program is missing; make demo builds it"
done
mkdir -p "$build/demo"
rm -f "$picture" "${picture%.png}.csv"
[ -x "$HEPTA_PYTHON" ] || HEPTA_PYTHON=python3
export HEPTA_PYTHON OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

# The MPI that Hepta was built with
mpiexec=$(sed -n 's/^MPIEXEC_EXECUTABLE:[A-Z]*=//p' "$build/CMakeCache.txt" 2>/dev/null)
[ -x "$mpiexec" ] || mpiexec=mpiexec

# Name and type for the best device, and PETSc's own types for it, which are the rivals
choose_device() {
  if nvidia-smi -L >/dev/null 2>&1 && "$reservoir" -grid 2,2,2 -mat_type bdiacuda >/dev/null 2>&1; then
    device=$(nvidia-smi -L | sed -n 's/^GPU 0: \(.*\) (UUID.*/\1/p')
    type=bdiacuda
    rivals=(aijcusparse)
    gpu=(-use_gpu_aware_mpi 0) # the MPI of a distribution does not know device memory
    cells=128
    return
  fi
  device="the host ($(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo 2>/dev/null | head -n 1))"
  type=bdia
  rivals=(baij aij)
  gpu=()
  cells=64
}

choose_system() {
  if [ -n "${MATRIX:-}" ]; then
    [ -f "$MATRIX" ] || die "there is no file $MATRIX"
    what=$MATRIX
    system=(-f "$MATRIX" -mat_bdia_bs auto)
    [ -z "${RHS:-}" ] || system+=(-rhs "$RHS")
  else
    what="a generated reservoir of 32 x 32 x 64 cells with 4 unknowns each; a cell is coupled with its 6 neighbors"
    system=(-grid 32,32,64 -nc 4)
  fi
}

run() {
  "$mpiexec" -n "$np" "$reservoir" "${system[@]}" -mat_type "$type" -compare "$(IFS=, && echo "${rivals[*]}")" -plot "$picture" "${gpu[@]}" "${more[@]}"
}

# What PETSc says, without its trace
explain_failure() {
  if grep -q 'PETSC ERROR' "$log"; then
    say "the system was not solved:"
    grep -A 1 'PETSC ERROR: -----' "$log" | sed -n 's/.*PETSC ERROR: \([^-].*\)/  \1/p' | head -n 1 >&2
    sed -n '/PETSC ERROR: -----/,/PETSC ERROR: See http/p' "$log" | sed -n '3,/See http/s/.*PETSC ERROR: /  /p' | grep -v 'See http' | head -n 4 >&2
    ! grep -q 'or -mat_type brow' "$log" || say "options go into OPTIONS: make demo${MATRIX:+ MATRIX=$MATRIX} OPTIONS=\"-mat_type ${type/bdia/brow}\""
  else
    cat "$log" >&2
    say "the solver did not converge"
  fi
  die "everything that was printed is in $log"
}

# For awk: a method with its matrix or preconditioner, and whose they are, as in "Hepta's fusedbcgs with seqbdia", "PETSc's cg with Hepta's gridmg"
names='
  function whose(name) { return name ~ /^(fusedcg|fusedbcgs|dpcg|bicgcr|ip|blockic|gridmg|aggmg|subdeflation|bbs)$|bdia|brow/ ? "Hepta'\''s " : "PETSc'\''s " }
  function with(ksp, what) { return whose(ksp) ksp (what == "none" ? " without preconditioner" : " with " (whose(what) == whose(ksp) ? "" : whose(what)) what) }
'

# The solver of the first matrix, and its answer
explain_answer() {
  awk "$names"'
    { sub(",$", "", $2); sub(",$", "", $4); sub(",$", "", $9) }
    $1 == "solver" && !solver { solver = with($2, $4) }
    $1 == "answer" { printf "  %s needed %d iterations to a true relative residual of %s.\n", solver, $4, $9; exit }' "$log"
}

# Lines such as "ratio    seqbaij / seqbdia: solve 1.52, product 1.60", in the order of the matrices after the first, as sentences
explain_ratio() {
  awk "$names"'
    $1 == "matrix" { matrix[++n] = $2 }
    $1 == "solver" { sub(",", "", $2); solver[n] = with($2, matrix[n]) }
    $1 == "answer" { iterations[n] = $4 }
    $1 == "ratio" {
      k = ++ratios + 1
      printf "  %s took %.2f times as long as %s (%d and %d iterations)%s; a matrix-vector product took %.2f times as long.\n", solver[k], $6, solver[1],
             iterations[k], iterations[1], $6 < 0.98 ? " and is the faster one here" : "", $8
    }' "$log"
}

# Whether Hepta's solver converged in all steps: of each step the first answer is its
ours_converged() {
  ! grep -q 'PETSC ERROR' "$log" && awk '$1 == "solver" { n++ } $1 == "answer" && count++ % n == 0 { bad = bad || /converge/ } END { exit bad || !count }' "$log"
}

# flow NAME ARGUMENT...: a run of bubbly with its output in NAME.log; one of PETSc's preconditioners may fail to converge
flow() {
  log=$build/demo/$1.log
  if ! "$mpiexec" -n "$np" "$bubbly" "${@:2}" -dm_mat_type "$type" -compare jacobi,icc,gamg -plot "$build/demo/$1" "${gpu[@]}" >"$log" 2>&1 && ! ours_converged; then
    explain_failure
  fi
  cat "$log"
  explain_flow
  if [ -s "$build/demo/$1_fields.png" ] && [ -s "$build/demo/$1_convergence.png" ]; then
    echo "  Density, solution and convergence are drawn in $build/demo/$1_fields.png and $1_convergence.png."
  fi
}

# Lines such as "ratio    gamg / gridmg: set up and solve 4.10 (2.0500 s / 0.5000 s), but ...", in the order of the solvers after the first, as sentences
explain_flow() {
  printf '\nIn plain words:\n'
  awk "$names"'
    $1 == "step" { steps = " in the time steps" }
    $1 == "solver" { sub(":", "", $2); solver[++n] = with($3, $2) }
    $1 == "answer" && count++ % n == 0 { iterations = iterations (iterations ? ", " : "") $5 }
    $1 == "ratio" && !ratios { printf "  %s needed %s iterations%s.\n", solver[1], iterations, steps }
    $1 == "ratio" {
      note = $0
      sub("^[^)]*[)]", "", note)
      sub("[(]", "", $10)
      printf "  %s took %.2f s to set up and solve, %.2f times the %.2f s of %s%s%s.\n", solver[++ratios + 1], $10, $9, $13, solver[1], note,
             $9 < 0.98 ? " (it is the faster one here)" : ""
    }' "$log"
}

choose_device
choose_system
rm -f "$build"/demo/{twophase,bubbles}_{fields,convergence}.{png,csv}
say "solving on $device, $np MPI process(es); about a minute"
say "the system: $what"
if ! run >"$log" 2>&1; then explain_failure; fi
cat "$log"

matrix=$(sed -n 's/^matrix  *//p' "$log" | head -n 1)
cat <<EOT

In plain words:
  The system was solved on $device.
  The matrix was kept as $matrix.
$(explain_answer)
$(explain_ratio)
EOT
if [ -s "$picture" ] && grep -q '^picture .*numbers in' "$log"; then
  echo "  The convergence is drawn in $picture."
else
  echo "  There is no picture: $HEPTA_PYTHON has no matplotlib. The convergence is in numbers in ${picture%.png}.csv."
fi

cat <<'EOT'

The pressure in a flow of two fluids, one 1000 times as dense as the other: the equation that such a simulation solves in every time
step, with a matrix that changes as the fluids move. Hence setting up the solver counts as much as solving. PETSc's preconditioners, which
make the conjugate gradients fast, are jacobi (no set-up, many iterations), icc (an incomplete factorization) and gamg (multigrid: few
iterations, but a long set-up). All solve to a true relative residual of 1e-8.

EOT
say "liquid over gas, 256 x 256 cells; the solution is random, so that the error is known"
flow twophase -problem twophase -n 256
echo
say "gas bubbles that rise in liquid, $cells x $cells x $cells cells, 3 time steps; the pressure is that of gravity"
flow bubbles -problem bubbles -dim 3 -n "$cells" -rhs gravity -steps 3 -dt 0.02
