"""A repository of many clusters with a hundred proxies each. The same call gives the same bytes."""

SERVICE = """\
apiVersion: v1
kind: Service
metadata:
  name: app-{n}
  namespace: team-{team}
  annotations:
    tailscale.com/expose: "true"
    tailscale.com/tags: "tag:team-{team}"
spec:
  selector:
    app: app-{n}
  ports:
  - name: http
    port: 80
"""
INGRESS = """\
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: web-{n}
  namespace: team-{team}
  annotations:
    tailscale.com/tags: "tag:team-{team}"
spec:
  ingressClassName: tailscale
  defaultBackend:
    service:
      name: app-{n}
      port:
        number: 80
"""
EGRESS = """\
apiVersion: v1
kind: Service
metadata:
  name: db-{n}
  namespace: team-{team}
  annotations:
    tailscale.com/tailnet-fqdn: db-{n}.example.ts.net
    tailscale.com/tags: "tag:team-{team}"
spec:
  type: ExternalName
  externalName: placeholder
"""
CLUSTER = """\
  - name: {name}
    bundles: [clusters/{name}]
    tailnetDomain: example.ts.net
    values: {{tailrender: {{hostnameSuffix: {name}}}}}
"""
TEAMS = 10
OWNERS = ", ".join(f'"tag:team-{team}": ["tag:k8s-operator"]' for team in range(TEAMS))
POLICY = f"""\
{{
  "tagOwners": {{"tag:k8s-operator": [], {OWNERS}}},
  "groups": {{"group:dev": ["alice@example.com"], "group:ops": ["bob@example.com"]}},
  "grants": [
    {{"src": ["group:dev"], "dst": ["tag:team-1", "tag:team-2"], "ip": ["tcp:80", "tcp:443"]}},
    {{"src": ["group:ops"], "dst": ["*"], "ip": ["*"]}},
    {{"src": ["autogroup:tagged"], "dst": ["*"], "ip": ["tcp:5432"]}},
  ],
}}
"""


def names(count):
    return [f"c{i:04}" for i in range(count)]


def write_repository(path, clusters):
    """Each cluster has 80 exposed Services, ten of them also with an Ingress, and ten targets in the tailnet."""
    for name in clusters:
        for team in range(TEAMS):
            services = [SERVICE.format(n=f"{team}-{i}", team=team) for i in range(8)]
            folder = path / "clusters" / name / f"team-{team}"
            folder.mkdir(parents=True)
            documents = [*services, INGRESS.format(n=f"{team}-0", team=team), EGRESS.format(n=team, team=team)]
            (folder / "proxies.yaml").write_text("---\n".join(documents))
    (path / ".tailrender.yaml").write_text(
        "policy: policy.hujson\nclusters:\n" + "".join(CLUSTER.format(name=name) for name in clusters))
    (path / "policy.hujson").write_text(POLICY)
