#!/usr/bin/python3
"""Finds names that two files of one library define for themselves: file_names.py FILE…

Several files of a library are compiled as one unit, in batches that change with every new file. A constant or type in the anonymous
namespaces of two files is then an error in a file that no one changed, and two functions may silently become overloads of one another. So
such names must be unique in their library, and no function may have the name of a function in a header that the library includes: it would
hide that function from the files behind it. Functions may share a name if their first parameters cannot be converted into each other: these
must be classes of different names, neither a text nor a Value, and neither derived from the other. A template parameter counts as any
class.
"""
import collections
import functools
import os
import pathlib
import re
import subprocess
import sys

import units

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CONVERTIBLE = {"string", "string_view", "char", "bool", "int", "auto", "Value", "size_t", "int64_t", "uint64_t", "uint32_t", "Pos", "path",
               "function", "optional", "span", "vector", ""}
# Names that every test uses, or an alias of the same namespace.
SHARED = {"TEST", "TEST_F", "TEST_P", "INSTANTIATE_TEST_SUITE_P", "fs"}


def first_parameter(text):
    """Returns the class of the first parameter, without const, reference and namespace."""
    inner = text.split("(", 1)[1] if "(" in text else ""
    inner = re.sub(r"\b(const|renderer::|runtime::|std::)", "", re.split(r"[,)<]", inner)[0]).strip()
    return re.split(r"[\s&*]", inner)[0] if inner else ""


def as_any(parameter, parameters):
    """`parameters` are the names of the template's parameters."""
    return "auto" if parameter in parameters else parameter


@functools.cache
def bases():
    """Maps each class in a header to the classes that it derives from, directly or not; names have no namespaces."""
    direct = collections.defaultdict(set)
    headers = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard", "--", "*.h"], check=True, capture_output=True, text=True)
    for header in headers.stdout.splitlines():
        for name, all_of in re.findall(r"^ *(?:struct|class) (\w+)(?: final)? : ([^{;]+)\{", (ROOT / header).read_text(encoding="utf-8"), re.M):
            direct[name] |= {re.sub(r"<.*", "", base).split()[-1].rpartition("::")[2] for base in all_of.split(",")}

    def of(name, seen):
        for base in direct.get(name, set()) - seen:
            seen.add(base)
            of(base, seen)
        return seen
    return {name: of(name, set()) for name in list(direct)}


def definitions(path):
    """Yields (name, line, class of the first parameter, an alias, or None) for the definitions in the anonymous namespaces of a file."""
    inside, template = False, ()
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line == "namespace {":
            inside = True
        elif line.startswith("}  // namespace"):
            inside = False
        if inside and line.startswith("template"):
            template = set(re.findall(r"\b(?:typename|class|std::\w+|[A-Z]\w*)(?:\.\.\.)? (\w+)", line))
        if not inside or not line or line[0] in " /})#" or line.startswith(("namespace", "template")):
            continue
        kind = re.match(r"(?:class|struct|enum(?: class)?|union)\s+(?:\[\[\w+\]\]\s*)?(\w+)|using (\w+) =", line)
        if kind:
            if "{" in line or line.startswith("using"):
                yield kind[1] or kind[2], number, line if line.startswith("using") and line.endswith(";") else None
            continue
        name = re.match(r"[^=({]*?\b(\w+)(?:\[\w*\])?\s*([={(])", line)
        if name:
            yield name[1], number, as_any(first_parameter(line), template) if name[2] == "(" else None
            template = ()


def may_meet(first, second):
    if None in (first, second):
        return True
    if first.startswith("using"):  # two files may have the same alias
        return first != second
    return (first == second or first in CONVERTIBLE or second in CONVERTIBLE or
            first in bases().get(second, ()) or second in bases().get(first, ()))


def clashes(files):
    found = collections.defaultdict(list)
    for file in files:
        for name, line, parameter in definitions(file):
            found[name].append((file, line, parameter))
    for name, places in sorted(found.items()):
        if name in SHARED:
            continue
        for index, (file, line, parameter) in enumerate(places):
            other = next((place for place in places[:index] if place[0] != file and may_meet(place[2], parameter)), None)
            if other:
                yield f"{os.path.relpath(file, ROOT)}:{line}: \"{name}\" is also in {os.path.relpath(other[0], ROOT)}:{other[1]}"


def declared(header):
    """Yields (name, line, class of the first parameter) of the functions that a header declares."""
    template = ()
    for number, line in enumerate((ROOT / header).read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("template"):
            template = set(re.findall(r"\b(?:typename|class)(?:\.\.\.)? (\w+)", line))
        found = re.match(r"(?:inline |constexpr |consteval |\[\[nodiscard\]\] )*[\w:][\w:<>,&* ]* [&*]?(\w+)\(", line)
        if found and not line.startswith(("class", "struct", "using", "return")):
            yield found[1], number, as_any(first_parameter(line), template)
            template = ()


def hidden(files, known):
    headers = {header for file in files for header in units.included(os.path.relpath(file, ROOT), known) if header.endswith(".h")}
    by_name = collections.defaultdict(list)
    for header in sorted(headers):
        if (ROOT / header).exists():
            for name, line, parameter in declared(header):
                by_name[name].append((header, line, parameter))
    for file in files:
        for name, line, parameter in definitions(file):
            if parameter is None or parameter.startswith("using"):
                continue
            for header, at, other in by_name.get(name, ()):
                if may_meet(parameter, other):
                    yield f"{os.path.relpath(file, ROOT)}:{line}: \"{name}\" hides that of {header}:{at}"
                    break


def libraries(names):
    """Groups the files that are compiled together: a folder's sources, its tests, its fuzz targets."""
    out = collections.defaultdict(list)
    for name in names:
        folder = name.split("/")[:2]
        if folder == ["renderer", "secrets"]:
            folder = ["renderer", "core"]
        base = name.rsplit("/", 1)[1]
        if len(folder) == 2 and folder[1] == base and base.startswith("golden_"):
            folder = [folder[0], "golden"]
        kind = "fuzz" if base.startswith("fuzz_") else "test" if re.search(r"_test(ing)?\.cpp$", base) and folder[-1] != "golden" else "product"
        if base != "main.cpp":
            out[(*folder, kind)].append(ROOT / name)
    return out


def main():
    failed, known = False, {}
    for files in libraries(name for name in sys.argv[1:] if name.endswith(".cpp")).values():
        for clash in [*clashes(sorted(files)), *hidden(sorted(files), known)]:
            print(clash)
            failed = True
    sys.exit(failed)


main()
