"""Checks that the code in the given Markdown files is in the sources it is said to come from.

A block that follows the line `<!-- from PATH -->` must be found in PATH, line by line and without gaps; indentation
does not count. Exits with 1 and names the block otherwise, or if a file has no such block at all.
"""

import re
import sys


def lines(text):
    return [line.strip() for line in text.strip("\n").split("\n")]


def contains(whole, part):
    return any(whole[i : i + len(part)] == part for i in range(len(whole) - len(part) + 1))


def main():
    root, *pages = sys.argv[1:]
    for page in pages:
        blocks = re.findall(r"<!-- from (\S+) -->\n+```\w*\n(.*?)\n```", open(page).read(), re.S)
        if not blocks:
            raise SystemExit(f"{page} quotes no source")
        for path, block in blocks:
            if not contains(lines(open(f"{root}/{path}").read()), lines(block)):
                raise SystemExit(f"{page} quotes {path} with lines that are not there (any more):\n{block}")


main()
