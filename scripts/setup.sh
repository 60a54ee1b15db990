#!/usr/bin/env bash
# Sees to it that the packages are there which the build and the tests need. As root on Debian or Ubuntu it installs what is
# missing; otherwise it prints the line to run and stops. Silent and quick when nothing is missing.
#   setup.sh           the packages, then the Python environment
#   setup.sh system    the packages
#   setup.sh library   the packages of the library alone, and of PETSc where it is to be built
#   setup.sh python    the Python environment
#   setup.sh site      all, and what make site needs
#   setup.sh packages  the packages of the library, and of make check-packages
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/env.sh"

# Ubuntu 24.04's MPICH starts every rank as a world of its own (Launchpad bug 2072338)
mpi_packages=(mpich libmpich-dev)
if grep -qs '^VERSION_ID="24.04"' /etc/os-release; then mpi_packages=(openmpi-bin libopenmpi-dev); fi

missing=()
need_command() { command -v "$1" >/dev/null 2>&1 || missing+=("${@:2}"); }
links() { echo 'int main() { return 0; }' | c++ -x c++ - -o /dev/null "$@" 2>/dev/null; }

# What is looked for is the thing itself, not the package: an MPI or a compiler of the user's own is as good
find_missing_commands() {
  links || missing+=(g++)
  need_command cc gcc
  need_command make make
  need_command cmake cmake
  need_command ninja ninja-build
  need_command mpicc "${mpi_packages[@]}"
  need_command mpiexec "${mpi_packages[@]}"
}

# scripts/petsc.sh builds no PETSc where the user names one
petsc_is_given() { [ -n "${PETSC_DIR:-}" ] || { [ -n "${PKG_CONFIG_PATH:-}" ] && pkg-config --exists PETSc 2>/dev/null; }; }

find_missing_for_petsc() {
  need_command pkg-config pkg-config
  need_command python3 python3 python3-pip python3-venv python3-dev
  find_missing_python
  links -lopenblas || missing+=(libopenblas-dev)
}

find_missing_python() {
  command -v python3 >/dev/null 2>&1 || return 0
  local packages
  packages=$(python3 - <<'PYTHON'
import importlib.util, os, sysconfig
have = lambda name: importlib.util.find_spec(name) is not None
if not have("pip"): print("python3-pip")
if not (have("venv") and have("ensurepip")): print("python3-venv")
if not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")): print("python3-dev")
PYTHON
  )
  mapfile -t -O ${#missing[@]} missing <<<"$packages"
}

# What tests, examples and benchmarks need, and xz for make bundle
find_missing_for_tests() {
  need_command xz xz-utils
  if ! links; then
    missing+=(libgtest-dev nlohmann-json3-dev zlib1g-dev libsuitesparse-dev)
    return 0
  fi
  local packages
  packages=$(c++ -x c++ -E -P - <<'CXX'
#if !__has_include(<gtest/gtest.h>)
libgtest-dev
#endif
#if !__has_include(<nlohmann/json.hpp>)
nlohmann-json3-dev
#endif
#if !__has_include(<zlib.h>)
zlib1g-dev
#endif
#if !__has_include(<suitesparse/cholmod.h>) && !__has_include(<cholmod.h>)
libsuitesparse-dev
#endif
CXX
  )
  mapfile -t -O ${#missing[@]} missing <<<"$packages"
}

find_missing_for_packages() {
  # dpkg-buildpackage asks for the package
  dpkg-query -W -f '${db:Status-Status}' build-essential 2>/dev/null | grep -x installed >/dev/null || missing+=(build-essential)
  need_command dh debhelper
}

# Two ranks must know of each other; looked at once for each MPI
check_mpi() {
  command -v mpicc >/dev/null 2>&1 && command -v mpiexec >/dev/null 2>&1 || return 0
  local stamp dir=$HEPTA_CACHE/mpi-check.$$
  stamp=$HEPTA_CACHE/mpi-$( (mpicc -show; readlink -f "$(command -v mpicc)" "$(command -v mpiexec)") 2>/dev/null | sha256sum | cut -c1-12)
  if [ -e "$stamp" ]; then return 0; fi
  mkdir -p "$dir"
  cat >"$dir/size.c" <<'C'
#include <mpi.h>
int main(int argc, char **argv)
{
  int size;

  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Finalize();
  return size != 2;
}
C
  if mpicc "$dir/size.c" -o "$dir/size" >"$dir/log" 2>&1 && timeout 60 mpiexec -n 2 "$dir/size" >>"$dir/log" 2>&1 </dev/null; then
    touch "$stamp"
  elif [ "${mpi_packages[0]}" = openmpi-bin ] && ! command -v mpiexec.openmpi >/dev/null 2>&1; then
    missing+=("${mpi_packages[@]}") # becomes the preferred one when installed
  else
    cat "$dir/log" >&2
    rm -rf "$dir"
    die "$(command -v mpiexec) does not start two ranks that know of each other: install a working MPI, or put it first on the PATH"
  fi
  rm -rf "$dir"
}

find_missing() {
  missing=()
  find_missing_commands
  if { [ "$what" != library ] && [ "$what" != packages ]; } || ! petsc_is_given; then find_missing_for_petsc; fi
  case $what in
  library) ;;
  packages) find_missing_for_packages ;;
  *) find_missing_for_tests ;;
  esac
  check_mpi
  mapfile -t missing < <(printf '%s\n' "${missing[@]}" | awk 'NF && !seen[$0]++')
}

