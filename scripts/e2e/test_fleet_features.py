"""What fleet.yaml says, read by Fleet and by us, on two clusters.

Each feature is a bundle of one ConfigMap. Fleet's own programs decide for each cluster whether the bundle is deployed, with which options,
and what of it; we render the same bundle for both clusters, and Fleet reads that. Both must come to the same, or we must refuse the bundle by
the name of a rule. The table in plugins/fleet/README.md says which: `scripts/e2e/pytest test_fleet_features.py --accept` rewrites it.
"""
import concurrent.futures
import pathlib
import re
import shutil

import pytest
import yaml

from fleet_features import FEATURES
from shared import real_fleet
from shared.checks import attempt, objects
from shared.fleet import ROOT
from shared.images import OWN_IMAGES

COVERS = ["plugins/fleet", "renderer/emit/tree", "renderer/engines/fleet"]
PROGRAMS = ["apiserver", "fleet"]
README = ROOT / "plugins" / "fleet" / "README.md"
BEGIN, END = "<!-- features -->\n", "<!-- end of features -->\n"
CLUSTERS = {"home": {"env": "prod", "region": "eu", "management.cattle.io/cluster-display-name": "the-house"}, "lab": {"env": "test"}}
SAME = "the same"
# Fields that a rendered bundle no longer has: they were evaluated, and the root of a rendered bundle is a kustomization.
DECIDED = {"kustomize", "yaml"}
DECIDED_OF_HELM = {"chart", "repo", "version", "values", "templateValues", "valuesFrom", "valuesFiles", "disablePreProcess", "disableDependencyUpdate"}


def write(folder, feature):
    """Writes the bundle of a feature, alone in a tree of two clusters."""
    bundle = folder / feature.id
    bundle.mkdir(parents=True)
    for path, text in {"settings.yaml": settings(feature.id), **feature.files, "fleet.yaml": feature.text}.items():
        if text is not None:
            (bundle / path).parent.mkdir(parents=True, exist_ok=True)
            (bundle / path).write_text(text, encoding="utf-8")


def settings(name):
    return yaml.safe_dump({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "shop"}})


def shown(options):
    """Returns options without empty ones."""
    helm = {key: value for key, value in (options.get("helm") or {}).items() if key not in DECIDED_OF_HELM and value}
    rest = {key: value for key, value in options.items() if key not in DECIDED and key != "helm" and value not in ({}, None, [])}
    return rest | ({"helm": helm} if helm else {})


def of_bundle(value):
    """Returns the options of a bundle as a whole."""
    return value["metadata"].get("labels"), {key: value["spec"].get(key) for key in ("dependsOn", "paused", "rolloutStrategy")}


def made_by(deployment):
    """Returns the objects; those without a namespace get that of the release, since rendered ones set it."""
    values = deployment.template()
    for value in values:
        value["metadata"].setdefault("namespace", deployment.namespace())
    return objects(values)


def verdict(feature, bundle, cluster):
    """Returns what Fleet does with a bundle on a cluster."""
    try:
        chosen = bundle.clusters().get(cluster) if bundle else None
        if chosen is None:
            return "left out"
        return shown(chosen.options), of_bundle(bundle.value), made_by(chosen) if feature.objects else None
    except real_fleet.Refused as refused:
        return f"refused: {refused}"


