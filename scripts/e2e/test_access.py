"""Proves that `tailrender access` says what Headscale's policy engine and Tailscale's packet filter do, for random policies and fleets, and for
the policies whose rules, and the verdicts on whose tests, Headscale recorded of Tailscale's own control plane.

Where `access` says yes or no, every probe agrees; where it says part, the rules name ports or addresses; unknown is only what depends on an
address of a device. Random grants that are rewritten as acls give the same answer.
"""
import json
import pathlib
import random
import subprocess

import pytest

from shared.checks import attempt
from shared.fleet import ROOT

COVERS = ["renderer/access", "renderer/cli/access_command.cpp", "renderer/diff", "renderer/policy", "testdata/cli/access"]
PROGRAMS = ["headscale"]
BATCHES, CASES = 40, 50
USERS = ["alice@example.com", "bob@example.com", "carol@example.com"]
TAGS = ["tag:web", "tag:db", "tag:ci", "tag:router"]
PORTS = [(6, 22), (6, 80), (6, 443), (6, 5432), (17, 53), (17, 443)]
ROUTES = ["10.20.0.0/16", "192.168.7.0/24", "fd12::/48"]
SERVICE = """apiVersion: v1
kind: Service
metadata: {{name: d{index}, namespace: shop, annotations: {{tailscale.com/tags: "{tags}", tailscale.com/hostname: d{index}}}}}
spec:
  type: LoadBalancer
  loadBalancerClass: tailscale
  clusterIP: 10.96.0.{address}
  selector: {{app: d{index}}}
  ports:
{ports}
---
"""
CONNECTOR = """apiVersion: tailscale.com/v1alpha1
kind: Connector
metadata: {{name: d{index}-routes}}
spec: {{hostname: d{index}-routes, tags: [{tags}], exitNode: {exits}, subnetRouter: {{advertiseRoutes: [{routes}]}}}}
---
"""
EXIT = ("0.0.0.0/0", "::/0")


def tree_of(case):
    """A tree with these devices: a Service for ports, a Connector for routes."""
    text = ""
    for index, device in enumerate(case["devices"]):
        ports = "\n".join(f"  - {{name: p{i}, port: {one['port']}, protocol: {'TCP' if one['protocol'] == 6 else 'UDP'}}}"
                          for i, one in enumerate(case["probes"]))
        text += SERVICE.format(index=index, address=index + 10, tags=",".join(device["tags"]), ports=ports)
        routes = [route for route in device["routes"] or [] if route not in EXIT]
        if device["routes"]:
            connector = CONNECTOR.format(index=index, tags=", ".join(f'"{tag}"' for tag in device["tags"]), exits=str(len(routes) < len(device["routes"])).lower(),
                                         routes=", ".join(f'"{route}"' for route in routes))
            text += connector if routes else connector.replace(", subnetRouter: {advertiseRoutes: []}", "")
    return text


def answers_of(tailrender, folder, case):
    """What `access` says: {(device, endpoint label): {source: word}}, or its errors."""
    (folder / "tree").mkdir(parents=True, exist_ok=True)
    (folder / "tree/a.yaml").write_text(tree_of(case), encoding="utf-8")
    (folder / "policy.hujson").write_text(case["policy"], encoding="utf-8")
    froms = [word for source in case["sources"] for word in ("--from", source)]
    done = attempt(tailrender, "access", folder / "tree", "--policy", folder / "policy.hujson", "--format", "json", *froms)
    if not done.stdout:
        return done.stderr
    devices = json.loads(done.stdout)["clusters"][0]["devices"]
    return {(device["hostname"], one["endpoint"]): {said["who"]: said["allowed"] for said in one["from"]}
            for device in devices for one in device["endpoints"]}


def label(one):
    return str(one["port"]) if one["protocol"] == 6 else f"{one['port']}/udp"


def differences(case, told, said, counts):
    """Compares every answer; counts the words."""
    def compare(name, word, passed):
        counts[word] = counts.get(word, 0) + 1
        if (word == "yes" and not all(passed)) or (word == "no" and any(passed)):
            yield f"{name}: {word}, but the filter passes {passed}"
    for index, device in enumerate(case["devices"]):
        for at, source in enumerate(case["sources"]):
            for i, one in enumerate(case["probes"]):
                word = said[(f"d{index}", label(one))][source]
                yield from compare(f"{source} to d{index}:{label(one)}", word, [told["devices"][index][at][i]])
            for number, route in enumerate(device["routes"] or []):
                endpoint = "exit node" if route in EXIT else route
                word = said[(f"d{index}-routes", endpoint)][source]
                yield from compare(f"{source} to {endpoint} by d{index}", word, told["routes"][index][number][at])


