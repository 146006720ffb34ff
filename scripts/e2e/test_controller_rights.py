"""Proves that the controller may do what its contract says, and nothing else.

The rules of `tailrender install` are a subset of those in the operator's own chart (testdata/chart-streams), but for the rows of
runtime/RBAC.md. Then a real API server, with these rules and the operator's custom resources, says of every verb of every resource that
it serves, in the controller's namespace, in another one and cluster-wide, whether the account has it: exactly what a rule allows. The same in a
namespace of the API proxy's own, where the account's token is also tried: it can create and read no Secret with the token of the account that impersonates.
"""
import itertools
import json

import yaml

from shared.applied import create_definitions
from shared.checks import attempt, documents, run
from shared.controller_process import api_server, install
from shared.fleet import ROOT
from shared.images import OWN_IMAGES
from shared.kube_api import KubeApi
from shared.rights import NAMESPACE, ROLES, rules

COVERS = ["renderer/generate/install", "runtime/RBAC.md", "testdata/chart-streams", "testdata/e2e/crds.yaml"]
PROGRAMS = ["apiserver"]
CHARTS = ROOT / "testdata" / "chart-streams"
OTHER, ALL = "shop", ""
ACCOUNT = f"system:serviceaccount:{NAMESPACE}:operator"
VERBS = ("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "impersonate", "bind", "escalate", "approve")
STRANGE_NAME = "of-another-user"
NEWEST = ("--set", "tailrender.operatorVersion=1.104.5")  # has all rights
APART = "tailscale-api"
OF_ITS_OWN = ("--set", f"tailrender.apiProxyNamespace={APART}", "--set", "apiServerProxyConfig.mode=true")
IMPERSONATOR = "kube-apiserver-auth-proxy"
STATE, KEY = "kube-apiserver-proxy-0", "kube-apiserver-proxy-0-auth"
TOKEN = {"apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/service-account-token",
         "metadata": {"name": "token", "namespace": APART, "annotations": {"kubernetes.io/service-account.name": IMPERSONATOR}}}


def ours(tailrender, *flags):
    return rules(documents(run(tailrender, "install", "--quiet", *OWN_IMAGES, *flags)), ROLES)


def documented():
    """What runtime/RBAC.md says: of PeerRelays, and its rows."""
    rows = {("", "tailscale.com", "peerrelays", verb, "") for verb in ("get", "list", "watch")}
    rows.add(("", "tailscale.com", "peerrelays/status", "update", ""))
    for line in (ROOT / "runtime" / "RBAC.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| controller's namespace"):
            rows |= {(NAMESPACE, cells[1].strip('"'), cells[2], verb.strip(), cells[4]) for verb in cells[3].split(",")}
    return rows


def covers(known, rule):
    namespace, group, resource, verb, name = rule
    return any((place, group, resource, verb, limit) in known for place in ("", namespace) for limit in ("", name))


def test_rules_are_those_of_the_reference(tailrender):
    reference = rules(documents((CHARTS / "default.yaml").read_text(encoding="utf-8")), ROLES)
    assert len(reference) > 100
    assert {rule for rule in ours(tailrender, *NEWEST) if not covers(reference, rule)} == documented(), "and runtime/RBAC.md"
    assert ours(tailrender) <= ours(tailrender, *NEWEST)


class Server(KubeApi):
    def resources(self):
        """(group, resource) of everything that it serves, subresources included."""
        lists = [("", "/api/v1")] + [(group["name"], "/apis/" + group["preferredVersion"]["groupVersion"])
                                     for group in self.ask("/apis")["groups"]]
        return {(group, resource["name"]) for group, path in lists for resource in self.ask(path)["resources"]}

    def allows(self, namespace, group, resource, verb, name):
        plural, _, sub = resource.partition("/")
        attributes = {"namespace": namespace, "group": group, "resource": plural, "subresource": sub, "verb": verb, "name": name}
        review = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
                  "spec": {"user": ACCOUNT, "groups": ["system:serviceaccounts", f"system:serviceaccounts:{NAMESPACE}", "system:authenticated"],
                           "resourceAttributes": attributes}}
        return self.ask("/apis/authorization.k8s.io/v1/subjectaccessreviews", review)["status"]["allowed"]


def given(group, resource, verb):
    """What Kubernetes gives to everybody who is authenticated, or to every ServiceAccount."""
    return (group, resource) in {("authorization.k8s.io", "selfsubjectaccessreviews"), ("authorization.k8s.io", "selfsubjectrulesreviews"),
                                 ("authentication.k8s.io", "selfsubjectreviews")} or \
        (group, resource) == ("certificates.k8s.io", "clustertrustbundles") and verb in ("get", "list", "watch")