apt_install="apt-get install -y --no-install-recommends"
# shellcheck disable=SC2086
apt_get() { apt-get update && DEBIAN_FRONTEND=noninteractive $apt_install "$@"; }

install_packages() {
  command -v apt-get >/dev/null 2>&1 ||
    die "these Debian packages, or what corresponds to them on this system, are missing: ${missing[*]}"
  if [ "$(id -u)" -ne 0 ]; then
    say "packages are missing; run this line, then start again:"
    printf '    sudo apt-get update && sudo %s\n' "$apt_install ${missing[*]}" >&2
    exit 1
  fi
  say "installing ${missing[*]} (about 1 minute)"
  quietly "apt-get" "$HEPTA_CACHE/log/apt-get.log" apt_get "${missing[@]}"
  find_missing
  if [ ${#missing[@]} -ne 0 ]; then die "still missing after apt-get install: ${missing[*]}"; fi
}

# The Python packages; like PETSc they are in place only when the stamp is
install_python() {
  local stamp=$HEPTA_VENV/hepta-complete
  if [ -e "$stamp" ]; then return 0; fi
  exec 9>"$HEPTA_VENV.lock"
  flock 9
  if [ ! -e "$stamp" ]; then
    say "installing Python packages into $HEPTA_VENV (about 20 seconds)"
    rm -rf "$HEPTA_VENV"
    quietly "python3 -m venv" "$HEPTA_CACHE/log/venv.log" python3 -m venv "$HEPTA_VENV"
    quietly "pip install" "$HEPTA_CACHE/log/pip.log" "$HEPTA_PYTHON" -m pip install --only-binary :all: -r "$HEPTA_ROOT/scripts/requirements.txt"
    touch "$stamp"
  fi
  exec 9>&-
}

# With these the site is built, and its test is not skipped
install_site() {
  local list=$HEPTA_ROOT/scripts/requirements-site.txt stamp
  stamp=$HEPTA_VENV/hepta-site-$(sha256sum <"$list" | cut -c1-12)
  if [ -e "$stamp" ]; then return 0; fi
  quietly "pip install" "$HEPTA_CACHE/log/pip-site.log" "$HEPTA_PYTHON" -m pip install --only-binary :all: -r "$list"
  touch "$stamp"
}

# Without ccache the build only takes longer: nobody is asked to install it, and where it cannot be had all goes on
install_ccache() {
  local tried=$HEPTA_BUILD/ccache.log
  if command -v ccache >/dev/null 2>&1 || ! command -v apt-get >/dev/null 2>&1 || [ "$(id -u)" -ne 0 ] || [ -e "$tried" ]; then return 0; fi
  mkdir -p "$HEPTA_BUILD"
  apt_get ccache >"$tried" 2>&1 </dev/null || say "no ccache ($tried): builds take longer"
}

what=${1:-all}
if [ "$what" != python ]; then
  find_missing
  if [ ${#missing[@]} -ne 0 ]; then
    install_packages
    # the interpreter may have come with the packages, and its version is part of the environment's name
    exec "${BASH_SOURCE[0]}" "$what"
  fi
  install_ccache
fi
case $what in all | python | site) install_python ;; esac
if [ "$what" = site ]; then install_site; fi
