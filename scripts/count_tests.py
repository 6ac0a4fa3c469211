#!/usr/bin/env python3
"""Adds up what ctest runs did and prints `N passed, M failed, K skipped`; exit code 1 unless M is 0 and N is not.

usage: count_tests.py FOLDER [--broken N] [--expect RUN:NAME,NAME...]...

FOLDER/RUN/ holds ctest.xml (ctest --output-junit) of a run and, where the tests wrote them, NAME.xml or NAME-test.xml:
GoogleTest's or lit's report of the test NAME, whose single tests are counted instead of the one of ctest. A test without
a report counts by its last line if that is `N passed, M failed[, K skipped]`, else as one. A program that failed
although its report names no failure (it crashed, or a sanitizer spoke at its end) counts as one failure more.
--broken adds failures of what is no test; --expect names tests that must have run: a missing one is a failure.
"""
import argparse
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

CLOSING_LINE = re.compile(r"(?:^|\n)(\d+) passed, (\d+) failed(?:, (\d+) skipped)?\s*\Z")


def count_report(path):
    """(passed, failed, skipped) of a GoogleTest or lit report; None if there is none that can be read."""
    try:
        root = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError):
        return None
    passed = failed = skipped = 0
    for case in root.iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif case.find("skipped") is not None or case.get("status") == "notrun":
            skipped += 1
        else:
            passed += 1
    return passed, failed, skipped


def count_case(case, folder):
    """(passed, failed, skipped, note) of one test of ctest; the note says what went wrong."""
    name, status = case.get("name"), case.get("status")
    skip = case.find("skipped")
    if status in ("disabled", "notrun"):
        message = (skip.get("message") or "") if skip is not None else ""
        if status == "disabled" or message.startswith(("SKIP_", "Disabled")):
            return 0, 0, 1, f"{name}: skipped"
        return 0, 1, 0, f"{name}: did not run ({message or 'no reason given'})"
    ok = status == "run"
    counts = count_report(folder / f"{name}.xml") or count_report(folder / f"{name}-test.xml")
    if counts is None:
        line = CLOSING_LINE.search(case.findtext("system-out") or "")
        counts = tuple(int(n or 0) for n in line.groups()) if line else (int(ok), int(not ok), 0)
    passed, failed, skipped = counts
    if not ok and failed == 0:
        failed, note = 1, f"{name}: ended badly although no single test failed"
    elif ok and passed + failed + skipped == 0:
        failed, note = 1, f"{name}: ran no test"
    else:
        note = f"{name}: {failed} failed" if failed else None
    return passed, failed, skipped, note


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--broken", type=int, default=0)
    parser.add_argument("--expect", action="append", default=[])
    arguments = parser.parse_args()

    passed = skipped = 0
    failed = arguments.broken
    notes, seen = [], set()
    for report in sorted(arguments.folder.glob("*/ctest.xml")):
        for case in ElementTree.parse(report).getroot().iter("testcase"):
            seen.add((report.parent.name, case.get("name")))
            p, f, s, note = count_case(case, report.parent)
            passed, failed, skipped = passed + p, failed + f, skipped + s
            if note:
                notes.append(f"{report.parent.name}: {note}")
    for expectation in arguments.expect:
        run, names = expectation.split(":", 1)
        if not (arguments.folder / run / "ctest.xml").exists():
            if arguments.broken == 0:  # else the broken phase before it is counted already
                failed += 1
                notes.append(f"{run}: was not run")
            continue
        for name in names.split(","):
            if (run, name) not in seen:
                failed += 1
                notes.append(f"{run}: {name} is missing")
    for note in notes:
        print(note)
    if passed + failed + skipped == 0:
        print("no test was run")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 0 if failed == 0 and passed > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
