"""A tree of many devices, and a policy with many rules for them."""
import json
import random

SERVICE = """\
apiVersion: v1
kind: Service
metadata:
  name: s{index}
  namespace: shop
  annotations: {{tailscale.com/expose: "true", tailscale.com/hostname: s{index}, tailscale.com/tags: "tag:t{first},tag:u{second}"}}
spec:
  selector: {{app: s{index}}}
  ports: [{{name: a, port: 80}}, {{name: b, port: 443}}]
---
"""
TAGS, GROUPS = 1_000, 2_000


def write_devices(folder, count):
    folder.mkdir()
    rng = random.Random(1)
    (folder / "devices.yaml").write_text("".join(
        SERVICE.format(index=i, first=rng.randrange(TAGS), second=rng.randrange(TAGS)) for i in range(count)), encoding="utf-8")


def write_policy(path, count):
    """One rule in twenty is for names of addresses, one in 10,000 for everything."""
    rng = random.Random(2)

    def rule(index):
        to = "*" if index % 10_000 == 0 else f"host{rng.randrange(100)}" if index % 20 == 0 else f"tag:{rng.choice('tu')}{rng.randrange(TAGS)}"
        who = [f"group:g{rng.randrange(GROUPS)}", f"user{rng.randrange(5000)}@example.com"]
        if index % 2:
            return {"action": "accept", "src": who, "dst": [f"{to}:{rng.choice(['443', '80,8080', '1-1000', '*'])}"]}
        return {"src": who, "dst": [to], "ip": [rng.choice(["tcp:443", "*", "udp:53"])]}
    rules = [rule(index) for index in range(count)]
    path.write_text(json.dumps({
        "groups": {f"group:g{i}": [f"user{rng.randrange(5000)}@example.com" for _ in range(20)] for i in range(GROUPS)},
        "hosts": {f"host{i}": f"100.64.{i}.1" for i in range(100)},
        "tagOwners": {f"tag:{kind}{i}": [] for kind in "tu" for i in range(TAGS)},
        "acls": [one for one in rules if "action" in one], "grants": [one for one in rules if "action" not in one],
    }, indent=1), encoding="utf-8")


def add_rule(policy, path):
    """Writes the policy with one grant more."""
    changed = json.loads(policy.read_text(encoding="utf-8"))
    changed["grants"].append({"src": ["group:g1"], "dst": ["tag:t1"], "ip": ["tcp:443"]})
    path.write_text(json.dumps(changed, indent=1), encoding="utf-8")
