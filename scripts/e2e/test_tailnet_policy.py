"""Proves that Headscale's policy engine and Tailscale's HuJSON take the policies that `tailrender tailnet-policy` prints and edits.

The judged policies are those of the golden cases, each also with its examples in place of comments. For random policies, what --check
says about routes, exit nodes and Funnel is what the engine does with devices of the tree, and after --merge the engine approves all of it.
"""
import json
import random
import re

import pytest

from shared.checks import attempt, run
from shared.fleet import ROOT

COVERS = ["renderer/policy", "renderer/cli/tailnet_policy_command.cpp", "testdata/cli/tailnet-policy"]
PROGRAMS = ["headscale"]
CASES = ROOT / "testdata/cli/tailnet-policy"
TREE = """apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: shop, namespace: shop, annotations: {tailscale.com/funnel: "true", tailscale.com/tags: "tag:edge,tag:web"}}
spec: {ingressClassName: tailscale, tls: [{hosts: [shop]}], defaultBackend: {service: {name: web, port: {number: 80}}}}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: tailscale.com/v1alpha1
kind: Connector
metadata: {name: office}
spec: {hostname: office, tags: ["tag:router", "tag:lab"], exitNode: true, subnetRouter: {advertiseRoutes: [10.20.0.0/16, "fd12::/48"]}}
"""
DEVICES = [{"tags": ["tag:edge", "tag:web"], "routes": [], "attrs": ["funnel"]},
           {"tags": ["tag:router", "tag:lab"], "routes": ["10.20.0.0/16", "fd12::/48", "0.0.0.0/0", "::/0"], "attrs": []}]
TAGS = ["tag:edge", "tag:k8s-operator", "tag:lab", "tag:router", "tag:web"]
ALL = {"approved": [[], DEVICES[1]["routes"]], "attrs": [["funnel"], []], "tags": TAGS}


def sections(path):
    """Maps the name of each section of a case to its text."""
    parts = re.split(r"^-- (.*) --\n", path.read_text(encoding="utf-8"), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def judged(tools, path, devices=(), tags=()):
    """What the engine does with devices of these tags and routes."""
    done = attempt(tools / "headscale-policy", path, stdin=json.dumps({"devices": list(devices), "tags": list(tags)}))
    return json.loads(done.stdout) if done.returncode == 0 else done.stderr


def with_examples(text):
    """The policy with its examples as rules: sections in comments, and the comments in those. The engine has no roles of users."""
    lines, rules = [], False
    for line in text.splitlines():
        bare = re.sub(r"^  // ", "  ", line)
        rules = (rules or bool(re.match(r'  "(grants|tests)": \[$', bare))) and line.startswith("  // ")
        lines.append(bare.replace("autogroup:admin", "autogroup:member") if rules else line)
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", sorted(path.stem for path in CASES.glob("print-*.case")))
def test_printed(tools, tmp_path, name):
    text = sections(CASES / f"{name}.case")["want:out"]
    (tmp_path / "policy").write_text(text, encoding="utf-8")
    told = judged(tools, tmp_path / "policy", tags=re.findall(r'^    "(tag:[^"]+)": \[', text, re.M))
    assert isinstance(told, dict), told
    assert told["tags"]
    (tmp_path / "examples").write_text(with_examples(text), encoding="utf-8")
    told = judged(tools, tmp_path / "examples")
    assert isinstance(told, dict), f"{told}\n{with_examples(text)}"


def test_examples_are_rules():
    texts = [with_examples(sections(path)["want:out"]) for path in CASES.glob("print-*.case")]
    assert sum('\n  "grants": [' in text for text in texts) > 2
    assert any('\n  "tests": [' in text for text in texts)


@pytest.mark.parametrize("name", sorted(path.stem for path in CASES.glob("merge-*.case") if "want:out/policy.hujson" in sections(path)))
def test_merged(tools, tmp_path, name):
    text = sections(CASES / f"{name}.case")["want:out/policy.hujson"]
    (tmp_path / "policy").write_text(text, encoding="utf-8")
    told = judged(tools, tmp_path / "policy", tags=["tag:edge", "tag:router", "tag:docs"])
    assert isinstance(told, dict), told
    assert told["tags"] == ["tag:edge", "tag:router", "tag:docs"]
    assert set(told["services"]) == {"svc:docs", "svc:broker"}


def random_policy(rng):
    def some(pool):
        return [one for one in pool if rng.random() < 0.35]
    tags = TAGS + ["tag:other"]
    approvers = [*tags, "alice@example.com"]
    routes = {route: some(approvers) for route in some(["10.0.0.0/8", "10.20.0.0/16", "10.20.128.0/17", "10.21.0.0/16", "fd00::/8", "0.0.0.0/0", "::/0"])}
    policy = {"tagOwners": {tag: ["alice@example.com"] for tag in tags}, "acls": [{"action": "accept", "src": ["*"], "dst": ["*:*"]}]}
    if rng.random() < 0.8:
        policy["autoApprovers"] = {"routes": routes, "exitNode": some(approvers)}
    if rng.random() < 0.8:
        policy["nodeAttrs"] = [{"target": some([*tags, "*", "autogroup:member", "autogroup:tagged"]) or ["tag:other"], "attr": some(["funnel", "mullvad"]) or ["x"]}
                               for _ in range(rng.randrange(3))]
    return json.dumps(policy, indent=rng.choice([None, 2, "\t"])) + "\n"


@pytest.mark.parametrize("seed", range(40))
def test_same_as_the_engine(tools, tailrender, tmp_path, seed):
    policy, tree = tmp_path / "policy.hujson", tmp_path / "tree"
    tree.mkdir()
    (tree / "a.yaml").write_text(TREE, encoding="utf-8")
    text = random_policy(random.Random(seed))
    policy.write_text(text, encoding="utf-8")
    told = judged(tools, policy, DEVICES, TAGS)
    assert isinstance(told, dict), told
    words = [tailrender, "tailnet-policy", tree, "--quiet"]
    said = attempt(*words, "--check", policy, "--all").stderr
    for route in ("10.20.0.0/16", "fd12::/48"):
        assert (f"the route {route} is not approved" in said) == (route not in told["approved"][1]), f"{said}\n{text}"
    assert ("an exit node is not approved" in said) == ("::/0" not in told["approved"][1]), f"{said}\n{text}"
    assert ("does not let the proxies use Funnel" in said) == (told["attrs"][0] == []), f"{said}\n{text}"

    run(*words, "--merge", policy)
    told = judged(tools, policy, DEVICES, TAGS)
    assert isinstance(told, dict), told
    assert {key: told[key] for key in ALL} == ALL
    assert attempt(*words, "--check", policy).returncode == 0
    merged = policy.read_text(encoding="utf-8")
    run(*words, "--merge", policy)
    assert policy.read_text(encoding="utf-8") == merged
