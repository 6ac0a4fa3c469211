#!/usr/bin/env bash
# Quick start: installs what is missing, builds what training needs, and trains the toy network on the waveforms in
# configs/toy/data. The model is left in configs/toy/train_dir; started again, an interrupted training goes on.
set -euo pipefail
toy=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$toy/../.." && pwd)

echo "== 1 of 3: packages"
bash "$root/scripts/install.sh" build

echo "== 2 of 3: build (the first time it takes a while: compiling against MLIR is slow)"
cd "$root"
[ -f build/build.ninja ] || cmake --preset release -DKOWARI_BUILD_TESTS=OFF
ninja -C build ${KOWARI_JOBS:+-j "$KOWARI_JOBS"} kowari kowari-compile

echo "== 3 of 3: training"
cd "$toy"
arguments=(--settings_file train_settings.yaml)
if [ -f train_dir/model_latest.pt ]; then
  echo "train_dir holds a training: going on with it (remove $toy/train_dir to begin anew)"
  arguments=(--checkpoint train_dir/model_latest.pt)
fi
"$root/build/bin/kowari" train "${arguments[@]}" --train_dir train_dir

echo
echo "The losses of every epoch are in $toy/train_dir/history.txt; the model for Dingo is"
echo "$toy/train_dir/model_latest.pt. What is in it:  $root/build/bin/kowari inspect $toy/train_dir/model_latest.pt"
