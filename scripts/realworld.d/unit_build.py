"""Builds units with the programs of their engines, offline, in a copy of the tree, which it may change."""
import fnmatch
import json
import os
import pathlib
import re
import subprocess
import tempfile

import yaml

KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")
LINKS = ("resources", "bases", "components", "generators", "transformers", "validators")
REMOTE = re.compile(r"://|^git@|^github\.com/|\?ref=")
PLUG_IN = re.compile(r"^apiVersion: *(?!builtin\b)\S", re.M)
ENCRYPTED = re.compile(r"^(apiVersion|kind): ENC\[", re.M)
NO_MATCH = re.compile(r'no resource matches strategic merge patch "(\w+)\.[^"/]*/([^"]+)\.[^".]*"')
# Kinds that a device depends on, or that define a unit.
NAMESPACED = ("Service", "Ingress", "ProxyGroupPolicy", "ConfigMap", "Secret", "Application", "ApplicationSet", "Kustomization", "HelmRelease")
LIMIT = 300  # seconds, for one program


class NotBuilt(Exception):
    pass


class Loader(yaml.CSafeLoader):
    """Loads YAML without timestamps, which JSON does not have, and with "=" as a text."""


Loader.yaml_implicit_resolvers = {first: [(tag, pattern) for tag, pattern in rules if not tag.endswith((":timestamp", ":value"))]
                                  for first, rules in yaml.CSafeLoader.yaml_implicit_resolvers.items()}


def objects(text):
    """Returns the objects of a stream that a program made."""
    found = []
    try:
        for document in yaml.load_all(text, Loader):
            if isinstance(document, dict) and str(document.get("kind", "")).endswith("List") and isinstance(document.get("items"), list):
                found += document["items"]
            else:
                found.append(document)
    except (yaml.YAMLError, ValueError) as error:
        raise NotBuilt(f"no YAML: {error}") from error
    return [one for one in found if isinstance(one, dict) and one.get("kind") and one.get("apiVersion") and isinstance(one.get("metadata"), dict)]


def objects_of_file(path):
    """Returns None if the file is not valid YAML."""
    try:
        return objects(path.read_text(encoding="utf-8", errors="replace"))
    except NotBuilt:
        return []


def at(value, *path):
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def names(content, link):
    return [entry for entry in at(content, link) or [] if isinstance(entry, str)]


def is_there(one):
    """Returns False for hooks and for objects that an engine is told to ignore."""
    notes = at(one, "metadata", "annotations") or {}
    return (notes.get("kustomize.toolkit.fluxcd.io/reconcile") != "disabled" and str(notes.get("kustomize.toolkit.fluxcd.io/ssa")).lower() != "ignore"
            and "argocd.argoproj.io/hook" not in notes)


def same_path(first, second):
    return os.path.normpath("/" + str(first or "")) == os.path.normpath("/" + second)


def fits(template, text):
    """Returns whether a template of an ApplicationSet can have produced this text."""
    parts = re.split(r"\{\{.*?\}\}", str(template or ""), flags=re.S)
    return re.fullmatch(".*".join(map(re.escape, parts)), text) is not None


