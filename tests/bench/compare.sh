#!/usr/bin/env bash
# Kowari and its peers in turn, in one run, and the ratios between them.
#
#   tests/bench/compare.sh PEER_PYTHON [CASE...] [options]      --help lists cases and options
#
# PEER_PYTHON is bin/python of an environment that tests/bench/peer/setup.sh made (dingo-gw and PyTorch; JAX beside them
# adds a second peer). Kowari is the one in build/. Absolute times change from machine to machine and from hour to
# hour: only ratios of one run say something, and only if nothing else runs.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
exec python3 "$root/tests/bench/compare.py" "$@"
