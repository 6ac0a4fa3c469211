#!/usr/bin/env bash
# Installs what is missing, builds everything, runs every test, and ends with a line of its own:
#
#   N passed, M failed, K skipped
#
# Counted are the single tests of the GoogleTest programs and of lit; any other test of ctest by the closing line of
# this form that it prints, or as one. A phase that fails without a test that failed counts as one failure. Exit code 0
# only if nothing failed and tests were run.
#
#   KOWARI_JOBS=N       compilations at a time (default: the cores, and no more than 1 for 1.5 GB of memory)
#   KOWARI_TESTS=REGEX  run only these tests of ctest, and nothing with the sanitizers
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
exec </dev/null

results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
broken=0
phases=()

# phase NAME COMMAND...: runs a command and shows how long it took.
phase() {
  local name=$1 start=$SECONDS code=0
  shift
  printf '\n== %s\n' "$name"
  "$@" || code=$?
  phases+=("$(printf '%-28s %5d s  %s' "$name" $((SECONDS - start)) "$([ $code -eq 0 ] && echo ok || echo FAILED)")")
  printf '== %s: %d s\n' "$name" $((SECONDS - start))
  return $code
}

jobs() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/^MemAvailable/ {print int($2 / 1572864)}' /proc/meminfo)
  [ "$memory" -ge 1 ] || memory=1
  echo "${KOWARI_JOBS:-$((cores < memory ? cores : memory))}"
}

# run_ctest FOLDER NAME [REGEX]: one ctest run, one test after the other (each uses every core); what they did goes to
# $results/NAME.
run_ctest() {
  mkdir -p "$results/$2"
  GTEST_OUTPUT="xml:$results/$2/" LIT_OPTS="--xunit-xml-output=$results/$2/lit.xml" \
    ctest --test-dir "$1" --output-on-failure --timeout 1800 --output-junit "$results/$2/ctest.xml" \
    --test-output-size-passed 100000 --test-output-size-failed 1000000 ${3:+-R "$3"}
}

check_format() {
  local files
  files=$(git ls-files '*.cpp' '*.h' '*.c' 2>/dev/null)
  [ -n "$files" ] || files=$(find compiler dialects frontend runtime tests -name '*.cpp' -o -name '*.h' -o -name '*.c')
  printf '%s\n' "$files" | xargs -P "$(nproc)" -n 40 clang-format-22 --dry-run -Werror
}

jobs=$(jobs)
export CTEST_PARALLEL_LEVEL=1
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1:abort_on_error=0}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
checked=(settings prior data train plan cache inspect) # the runtime's areas, which read what others wrote
targets=("${checked[@]/#/unit-}")

phase "install" bash scripts/install.sh build test || broken=$((broken + 1))

if phase "configure" cmake --preset release && phase "build" ninja -C build -j "$jobs"; then
  phase "tests" run_ctest build release "${KOWARI_TESTS:-}"
else
  broken=$((broken + 1))
fi

if [ -n "${KOWARI_TESTS:-}" ]; then
  :
elif phase "configure (sanitizers)" cmake --preset sanitize &&
  phase "build (sanitizers)" ninja -C build-sanitize -j "$jobs" "${targets[@]}"; then
  phase "tests (sanitizers)" run_ctest build-sanitize sanitize "^($(IFS='|' && echo "${targets[*]}"))\$"
else
  broken=$((broken + 1))
fi

phase "format" check_format || broken=$((broken + 1))

printf '\n'
printf '%s\n' "${phases[@]}"
printf '%-28s %5d s\n\n' "all" "$SECONDS"
expected=()
if [ -z "${KOWARI_TESTS:-}" ]; then
  compiled=lit,e2e,numeric-models,numeric-data,numeric-check
  compiled+=,unit-cli,unit-codegen,unit-fuzz,unit-interpreter,unit-pipeline,unit-posterior,unit-ptx
  runtime=$(IFS=, && echo "${targets[*]}")
  expected=(--expect "release:$runtime,$compiled" --expect "sanitize:$runtime") # silently lost tests are failures
fi
python3 scripts/count_tests.py "$results" --broken "$broken" ${expected[@]+"${expected[@]}"}
