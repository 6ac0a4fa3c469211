#!/usr/bin/env bash
# Installs the Debian packages that Kowari is built from. Everything comes from Debian 12 and its security archive.
#
#   scripts/install.sh [build] [test] [lint] [fuzz]     default: build test
#
#   build   what kowari and kowari-compile are built from
#   test    what tests/run.sh needs beyond that
#   lint    clang-tidy, for scripts/lint.sh
#   fuzz    clang with libFuzzer, for the target fuzz-artifact
#
# Only missing packages are installed. As root it runs apt-get; otherwise it prints the command to run and exits with 1.
set -euo pipefail

# docs/dependencies.md says what each library is for.
build=(
  g++ cmake ninja-build ccache
  libmlir-22-dev mlir-22-tools llvm-22-dev lld-22 liblld-22-dev zlib1g-dev libzstd-dev
  libdnnl-dev libopenblas0-openmp
  libhdf5-dev libyaml-cpp-dev nlohmann-json3-dev libzip-dev
  libflatbuffers-dev flatbuffers-compiler libxxhash-dev
  librandom123-dev libcli11-dev
)
test=(llvm-22-tools python3 libgtest-dev libgmock-dev libbenchmark-dev clang-format-22)
lint=(clang-format-22 clang-tidy-22)
fuzz=(clang-22 libclang-rt-22-dev)

[ $# -gt 0 ] || set -- build test
wanted=()
for group in "$@"; do
  case $group in
  build) wanted+=("${build[@]}") ;;
  test) wanted+=("${test[@]}") ;;
  lint) wanted+=("${lint[@]}") ;;
  fuzz) wanted+=("${fuzz[@]}") ;;
  *)
    echo "install.sh: there is no group '$group'; groups are build, test, lint, fuzz" >&2
    exit 1
    ;;
  esac
done

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  echo "install.sh: this system has no apt-get. Kowari is built on Debian 12 from the packages" >&2
  echo "  ${wanted[*]}" >&2
  echo "Install their equivalents (LLVM/MLIR 22 with shared libraries), then configure with cmake." >&2
  exit 1
fi

missing=()
for package in "${wanted[@]}"; do
  state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "install.sh: all ${#wanted[@]} packages of $* are installed"
  exit 0
fi

echo "install.sh: missing packages: ${missing[*]}"
if [ "$(id -u)" -ne 0 ]; then
  echo "install.sh: not root, so nothing was installed. Run, or ask an administrator to run:" >&2
  echo "  sudo apt-get update && sudo apt-get install -y --no-install-recommends ${missing[*]}" >&2
  exit 1
fi

export DEBIAN_FRONTEND=noninteractive
install() {
  apt-get install -y --no-install-recommends "${missing[@]}" </dev/null
}
known() { # whether the package lists name a version of everything missing
  local package
  for package in "${missing[@]}"; do
    apt-cache policy "$package" | grep -q '^  Candidate: [^(]' || return 1
  done
}

if known && install; then
  :
else
  # No package lists yet, or old ones that name versions no longer served.
  apt-get update </dev/null
  if ! known; then
    echo "install.sh: the package sources of this machine lack some of: ${missing[*]}" >&2
    echo "LLVM 22 is in Debian 12's security archive: check that it is among the package sources." >&2
    exit 1
  fi
  install
fi
echo "install.sh: installed ${#missing[@]} packages: ${missing[*]}"
