"""A repository of Flux, Argo CD, Fleet or plain directories, modelled well enough to know its devices."""
import dataclasses

OWN = "https://example.com/acme/den.git"
NAMESPACE = "media"
CHART = {
    "Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.2.0\n",
    "templates/service.yaml": """\
{{- range .Values.devices }}
---
apiVersion: v1
kind: Service
metadata: {name: {{ . }}, namespace: media, annotations: {tailscale.com/expose: "true"}}
spec: {selector: {app: a}, ports: [{port: 80}]}
{{- end }}
""",
}


@dataclasses.dataclass
class Device:
    file: str
    is_exposed: bool = True
    by_class: bool = False    # a load balancer: exposed by the operator's default class


@dataclasses.dataclass
class Unit:
    """What an engine applies: a directory with a file for each device."""
    name: str
    directory: str
    above: str = ""           # the unit whose directory holds the object of this unit
    devices: dict = dataclasses.field(default_factory=dict)  # by the name of the Service
    is_listed: bool = False   # a kustomization.yaml lists the files
    is_suspended: bool = False
    form: str = "plain"       # how its Services are changed, or what is used instead of them
    note: int = 0             # the number in a comment


@dataclasses.dataclass
class Tree:
    engine: str
    has_operator: bool = False  # its default class makes load balancers devices
    units: dict = dataclasses.field(default_factory=dict)
    count: int = 0            # how many names were given out

    def new_name(self, prefix):
        self.count += 1
        return f"{prefix}{self.count}"

    def chain(self, unit):
        """Yields the unit, and those above it."""
        while unit:
            yield self.units[unit]
            unit = self.units[unit].above

    def is_frozen(self, unit):
        return any(one.is_suspended for one in self.chain(unit))

    def frozen(self, tree):
        """Returns the devices that no edit which results in `tree` removes: an engine that is suspended deletes nothing. A suspended unit
        that is itself removed takes its devices with it."""
        def holder(name):
            return next((one.name for one in self.chain(name) if one.name in tree.units), "")
        return {device for name in self.units if self.is_frozen(holder(name)) for device in self.devices([name])}

    def below(self, unit):
        return [name for name in self.units if unit in [one.name for one in self.chain(name)]]

    def devices(self, units=None):
        """Returns the parents of all devices, as the inventory names them."""
        return {f"Service/{NAMESPACE}/{name}" for unit in (self.units if units is None else units)
                for name, device in self.units[unit].devices.items() if device.is_exposed}

    def programs(self):
        """Returns the programs that are needed to render the whole tree."""
        return {{"labelled": "kustomize", "patched": "kustomize", "chart": "helm"}.get(unit.form) for unit in self.units.values()} - {None}

    def files(self):
        found = {"README.md": "of the user\n", **ENGINES[self.engine](self)}
        if self.has_operator:
            found.update(OPERATORS[self.engine])
        for unit in self.units.values():
            found.update(content_of(self, unit))
            if unit.form == "chart" and self.engine == "flux":
                found.update({f"charts/web/{path}": text for path, text in CHART.items()})
        return found


def service(name, device, unit):
    annotations = '{tailscale.com/expose: "true"}' if device.is_exposed and not device.by_class else "{}"
    kind = "type: LoadBalancer, " * (device.is_exposed and device.by_class)
    if unit.form == "variable" and device.is_exposed and not device.by_class:
        annotations = annotations.replace("}", ', tailscale.com/hostname: "${zone}-' + name + '"}')
    return (f"apiVersion: v1\nkind: Service\nmetadata: {{name: {name}, namespace: {NAMESPACE}, annotations: {annotations}}}\n"
            f"spec: {{{kind}selector: {{app: a}}, ports: [{{port: 80}}]}}\n")


def object_path(tree, unit):
    """Returns the path of the object that makes the engine apply the unit."""
    if unit.above:
        return f"{tree.units[unit.above].directory}/unit-{unit.name}.yaml"
    return {"flux": f"clusters/den/{unit.name}.yaml", "argo": f"apps/{unit.name}.yaml"}.get(tree.engine)


def release(unit):
    names = ", ".join(sorted(name for name, device in unit.devices.items() if device.is_exposed))
    return (f"apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: {unit.name}, namespace: {NAMESPACE}}}\nspec:\n  interval: 1h\n"
            "  chart: {spec: {chart: ./charts/web, sourceRef: {kind: GitRepository, name: flux-system, namespace: flux-system}}}\n"
            f"  values: {{devices: [{names}]}}\n")


def resource_set(unit):
    """Returns a ResourceSet with a Service for each device. Every second one is the input of a provider."""
    names = sorted(name for name, device in unit.devices.items() if device.is_exposed)
    if not names:
        return {}
    head = "apiVersion: fluxcd.controlplane.io/v1\nkind: "
    inputs = "".join(f"  - {{app: {name}}}\n" for name in names[::2])
    sources = "".join(f"  - {{kind: ResourceSetInputProvider, name: {name}}}\n" for name in names[1::2])
    providers = [f"{head}ResourceSetInputProvider\nmetadata: {{name: {name}, namespace: {NAMESPACE}}}\nspec: {{type: Static, defaultValues: {{app: {name}}}}}\n"
                 for name in names[1::2]]
    found = {"set.yaml": f"{head}ResourceSet\nmetadata: {{name: {unit.name}, namespace: {NAMESPACE}}}\nspec:\n  inputs:\n{inputs}" +
                         f"  inputsFrom:\n{sources}" * bool(sources) +
                         "  resources:\n  - apiVersion: v1\n    kind: Service\n"
                         f"    metadata: {{name: << inputs.app >>, namespace: {NAMESPACE}, annotations: {{tailscale.com/expose: \"true\"}}}}\n"
                         "    spec: {selector: {app: a}, ports: [{port: 80}]}\n"}
    return {**found, "inputs.yaml": "---\n".join(providers)} if providers else found


