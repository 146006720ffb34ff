#!/usr/bin/python3
"""Lists what is linked into the released program, as SPDX 2.3: sbom.py BUILD VERSION PROGRAM [ROOT]

Of each archive that the linker gets, and of the libraries that are compiled from headers, it names the Debian package with its version. ROOT
is the Debian in which a program for arm64 was built elsewhere (scripts/arm64). The same program and packages give the same bytes; the time is
SOURCE_DATE_EPOCH.
"""
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

HEADERS = ["libcli11-dev", "libfmt-dev", "nlohmann-json3-dev"]
# Linked by the compiler itself.
OF_COMPILER = ["libc6-dev", "libstdc++-12-dev"]


def archives(build):
    """Returns the archives of this machine that the linker gets for the program."""
    text = pathlib.Path(build, "build.ninja").read_text(encoding="utf-8")
    found = re.search(r"^build renderer/tailrender: .*?\n  LINK_LIBRARIES = (.*?)\n", text, re.M | re.S)
    return sorted(word for word in found[1].split() if word.startswith("/") and word.endswith(".a"))


def packages(build, root):
    """Yields name, version, source and architecture of each package, sorted by name."""
    def query(*words):
        return subprocess.run(["dpkg-query", f"--admindir={root or ''}/var/lib/dpkg", *words], check=True, capture_output=True, text=True).stdout

    owners = {line.split(": ")[0] for line in query("--search", "--", *archives(build)).splitlines()}
    of_compiler = [f"{name}-arm64-cross" if root else name for name in OF_COMPILER]
    shown = query("--show", "--showformat", "${Package} ${Version} ${source:Package} ${Architecture}\n", *sorted(owners), *HEADERS, *of_compiler)
    return sorted({tuple(line.split()) for line in shown.splitlines()})


def package(name, version, source, architecture):
    url = f"pkg:deb/debian/{name}@{version}?arch={architecture}&distro=debian-12"
    return {"SPDXID": f"SPDXRef-{re.sub('[^A-Za-z0-9.-]', '-', name)}", "name": name, "versionInfo": version, "supplier": "Organization: Debian",
            "sourceInfo": f"built from the Debian source package {source}", "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION",
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": url}]}


def main():
    build, version, program, *root = sys.argv[1:]
    checksum = hashlib.sha256(pathlib.Path(program).read_bytes()).hexdigest()
    linked = [package(*one) for one in packages(build, *(root or [None]))]
    time = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    ours = {"SPDXID": "SPDXRef-tailrender", "name": "tailrender", "versionInfo": version, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "licenseConcluded": "Apache-2.0", "licenseDeclared": "Apache-2.0", "copyrightText": "2026 the tailrender developers",
            "primaryPackagePurpose": "APPLICATION", "checksums": [{"algorithm": "SHA256", "checksumValue": checksum}]}
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", ours["SPDXID"]), *((ours["SPDXID"], "STATIC_LINK", one["SPDXID"]) for one in linked)]
    document = {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"tailrender-{version}",
                "documentNamespace": f"https://tailrender.dev/spdx/tailrender-{version}-{checksum}",
                "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: tailrender-release", "Organization: tailrender developers"]},
                "packages": [ours, *linked],
                "relationships": [{"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other} for one, kind, other in relations]}
    print(json.dumps(document, indent=1))


main()
