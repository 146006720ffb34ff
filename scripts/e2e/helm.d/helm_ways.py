"""The ways in which helm calls tailrender, set up as their READMEs say, and the contents of a stream of helm.

Everything that helm keeps, such as its plug-ins, is in a scratch folder, and `tailrender` there is the binary under test.
"""
import json
import os
import re

import yaml

from shared.checks import run
from shared.fleet import ROOT

HOOK = "helm.sh/hook"
MARK = "meta.helm.sh/release-name"


PLUGINS = {"plugin3": ROOT / "plugins" / "helm3" / "tailrender", "plugin4": ROOT / "plugins" / "helm4"}
NAMES = ("executable3", *PLUGINS)


class Way:
    """One of the ways, for releases in one namespace."""

    def __init__(self, helm, words, env, namespace):
        """`words` are the arguments before and after the verb."""
        self.helm, self.words, self.env, self.namespace = helm, words, env, namespace
        self.knows_release = words[0] == ["tailrender"]

    def changing(self, verb, *words):
        """Returns the command for a verb that renders, with tailrender as its post-renderer."""
        before, after = self.words
        return [self.helm, *before, verb, *after, *words, "--namespace", self.namespace]

    def change(self, verb, *words):
        return run(*self.changing(verb, *words), env=self.env)

    def plain(self, *words):
        return run(self.helm, *words, "--namespace", self.namespace, env=self.env)


def way_of(name, tailrender, scratch, namespace, flags=()):
    """Returns one of NAMES: Helm 3 with the executable or with the plug-in, Helm 4 with the plug-in. `scratch` must be a separate
    folder."""
    (scratch / "bin").mkdir()
    (scratch / "bin" / "tailrender").symlink_to(tailrender)
    env = {"PATH": f"{scratch / 'bin'}:{os.environ['PATH']}", **{f"HELM_{what}_HOME": str(scratch / what) for what in ("DATA", "CONFIG", "CACHE")}}
    flagged = [f"--post-renderer-args={flag}" for flag in flags]
    told = [f"--post-renderer-args=--namespace={namespace}", *flagged]
    words = {"executable3": ([], ["--post-renderer", "tailrender", "--post-renderer-args", "post-render", *told]),
             "plugin3": (["tailrender"], flagged),
             "plugin4": ([], ["--post-renderer", "tailrender", *told])}[name]
    way = Way("helm4" if name == "plugin4" else "helm", words, env, namespace)
    if name in PLUGINS:
        run(way.helm, "plugin", "install", PLUGINS[name], env=env)
        version = run(tailrender, "--version").split()[1]
        assert re.search(rf"(?m)^tailrender\s+{re.escape(version)}\s", run(way.helm, "plugin", "list", env=env))
    return way


def documents(text):
    """Returns the bytes of each document, without helm's comment with its source."""
    chunks = (re.sub(r"\A(# Source: .*\n)", "", chunk.lstrip("\n")) for chunk in re.split(r"(?m)^---[ \t]*$", text))
    return [chunk.rstrip("\n") for chunk in chunks if chunk.strip()]


def annotations(value):
    return value["metadata"].get("annotations") or {}


def is_hook(value):
    return HOOK in annotations(value)


def name_of(value, namespace):
    """Returns Kind/namespace/name; an object of the chart without a namespace gets that of the release."""
    metadata = value["metadata"]
    return f"{value['kind']}/{metadata.get('namespace') or namespace}/{metadata['name']}"


def objects(text, namespace):
    """Returns the objects by name. A hook and an object of the release may have the same name. Helm does not own namespaces; some documents
    are comments."""
    found = {}
    for chunk in documents(text):
        value = yaml.safe_load(chunk)
        if value is None or value["kind"] == "Namespace":
            continue
        name = name_of(value, namespace) + (" (hook)" if is_hook(value) else "")
        assert name not in found, f"{name} is in the output twice"
        metadata = {**value["metadata"], "namespace": name_of(value, namespace).split("/")[1]}
        if not annotations(value):  # helm 4 removes an empty map, with any post-renderer
            metadata.pop("annotations", None)
        found[name] = {**value, "metadata": metadata}
    return found


def of_release(found):
    return {name: value for name, value in found.items() if not is_hook(value)}


def on_server(kinds, namespaces, release=None):
    """Returns the names of the objects that a release owns on the server (helm marks each of them); without a release, of all objects."""
    found = set()
    for namespace in namespaces:
        for item in json.loads(run("kubectl", "get", kinds, "--namespace", namespace, "-o", "json"))["items"]:
            if release is None or annotations(item).get(MARK) == release:
                found.add(name_of(item, ""))
    return found
