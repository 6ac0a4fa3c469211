"""Reads operation descriptions out of .td files.

descriptions.py examples FILE...      prints the Example of every operation as a function @<operation>
descriptions.py constraints FILE...   prints <operation>_c<n> for every constraint (Cn) of every operation
descriptions.py operations FILE...    prints the name of every operation

An operation whose description lacks an example is an error.
"""

import re
import sys


def operations(files):
    """(mnemonic, description) of every operation, in file order."""
    for path in files:
        text = open(path).read()
        pattern = r'def \w+ *: *(?:FlowOp<"|Op<FlowDialect, ")(\w+)".*?let description = \[\{(.*?)\}\];'
        yield from re.findall(pattern, text, re.S)


def split_types(text):
    """Splits a type list at its outer commas."""
    types, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "<(") - (c in ">)")
        if c == "," and depth == 0:
            types.append(text[start:i].strip())
            start = i + 1
    rest = text[start:].strip()
    return types + ([rest] if rest else [])


def operand_types(example):
    """{operand: type} of an example, in order of appearance."""
    values, types = {}, []
    right = example.partition("=")[2] if re.match(r" *%[\w, %]+=", example) else example
    groups = re.findall(r"\((%[^():]*) : ([^()]*)\)", right)
    if groups:  # op name(%a, %b : type, type) ...
        for names, group in groups:
            values.update(zip(re.findall(r"%\w+", names), split_types(group)))
        return values
    operands = re.findall(r"%\w+", right.partition(" : (")[0])
    types = split_types(re.search(r" : \((.*?)\) ->", right).group(1))
    if len(operands) != len(types):
        raise SystemExit(f"cannot match operands and types in: {example}")
    return dict(zip(operands, types))


def kernel_for(example, values):
    """The kernel that a flow.fused example calls: its first operand is its result."""
    name = re.search(r"flow\.fused @(\w+)", example)
    if not name:
        return ""
    kind = list(values.values())[0]
    return (f"func.func private @{name.group(1)}(%x: {kind}) -> {kind} attributes {{flow.kernel}} {{\n"
            f"  %y = flow.activation %x {{kind = #flow.activation<elu>}} : ({kind}) -> {kind}\n"
            f"  return %y : {kind}\n}}\n")


def print_example(mnemonic, description):
    match = re.search(r"Example: `([^`]*)`", description)
    if not match:
        raise SystemExit(f"flow.{mnemonic} has no example in its description")
    example = " ".join(match.group(1).split())
    values = operand_types(example)
    arguments = ", ".join(f"{name}: {kind}" for name, kind in values.items())
    print(f"{kernel_for(example, values)}func.func @example_{mnemonic}({arguments}) {{\n  {example}\n  return\n}}")


def main():
    command, files = sys.argv[1], sys.argv[2:]
    for mnemonic, description in operations(files):
        if command == "examples":
            print_example(mnemonic, description)
        elif command == "constraints":
            for number in sorted(set(re.findall(r"\(C(\d+)\)", description))):
                print(f"{mnemonic}_c{number}")
        elif command == "operations":
            print(mnemonic)
        else:
            raise SystemExit(__doc__)


main()
