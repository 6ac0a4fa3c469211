"""Counts what a module is made of, so that a test can compare it with what it was.

structure.py FILE.mlir   prints, for every function or plan program of the module, how many operations of each kind it has
and how many different kernels these run. A plan program also gets the launches by group (what `kowari bench step` sums
times under) and the multiply-adds of its products for one row of the batch. Views are not counted: they cost nothing.
Kernels (functions with flow.kernel) are counted together. The module's own numbers come first.
"""

import collections
import re
import sys

ENTRY = re.compile(r"^  (?:func\.func (?:private )?|plan\.program )@(\w+)")
OPERATION = re.compile(r"^    (?:%[\w:]+(?:, %[\w:]+)* = )?((?:flow|plan)\.\w+)")
MODULE_NUMBER = re.compile(r"(plan\.\w+) = (\d+) : i64")
VIEWS = ("plan.persistent", "plan.subview")
GEMM_VIEW = re.compile(r"<\[(-?\d+), (-?\d+)\]")


class Entry:
    """What one function or program holds."""

    def __init__(self, name):
        self.name = name
        self.operations = collections.Counter()
        self.kernels = collections.Counter()
        self.groups = collections.Counter()
        self.multiply_adds = 0

    def add(self, operation, line):
        if operation not in VIEWS:
            self.operations[operation] += 1
        if operation in ("plan.kernel", "flow.fused"):
            self.kernels[re.search(r"@(\w+)", line).group(1)] += 1
        if operation == "plan.kernel":
            self.groups[re.search(r'group = "(\w+)"', line).group(1)] += 1
        if operation == "plan.gemm":
            (m, k), (_, n) = [[abs(int(d)) for d in view] for view in GEMM_VIEW.findall(line)[:2]]
            self.multiply_adds += m * k * n

    def print(self):
        print(f"{self.name}:")
        for operation, count in sorted(self.operations.items()):
            print(f"  {operation} {count}")
        if self.kernels:
            print(f"  distinct kernels {len(self.kernels)}")
        for group, count in sorted(self.groups.items()):
            print(f"  group {group} {count}")
        if self.multiply_adds:
            print(f"  multiply-adds a row {self.multiply_adds}")


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    path = sys.argv[1]
    entries, kernels = [], Entry("kernels")
    functions = 0
    with open(path) as file:
        for line in file:
            if line.startswith("module"):
                for name, value in MODULE_NUMBER.findall(line):
                    print(f"{name} {value}")
            entry = ENTRY.match(line)
            if entry and "flow.kernel" in line:
                entries.append(kernels)
                functions += 1
            elif entry:
                entries.append(Entry(entry.group(1)))
            elif operation := OPERATION.match(line):
                entries[-1].add(operation.group(1), line)
    if not entries:
        raise SystemExit(f"{path} has neither functions nor plan programs")
    print(f"kernel functions {functions}")
    for entry in dict.fromkeys(entries):
        entry.print()


main()