def content_of(tree, unit):
    found = {}
    if unit.form == "set":
        found.update({f"{unit.directory}/{path}": text for path, text in resource_set(unit).items()})
    elif unit.form == "chart":
        found[f"{unit.directory}/release.yaml"] = release(unit)
    else:
        for name, device in unit.devices.items():
            path = f"{unit.directory}/{device.file}"
            found[path] = found.get(path, "") + "---\n" * (path in found) + service(name, device, unit)
    found[f"{unit.directory}/notes.yaml"] = (f"# {unit.note}\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {unit.name}-notes, namespace: {NAMESPACE}}}\n"
                                             f"data: {{note: \"{unit.note}\"}}\n")
    if tree.engine == "fleet":
        found[f"{unit.directory}/fleet.yaml"] = f"defaultNamespace: {NAMESPACE}\n"
    if unit.is_listed or unit.form == "labelled":
        under = [object_path(tree, one) for one in tree.units.values() if one.above == unit.name]
        names = sorted(path[len(unit.directory) + 1:] for path in [*found, *under] if not path.endswith("/fleet.yaml"))
        found[f"{unit.directory}/kustomization.yaml"] = ("resources:\n" + "".join(f"- {name}\n" for name in names) +
                                                         "labels: [{pairs: {team: a}, includeTemplates: true}]\n" * (unit.form == "labelled"))
    return found


def flux_kustomization(name, path, extra=""):
    return (f"apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}, namespace: flux-system}}\nspec:\n  interval: 1h\n  path: ./{path}\n"
            f"  prune: true\n  sourceRef: {{kind: GitRepository, name: flux-system, namespace: flux-system}}\n{extra}")


def flux(tree):
    found = {"clusters/den/flux-system/sync.yaml":
             "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: flux-system, namespace: flux-system}\n"
             f"spec: {{url: \"{OWN}\"}}\n---\n" + flux_kustomization("flux-system", "clusters/den")}
    for unit in tree.units.values():
        extra = "  suspend: true\n" * unit.is_suspended
        extra += "  postBuild: {substitute: {zone: east}}\n" * (unit.form == "variable")
        extra += "  patches: [{target: {kind: Service}, patch: '[{\"op\": \"add\", \"path\": \"/metadata/labels\", \"value\": {\"team\": \"a\"}}]'}]\n" * (unit.form == "patched")
        found[object_path(tree, unit)] = flux_kustomization(unit.name, unit.directory, extra)
    return found


def application(name, path, extra=""):
    return (f"apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata:\n  name: {name}\n  namespace: argocd\n{extra}spec:\n  project: default\n"
            f"  source: {{repoURL: \"{OWN}\", path: {path}}}\n  destination: {{server: \"https://kubernetes.default.svc\", namespace: {NAMESPACE}}}\n")


def argo(tree):
    found = {"root.yaml": application("root", "apps")}
    for unit in tree.units.values():
        extra = '  annotations: {argocd.argoproj.io/skip-reconcile: "true"}\n' * unit.is_suspended
        found[object_path(tree, unit)] = application(unit.name, unit.directory, extra)
    return found


ENGINES = {"flux": flux, "argo": argo, "fleet": lambda tree: {}, "plain": lambda tree: {}}
FORMS = {"flux": ["plain", "labelled", "patched", "variable", "chart", "set"], "argo": ["plain", "labelled"], "fleet": ["plain"], "plain": ["plain", "labelled"]}
SETTINGS = '{operatorConfig: {extraEnv: [{name: OPERATOR_DEFAULT_LOAD_BALANCER, value: "true"}]}}'
OPERATORS = {
    "flux": {"clusters/den/ops.yaml": flux_kustomization("ops", "ops"),
             "ops/operator.yaml": "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: operator, namespace: tailscale}\nspec:\n  interval: 1h\n"
                                  "  chart: {spec: {chart: tailscale-operator, version: 1.98.4, sourceRef: {kind: HelmRepository, name: tailscale}}}\n"
                                  f"  values: {SETTINGS}\n"},
    "argo": {"apps/ops.yaml": "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: ops, namespace: argocd}\nspec:\n  project: default\n"
                              "  source:\n    repoURL: https://pkgs.tailscale.com/helmcharts\n    chart: tailscale-operator\n    targetRevision: 1.98.4\n"
                              f"    helm:\n      valuesObject: {SETTINGS}\n"
                              "  destination: {server: \"https://kubernetes.default.svc\", namespace: tailscale}\n"},
}
NESTS = ("flux", "argo")
SUSPENDS = ("flux", "argo")
