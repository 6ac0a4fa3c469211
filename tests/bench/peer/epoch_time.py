#!/usr/bin/env python3
"""Training samples a second of whole epochs (training, test, checkpoint) of a training program.

usage: epoch_time.py SETTINGS.yaml [--epochs 4] -- PROGRAM ARGUMENT...
Runs PROGRAM with {settings} and {train_dir} in its arguments replaced, on stage_0 of SETTINGS with that many epochs,
in the folder that the paths in SETTINGS are relative to, and watches train_dir/history.txt, which gains a line an
epoch. The first epoch, which may compile and warm up, is left out. Prints one JSON line. Needs PyYAML and h5py.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import h5py
import yaml


def lines(path):
    try:
        return path.read_text().count("\n")
    except FileNotFoundError:
        return 0


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("settings")
    p.add_argument("--epochs", type=int, default=4)
    p.add_argument("program", nargs="+")
    a = p.parse_args()
    with open(a.settings) as f:
        settings = yaml.safe_load(f)
    stage = settings["training"]["stage_0"]
    stage["epochs"] = a.epochs
    settings["training"] = {"stage_0": stage}
    settings["local"].pop("seed", None)  # Kowari's own key
    with h5py.File(settings["data"]["waveform_dataset_path"]) as f:
        samples = len(f["parameters"])
    rows = int(samples * settings["data"]["train_fraction"])

    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "train_settings.yaml"
        file.write_text(yaml.safe_dump(settings, sort_keys=False))
        train_dir = pathlib.Path(folder) / "train_dir"
        train_dir.mkdir()
        values = {"settings": str(file), "train_dir": str(train_dir)}
        log = open(pathlib.Path(folder) / "log.txt", "w+")
        child = subprocess.Popen([x.format(**values) for x in a.program], stdout=log, stderr=subprocess.STDOUT)
        times = []
        while child.poll() is None:
            n = lines(train_dir / "history.txt")
            times += [time.perf_counter()] * (n - len(times))
            time.sleep(0.02)
        n = lines(train_dir / "history.txt")
        times += [time.perf_counter()] * (n - len(times))
        if child.returncode != 0 or len(times) < 2:
            log.seek(0)
            sys.exit(f"{a.program[0]} ended with {child.returncode} after {len(times)} epochs: {log.read()[-600:]}")
    epoch = statistics.median(b - a for a, b in zip(times, times[1:]))
    print(json.dumps({"program": a.program[0], "epochs": len(times), "epoch_s": epoch, "samples_per_s": rows / epoch}))


if __name__ == "__main__":
    main()
