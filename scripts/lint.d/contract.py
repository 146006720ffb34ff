#!/usr/bin/python3
"""Finds facts that two programs share and that are spelled a second time: contract.py FILE…

Labels, annotations, keys, names, ports and variables are constants in renderer/contract. A text in another product file that is one of them, or
has it as a word, is refused; so is the number of a port. Texts with spaces are for people, and plain words such as "state" mean many things.
"""
import pathlib
import re
import sys

HOME = "renderer/contract/"
# What looks the same: a generator, files of a tailnet policy, a field manager, names of tailscaled's LocalAPI.
OTHERS = {"renderer/": {"api-proxy"}, "renderer/lint/tailnet_policy.cpp": {".hujson"}, "runtime/kube/client.cpp": {"tailrender-controller"},
          "runtime/localapi/": {"serve-config", "AuthKey"}}
TOKEN = re.compile(r'//[^\n]*|(?:(TAILRENDER_DOMAIN)\s+)?"((?:[^"\\\n]|\\.)*)"|\'(?:[^\'\\\n]|\\.)\'|\b(\d{4,5})\b')
CONSTANT = re.compile(r'inline constexpr [\w:]+ (k\w+) =\s+(?:(TAILRENDER_DOMAIN) )?("[^"]*"|\d+);')
DOMAIN = "tailrender.dev"


def constants():
    """Values and their places."""
    found = {}
    for header in sorted(pathlib.Path(HOME).glob("*.h")):
        for name, domain, value in CONSTANT.findall(header.read_text(encoding="utf-8")):
            text = (DOMAIN if domain else "") + value.strip('"')
            if re.search(r"[A-Z_./-]|^\d{4,}$", text):
                found.setdefault(text, f"{header}, {name}")
    return found


def pattern(values):
    """Whole words; what only ends or begins a name has to be all there is beside it."""
    parts = [value for value in values if value[0] == "-" or value[-1] in "-/"]
    words = "|".join(re.escape(one) for one in sorted(set(values) - set(parts), key=len, reverse=True)) or "(?!)"
    ends = "|".join(map(re.escape, parts)) or "(?!)"
    return re.compile(rf"(?<![\w./-])({words})(?![\w./-])|^(?:\{{\}})?({ends})(?:\{{\}})?$")


def repeats(name, known, words):
    source = pathlib.Path(name).read_text(encoding="utf-8")
    allowed = set().union(*(others for path, others in OTHERS.items() if name.startswith(path)))
    for token in TOKEN.finditer(source):
        domain, text, number = token.groups()
        text = number or (DOMAIN if domain else "") + (text or "")
        if not text or " " in text or source[source.rfind("\n", 0, token.start()) + 1:].startswith("#include"):
            continue
        for one in words.finditer(text):
            value = one[1] or one[2]
            if value not in allowed:
                line = source.count("\n", 0, token.start()) + 1
                yield f"{name}:{line}: \"{text}\" repeats {known[value]}"


def main():
    known = constants()
    words = pattern(known)
    wrong = [one for name in sys.argv[1:] if not name.startswith(HOME) for one in repeats(name, known, words)]
    for one in wrong:
        print(one)
    sys.exit(1 if wrong else 0)


main()
