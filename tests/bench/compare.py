#!/usr/bin/env python3
"""Times Kowari and its peers in turn and prints ratios. Run through compare.sh.

Every program gets the same cores. Each round runs all programs of a case one after the other; the best median of the
rounds counts. Kowari starts with an empty cache of compiled programs, so the first round's compile_s is a cold
compilation and the last round's ready_s a warm one.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PEER = ROOT / "tests/bench/peer"
KOWARI = ROOT / "build/bin/kowari"

# name: settings, rows, bins; stage 0 of all of them trains with the first layer frozen
STEP_CASES = {
    "toy_64": ("toy_npe", 64, 4017),
    "toy_512": ("toy_npe", 512, 4017),
    "npe_512": ("npe_512", 256, 8033),
    "npe_1024": ("npe_1024", 256, 8033),
}
CASES = [*STEP_CASES, "data", "epoch"]
DEFAULT = ["toy_64", "toy_512", "data", "epoch"]


class Bench:
    def __init__(self, options, cache):
        self.options, self.cache = options, cache
        self.cores = sorted(os.sched_getaffinity(0))[: options.threads]

    def run(self, command, folder=ROOT):
        """The last line of a command's output as JSON; None, with its last words, if it fails."""
        done = subprocess.run(
            [str(c) for c in command], cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL,
            preexec_fn=lambda: os.sched_setaffinity(0, self.cores))
        if done.returncode == 0 and done.stdout.strip():
            return json.loads(done.stdout.strip().splitlines()[-1])
        words = (done.stderr.strip() or done.stdout.strip() or "no output").splitlines()[-3:]
        print(f"  {' '.join(map(str, command))}\n  failed ({done.returncode}): " + " | ".join(words), flush=True)
        return None

    def commands(self, case):
        """(program, command, folder) of a case."""
        o = self.options
        threads = ["--threads", o.threads]
        if case == "data":
            toy = ROOT / "configs/toy"
            settings = ["train_settings.yaml", "--batches", 80]
            yield "kowari", [KOWARI, "bench", "data", *settings, *threads, "--cache_dir", self.cache, "--json"], toy
            yield "dingo", [o.peer_python, PEER / "data_rate.py", *settings, *threads], toy
            return
        if case == "epoch":
            measure = [o.peer_python, PEER / "epoch_time.py", "train_settings.yaml", "--epochs", 4, "--"]
            train = ["train", "--settings_file", "{settings}", "--train_dir", "{train_dir}", "--cache_dir", self.cache]
            toy = ROOT / "configs/toy"
            yield "kowari", [*measure, KOWARI, *train], toy
            dingo = pathlib.Path(o.peer_python).parent / "dingo_train"
            yield "dingo", [*measure, dingo, *train[1:5]], toy
            return
        name, rows, bins = STEP_CASES[case]
        step = [PEER / f"settings/{name}.yaml", "--rows", rows, "--bins", bins, "--freeze_rb_layer", "--steps", o.steps]
        yield "kowari", [KOWARI, "bench", "step", *step, *threads, "--cache_dir", self.cache, "--json"], ROOT
        yield "dingo", [o.peer_python, PEER / "step_time.py", *step, *threads], ROOT
        if o.jax_python:
            yield "jax", [o.jax_python, PEER / "jax_step_time.py", *step], ROOT

    def measure(self, case):
        """{program: [result of each round]}; a program that fails is left out of later rounds."""
        results = {}
        for turn in range(self.options.rounds):
            for program, command, folder in self.commands(case):
                if turn > 0 and program not in results:
                    continue
                print(f"  round {turn + 1}: {program} ...", flush=True)
                result = self.run(command, folder)
                if result is not None:
                    results.setdefault(program, []).append(result)
        return results


def speed(result):
    """Rows or samples a second."""
    return result.get("rows_per_s") or result["samples_per_s"]


def describe(case, results):
    """Lines of a table: program, rate, step, peak memory, and how much faster Kowari is."""
    best = {program: max(rounds, key=speed) for program, rounds in results.items()}
    own = best.get("kowari")
    for program, result in best.items():
        step = result.get("step_s", {}).get("median")
        memory = result.get("peak_rss_mib")
        cells = [case, program, f"{speed(result):,.0f}", f"{step * 1e3:,.1f} ms" if step else "",
                 f"{memory:,} MiB" if memory else ""]
        if own and program != "kowari":
            cells.append(f"{speed(own) / speed(result):.2f}")
            cells.append(f"{own['peak_rss_mib'] / memory:.2f}" if memory and own.get("peak_rss_mib") else "")
        else:
            cells += ["", ""]
        yield "| " + " | ".join(cells) + " |"


def remarks(case, results):
    rounds = results.get("kowari", [])
    if rounds and "compile_s" in rounds[0]:
        best = max(rounds, key=speed)
        yield (f"{case}: cold compilation {rounds[0]['compile_s']:.2f} s, ready from the cache after "
               f"{rounds[-1]['ready_s']:.2f} s; step {best['step_s']['median'] / best['bound_s']:.2f} times its bound of "
               f"{best['bound_s'] * 1e3:.1f} ms")
    for result in results.get("jax", [])[:1]:
        yield f"{case}: JAX compiled for {result['compile_s']:.1f} s"


def has_jax(python):
    return subprocess.run([python, "-c", "import jax, optax"], capture_output=True).returncode == 0


def parse():
    parser = argparse.ArgumentParser(prog="compare.sh", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peer_python", help="bin/python with dingo-gw")
    parser.add_argument("cases", nargs="*", metavar="CASE",
                        help=f"{', '.join(CASES)}, or all; default: {', '.join(DEFAULT)}")
    parser.add_argument("--jax-python", help="bin/python with jax and optax; default: PEER_PYTHON if it has them")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="cores for each program")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--steps", type=int, default=10, help="steps to time in a round")
    parser.add_argument("--json", type=pathlib.Path, help="also write every result to this file")
    options = parser.parse_args()
    unknown = set(options.cases) - {*CASES, "all"}
    if unknown:
        parser.error(f"there is no case {', '.join(sorted(unknown))}; cases are {', '.join(CASES)}, all")
    options.cases = CASES if "all" in options.cases else options.cases or DEFAULT
    options.peer_python = os.path.abspath(options.peer_python)
    if not os.access(options.peer_python, os.X_OK):
        parser.error(f"{options.peer_python} is no program; tests/bench/peer/setup.sh FOLDER makes FOLDER/bin/python")
    if not KOWARI.exists():
        parser.error(f"{KOWARI} is missing; build it first: cmake --preset release && ninja -C build")
    if options.jax_python is None and has_jax(options.peer_python):
        options.jax_python = options.peer_python
    return options


def main():
    options = parse()
    everything = {}
    with tempfile.TemporaryDirectory(prefix="kowari-compare-") as cache:
        bench = Bench(options, cache)
        for case in options.cases:
            print(f"{case}:", flush=True)
            everything[case] = bench.measure(case)
    print("\n| case | program | rows/s | step | peak memory | Kowari is faster by | Kowari's memory over theirs |")
    print("|---|---|---|---|---|---|---|")
    for case, results in everything.items():
        for line in describe(case, results):
            print(line)
    print()
    for case, results in everything.items():
        for line in remarks(case, results):
            print(line)
    print(f"{options.threads} threads, {options.rounds} rounds, load average {os.getloadavg()[0]:.1f} "
          "(above the threads: something else ran, measure again)")
    if options.json:
        options.json.write_text(json.dumps(everything, indent=1) + "\n")
    return 0 if all("kowari" in results for results in everything.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
