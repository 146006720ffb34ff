#!/usr/bin/python3
"""Finds places in our CI files where the name of a branch or a title could run commands: ci_plugins.py [FOLDER]

Checks the workflows, actions, templates and scripts below plugins/ and .github/, and the workflows that pages quote. Such text reaches a
shell through an expression that is expanded before the shell reads the line, through a variable whose value other people choose, or as an
option where a revision or a path is expected. "on: pull_request_target" runs code of a fork with the secrets of the repository.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# Variables and fields of events whose text other people choose.
OTHERS_WORDS = re.compile(
    r"\bCI_(COMMIT_(REF_NAME|BRANCH|TAG|TAG_MESSAGE|TITLE|MESSAGE|DESCRIPTION|AUTHOR)"
    r"|MERGE_REQUEST_(TITLE|DESCRIPTION|LABELS|MILESTONE|SOURCE_BRANCH_NAME|TARGET_BRANCH_NAME|REF_PATH))\b"
    r"|\bGITHUB_(HEAD_REF|BASE_REF|REF|REF_NAME)\b"
    r"|\.pull_request\.(title|body|head\.(ref|label)|base\.ref|user)|\.(head_commit|comment|review|issue)\b")
EXPRESSION = re.compile(r"\$\{\{")
EVALUATES = re.compile(r"\beval\b|\b(ba|da)?sh\s+-c\b")
POSITIONAL = re.compile(r"(?<![\w-])tailrender\s+(diff|check|render|lint|commit)\b[^|;&>]*")
VARIABLE = re.compile(r'"?\$\{?\w+')
# Options whose value may be a variable: such a value is not a positional revision or path.
OPTION_WITH_VALUE = re.compile(r'\s(-o|--(output|values|set|cluster|namespace|branch|format))[ =]"?\$\{?\w+[^"\s]*"?')
ARRAYS = re.compile(r'"?\$\{?\w*(arguments|ARGUMENTS)[^\s]*')


def lines_of_shell(path, text):
    """Yields (number, line) of what a shell reads: a whole script, and the values of run: and script: in YAML."""
    lines = text.splitlines()
    if text.startswith("#!"):
        yield from enumerate(lines, 1)
        return
    inside = None
    for number, line in enumerate(lines, 1):
        indent = len(line) - len(line.lstrip(" "))
        if inside is not None and line.strip() and indent <= inside:
            inside = None
        begins = re.match(r"( *(?:- )*)(run|script|before_script|after_script):(.*)", line)
        if inside is not None:
            yield number, line
        elif begins:
            inside = len(begins[1]) if begins[3].strip() in ("", "|", ">", "|-", ">-") or begins[2] != "run" else None
            yield number, begins[3]


def problems(path, text):
    for number, line in enumerate(text.splitlines(), 1):
        if "pull_request_target" in line and "never" not in line:
            yield number, "pull_request_target gives the repository's secrets to a fork: pull_request"
    for number, line in lines_of_shell(path, text):
        if line.lstrip().startswith("#"):
            continue
        if EXPRESSION.search(line):
            yield number, "an expression is expanded before the shell reads the line: pass it in env"
        if OTHERS_WORDS.search(line):
            yield number, "others choose what this says: use the commit's hash or the number of the pull request"
        if EVALUATES.search(line):
            yield number, "what is evaluated may hold words of others: an array of arguments"
        for command in POSITIONAL.finditer(line):
            rest = ARRAYS.sub("", OPTION_WITH_VALUE.sub("", command[0]))
            if VARIABLE.search(rest.split(" -- ")[0]):
                yield number, 'what begins with "-" would be an option: -- before revisions and paths'
        if re.search(r"\bgit\s+(diff|log|show|checkout|rev-parse|rev-list|merge-base)\b", line) and VARIABLE.search(
                re.sub(r"git -C \S+", "git", line)) and " -- " not in line and "--end-of-options" not in line and "--prefix=" not in line:
            yield number, 'what begins with "-" would be an option: --end-of-options before revisions'


def edits_foreign_comments(text):
    """Returns whether a script changes a comment without checking its author and its mark."""
    changes = re.search(r"--request (PATCH|PUT)", text)
    return bool(changes) and not (re.search(r"\.(user|author)\.(login|id) ==", text) and "startswith(" in text)


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT
    listed = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard", "--", "plugins", ".github", "docs", "examples", "README.md"],
                            capture_output=True, text=True, check=True).stdout.splitlines()
    found = []
    for name in sorted(listed):
        path = root / name
        try:
            text = path.read_text(encoding="utf-8")
        except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):
            continue
        is_ours = path.suffix in (".yml", ".yaml", ".md") or text.startswith("#!")
        if not is_ours:
            continue
        found += [f"{name}:{number}: {problem}" for number, problem in problems(path, text)]
        if edits_foreign_comments(text):
            found.append(f"{name}: changes a comment without asking for its author and its mark")
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
