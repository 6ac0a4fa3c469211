"""Reads the descriptions of operations, types and passes out of .td files.

descriptions.py operations FILE...    prints the name of every operation
descriptions.py examples FILE...      prints the example of every operation: of flow as a function @example_<operation>, of
                                      plan in a program of that name
descriptions.py constraints FILE...   prints <name>_c<n> for every constraint (Cn) of every operation, type and dialect
descriptions.py sections FILE...      prints nothing if every description has the sections that it owes, in order

An operation of flow owes Formula, Adjoint, Constraints and Example, one of plan Does, Constraints and Example, a pass
Expects, Does, Guarantees and Example. `Adjoint: none` stands exactly where the operation has no AdjointOpInterface.
"""

import re
import sys
from typing import NamedTuple

SECTIONS = {
    "flow": ["Formula", "Adjoint", "Constraints", "Example"],
    "plan": ["Does", "Constraints", "Example"],
    "type": ["Constraints", "Example"],
    "dialect": [],
    "pass": ["Expects", "Does", "Guarantees", "Example"],
}
KINDS = {"FlowOp": "flow", "PlanOp": "plan", "InProgram": "plan", "Step": "plan", "Pass": "pass", "TypeDef": "type",
         "Dialect": "dialect"}


class Description(NamedTuple):
    kind: str
    name: str
    traits: str
    text: str

    def section(self, label):
        """The text behind `label:` up to the next paragraph that starts with a label; None if it is not there."""
        labels = "|".join(SECTIONS[self.kind])
        match = re.search(rf"^ *{label}: (.*?)(?=\n\n+ *(?:{labels}):|\Z)", self.text, re.S | re.M)
        return match and " ".join(match.group(1).split())


def read(files):
    """Every operation, type and pass that the files define, in order."""
    for path in files:
        for definition in re.split(r"^(?=def )", open(path).read(), flags=re.M)[1:]:
            head, brace, body = definition.partition("{\n")
            base = re.match(r"def \w+ *:\s*(\w+)\b", head)
            text = re.search(r"let description = \[\{(.*?)\}\];", body, re.S)
            kind = base and ("flow" if "Op<FlowDialect" in head else KINDS.get(base.group(1)))
            if not brace or not kind:
                continue
            name = re.search({"type": r'let mnemonic = "(\w+)"', "dialect": r'let name = "(\w+)"'}.get(kind, r'"([\w-]+)"'),
                             definition).group(1)
            yield Description(kind, name, head, text.group(1) if text else "")


def operations(files):
    return [d for d in read(files) if d.kind in ("flow", "plan")]


#===-- examples -----------------------------------------------------------===#


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
    """{operand: type} of an example of flow, in order of appearance."""
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


def flow_example(name, example):
    values = operand_types(example)
    arguments = ", ".join(f"{value}: {kind}" for value, kind in values.items())
    return f"{kernel_for(example, values)}func.func @example_{name}({arguments}) {{\n  {example}\n  return\n}}"


def plan_example(name, example):
    """The example in a program, behind a buffer for each of its operands and the tensor that it names."""
    if name in ("tensor", "program"):
        return example
    right = example.partition("=")[2] if re.match(r" *%\w+ =", example) else example
    operands = re.findall(r"%\w+", right)
    views = re.findall(r"!plan\.view<[^>]*>", right)
    if len(operands) > len(views):
        raise SystemExit(f"cannot match operands and types in: {example}")
    lines = [f"  {value} = plan.buffer : {view}" for value, view in zip(operands, views)]
    tensor = re.search(r"plan\.input (@\w+)", example)
    before = (f"plan.tensor {tensor.group(1)} {{kind = \"input\", shape = array<i64: -1, 4>, "
              f"view = !plan.view<[-1, 4], [16, 1], f32>, offset = 0 : i64}}\n" if tensor else "")
    return "\n".join([f"{before}plan.program @example_{name} {{"] + lines + [f"  {example}", "}"])


def print_examples(files):
    for op in operations(files):
        section = op.section("Example") or ""
        example = re.match(r"`([^`]*)`", section)
        if not example:
            raise SystemExit(f"{op.kind}.{op.name} has no example in its description")
        print((flow_example if op.kind == "flow" else plan_example)(op.name, example.group(1)))


#===-- constraints and sections -------------------------------------------===#


def print_constraints(files):
    for description in read(files):
        for number in sorted(set(re.findall(r"\(C(\d+)\)", description.text))):
            print(f"{description.name}_c{number}")


def check_sections(files):
    problems = []
    for d in read(files):
        owed = SECTIONS[d.kind]
        found = [label for label in re.findall(r"^ *(\w+): ", d.text, re.M) if label in owed]
        if found != owed:
            problems.append(f"{d.kind} {d.name}: has the sections {', '.join(found) or 'none'}; owed are {', '.join(owed)}")
            continue
        empty = [label for label in owed if len(d.section(label)) < 4]
        problems += [f"{d.kind} {d.name}: {label} says nothing" for label in empty]
        has_adjoint = re.search(r"\bAdjoint\b", d.traits) is not None
        if d.kind == "flow" and has_adjoint == d.section("Adjoint").startswith("none"):
            problems.append(f"flow {d.name}: Adjoint is '{d.section('Adjoint')}', but the operation "
                            + ("has" if has_adjoint else "has no") + " AdjointOpInterface")
    if problems:
        raise SystemExit("\n".join(problems))


def main():
    commands = {
        "operations": lambda files: print(*(op.name for op in operations(files)), sep="\n"),
        "examples": print_examples,
        "constraints": print_constraints,
        "sections": check_sections,
    }
    if len(sys.argv) < 3 or sys.argv[1] not in commands:
        raise SystemExit(__doc__)
    commands[sys.argv[1]](sys.argv[2:])


if __name__ == "__main__":
    main()