class Tree:
    def __init__(self, root, tools, variables):
        self.root, self.tools, self.variables = pathlib.Path(root), tools, variables
        self.raw, self.kustomizations, self.encrypted, self.loose = [], {}, set(), False
        for folder, below, files in os.walk(self.root):
            below[:] = sorted(name for name in below if name != ".git")
            for file in sorted(files):
                path = pathlib.Path(folder, file)
                if file in KUSTOMIZATIONS:
                    self.kustomizations.setdefault(path.parent, path)
                if path.suffix in (".yaml", ".yml") and not path.is_symlink():
                    self.look_at(path)
        self.links = {folder: self.without_remote(path) for folder, path in self.kustomizations.items()}

    def look_at(self, path):
        text = path.read_text(encoding="utf-8", errors="replace")
        self.loose |= "LoadRestrictionsNone" in text
        if ENCRYPTED.search(text):
            self.encrypted.add(path.resolve())
            path.unlink()
        elif re.search(r"kind: (Kustomization|Application|ApplicationSet|ConfigMap|Secret)\b", text):
            self.raw += objects_of_file(path)

    def without_remote(self, path):
        """Leaves out charts that are not in the tree, remote resources and plug-ins, if the kustomization can be built without them."""
        content = self.content(path)
        kept = {key: value for key, value in content.items() if key not in ("helmCharts", "helmChartInflationGenerator")}
        home = path.parent / (at(content, "helmGlobals", "chartHome") or "charts")
        charts = [chart for chart in at(content, "helmCharts") or [] if (home / str(at(chart, "name")) / "Chart.yaml").exists()]
        if charts:
            kept["helmCharts"] = charts
        for link in LINKS:
            if isinstance(kept.get(link), list):
                kept[link] = [entry for entry in kept[link] if not self.is_left_out(path.parent, link, entry)]
        self.write(path, kept, content)
        return [(path.parent / entry).resolve() for link in LINKS for entry in names(kept, link)]

    def is_left_out(self, folder, link, entry):
        if not isinstance(entry, str) or "\n" in entry:
            return False
        target = folder / entry
        if link in ("generators", "transformers", "validators"):
            return target.is_file() and PLUG_IN.search(target.read_text(encoding="utf-8", errors="replace")) is not None
        return REMOTE.search(entry) is not None or (target.suffix in (".yaml", ".yml") and target.resolve() in self.encrypted)

    def without_patches(self, folder, kind, name):
        """Removes the patches of what was left out, in a directory and those that it links to."""
        changed, todo, seen = False, [pathlib.Path(folder)], set()
        while todo:
            here = todo.pop()
            if here in seen or here not in self.kustomizations:
                continue
            seen.add(here)
            todo += self.links[here]
            content = self.content(self.kustomizations[here])
            kept = dict(content)
            for key in ("patches", "patchesStrategicMerge"):
                if isinstance(kept.get(key), list):
                    kept[key] = [entry for entry in kept[key] if not self.is_patch_of(here, entry, kind, name)]
            changed |= self.write(self.kustomizations[here], kept, content)
        return changed

    @staticmethod
    def is_patch_of(folder, entry, kind, name):
        text = entry if isinstance(entry, str) else at(entry, "patch") or ""
        path = at(entry, "path") or (text if text and "\n" not in text else None)
        patches = objects_of_file(folder / path) if path and (folder / path).is_file() else objects(text)
        return any((one["kind"], at(one, "metadata", "name")) == (kind, name) for one in patches)

    @staticmethod
    def content(path):
        try:
            content = yaml.load(path.read_text(encoding="utf-8"), Loader)
        except (OSError, ValueError, yaml.YAMLError):
            return {}
        return content if isinstance(content, dict) else {}

    @staticmethod
    def write(path, kept, content):
        if kept != content:
            path.write_text(json.dumps({"buildMetadata": [], **kept}), encoding="utf-8")  # a kustomization without any field is refused
        return kept != content

    def run(self, program, *arguments):
        command = ["unshare", "--net", "--map-root-user", str(self.tools / program), *map(str, arguments)]
        done = subprocess.run(command, cwd=self.root, capture_output=True, text=True, errors="replace", timeout=LIMIT, check=False,
                              env={"HOME": "/nonexistent", "PATH": os.defpath})
        if done.returncode:
            raise NotBuilt((done.stderr.strip().splitlines() or ["exit code"])[-1])
        return done.stdout

    def tops(self):
        """Returns the directories with a kustomization that no other one names, and the manifests that none names."""
        named = {target for links in self.links.values() for target in links}
        builds = [folder for folder in self.kustomizations if folder.resolve() not in named]
        files = [path for path in self.root.rglob("*.y*ml") if path.resolve() not in named and path.name not in KUSTOMIZATIONS
                 and not any((above / "Chart.yaml").exists() or above.name.startswith(".") for above in path.parents if above.is_relative_to(self.root))]
        return builds, files


