#!/bin/sh
# Whether passes change what a module computes, as a test for kowari-reduce:
#
#   PASSES='--load-pass-plugin=./MyPass.so --pass-pipeline=builtin.module(func.func(my-pass))' \
#     kowari-reduce big.mlir --reduce-module='test=scripts/changes_numbers.sh' -o small.mlir
#
# Runs `kowari-opt --validate-each $PASSES FILE` ($KOWARI_OPT if it is not in the PATH). Exit code 1, "interesting", if a
# pass changes a number or leaves a plan at fault; 0 if none does, or if the module does not go through the passes.
test $# -eq 1 || { echo "usage: PASSES='--a-pass ...' $0 FILE.mlir" >&2; exit 0; }
opt=${KOWARI_OPT:-kowari-opt}
command -v "$opt" > /dev/null || { echo "$0: $opt is not in the PATH; set KOWARI_OPT to where it is" >&2; exit 0; }
# shellcheck disable=SC2086 # several options
said=$("$opt" --validate-each --validate-output= $PASSES "$1" -o /dev/null 2>&1) && exit 0
printf '%s\n' "$said" | grep -q -E "^[^ ]* ?error: pass '.*' (changes numbers|leaves a plan at fault)" && exit 1
# Modules on the way may be beyond the passes; of the first one this says why nothing was found.
printf '%s\n' "$said" | grep -m 1 -i error >&2
exit 0
