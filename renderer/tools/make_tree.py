#!/usr/bin/python3
"""Makes a synthetic cluster repository: make_tree.py DIR DOCUMENTS [--foreign-only] [--flow]

Half of the documents are foreign (ConfigMaps and Deployments). Of the rest one half are Services exposed by annotation;
one eighth each are Ingresses, the Services behind those, Services with a target in the tailnet through ProxyGroups, and a
mix of everything else: ProxyGroups, ProxyClasses, Connectors, Recorders, Services of class tailscale, Services that
have a target in the tailnet alone. The same arguments give the same bytes.
DIR gets one directory per 500 documents, 25 documents a file, and a kustomization.yaml that lists every file, so that
other tools can build the same tree. --flow writes selectors and ports of Services in flow style.
"""
import pathlib
import re
import sys

CONFIG_MAP = """apiVersion: v1
kind: ConfigMap
metadata:
  name: settings-{n}
  namespace: team-{team}
  labels:
    app.kubernetes.io/name: app-{n}
data:
  LOG_LEVEL: info
  GREETING: "hello, number {n}"
  application.properties: |
    server.port=8080
    cache.size={n}
"""
DEPLOYMENT = """apiVersion: apps/v1
kind: Deployment
metadata:
  name: app-{n}
  namespace: team-{team}
spec:
  replicas: 2
  selector:
    matchLabels:
      app: app-{n}
  template:
    metadata:
      labels:
        app: app-{n}
    spec:
      containers:
      - name: app
        image: registry.example.com/team-{team}/app:{n}
        ports:
        - containerPort: 8080
"""
EXPOSED = """apiVersion: v1
kind: Service
metadata:
  name: app-{n}
  namespace: team-{team}
  annotations:
    tailscale.com/expose: "true"
    tailscale.com/tags: "tag:k8s,tag:team-{team}"
spec:
  selector:
    app: app-{n}
  ports:
  - name: http
    port: 80
    targetPort: 8080
"""
BACKEND = """apiVersion: v1
kind: Service
metadata:
  name: web-{n}
  namespace: team-{team}
spec:
  selector:
    app: web-{n}
  ports:
  - name: http
    port: 80
"""
INGRESS = """apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: web-{n}
  namespace: team-{team}
spec:
  ingressClassName: tailscale
  tls:
  - hosts:
    - web-{n}
  rules:
  - http:
      paths:
      - path: /
        pathType: Prefix
        backend:
          service:
            name: web-{n}
            port:
              name: http
"""
MEMBER = """apiVersion: v1
kind: Service
metadata:
  name: remote-{n}
  namespace: team-{team}
  annotations:
    tailscale.com/proxy-group: out-{group}
    tailscale.com/tailnet-fqdn: remote-{n}.tail1a2b3.ts.net
spec:
  type: ExternalName
  externalName: placeholder
  ports:
  - name: https
    port: 443
"""
GROUP = """apiVersion: tailscale.com/v1alpha1
kind: ProxyGroup
metadata:
  name: out-{group}
spec:
  type: egress
  replicas: 2
"""
OTHERS = ["""apiVersion: tailscale.com/v1alpha1
kind: Connector
metadata:
  name: net-{n}
spec:
  proxyClass: class-{class_n}
  subnetRouter:
    advertiseRoutes:
    - 10.{high}.{low}.0/24
""", """apiVersion: tailscale.com/v1alpha1
kind: ProxyClass
metadata:
  name: class-{n}
spec:
  metrics:
    enable: true
  statefulSet:
    pod:
      nodeSelector:
        kubernetes.io/arch: arm64
""", """apiVersion: v1
kind: Service
metadata:
  name: nas-{n}
  namespace: team-{team}
  annotations:
    tailscale.com/tailnet-ip: 100.64.{high}.{low}
spec:
  type: ExternalName
  externalName: placeholder
""", """apiVersion: v1
kind: Service
metadata:
  name: lb-{n}
  namespace: team-{team}
spec:
  type: LoadBalancer
  loadBalancerClass: tailscale
  ports:
  - port: 80
""", """apiVersion: tailscale.com/v1alpha1
kind: Recorder
metadata:
  name: tape-{n}
spec:
  enableUI: true
"""]
MEMBERS_OF_GROUP = 100
FLOW = [
    (re.compile(r"^  selector:\n    app: (\S+)$", re.M), r"  selector: {app: \1}"),
    (re.compile(r"^  ports:\n  - name: (\w+)\n    port: (\d+)$", re.M), r"  ports: [{name: \1, port: \2}]"),
    (re.compile(r"\}\]\n    targetPort: (\d+)$", re.M), r", targetPort: \1}]"),
]


def other(n):
    kind = n % len(OTHERS)
    class_n = n + 1 if kind == 0 else n  # the one behind it
    return OTHERS[kind].format(n=n, team=n % 40, class_n=class_n, high=n // 256 % 64, low=n % 256)


def in_flow_style(text):
    for block, flow in FLOW:
        text = block.sub(flow, text)
    return text


def document(index, foreign_only):
    n, slot = index // 16, index % 16
    values = {"n": index, "team": index % 40}
    if foreign_only or slot % 2 == 0:
        return (CONFIG_MAP if slot % 4 == 0 else DEPLOYMENT).format(**values)
    if slot in (1, 3):
        return (INGRESS if slot == 1 else BACKEND).format(n=n, team=n % 40)
    if slot == 5:
        return GROUP.format(group=n // MEMBERS_OF_GROUP) if n % MEMBERS_OF_GROUP == 0 else other(n)
    if slot == 7:
        return MEMBER.format(n=n, team=n % 40, group=n // MEMBERS_OF_GROUP)
    return EXPOSED.format(**values)


def main():
    root, count = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    foreign_only = "--foreign-only" in sys.argv
    files = []
    for start in range(0, count, 25):
        path = pathlib.Path(f"part-{start // 500:04}", f"objects-{start:06}.yaml")
        documents = [document(i, foreign_only) for i in range(start, min(start + 25, count))]
        if "--flow" in sys.argv:
            documents = [in_flow_style(text) for text in documents]
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("---\n".join(documents))
        files.append(path)
    lines = ["apiVersion: kustomize.config.k8s.io/v1beta1", "kind: Kustomization", "resources:"]
    (root / "kustomization.yaml").write_text("\n".join(lines + [f"- {f}" for f in files]) + "\n")


main()
