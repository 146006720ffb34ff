#!/usr/bin/python3
"""Checks the type annotations of Python modules with mypy: scripts/lint.d/annotations.py CACHE

Checks each module of the folders below that another file of scripts imports: all its functions must have types, and what they do must fit
them. CACHE is a folder for what mypy remembers.
"""
import ast
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# Each run has the folders that are on sys.path together: modules of different runs may have the same name.
RUNS = (("scripts/e2e/shared", "scripts/e2e/lab.d", "scripts/parity.d"), ("scripts/proxy_contract.d",), ("scripts/api_proxy_contract.d",))
PACKAGES = ("shared",)


def python_files():
    command = ["git", "ls-files", "-co", "--exclude-standard", "-z", "--", "scripts"]
    for name in filter(None, subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")):
        file = ROOT / name
        if file.is_file() and (file.suffix == ".py" or re.match(rb"#!.*python3", file.read_bytes())):
            yield file


def imports(file):
    """Yields the names of all modules that the file may import; `from a import b` may import a module `a.b`."""
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        if isinstance(node, ast.ImportFrom):
            module = ".".join(filter(None, (file.parent.name if node.level else "", node.module)))
            yield from (module, *(f"{module}.{alias.name}" for alias in node.names))


def modules(folder, imported):
    package = f"{folder.name}." if folder.name in PACKAGES else ""
    return [name for file in sorted(folder.glob("*.py")) if (name := package + file.stem) in imported]


def check(folders, cache, imported):
    """Returns the findings of mypy."""
    paths = [str(pathlib.Path(folder).parent) if pathlib.Path(folder).name in PACKAGES else folder for folder in folders]
    chosen = [word for folder in folders for module in modules(ROOT / folder, imported) for word in ("-m", module)]
    if not chosen:
        return ""
    done = subprocess.run(["/usr/bin/python3", "-m", "mypy", "--config-file", "scripts/lint.d/mypy.ini", "--no-error-summary",
                           "--cache-dir", cache / pathlib.Path(folders[-1]).name, *chosen],
                          cwd=ROOT, env={**os.environ, "MYPYPATH": ":".join(paths)}, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr if done.returncode else ""


def main():
    cache = pathlib.Path(sys.argv[1]).absolute()
    imported = {name for file in python_files() for name in imports(file)}
    with concurrent.futures.ThreadPoolExecutor() as pool:
        found = "".join(pool.map(lambda folders: check(folders, cache, imported), RUNS))
    print(found, end="")
    sys.exit(1 if found else 0)


main()
