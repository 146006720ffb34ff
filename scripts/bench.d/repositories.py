"""Synthetic repositories of which little matters. The same call gives the same bytes."""

SYNC = """apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata:
  name: {name}
  namespace: flux-system
spec:
  interval: 10m
  path: ./{path}
  prune: true
  sourceRef:
    kind: GitRepository
    name: flux-system
"""
APPLICATION = """apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: {name}
  namespace: argocd
spec:
  project: default
  source:
    repoURL: https://example.com/acme/rendered.git
    path: {path}
    directory:
      recurse: true
  destination:
    server: https://kubernetes.default.svc
    namespace: {namespace}
"""
SERVICE = """apiVersion: v1
kind: Service
metadata:
  name: {name}
  namespace: {namespace}{annotations}
spec:
  selector:
    app: {name}
  ports:
  - name: http
    port: 80
"""
EXPOSED = """
  annotations:
    tailscale.com/expose: "true\""""
DEPLOYMENT = """apiVersion: apps/v1
kind: Deployment
metadata:
  name: {name}
  namespace: {namespace}
  labels:
    app.kubernetes.io/name: {name}
    app.kubernetes.io/managed-by: acme
spec:
  replicas: 2
  selector:
    matchLabels:
      app: {name}
  template:
    metadata:
      labels:
        app: {name}
    spec:
      containers:
      - name: app
        image: registry.example.com/{namespace}/{name}:1.2.3
        args: ["--listen=:8080", "--log-level=info"]
        ports:
        - name: http
          containerPort: 8080
        readinessProbe:
          httpGet:
            path: /healthz
            port: http
        resources:
          requests:
            cpu: 10m
            memory: 64Mi
          limits:
            memory: 256Mi
        volumeMounts:
        - name: settings
          mountPath: /etc/app
      volumes:
      - name: settings
        configMap:
          name: {name}
"""
PANEL = """      {{
        "id": {n},
        "type": "timeseries",
        "title": "Requests of {name} by code, {n}",
        "targets": [{{"expr": "sum by (code) (rate(http_requests_total{{namespace=\\"{namespace}\\"}}[5m]))", "legendFormat": "{{{{code}}}}"}}]
      }}"""
DASHBOARD = """apiVersion: v1
kind: ConfigMap
metadata:
  name: {name}
  namespace: {namespace}
data:
  dashboard.json: |
    {{
      "title": "{name}",
      "panels": [
{panels}
      ]
    }}
"""


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def service(name, namespace, is_exposed):
    return SERVICE.format(name=name, namespace=namespace, annotations=EXPOSED if is_exposed else "")


def dashboard(name, namespace, panels):
    return DASHBOARD.format(name=name, namespace=namespace, panels=",\n".join(PANEL.format(n=n, name=name, namespace=namespace) for n in range(panels)))


def flux(root):
    """5,000 files: 249 directories of 18 manifests and a kustomization, each with its Kustomization; ten manifests have a device."""
    write(root / "clusters/home/flux-system/gotk-sync.yaml", SYNC.format(name="flux-system", path="clusters/home"))
    for n in range(249):
        directory, names = f"apps/app-{n:03}", []
        for m in range(18):
            name, namespace = f"app-{n:03}-{m:02}", f"team-{n % 40}"
            text = (service(name, namespace, n % 25 == 0 and m == 0) if m % 3 == 0 else
                    DEPLOYMENT.format(name=name, namespace=namespace) if m % 3 == 1 else dashboard(name, namespace, 4))
            names.append(f"{name}.yaml")
            write(root / directory / names[-1], text)
        write(root / directory / "kustomization.yaml",
              "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n" + "".join(f"- {name}\n" for name in names))
        write(root / f"clusters/home/app-{n:03}.yaml", SYNC.format(name=f"app-{n:03}", path=directory))
    for n in range(19):
        write(root / f"clusters/home/settings-{n:02}.yaml", dashboard(f"settings-{n:02}", "flux-system", 1))


def rendered(root):
    """74 MB in 2,868 files, as a pipeline writes them: 100 Applications, of which each has a device."""
    for n in range(100):
        write(root / f"applications/app-{n:03}.yaml", APPLICATION.format(name=f"app-{n:03}", namespace=f"team-{n % 40}", path=f"rendered/app-{n:03}"))
    for n in range(2768):
        name, namespace = f"app-{n:04}", f"team-{n % 100 % 40}"
        parts = [service(name, namespace, n < 100)]
        parts += [DEPLOYMENT.format(name=f"{name}-{m}", namespace=namespace) for m in range(10)]
        parts.append(dashboard(name, namespace, 69))
        write(root / f"rendered/app-{n % 100:03}/{name}.yaml", "---\n".join(parts))


def patched(root):
    """200 directories of Flux that only kustomize builds, for their patches; 40 of them have a device. Returns those."""
    write(root / "clusters/home/flux-system/gotk-sync.yaml", SYNC.format(name="flux-system", path="clusters/home"))
    exposed = []
    for n in range(200):
        name, namespace, directory = f"app-{n:03}", f"team-{n % 40}", root / f"apps/app-{n:03}"
        write(root / f"clusters/home/{name}.yaml", SYNC.format(name=name, path=f"apps/{name}"))
        write(directory / "service.yaml", service(name, namespace, n % 5 == 0))
        write(directory / "deployment.yaml", DEPLOYMENT.format(name=name, namespace=namespace))
        write(directory / "kustomization.yaml",
              "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [service.yaml, deployment.yaml]\n"
              "patches:\n- target: {kind: Deployment}\n  patch: |\n    - {op: replace, path: /spec/replicas, value: 3}\n")
        if n % 5 == 0:
            exposed.append(directory)
    return exposed
