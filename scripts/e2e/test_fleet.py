"""Runs examples/fleet in the real Fleet, rendered and as sources.

For each cluster, Fleet's own programs read the rendered tree, choose the cluster, and install every bundle on the API server. The installed
objects are those of `tailrender render`; doing it again changes nothing; a changed source upgrades; a deleted bundle takes its objects
along. The sources go through Fleet as well, with the operator's chart from its module in place of the remote one: what it makes of them,
put through `post-render`, are the same objects, and what is rendered replaces a release of the chart.
"""
import json
import shutil

import pytest
import yaml

from shared import real_fleet
from shared.checks import compare, objects, objects_of, run
from shared.fleet import CLUSTER_SCOPED as CUSTOM, FLEET, OPERATOR, clusters, read
from shared.operator_source import write_chart

COVERS = ["examples/fleet", "plugins/fleet", "renderer/emit/tree", "renderer/engines/fleet"]
PROGRAMS = ["apiserver", "fleet", "helm3", "helm4", "operator-charts"]
EXTRA = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "extra", "annotations": {"tailscale.com/expose": "true"}},
         "spec": {"selector": {"app": "extra"}, "ports": [{"port": 80}]}}
TRIES = 3  # of the agent, for a bundle that is blocked until the namespace of another one exists
CLUSTER_SCOPED = (*CUSTOM, "ClusterRole", "ClusterRoleBinding", "CustomResourceDefinition", "IngressClass")


@pytest.fixture(scope="module", autouse=True)
def manager(cluster):
    real_fleet.install_crds()


def workspace_of(cluster, scratch):
    """Returns the workspace of the cluster, as in plugins/fleet/README.md."""
    labels = next(entry for entry in read(FLEET / ".tailrender.yaml")["clusters"] if entry["name"] == cluster.name)["labels"]
    real_fleet.add_cluster(f"fleet-{cluster.name}", cluster.name, labels)
    return real_fleet.Workspace(f"fleet-{cluster.name}", scratch, [{"clusterName": cluster.name}])


def deployments(workspace, cluster, folder):
    """Returns what Fleet deploys to the cluster: all bundles of a directory."""
    found = {name: bundle.clusters() for name, bundle in workspace.bundles(folder).items()}
    assert {name: list(chosen) for name, chosen in found.items()} == dict.fromkeys(found, [cluster.name])
    return [chosen[cluster.name] for chosen in found.values()]


def deploy(all_of_them):
    """Deploys as the agent does: again until it succeeds. Returns the objects by name, and Fleet's messages of failed attempts."""
    left, made, said = list(all_of_them), [], []
    for _ in range(TRIES):
        for deployment in list(left):
            try:
                made += deployment.deploy()
                left.remove(deployment)
            except real_fleet.Refused as refused:
                said.append(str(refused))
    assert not left, said
    return objects(made), said


def rendered(tailrender, sources, cluster):
    return objects_of(run(tailrender, "render", sources, "--cluster", cluster.name, "--quiet"))


def tree(tailrender, sources, cluster, output):
    run(tailrender, "render", sources, "--cluster", cluster.name, "-o", output, "--quiet")
    return output / cluster.name


def live(wanted):
    """Returns the resourceVersions of the rendered objects."""
    text = run("kubectl", "get", "-o", "json", "-f", "-", stdin=stream(wanted))
    return {(item["kind"], item["metadata"].get("namespace"), item["metadata"]["name"]): item["metadata"]["resourceVersion"] for item in json.loads(text)["items"]}


def stream(values):
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": list(values.values())})


def missing(values):
    """Returns how many objects the API server does not have."""
    found = run("kubectl", "get", "--ignore-not-found", "-o", "name", "-f", "-", stdin=stream(values)) if values else ""
    return len(values) - len(found.split())


def uninstall(bundle):
    """Does what the agent does when a bundle was deleted."""
    [release] = [item for item in json.loads(run("helm4", "list", "--namespace", bundle.namespace(), "--output", "json"))
                 if item["name"] == (bundle.options.get("helm", {}).get("releaseName") or bundle.name)]
    run("helm4", "uninstall", release["name"], "--namespace", bundle.namespace())


def stays(value):
    return value["kind"] in ("Namespace", "CustomResourceDefinition")


def before_fleet(cluster):
    """Makes what the example's README says is made by hand: the Namespace exists before the bundle."""
    bootstrap = FLEET / OPERATOR / "overlays" / cluster.name / "bootstrap" / "namespace.yaml"
    if bootstrap.exists():
        run("kubectl", "apply", "-f", bootstrap)


@pytest.mark.always("lab")
@pytest.mark.parametrize("member", clusters(), ids=lambda member: member.name)
def test_what_is_rendered_is_deployed(tailrender, tmp_path, member):
    sources = tmp_path / "sources"
    shutil.copytree(FLEET, sources)
    extra = sources / member.bundles[0] / "extra.yaml"
    extra.write_text(yaml.safe_dump(EXTRA), encoding="utf-8")
    workspace, want = workspace_of(member, tmp_path), rendered(tailrender, sources, member)
    before_fleet(member)
    all_of_them = deployments(workspace, member, tree(tailrender, sources, member, tmp_path / "rendered"))
    compare(objects(value for one in all_of_them for value in one.template()), want, f"{member.name}, dry run")
    have, _ = deploy(all_of_them)
    compare(have, want, f"{member.name}, deployed")

    versions = live(want)
    deploy(all_of_them)
    assert live(want) == versions, "a second deployment changes objects"
    run("kubectl", "diff", "-f", "-", stdin=stream(want))  # like Fleet's drift detection: field by field of what is rendered

    extra.unlink()
    changed = rendered(tailrender, sources, member)
    all_of_them = deployments(workspace, member, tree(tailrender, sources, member, tmp_path / "rendered"))
    compare(deploy(all_of_them)[0], changed, f"{member.name}, upgraded")
    gone = {name: value for name, value in want.items() if name not in changed}
    assert missing(gone) == len(gone) > 5, f"Fleet has left some of {list(gone)}"

    for one in all_of_them:
        uninstall(one)
    left = {name: value for name, value in changed.items() if not stays(value)}
    assert missing(left) == len(left), "deleted bundles have left objects"