def random_case(rng):
    def some(pool, least=1):
        return rng.sample(pool, rng.randint(least, min(3, len(pool))))
    groups = {f"group:{name}": some(USERS, 0) for name in ("dev", "ops")}
    hosts = {"office": "10.20.0.0/16", "desk": "10.20.0.1/32", "lab": "192.168.0.0/16"}
    sources = [*USERS, *groups, *TAGS, "*", "autogroup:member", "autogroup:tagged", "autogroup:danger-all"]
    targets = [*TAGS, *TAGS, *USERS, *groups, *hosts, "*", "autogroup:member", "autogroup:tagged", "10.20.0.0/17", "fd12::/48", "100.64.0.0/10",
               "autogroup:internet"]
    routers = [{"tags": ["tag:router"], "routes": some(ROUTES)}] if rng.random() < 0.5 else []
    routers += [{"tags": sorted(some(TAGS)), "routes": list(EXIT)}] if rng.random() < 0.3 else []
    devices = [{"tags": sorted(some(TAGS)), "routes": []} for _ in range(rng.randint(1, 4))] + routers
    policy = {"groups": groups, "hosts": hosts, "tagOwners": {tag: [USERS[0]] for tag in TAGS}}
    ports = ["*", "443", "80,443", "1-100", "5432"]

    def acl():
        rule = {"action": "accept", "src": some(sources), "dst": [f"{one}:{rng.choice(ports)}" for one in some(targets)]}
        if rng.random() < 0.4:
            rule["proto"] = rng.choice(["tcp", "udp", "6", "17"])
        return rule

    def grant():
        specs = [rng.choice(["", "tcp:", "udp:"]) + rng.choice(["443", "80", "1-100", "5432"]) for _ in range(rng.randint(1, 2))]
        rule = {"src": some(sources), "dst": some(targets), "ip": ["*"] if rng.random() < 0.25 else specs}
        if rng.random() < 0.15:
            rule |= {"dst": some(["10.20.0.0/16", "192.168.7.0/24", "autogroup:internet"]), "via": some(TAGS)}
        return rule
    if rng.random() < 0.7:
        policy["acls"] = [acl() for _ in range(rng.randint(1, 3))]
    if rng.random() < 0.7 or "acls" not in policy:
        policy["grants"] = [grant() for _ in range(rng.randint(1, 3))]
    return {"policy": json.dumps(policy), "devices": devices, "sources": [*USERS, *TAGS],
            "probes": [{"protocol": protocol, "port": port} for protocol, port in PORTS]}


def as_acls(policy):
    """The same policy without grants."""
    acls = list(policy.get("acls", []))
    for grant in policy.pop("grants", []):
        for spec in grant["ip"]:
            protocol, ports = spec.split(":") if ":" in spec else ("", spec)
            acls.append({"action": "accept", "src": grant["src"], "dst": [f"{one}:{ports}" for one in grant["dst"]],
                         **({"proto": protocol} if protocol else {})})
    return {**policy, "acls": acls}


def judged(tools, cases):
    asked = "\n".join(json.dumps(case) for case in cases)
    done = subprocess.run([tools / "headscale-access"], input=asked, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("seed", range(BATCHES))
def test_random_policies(tools, tailrender, tmp_path, seed):
    rng = random.Random(seed)
    cases, counts = [random_case(rng) for _ in range(CASES)], {}
    for index, told in enumerate(judged(tools, cases)):
        case = cases[index]
        assert "error" not in told, f"{told['error']}\n{case['policy']}"
        said = answers_of(tailrender, tmp_path / str(index), case)
        assert isinstance(said, dict), f"{said}\n{case['policy']}"
        found = list(differences(case, told, said, counts))
        assert not found, "\n".join([*found, case["policy"]])
        rewritten = {**case, "policy": json.dumps(as_acls(json.loads(case["policy"])))}
        if index % 5 == 0 and not any("via" in grant for grant in json.loads(case["policy"]).get("grants", [])):
            assert answers_of(tailrender, tmp_path / f"{index}-acls", rewritten) == said, case["policy"]
    assert counts["yes"] > 100 and counts["no"] > 100 and "unknown" not in counts, counts


def recordings(*names):
    cache = subprocess.run(["go", "env", "GOMODCACHE"], capture_output=True, text=True, check=True).stdout.strip()
    pin = next(line.split()[1] for line in (ROOT / "scripts/e2e/modules/headscale/go.mod").read_text(encoding="utf-8").splitlines()
               if "github.com/juanfont/headscale " in line)
    folder = pathlib.Path(cache) / f"github.com/juanfont/headscale@{pin}/hscontrol/policy/v2/testdata"
    return sorted(str(path) for name in names for path in folder.glob(f"{name}_results/*.hujson"))


def recorded(tools, *names):
    done = subprocess.run([tools / "headscale-access", *recordings(*names)], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_recorded_policies(tools, tailrender, tmp_path):
    counts, compared = {}, 0
    for told in recorded(tools, "acl", "grant", "routes"):
        case = told["case"]
        if "error" in told or not case["devices"]:
            continue
        said = answers_of(tailrender, tmp_path / told["name"], case)
        assert isinstance(said, dict), f"{told['name']}: {said}"
        found = list(differences(case, told, said, counts))
        assert not found, "\n".join([told["name"], *found, case["policy"]])
        compared += 1
    assert compared > 500, (compared, counts)


def test_recorded_tests(tools, tailrender, tmp_path):
    """What Tailscale says of the tests in a policy: a test that fails is an error, or depends on who is in a group or on an address of a device."""
    tree, policy = tmp_path / "tree", tmp_path / "policy.hujson"
    tree.mkdir()
    (tree / "a.yaml").write_text(tree_of({"devices": [{"tags": ["tag:server"], "routes": []}], "probes": [{"protocol": 6, "port": 80}]}))
    passed, failed, unknown = 0, 0, 0
    for told in recorded(tools, "policytest"):
        policy.write_text(told["case"]["policy"], encoding="utf-8")
        said = attempt(tailrender, "access", tree, "--policy", policy)
        if "error" not in told:
            assert said.returncode == 0 and "policy-test" not in said.stderr, f"{told['name']}: {said.stderr}"
            passed += 1
        elif said.returncode == 0:
            assert "[policy-test-unknown]" in said.stderr, f"{told['name']}: {said.stderr}"
            unknown += 1
        else:
            failed += 1
    assert passed > 10 and failed > 40 and unknown == 2, (passed, failed, unknown)
