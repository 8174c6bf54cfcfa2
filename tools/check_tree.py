#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what the compiler cannot: who includes whom, and how the tree is kept.

Prints `file:line: message` for each finding; exit status 1 if there are any.
"""

from __future__ import annotations

import argparse
import pathlib
import re
import sys
import tempfile
from collections.abc import Iterator
from typing import NamedTuple

# Who may include whom, bottom-up. A layer may also include what those it names may include.
# The longest layer that a path starts with is the path's layer.
ARROWS: dict[str, tuple[str, ...]] = {
    "engine/base": (),
    "engine/platform": ("engine/base",),
    "engine/wait": ("engine/platform",),
    "engine/table": ("engine/wait",),
    "engine/scheme": ("engine/table",),
    "engine/op": ("engine/scheme",),
    "engine": ("engine/op",),
    "include/phutex": (),
    "include/phutex/embed.hpp": ("engine", "include/phutex"),
    "native": ("engine", "include/phutex"),
    "shim": ("native",),
    "fibers": ("engine",),
    "checker": ("fibers",),
    "workload": ("engine",),
    "bench": ("workload", "native"),
    "selftest": ("native",),
    "cli": ("bench", "selftest", "checker"),
}

# The engine takes from the standard library what asks nothing of an operating system.
ENGINE_STANDARD_HEADERS = frozenset(
    "algorithm array bit concepts cstddef cstdint limits memory new optional span string_view"
    " tuple type_traits utility".split()
)
ENGINE_ALSO: dict[str, frozenset[str]] = {"engine/base/order.hpp": frozenset({"atomic"})}

# Orders have names everywhere else. A machine's memory.hpp gives the names their meaning.
SPEAK_OF_MEMORY_ORDER = frozenset(
    {"engine/base/order.hpp", "native/memory.hpp", "checker/memory.hpp"}
)

# A thing that would go there has no name yet.
FOLDERS_WITHOUT_A_MEANING = frozenset(
    "utils util helpers common internal detail impl misc core".split()
)

LINES_MAX = 400
SPDX = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
SPDX_WITHIN_LINES = 3

CPP = frozenset({".c", ".cpp", ".h", ".hpp"})
PRODUCT = frozenset(layer.split("/")[0] for layer in ARROWS)
SCRIPT_FOLDERS = frozenset({"script", "tools", ".ci"})

INCLUDE = re.compile(r'\s*#\s*include\s*(?:"(?P<ours>[^"]+)"|<(?P<standard>[^>]+)>)')
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


class Finding(NamedTuple):
    path: str
    line: int
    message: str


class File(NamedTuple):
    """One file of the tree; `path` is relative to its root, with slashes."""

    root: pathlib.Path
    path: str
    text: str

    @property
    def suffix(self) -> str:
        return pathlib.PurePosixPath(self.path).suffix

    @property
    def top(self) -> str:
        return self.path.split("/")[0]

    @property
    def lines(self) -> list[str]:
        return self.text.splitlines()

    def is_cpp(self) -> bool:
        return self.suffix in CPP

    def is_build_file(self) -> bool:
        name = pathlib.PurePosixPath(self.path).name
        return name == "CMakeLists.txt" or self.suffix == ".cmake" or name.endswith(".cmake.in")

    def is_script(self) -> bool:
        return self.suffix in {".py", ".sh"} or self.top in SCRIPT_FOLDERS


def layer_of(path: str) -> str | None:
    layers = [layer for layer in ARROWS if path == layer or path.startswith(layer + "/")]
    return max(layers, key=len, default=None)


def reachable(layer: str) -> frozenset[str]:
    """The layer itself and all that it may include, however far down."""
    found = {layer}
    for below in ARROWS[layer]:
        found |= reachable(below)
    return frozenset(found)


def resolve(root: pathlib.Path, written: str) -> str | None:
    """The path of what `#include "written"` names, if it is written from an include root."""
    for prefix in ("", "include/"):
        if (root / prefix / written).is_file():
            return prefix + written
    return None


def without_comments(text: str) -> str:
    return COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def check_includes(file: File) -> Iterator[Finding]:
    if not file.is_cpp():
        return
    layer = layer_of(file.path)
    for number, line in enumerate(file.lines, 1):
        match = INCLUDE.match(line)
        if match is None or match["ours"] is None:
            continue
        target = resolve(file.root, match["ours"])
        if target is None:
            yield Finding(file.path, number,
                          f'"{match["ours"]}" is no file; include by the path from the root')
            continue
        target_layer = layer_of(target)
        if layer is None:
            continue
        if target_layer is None:
            yield Finding(file.path, number, f"{layer} must not include {target}, no layer's file")
        elif target_layer not in reachable(layer):
            yield Finding(file.path, number, f"{layer} must not include {target_layer}")


def check_engine_headers(file: File) -> Iterator[Finding]:
    if not file.is_cpp() or file.top != "engine":
        return
    allowed = ENGINE_STANDARD_HEADERS | ENGINE_ALSO.get(file.path, frozenset())
    for number, line in enumerate(file.lines, 1):
        match = INCLUDE.match(line)
        if match is not None and match["standard"] is not None and match["standard"] not in allowed:
            yield Finding(file.path, number,
                          f"the engine must not include <{match['standard']}>; ask the Platform")


def check_orders(file: File) -> Iterator[Finding]:
    if not file.is_cpp() or file.top not in PRODUCT or file.path in SPEAK_OF_MEMORY_ORDER:
        return
    for number, line in enumerate(without_comments(file.text).splitlines(), 1):
        if re.search(r"\bmemory_order(_\w+)?\b", line):
            yield Finding(file.path, number,
                          "std::memory_order; name the edge or the excuse instead")


def check_licence(file: File) -> Iterator[Finding]:
    if not (file.is_cpp() or file.is_build_file() or file.is_script()):
        return
    if not any(SPDX in line for line in file.lines[:SPDX_WITHIN_LINES]):
        yield Finding(file.path, 1, f"no line with {SPDX}")


def check_length(file: File) -> Iterator[Finding]:
    if not (file.is_cpp() or file.is_script()):
        return
    count = len(file.lines)
    if count > LINES_MAX:
        yield Finding(file.path, count, f"{count} lines; more than {LINES_MAX} are two files")


def check_folders(file: File) -> Iterator[Finding]:
    for folder in file.path.split("/")[:-1]:
        if folder in FOLDERS_WITHOUT_A_MEANING:
            yield Finding(file.path, 1, f"a folder named {folder} says nothing; find its name")


RULES = (check_includes, check_engine_headers, check_orders, check_licence, check_length,
         check_folders)


def files_of(root: pathlib.Path) -> Iterator[File]:
    for path in sorted(root.rglob("*")):
        relative = path.relative_to(root)
        top = relative.parts[0]
        if top == "build" or (top.startswith(".") and top != ".ci") or not path.is_file():
            continue
        try:
            yield File(root, relative.as_posix(), path.read_text(encoding="utf-8"))
        except UnicodeDecodeError:
            continue  # no rule is about a file that is not text


def findings_of(root: pathlib.Path) -> list[Finding]:
    return [finding for file in files_of(root) for rule in RULES for finding in rule(file)]


# The self-test: a tree in which nothing is wrong, and for each rule one file that breaks it.

LICENSED = f"// {SPDX}\n"
SOUND: dict[str, str] = {
    "engine/base/key.hpp": LICENSED + "#include <cstdint>\n",
    "engine/base/order.hpp": LICENSED + "#include <atomic>\nstd::memory_order order;\n",
    "engine/table/table.hpp": LICENSED + '#include "engine/base/key.hpp"\n'
                                         "// no std::memory_order here\n",
    "include/phutex/phutex.h": LICENSED,
    "native/c_abi.cpp": LICENSED + '#include <atomic>\n#include "phutex/phutex.h"\n',
    "tests/unit/key.cpp": LICENSED + '#include "engine/base/key.hpp"\n',
    "CMakeLists.txt": f"# {SPDX}\n",
    "README.md": "words\n" * (LINES_MAX + 1),
}
BROKEN: tuple[tuple[str, str, str], ...] = (
    ("engine/base/up.hpp", LICENSED + '#include "engine/table/table.hpp"\n',
     "engine/base must not include engine/table"),
    ("engine/down.hpp", LICENSED + '#include "native/c_abi.cpp"\n',
     "engine must not include native"),
    ("native/fibre.cpp", LICENSED + '#include "tests/unit/key.cpp"\n',
     "native must not include tests/unit/key.cpp"),
    ("native/relative.cpp", LICENSED + '#include "c_abi.cpp"\n', '"c_abi.cpp" is no file'),
    ("engine/op/clock.hpp", LICENSED + "#include <chrono>\n", "must not include <chrono>"),
    ("engine/op/raced.hpp", LICENSED + "#include <atomic>\n", "must not include <atomic>"),
    ("engine/op/system.hpp", LICENSED + "#include <sys/mman.h>\n", "must not include <sys/mman.h>"),
    ("checker/explorer.cpp", LICENSED + "int x = /* */ std::memory_order_acquire;\n", "name the edge"),
    ("bench/unlicensed.cpp", "int x;\n", "no line with SPDX"),
    ("script/unlicensed", "#!/bin/sh\n", "no line with SPDX"),
    ("cmake/Unlicensed.cmake", "\n", "no line with SPDX"),
    ("bench/long.cpp", LICENSED + "\n" * LINES_MAX, "more than 400 are two files"),
    ("bench/utils/name.cpp", LICENSED, "a folder named utils"),
)


def write(root: pathlib.Path, path: str, text: str) -> None:
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")


def self_test() -> list[str]:
    """What is wrong with the rules themselves; nothing, if each can fail and none does so alone."""
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        for path, text in SOUND.items():
            write(root, path, text)
        wrong += [f"a finding in the sound tree: {finding}" for finding in findings_of(root)]
        for path, text, expected in BROKEN:
            write(root, path, text)
            found = findings_of(root)
            if [finding.path for finding in found] != [path]:
                wrong.append(f"{path}: expected one finding there, got {found}")
            elif expected not in found[0].message:
                wrong.append(f"{path}: expected '{expected}', got '{found[0].message}'")
            (root / path).unlink()
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description="Checks include arrows and how the tree is kept.")
    parser.add_argument("root", nargs="?", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parent.parent,
                        help="the tree to check (default: the one this script is in)")
    parser.add_argument("--self-test", action="store_true",
                        help="prove that each rule can fail, on a made-up tree")
    arguments = parser.parse_args()
    if arguments.self_test:
        wrong = self_test()
        print("\n".join(wrong) if wrong else f"{len(BROKEN)} broken trees, each found out")
        return 1 if wrong else 0
    findings = findings_of(arguments.root)
    for finding in findings:
        print(f"{finding.path}:{finding.line}: {finding.message}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
