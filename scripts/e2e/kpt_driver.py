"""What kpt 1.0 does around an exec function, after its documentation and source; kpt itself cannot be had as a Go module.

Reproduced (kpt.dev/book, kpt pkg/fn/runtime, internal/util/render; kyaml kio): `fn render` of the pipeline in a Kptfile, subpackages first,
mutators before validators; `fn eval`; `must run with --allow-exec`; exec strings split like a shell does, run in the caller's directory;
items with path, index and id annotations of both kinds; `configPath` and `configMap`; `.krmignore` (plain patterns); the checks of what
comes back; one write at the end or none; results. Not reproduced: containers, selectors, comments (kpt copies them back by id).
"""
import fnmatch
import json
import os
import pathlib
import shlex
import subprocess

import yaml

INTERNAL = "internal.config.kubernetes.io/"
PATH, INDEX, ID = INTERNAL + "path", INTERNAL + "index", INTERNAL + "id"
LEGACY = {PATH: "config.kubernetes.io/path", INDEX: "config.kubernetes.io/index", ID: "config.k8s.io/id"}
BOOKKEEPING = {PATH, INDEX, ID, *LEGACY.values(), INTERNAL + "annotations-migration-resource-id"}


class KptError(Exception):
    pass


def demand(condition, message):
    if not condition:
        raise KptError(message)


def name_of(item):
    return f"{item.get('kind')}/{item.get('metadata', {}).get('name')}"


def check_krm(item, where):
    is_kustomization = isinstance(item, dict) and item.get("kind") == "Kustomization"
    named = isinstance(item, dict) and isinstance(item.get("metadata"), dict) and item["metadata"].get("name")
    complete = isinstance(item, dict) and item.get("apiVersion") and item.get("kind")
    demand(complete and (named or is_kustomization), f"{where}: input resource list must contain only KRM resources")


def ignored(directory, path):
    file = directory / ".krmignore"
    patterns = file.read_text(encoding="utf-8").split() if file.exists() else []
    return any(fnmatch.fnmatch(path, pattern) or fnmatch.fnmatch(pathlib.Path(path).name, pattern) or
               path.startswith(pattern.rstrip("/") + "/") for pattern in patterns)


def subpackages(directory):
    return sorted(file.parent for file in directory.rglob("Kptfile") if file.parent != directory)


def files_of(directory):
    """Files of resources of this package alone."""
    nested = subpackages(directory)
    for file in sorted(directory.rglob("*")):
        path = file.relative_to(directory).as_posix()
        if file.suffix in (".yaml", ".yml") and not ignored(directory, path) and not any(sub in file.parents for sub in nested):
            yield file, path


def read_package(directory, excluded=()):
    items = []
    for file, path in files_of(directory):
        documents = [value for value in yaml.safe_load_all(file.read_text(encoding="utf-8")) if value is not None]
        for index, item in enumerate(documents):
            check_krm(item, path)
            if path in excluded:
                continue
            annotations = item["metadata"].setdefault("annotations", {})
            for key, value in ((PATH, path), (INDEX, str(index))):
                annotations[key] = annotations[LEGACY[key]] = value
            items.append(item)
    return items


def write_package(directory, before, items):
    """Files that lost all their items are deleted."""
    by_path = {}
    for item in items:
        annotations = item["metadata"]["annotations"]
        by_path.setdefault(annotations[PATH], []).append((int(annotations.get(INDEX, "0")), item))
    for path in {item["metadata"]["annotations"][PATH] for item in before} - by_path.keys():
        (directory / path).unlink()
    for path, numbered in by_path.items():
        file = directory / path
        file.parent.mkdir(parents=True, exist_ok=True)
        plain = [strip(item) for _, item in sorted(numbered, key=lambda pair: pair[0])]
        file.write_text(yaml.safe_dump_all(plain, sort_keys=False), encoding="utf-8")


def strip(item):
    metadata = dict(item["metadata"])
    kept = {key: value for key, value in metadata.pop("annotations", {}).items() if key not in BOOKKEEPING}
    if kept:
        metadata["annotations"] = kept
    return {**item, "metadata": metadata}


def config_of(entry, directory):
    if "configPath" in entry:
        return yaml.safe_load((directory / entry["configPath"]).read_text(encoding="utf-8"))
    if "configMap" in entry:
        return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "function-input"}, "data": entry["configMap"]}
    return None