class Cluster:
    """The objects of one cluster, in the order of their units."""

    def __init__(self, tree):
        self.tree, self.found, self.known = tree, [], set()

    def add(self, built):
        """Adds objects; if two have the same name, the first one counts."""
        for one in built:
            key = (one["apiVersion"].split("/")[0], one["kind"], at(one, "metadata", "namespace"), at(one, "metadata", "name"))
            if one["kind"] != "CustomResourceDefinition" and is_there(one) and key not in self.known:
                self.known.add(key)
                self.found.append(one)

    def engine_objects(self, kind, name):
        for one in self.found + self.tree.raw:
            spelled = at(one, "metadata", "name")
            if one["kind"] == kind and name.split("/")[-1] == spelled:
                yield one

    def build(self, unit):
        if not (self.tree.root / unit.dir).is_dir():
            raise NotBuilt("no directory")
        while True:
            try:
                built = self.objects_of(unit)
                break
            except NotBuilt as error:
                patched = NO_MATCH.search(str(error))
                if not patched or not self.tree.without_patches(self.tree.root / unit.dir, *patched.groups()):
                    raise
        self.add(built)
        for one in built:
            if one["kind"] == "HelmRelease" and one["apiVersion"].startswith("helm.toolkit"):
                self.add(self.release(one))

    def objects_of(self, unit):
        if unit.kind in ("Kustomization", "FluxInstance"):
            return objects(self.flux(unit))
        if unit.kind in ("Application", "chart"):
            return self.with_namespace(self.argo(unit), unit.namespace)
        return self.plain(self.tree.root / unit.dir)

    def with_namespace(self, built, namespace):
        for one in built:
            if namespace and one["kind"] in NAMESPACED and not one["metadata"].get("namespace"):
                one["metadata"]["namespace"] = namespace
        return built

    # Flux

    def flux(self, unit):
        owner = {"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
                 "metadata": {"name": "unit", "namespace": "flux-system"}, "spec": {"prune": True, "interval": "1h", "path": unit.dir}}
        if unit.kind == "Kustomization":
            namespace = unit.name.partition("/")[0]
            fitting = [one for one in self.engine_objects("Kustomization", unit.name)
                       if one["apiVersion"].startswith("kustomize.toolkit") and same_path(at(one, "spec", "path"), unit.dir)]
            fitting.sort(key=lambda one: at(one, "metadata", "namespace") != namespace)
            if not fitting:
                raise NotBuilt("no object of this name")
            owner = json.loads(json.dumps(fitting[0]))
            owner["metadata"]["namespace"] = namespace
            self.inline_variables(owner, namespace)
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            json.dump(owner, file)
            file.flush()
            return self.tree.run("flux", "build", "kustomization", owner["metadata"]["name"], "--namespace", owner["metadata"]["namespace"],
                                 "--path", f"./{unit.dir}", "--kustomization-file", file.name, "--dry-run", "--in-memory-build")

    def inline_variables(self, owner, namespace):
        """Puts the variables of substituteFrom inline, since flux skips substituteFrom without a cluster."""
        post = at(owner, "spec", "postBuild")
        if not post:
            return
        values = {"_": ""} if post.get("substituteFrom") else {}  # without any variable nothing would be substituted
        for source in post.pop("substituteFrom", None) or []:
            if source.get("kind") == "ConfigMap":
                held = [one for one in self.engine_objects("ConfigMap", source.get("name", "")) if at(one, "metadata", "namespace") in (namespace, None)]
                values |= at(held[0], "data") or {} if held else {}
        post["substitute"] = {**self.tree.variables, **values, **(post.get("substitute") or {})}

    def release(self, one):
        """Renders a HelmRelease whose chart is in the tree."""
        chart = at(one, "spec", "chart", "spec") or {}
        folder = self.tree.root / str(chart.get("chart", "")).lstrip("./")
        if at(chart, "sourceRef", "kind") != "GitRepository" or not (folder / "Chart.yaml").exists():
            return []
        namespace = at(one, "spec", "targetNamespace") or at(one, "metadata", "namespace") or ""
        layers = [folder.parent / name for name in chart.get("valuesFiles") or []]
        for source in at(one, "spec", "valuesFrom") or []:
            if source.get("kind") == "ConfigMap" and not source.get("targetPath"):
                held = list(self.engine_objects("ConfigMap", source.get("name", "")))
                layers.append((at(held[0], "data", source.get("valuesKey", "values.yaml")) or "") if held else "")
        layers.append(at(one, "spec", "values") or {})
        name = at(one, "spec", "releaseName") or at(one, "metadata", "name")
        try:
            return self.with_namespace(objects(self.helm(name, folder, namespace, layers)), namespace)
        except NotBuilt:
            return []

    # Argo CD

    def source_of(self, unit):
        for one in self.engine_objects("Application", unit.name):
            for source in self.sources(at(one, "spec")):
                if same_path(source.get("path"), unit.dir):
                    return source
        fitting = [(self.likeness(one, unit), source) for one in self.found + self.tree.raw
                   if one["kind"] == "ApplicationSet" and fits(at(one, "spec", "template", "metadata", "name"), unit.name)
                   for source in self.sources(at(one, "spec", "template", "spec"))
                   if source.get("path") and fits(os.path.normpath(source["path"]), unit.dir)]
        source = max(fitting, key=lambda pair: pair[0])[1] if fitting else {}
        return {key: value for key, value in source.items() if key == "path" or "{{" not in json.dumps(value)}

    @staticmethod
    def likeness(one, unit):
        """Ranks a set by whether it spells the unit's directory, or else its parent: the output does not say which of several sets made a
        unit."""
        text = json.dumps(at(one, "spec", "generators"))
        return (f'"{unit.dir}"' in text, os.path.dirname(unit.dir) + "/" in text)

    @staticmethod
    def sources(spec):
        return at(spec, "sources") or [at(spec, "sourceHydrator", "drySource") or at(spec, "source") or {}]

    def argo(self, unit):
        folder, source = self.tree.root / unit.dir, self.source_of(unit)
        kustomization = self.tree.kustomizations.get(folder)
        if source.get("plugin") is not None:
            raise NotBuilt("a plug-in")
        if source.get("directory") is not None or not (kustomization or (folder / "Chart.yaml").exists()):
            return self.files(folder, source.get("directory") or {})
        if (folder / "Chart.yaml").exists() and (source.get("helm") is not None or not kustomization):
            return objects(self.chart(unit, folder, source.get("helm") or {}))
        kept = kustomization.read_text(encoding="utf-8")
        try:
            self.change(kustomization, kept, source.get("kustomize") or {})
            return objects(self.kustomize(folder))
        finally:
            kustomization.write_text(kept, encoding="utf-8")

    @staticmethod
    def change(path, text, options):
        changes = {key: options[key] for key in ("namePrefix", "nameSuffix", "namespace", "patches", "components") if options.get(key)}
        if changes:
            content = yaml.load(text, Loader) or {}
            for key, value in changes.items():
                content[key] = (content.get(key) or []) + value if isinstance(value, list) else value
            path.write_text(json.dumps(content), encoding="utf-8")

    def kustomize(self, folder):
        loose = ["--load-restrictor", "LoadRestrictionsNone"] if self.tree.loose else []
        return self.tree.run("kustomize", "build", folder, "--enable-helm", "--helm-command", self.tree.tools / "helm", *loose)

    def files(self, folder, options):
        def matches(patterns, name):
            spelled = re.fullmatch(r"\{(.*)\}", patterns)
            return any(fnmatch.fnmatch(name, one) for one in (spelled[1].split(",") if spelled else [patterns]))

        found = []
        for path in sorted(folder.rglob("*") if options.get("recurse") else folder.glob("*")):
            name = str(path.relative_to(folder))
            if path.suffix not in (".yaml", ".yml", ".json") or not path.is_file():
                continue
            if options.get("include") and not matches(options["include"], name) or options.get("exclude") and matches(options["exclude"], name):
                continue
            text = path.read_text(encoding="utf-8", errors="replace")
            if "+argocd:skip-file-rendering" not in text:
                found += objects_of_file(path)
        return found

    def chart(self, unit, folder, options):
        layers = [folder / name for name in options.get("valueFiles") or [] if not (name.startswith("$") or "://" in name)]
        layers += [options.get("values") or "", options.get("valuesObject") or {}]
        settings = []
        for parameter in options.get("parameters") or []:
            settings += ["--set-string" if parameter.get("forceString") else "--set", f"{parameter['name']}={parameter.get('value', '')}"]
        return self.helm(options.get("releaseName") or unit.name, folder, unit.namespace, layers, *settings)

    def helm(self, name, folder, namespace, layers, *settings):
        with tempfile.TemporaryDirectory() as scratch:
            values = []
            for index, layer in enumerate(layers):
                if not isinstance(layer, pathlib.Path):
                    path = pathlib.Path(scratch, f"{index}.yaml")
                    path.write_text(layer if isinstance(layer, str) else json.dumps(layer), encoding="utf-8")
                    layer = path
                values += ["--values", layer]
            return self.tree.run("helm", "template", name.split("/")[-1], folder, "--namespace", namespace or "default", *values, *settings)

    # By hand

    def plain(self, folder):
        return objects(self.kustomize(folder)) if folder in self.tree.kustomizations else self.files(folder, {})
