"""The ways in which helm calls tailrender, set up as their READMEs say, and what a stream of helm holds.

Everything that helm keeps (its plug-ins above all) lies in a scratch folder, and `tailrender` there is the binary under test.
"""
import json
import os
import pathlib
import re

import yaml

from shared.checks import run

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
HOOK = "helm.sh/hook"
MARK = "meta.helm.sh/release-name"


class Way:
    """One of them, for releases in one namespace."""

    def __init__(self, name, helm, words, env):
        self.name, self.helm, self.words, self.env = name, helm, words, env
        self.namespace = None
        self.knows_release = words(None)[0] == ["tailrender"]

    def change(self, verb, *words):
        """A verb that renders: tailrender stands behind it."""
        before, after = self.words(self.namespace)
        return run(self.helm, *before, verb, *after, *words, "--namespace", self.namespace, env=self.env)

    def plain(self, *words):
        return run(self.helm, *words, "--namespace", self.namespace, env=self.env)

    def version(self):
        return run(self.helm, "version", "--template", "{{.Version}}", env=self.env)


def ways(tailrender, scratch, namespace, flags=()):
    """Helm 3 with the executable and with the plug-in, Helm 4 with the plug-in."""
    scratch = pathlib.Path(scratch)
    (scratch / "bin").mkdir()
    (scratch / "bin" / "tailrender").symlink_to(tailrender)
    path = f"{scratch / 'bin'}:{os.environ['PATH']}"
    flagged = [f"--post-renderer-args={flag}" for flag in flags]

    def home(name):
        folder = scratch / name
        return {"PATH": path, "HELM_DATA_HOME": str(folder / "data"), "HELM_CONFIG_HOME": str(folder / "config"),
                "HELM_CACHE_HOME": str(folder / "cache")}

    def told(namespace):
        return [f"--post-renderer-args=--namespace={namespace}", *flagged]

    found = [Way("helm 3, executable", "helm",
                 lambda namespace: ([], ["--post-renderer", "tailrender", "--post-renderer-args", "post-render", *told(namespace)]),
                 home("executable")),
             Way("helm 3, plug-in", "helm", lambda namespace: (["tailrender"], flagged), home("plugin3")),
             Way("helm 4, plug-in", "helm4", lambda namespace: ([], ["--post-renderer", "tailrender", *told(namespace)]),
                 home("plugin4"))]
    version = run(tailrender, "--version").split()[1]
    for way, plugin in zip(found[1:], (ROOT / "plugins" / "helm3" / "tailrender", ROOT / "plugins" / "helm4")):
        run(way.helm, "plugin", "install", plugin, env=way.env)
        listed = run(way.helm, "plugin", "list", env=way.env)
        assert re.search(rf"(?m)^tailrender\s+{re.escape(version)}\s", listed), f"{way.name} is not of version {version}:\n{listed}"
    for way in found:
        way.namespace = namespace
    return found


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
        assert name not in found, f"{name} stands twice in the output"
        metadata = {**value["metadata"], "namespace": name_of(value, namespace).split("/")[1]}
        if not annotations(value):  # helm 4 takes an empty map away, whatever stands behind it
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