def accept_item(item, seen):
    """What kyaml and kpt demand of each item that a function returns."""
    check_krm(item, "output")
    annotations = item["metadata"].setdefault("annotations", {})
    for key, legacy in LEGACY.items():
        internal, old = annotations.get(key), annotations.get(legacy)
        demand(internal is None or old is None or internal == old, f"{name_of(item)}: {key} and {legacy} differ")
        if internal is None and old is not None:
            annotations[key] = old
    if PATH not in annotations:
        namespace = item["metadata"].get("namespace", "")
        annotations[PATH] = os.path.join(namespace, f"{item['kind'].lower()}_{item['metadata']['name']}.yaml")
    demand(isinstance(annotations[PATH], str) and isinstance(annotations.get(INDEX, "0"), str), f"{name_of(item)}: annotations must be strings")
    demand(not os.path.normpath(annotations[PATH]).startswith(("../", "/")), f"{name_of(item)}: resource must be in the package directory")
    place = (os.path.normpath(annotations[PATH]), annotations.get(INDEX, "0"))
    demand(place not in seen, f"resources at path {place[0]!r} and index {place[1]!r} must be unique")
    seen.add(place)


class Run:
    """One invocation of kpt: the functions that it ran and what they said."""

    def __init__(self):
        self.results = []

    def function(self, command, items, config):
        numbered = json.loads(json.dumps(items))
        for number, item in enumerate(numbered):
            item["metadata"]["annotations"].update({ID: str(number), LEGACY[ID]: str(number)})
        request = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": numbered}
        if config is not None:
            request["functionConfig"] = config
        done = subprocess.run(shlex.split(command), input=yaml.safe_dump(request, sort_keys=False), capture_output=True, text=True, check=False,
                              timeout=300)
        answer = yaml.safe_load(done.stdout)
        demand(isinstance(answer, dict) and answer.get("kind") == "ResourceList", f"{command}: no ResourceList on stdout: {done.stderr}")
        results = answer.get("results", [])
        entry = {"exec": command, "exitCode": done.returncode}
        if results:
            entry["results"] = results
        self.results.append(entry)
        demand(done.returncode == 0, f"{command}: exit code {done.returncode}: {done.stderr}")
        seen = set()
        for item in answer["items"]:
            item["metadata"].get("annotations", {}).pop(ID, None)
            item["metadata"].get("annotations", {}).pop(LEGACY[ID], None)
            accept_item(item, seen)
        return answer["items"]

    def save(self, results_dir):
        if results_dir is not None:
            value = {"apiVersion": "kpt.dev/v1", "kind": "FunctionResultList", "metadata": {"name": "fnresults"},
                     "exitCode": max(entry["exitCode"] for entry in self.results), "items": self.results}
            (pathlib.Path(results_dir) / "results.yaml").write_text(yaml.safe_dump(value), encoding="utf-8")


def pipeline(run, directory):
    """The items of a package and of those in it, hydrated; paths are relative to `directory`."""
    kptfile = yaml.safe_load((directory / "Kptfile").read_text(encoding="utf-8"))
    entries = kptfile.get("pipeline", {})
    configs = [entry["configPath"] for group in ("mutators", "validators") for entry in entries.get(group, []) if "configPath" in entry]
    items = []
    for sub in subpackages(directory):
        if not any(other in sub.parents for other in subpackages(directory)):
            prefix = sub.relative_to(directory).as_posix()
            for item in pipeline(run, sub):
                annotations = item["metadata"]["annotations"]
                annotations[PATH] = annotations[LEGACY[PATH]] = f"{prefix}/{annotations[PATH]}"
                items.append(item)
    items += read_package(directory, excluded=configs)
    for entry in entries.get("mutators", []):
        items = run.function(entry["exec"], items, config_of(entry, directory))
    for entry in entries.get("validators", []):
        demand(run.function(entry["exec"], items, config_of(entry, directory)) == items, f"{entry['exec']}: a validator must not change resources")
    return items


def all_items(directory):
    items = []
    for package in [directory, *subpackages(directory)]:
        for item in read_package(package):
            path = item["metadata"]["annotations"][PATH]
            item["metadata"]["annotations"][PATH] = (package / path).relative_to(directory).as_posix()
            items.append(item)
    return items


def fn_render(directory, allow_exec=False, results_dir=None):
    """kpt fn render DIR [--allow-exec] [--results-dir DIR]"""
    demand(allow_exec, "must run with --allow-exec")
    run = Run()
    before = all_items(directory)
    kept = [pathlib.Path(file.parent, entry["configPath"]).relative_to(directory).as_posix() for file in directory.rglob("Kptfile")
            for entries in yaml.safe_load(file.read_text(encoding="utf-8")).get("pipeline", {}).values() for entry in entries
            if "configPath" in entry]
    try:
        items = pipeline(run, directory)
    finally:
        if run.results:
            run.save(results_dir)
    write_package(directory, [item for item in before if item["metadata"]["annotations"][PATH] not in kept], items)


def fn_eval(directory, command, config=None, results_dir=None):
    """kpt fn eval DIR --exec COMMAND [--fn-config FILE | -- key=value…]"""
    run = Run()
    before = all_items(directory)
    try:
        items = run.function(command, before, config)
    finally:
        run.save(results_dir)
    write_package(directory, before, items)
