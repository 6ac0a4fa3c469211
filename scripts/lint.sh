#!/usr/bin/env bash
# clang-format over every source, and clang-tidy over some.
#
#   scripts/lint.sh [--fix] [FILE.cpp...]     without files: those of the last commit and those not yet committed
#
# clang-tidy takes the flags of each file from compile_commands.json in build/ ($KOWARI_BUILD to change it), so configure
# first. --fix formats in place instead of complaining. Exit code 1 if there is anything to mend.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=${KOWARI_BUILD:-build}

fix=false
files=()
for argument in "$@"; do
  case $argument in
  --fix) fix=true ;;
  -*)
    echo "usage: $0 [--fix] [FILE.cpp...]" >&2
    exit 1
    ;;
  *) files+=("$argument") ;;
  esac
done

for tool in clang-format-22 clang-tidy-22; do
  if ! command -v $tool >/dev/null; then
    echo "$tool is missing: scripts/install.sh lint" >&2
    exit 1
  fi
done

bad=0
if $fix; then
  git ls-files -z '*.cpp' '*.h' '*.c' | xargs -0 clang-format-22 -i
else
  git ls-files -z '*.cpp' '*.h' '*.c' | xargs -0 -n 40 clang-format-22 --dry-run -Werror || bad=1
fi

if [ ${#files[@]} -eq 0 ]; then
  base=$(git rev-parse --quiet --verify HEAD~1 || echo HEAD)
  mapfile -t files < <({ git diff --name-only --diff-filter=d "$base" -- '*.cpp'
                         git ls-files --others --exclude-standard -- '*.cpp'; } | sort -u)
fi
if [ ${#files[@]} -eq 0 ]; then
  echo "lint: no changed sources for clang-tidy"
  exit $bad
fi
if ! [ -f "$build/compile_commands.json" ]; then
  echo "$build/compile_commands.json is missing: cmake --preset release, or set KOWARI_BUILD" >&2
  exit 1
fi
echo "lint: clang-tidy over ${#files[@]} files"
# The sources are built with g++: its flags that clang does not know are no finding, and omp.h is its own.
printf '%s\0' "${files[@]}" |
  xargs -0 -n 1 -P "$(nproc)" clang-tidy-22 --quiet -p "$build" --extra-arg=-Wno-unknown-warning-option \
    --extra-arg="-idirafter$(g++ -print-file-name=include)" || bad=1
exit $bad
