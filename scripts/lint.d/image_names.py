#!/usr/bin/python3
"""Checks the names of container images: scripts/lint.d/image_names.py [FILE…]

A name that no one owns could be registered by anyone, and that image would run, privileged and with auth keys. So

- an image of this project has a registry, wherever it is named;
- in our defaults, output, documentation and examples, a registry is `registry.example.com` or another name that is reserved for examples
  (RFC 2606), or that of an image of Tailscale's, of Kubernetes or of Docker's library.

Without FILE, checks all files of the repository.
"""
import re
import subprocess
import sys

# The name of an image of ours that begins with no registry. A path of the repository is preceded by a slash, a link of GitHub by its host.
OURS = re.compile(r"(?<![\w./-])(?:docker\.io/|index\.docker\.io/)?tailrender/tailrender(?:-proxy|-runtime)?(?![\w/-])")
# What names an image: a field, a setting, or an argument of buildah, podman or docker.
NAMED = re.compile(r"""(?:\b(?:image|repository|repo)["']?[:=]\s*|--tag[ =]|\bpush )["'`]*([\w.:-]+/[\w./:@-]+)""")
RESERVED = re.compile(r"(?:[\w-]+\.)*example(?:\.(?:com|net|org))?(?::\d+)?$")
KNOWN = ("ghcr.io/tailscale/", "docker.io/tailscale/", "index.docker.io/tailscale/", "registry.k8s.io/", "docker.io/library/")
# This check, and its test.
LEFT_OUT = ("scripts/lint.d/image_names.py", "scripts/scripts_test")
# Tests and tools may name what others publish.
OURS_ALONE = re.compile(r"scripts/|.*_test\.cpp$")


def is_registry(host):
    """True for what Docker takes for a registry: it has a dot or a port."""
    return not host.startswith(".") and ("." in host or ":" in host)


def faults(file, text):
    for number, line in enumerate(text.splitlines(), 1):
        if match := OURS.search(line):
            yield number, f'"{match[0]}" names no registry'
        for name in [] if OURS_ALONE.match(file) else NAMED.findall(line):
            host = name.split("/")[0]
            if "://" not in name and is_registry(host) and not RESERVED.match(host) and not name.startswith(KNOWN):
                yield number, f'"{name}" is in a registry that is not ours'


def main():
    files = sys.argv[1:] or subprocess.run(["git", "ls-files", "-z"], capture_output=True, text=True, check=True).stdout.split("\0")
    wrong = []
    for file in files:
        if file and not file.startswith(LEFT_OUT):
            try:
                with open(file, encoding="utf-8") as handle:
                    wrong += [f"{file}:{number}: {fault}" for number, fault in faults(file, handle.read())]
            except (OSError, UnicodeDecodeError):
                continue  # a link, or not a text
    print("\n".join(wrong), end="\n" if wrong else "")
    sys.exit(1 if wrong else 0)


main()