def with_chart(sources):
    """Adds the operator's chart beside its fleet.yaml, since the remote one is not available here."""
    shutil.copytree(FLEET, sources)
    folder = sources / OPERATOR
    options = read(folder / "fleet.yaml")
    write_chart(folder / "chart", options["helm"]["version"].rpartition(".")[0])
    options["helm"] |= {"chart": "./chart"}
    del options["helm"]["repo"], options["helm"]["version"]
    (folder / "fleet.yaml").write_text(yaml.safe_dump(options), encoding="utf-8")
    return sources


def selected(sources, cluster, folder):
    """Returns the directories of the sources that .tailrender.yaml gives to the cluster."""
    for name in cluster.bundles:
        shutil.copytree(sources / name, folder / name)
    return folder


def of_the_chart(tailrender, cluster):
    """Returns the names of the objects that replace the chart's; in a stream these have another form."""
    return objects_of(run(tailrender, "install", *cluster.settings())).keys()


def is_generated(value):
    return value["metadata"].get("labels", {}).get("tailscale.com/managed") == "true"


def as_a_stream(found):
    """Yields the objects of a stream without bundles: objects that Helm would put into the namespace of its release get it as a field."""
    for one in found:
        for value in one.template():
            if value["kind"] not in CLUSTER_SCOPED:
                value["metadata"].setdefault("namespace", one.namespace())
            yield value


@pytest.mark.parametrize("member", clusters(), ids=lambda member: member.name)
def test_fleet_and_we_read_the_sources_alike(tailrender, tmp_path, member):
    workspace = workspace_of(member, tmp_path)
    folder = selected(with_chart(tmp_path / "sources"), member, tmp_path / "selected")
    text = yaml.safe_dump_all(as_a_stream(deployments(workspace, member, folder)))
    own = read(member.values).get("tailrender", {})  # a chart passes on only its own values
    values = tmp_path / "values.yaml"
    values.write_text(yaml.safe_dump({"tailrender": {**own, "tailnetDomain": member.tailnet}}), encoding="utf-8")
    have = objects_of(run(tailrender, "post-render", "--namespace", "tailscale", "--quiet", "--values", values, stdin=text))
    want, chart = rendered(tailrender, FLEET, member), of_the_chart(tailrender, member)
    want = {name: value for name, value in want.items() if name not in chart}
    compare({name: value for name, value in have.items() if name in want or is_generated(value)}, want, f"{member.name}: of Fleet's objects")


def test_what_is_rendered_replaces_a_release_of_the_chart(tailrender, tmp_path):
    cluster = clusters()[0]
    workspace = workspace_of(cluster, tmp_path)
    before_fleet(cluster)
    sources = with_chart(tmp_path / "sources")
    before, _ = deploy(deployments(workspace, cluster, selected(sources, cluster, tmp_path / "selected")))
    assert any(value["kind"] == "CustomResourceDefinition" for value in before.values()), f"not a release of the chart: {list(before)}"
    all_of_them = deployments(workspace, cluster, tree(tailrender, FLEET, cluster, tmp_path / "rendered"))
    want = rendered(tailrender, FLEET, cluster)
    compare(deploy(all_of_them)[0], want, "in the place of the chart")
    gone = {name: value for name, value in before.items() if name not in want and not stays(value)}
    assert missing(gone) == len(gone) > 0, f"Fleet has left some of {list(gone)}"
    assert missing(want) == 0
    for one in all_of_them:
        uninstall(one)


def small_bundle(folder, name, options):
    folder.mkdir()
    (folder / "fleet.yaml").write_text(yaml.safe_dump({"name": name, "defaultNamespace": name, **options}), encoding="utf-8")
    for value in ({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}},
                  {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "one", "namespace": name}}):
        (folder / f"{value['kind'].lower()}.yaml").write_text(yaml.safe_dump(value), encoding="utf-8")


@pytest.mark.parametrize("owned, by_hand, words", [
    (True, True, []),
    (True, False, ['namespaces "{name}" already exists']),
    (False, False, []),
    (False, True, ['invalid ownership metadata'] * TRIES),
])
def test_ownership_of_a_namespace(tailrender, tmp_path, owned, by_hand, words):
    """Shows why the source's takeOwnership must be kept: with it the second attempt of the agent works, without it an existing namespace
    blocks the bundle forever."""
    name = f"owned-{owned}-{by_hand}".lower()
    real_fleet.add_cluster("fleet-owned", "home", {"env": "prod"})
    workspace = real_fleet.Workspace("fleet-owned", tmp_path, [{"clusterName": "home"}])
    small_bundle(tmp_path / "source", name, {"helm": {"takeOwnership": True}} if owned else {})
    if by_hand:
        run("kubectl", "create", "namespace", name)
    run(tailrender, "render", tmp_path / "source", "-o", tmp_path / "rendered", "--quiet")
    [deployment] = [bundle.clusters()["home"] for bundle in workspace.bundles(tmp_path / "rendered").values()]
    said = []
    for _ in range(TRIES):
        try:
            deployment.deploy()
            break
        except real_fleet.Refused as refused:
            said.append(str(refused))
    assert len(said) == len(words) and all(word.format(name=name) in one for word, one in zip(words, said)), said
