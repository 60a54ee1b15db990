# other_petsc.sh PROGRAM LIBRARY STUB: -dll_append in a program whose PETSc differs from the library's in one respect
set -eu
[ -z "${HEPTA_SANITIZE:-}" ] || exit 77 # a sanitizer must be the first library
OTHER=nothing LD_PRELOAD=$3 "$1" -dll_append "$2" >/dev/null
for other in cuda indices scalars; do
  if output=$(OTHER=$other LD_PRELOAD=$3 "$1" -dll_append "$2" 2>&1); then echo "not refused: another PETSc in its $other" && exit 1; fi
  echo "$output" | grep -q "build libhepta with the PETSC_DIR and PETSC_ARCH of the program" || { echo "$output" && exit 1; }
done