class Readings:
    """Every feature, read by Fleet from the sources and from what is rendered."""

    def __init__(self, tailrender, scratch):
        self.scratch, self.rules = scratch, {}
        for name, labels in CLUSTERS.items():
            real_fleet.add_cluster("features", name, labels)
        self.everywhere = real_fleet.Workspace("features", scratch, [{"clusterSelector": {}}])
        self.only = {name: real_fleet.Workspace("features", scratch, [{"clusterName": name}]) for name in CLUSTERS}
        for name in ("sources", *CLUSTERS):
            (scratch / name).mkdir()
        for feature in FEATURES:
            self.prepare(tailrender, feature)
        together = [feature for feature in FEATURES if not feature.alone]
        self.sources = self.read(self.everywhere, scratch / "sources", together)
        self.rendered = {name: self.read(self.only[name], scratch / name, FEATURES) for name in CLUSTERS}

    def prepare(self, tailrender, feature):
        tree = self.scratch / "trees" / feature.id
        write(tree, feature)
        (tree / ".tailrender.yaml").write_text(yaml.safe_dump({"clusters": [{"name": name, "labels": labels} for name, labels in CLUSTERS.items()]}), encoding="utf-8")
        done = attempt(tailrender, "render", tree, "-o", self.scratch / "out" / feature.id, "--quiet", "--allow-empty", *OWN_IMAGES)
        self.rules[feature.id] = sorted(set(re.findall(r": error: .*\[([a-z-]+)\]$", done.stderr, re.M)))
        assert done.returncode == (1 if self.rules[feature.id] else 0), f"{feature.id}: {done.stderr}"
        for name in CLUSTERS:
            made = self.scratch / "out" / feature.id / name / feature.id
            if made.exists():
                shutil.copytree(made, self.scratch / name / feature.id)
        if not feature.alone:
            shutil.copytree(tree / feature.id, self.scratch / "sources" / feature.id)

    @staticmethod
    def read(workspace, folder, features):
        """Returns the bundles by feature. Fleet names a bundle without a name after its path."""
        found = workspace.bundles(folder, "repo")
        return {feature.id: next((bundle for name, bundle in found.items() if name in (feature.id, f"repo-{folder.name}-{feature.id}")), None)
                for feature in features}

    def of_source(self, feature):
        """Returns the bundle. One that stops Fleet's reader is read alone, since it would stop the reader for all."""
        if not feature.alone:
            assert self.sources[feature.id], f"Fleet makes no bundle of {feature.id}"
            return self.sources[feature.id]
        try:
            return self.read(self.everywhere, self.scratch / "trees" / feature.id, [feature])[feature.id]
        except real_fleet.Refused as refused:
            return Stopped(refused)

    def judge(self, feature):
        """Returns one line of the table."""
        if self.rules[feature.id]:
            return "refused " + ", ".join(f"`[{rule}]`" for rule in self.rules[feature.id])
        source = self.of_source(feature)
        found, left_out = [], 0
        for name in CLUSTERS:
            theirs, ours = verdict(feature, source, name), verdict(feature, self.rendered[name][feature.id], name)
            if isinstance(theirs, str) and theirs.startswith("refused"):
                found.append("Fleet refuses the source; what is rendered of it deploys" if not isinstance(ours, str) else f"{theirs} / {ours}")
            else:
                found.append(SAME if theirs == ours else f"differs on {name}: Fleet {theirs}, rendered {ours}")
            left_out += theirs == "left out"
        assert left_out < len(CLUSTERS), f"{feature.id} is deployed nowhere: nothing is compared"
        return found[0] if found[0] == found[1] else "; ".join(found)


class Stopped:
    """Takes the place of a bundle that Fleet's reader refuses."""

    def __init__(self, refused):
        self.refused = refused

    def clusters(self):
        raise self.refused


@pytest.fixture(scope="module")
def verdicts(cluster, tailrender, tmp_path_factory):
    real_fleet.install_crds()
    readings = Readings(tailrender, pathlib.Path(tmp_path_factory.mktemp("features")))
    with concurrent.futures.ThreadPoolExecutor(max_workers=4) as pool:
        return dict(zip((feature.id for feature in FEATURES), pool.map(readings.judge, FEATURES)))


@pytest.mark.parametrize("feature", FEATURES, ids=lambda feature: feature.id)
def test_fleet_and_we_agree(verdicts, feature):
    assert verdicts[feature.id] == feature.verdict


def test_the_table_is_what_was_found(verdicts, accept):
    rows = [f"| {feature.what} | {verdicts[feature.id]} |\n" for feature in FEATURES]
    table = "| in fleet.yaml | Fleet, and what we render |\n|---|---|\n" + "".join(rows)
    text = README.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    wanted = before + BEGIN + table + END + rest.split(END)[1]
    if accept:
        README.write_text(wanted, encoding="utf-8")
    assert README.read_text(encoding="utf-8") == wanted, "plugins/fleet/README.md says otherwise: --accept writes it"


def test_there_are_enough():
    assert len(FEATURES) >= 40 and len({feature.id for feature in FEATURES}) == len(FEATURES)
