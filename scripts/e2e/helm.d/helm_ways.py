"""The ways in which helm calls tailrender, set up as their READMEs say, and what a stream of helm holds.

Everything that helm keeps (its plug-ins above all) lies in a scratch folder, and `tailrender` there is the binary under test.
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
    """One of them, for releases in one namespace."""

    def __init__(self, helm, words, env, namespace):
        """`words`: before and after the verb."""
        self.helm, self.words, self.env, self.namespace = helm, words, env, namespace
        self.knows_release = words[0] == ["tailrender"]

    def changing(self, verb, *words):
        """The command with a verb that renders: tailrender is its post-renderer."""
        before, after = self.words
        return [self.helm, *before, verb, *after, *words, "--namespace", self.namespace]

    def change(self, verb, *words):
        return run(*self.changing(verb, *words), env=self.env)

    def plain(self, *words):
        return run(self.helm, *words, "--namespace", self.namespace, env=self.env)


def way_of(name, tailrender, scratch, namespace, flags=()):
    """One of NAMES: Helm 3 with the executable or with the plug-in, Helm 4 with the plug-in. `scratch` is a folder of its own."""
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
    """The bytes of each document, without helm's comment on where it came from."""
    chunks = (re.sub(r"\A(# Source: .*\n)", "", chunk.lstrip("\n")) for chunk in re.split(r"(?m)^---[ \t]*$", text))
    return [chunk.rstrip("\n") for chunk in chunks if chunk.strip()]


def annotations(value):
    return value["metadata"].get("annotations") or {}


def is_hook(value):
    return HOOK in annotations(value)


def name_of(value, namespace):
    """Kind/namespace/name; an object of the chart that names no namespace lands in the release's."""
    metadata = value["metadata"]
    return f"{value['kind']}/{metadata.get('namespace') or namespace}/{metadata['name']}"


def objects(text, namespace):
    """By name. A hook and an object of the release may have the same one. Helm does not own namespaces; some documents are comments."""
    found = {}
    for chunk in documents(text):
        value = yaml.safe_load(chunk)
        if value is None or value["kind"] == "Namespace":
            continue
        name = name_of(value, namespace) + (" (hook)" if is_hook(value) else "")
        assert name not in found, f"{name} is in the output twice"
        metadata = {**value["metadata"], "namespace": name_of(value, namespace).split("/")[1]}
        if not annotations(value):  # helm 4 takes an empty map away, whatever the post-renderer is
            metadata.pop("annotations", None)
        found[name] = {**value, "metadata": metadata}
    return found


def of_release(found):
    return {name: value for name, value in found.items() if not is_hook(value)}


def on_server(kinds, namespaces, release=None):
    """Names of what a release owns there (helm marks each of its objects); without one, of everything."""
    found = set()
    for namespace in namespaces:
        for item in json.loads(run("kubectl", "get", kinds, "--namespace", namespace, "-o", "json"))["items"]:
            if release is None or annotations(item).get(MARK) == release:
                found.add(name_of(item, ""))
    return found
