"""Runs the example of every pass.

pass_examples.py PASSES.td FOLDER   runs each `kowari-opt ...` in FOLDER, where its input is; fails if a pass has no example,
                                    does not take part in its own, or the command fails or leaves its input as it was
"""

import os
import re
import shlex
import subprocess
import sys

sys.dont_write_bytecode = True  # the folder of descriptions.py is a source folder
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "dialects"))
import descriptions  # noqa: E402


def run(arguments, folder):
    done = subprocess.run(arguments, cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{shlex.join(arguments)} failed:\n{done.stderr}")
    return done.stdout


def check(description, folder):
    example = re.match(r"`(kowari-opt [^`]*)`", description.section("Example") or "")
    if not example:
        raise SystemExit(f"pass {description.name} has no example of the form `kowari-opt ... FILE.mlir`")
    arguments = shlex.split(example.group(1))
    if not any(argument.split("=")[0] == "--" + description.name for argument in arguments):
        raise SystemExit(f"the example of {description.name} does not run it: {example.group(1)}")
    files = set(os.listdir(folder))
    result = run(arguments, folder)
    if result == run(["kowari-opt", arguments[-1]], folder) and set(os.listdir(folder)) == files:
        raise SystemExit(f"the example of {description.name} changes nothing: {example.group(1)}")
    print(f"{description.name}: {example.group(1)}")


def main():
    passes, folder = sys.argv[1:]
    found = [d for d in descriptions.read([passes]) if d.kind == "pass"]
    if not found:
        raise SystemExit(f"no pass in {passes}")
    for description in found:
        check(description, folder)


main()
