#!/usr/bin/python3
"""Makes a synthetic cluster repository: make_tree.py DIR DOCUMENTS [--foreign-only]

Half of the documents are foreign (ConfigMaps and Deployments). Of the rest three quarters are Services exposed by
annotation, one eighth Ingresses and one eighth the Services behind those. The same arguments give the same bytes.
DIR gets one directory per 500 documents, 25 documents a file, and a kustomization.yaml that lists every file, so that
other tools can build the same tree.
"""
import pathlib
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


def document(index, foreign_only):
    n, slot = index // 16, index % 16
    values = {"n": index, "team": index % 40}
    if foreign_only or slot % 2 == 0:
        return (CONFIG_MAP if slot % 4 == 0 else DEPLOYMENT).format(**values)
    if slot in (1, 3):
        return (INGRESS if slot == 1 else BACKEND).format(n=n, team=n % 40)
    return EXPOSED.format(**values)


def main():
    root, count = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    foreign_only = "--foreign-only" in sys.argv
    files = []
    for start in range(0, count, 25):
        path = pathlib.Path(f"part-{start // 500:04}", f"objects-{start:06}.yaml")
        documents = [document(i, foreign_only) for i in range(start, min(start + 25, count))]
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("---\n".join(documents))
        files.append(path)
    lines = ["apiVersion: kustomize.config.k8s.io/v1beta1", "kind: Kustomization", "resources:"]
    (root / "kustomization.yaml").write_text("\n".join(lines + [f"- {f}" for f in files]) + "\n")


main()