def questions(known, served, namespaces=(NAMESPACE, OTHER, ALL)):
    for group, resource in sorted(served):
        names = {STRANGE_NAME} | {rule[4] for rule in known if rule[1:3] == (group, resource)} - {""}
        for namespace, verb, name in itertools.product(namespaces, VERBS, names):
            if not given(group, resource, verb):
                yield namespace, group, resource, verb, name


def newest_kinds(tailrender, folder):
    """A file with the definitions that the chart of 1.96 lacks."""
    known = {item["metadata"]["name"] for item in documents((CHARTS / "with-crds.yaml").read_text(encoding="utf-8"))}
    settings = ("tailrender.operatorVersion=1.104", "tailrender.customResources=emit")
    newest = documents(run(tailrender, "install", "--quiet", *OWN_IMAGES, *(word for setting in settings for word in ("--set", setting))))
    path = folder / "kinds.yaml"
    path.write_text(yaml.safe_dump_all([item for item in newest if item["metadata"]["name"] not in known]), encoding="utf-8")
    return path


def test_server_allows_what_the_rules_say(cluster, tailrender, tmp_path):
    known = ours(tailrender, *NEWEST)
    create_definitions(CHARTS / "with-crds.yaml", newest_kinds(tailrender, tmp_path))
    install(tailrender, *NEWEST)
    with Server() as server:
        served = server.resources()
        assert {rule[1:3] for rule in known} <= served
        assert [rule for rule in questions(known, served) if server.allows(*rule) != covers(known, rule)] == []


def test_server_allows_what_the_rules_say_where_the_api_proxy_is(cluster, tailrender):
    install(tailrender, *NEWEST, *OF_ITS_OWN)
    known = ours(tailrender, *NEWEST, *OF_ITS_OWN)
    assert {(rule[2], rule[4]) for rule in known if rule[0] == APART} == {
        ("secrets", STATE), ("secrets", KEY), ("pods", STATE), ("statefulsets", "kube-apiserver-proxy")}
    with Server() as server:
        assert [rule for rule in questions(known, server.resources(), [APART]) if server.allows(*rule) != covers(known, rule)] == []


def test_controllers_token_creates_and_reads_no_token_of_the_account_that_impersonates(cluster, tailrender):
    install(tailrender, *NEWEST, *OF_ITS_OWN)
    rendered = documents(run(tailrender, "install", "--quiet", *OWN_IMAGES, *OF_ITS_OWN))
    places = {item["metadata"]["namespace"] for item in rendered if (item["kind"], item["metadata"]["name"]) == ("ServiceAccount", IMPERSONATOR)}
    assert places == {APART}
    secrets = yaml.safe_dump_all([item for item in rendered if item["kind"] == "Secret" and item["metadata"]["name"] in (STATE, KEY)])
    run("kubectl", "apply", "-f", "-", stdin=secrets)
    server, authority = api_server()
    token = run("kubectl", "create", "token", "operator", "-n", NAMESPACE)
    as_the_controller = ("kubectl", "--kubeconfig", "/dev/null", "--server", server, "--certificate-authority", authority, f"--token={token}",
                         "-n", APART)

    def refused(*words, stdin=None):
        done = attempt(*as_the_controller, *words, stdin=stdin)
        assert done.returncode != 0 and "orbidden" in done.stderr, f"{words}: {done.stdout}{done.stderr}"
    refused("create", "--validate=false", "-f", "-", stdin=json.dumps(TOKEN))
    run("kubectl", "create", "-f", "-", stdin=json.dumps(TOKEN))
    refused("get", "secret", "token")
    refused("get", "secrets")
    refused("get", "secrets", "--field-selector=metadata.name=token")
    refused("create", "token", IMPERSONATOR)
    refused("delete", "secret", KEY)
    refused("patch", "secret", "token", "--type=merge", "-p", "{}")
    for name in (STATE, KEY):
        assert run(*as_the_controller, "get", "secrets", f"--field-selector=metadata.name={name}", "-o", "name") == f"secret/{name}\n"
        run(*as_the_controller, "patch", "secret", name, "--type=json", "-p", '[{"op":"add","path":"/data","value":{"authkey":"aw=="}}]')
    run("kubectl", "apply", "-f", "-", stdin=secrets)
    run("kubectl", "apply", "--server-side", "--force-conflicts", "-f", "-", stdin=secrets)
    assert run("kubectl", "get", "secret", KEY, "-n", APART, "-o", "jsonpath={.data.authkey}") == "aw==", "what is left of the key when it is applied again"
