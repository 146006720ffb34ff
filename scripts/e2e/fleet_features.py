"""The features of fleet.yaml that test_fleet_features.py gives to Fleet and to tailrender: a bundle for each, with the expected result."""
import dataclasses

CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {0}, namespace: shop}}\n"
OPERATOR = "helm:\n  chart: tailscale-operator\n  repo: https://charts.example.com\n"
EXPOSED = {"web.yaml": 'apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop, annotations: {tailscale.com/expose: "true"}}\nspec: {selector: {a: b}, ports: [{port: 80}]}\n'}
SAME = "the same"


@dataclasses.dataclass
class Feature:
    id: str
    what: str  # the text in the table
    text: str  # the text of fleet.yaml, without the name
    verdict: str = SAME
    files: dict = dataclasses.field(default_factory=dict)
    objects: bool = False  # compare the deployed objects as well
    alone: bool = False  # Fleet's reader stops at it, or it would need a network

    def __post_init__(self):
        if not self.text.startswith(("name:", "# unnamed")):
            self.text = f"name: {self.id}\n{self.text}"


def refused(rule):
    return f"refused `[{rule}]`"


def custom(*targets, mode=None):
    lines = "".join(f"- {target}\n" for target in targets)
    return (f"targetCustomizationMode: {mode}\n" if mode else "") + f"targetCustomizations:\n{lines}"


def selector(rest):
    return custom(f"clusterSelector: {{{rest}}}\n  serviceAccount: chosen")


FEATURES = [
    Feature("unnamed", "no `name`", "# unnamed\ndefaultNamespace: shop\n", objects=True),
    Feature("labels", "`labels`", "labels: {team: a}\n"),
    Feature("default-namespace", "`defaultNamespace`", "defaultNamespace: one\n", objects=True),
    Feature("default-namespace-customized", "`defaultNamespace` of a customization", "defaultNamespace: one\n" + custom("clusterName: home\n  defaultNamespace: two")),
    Feature("namespace", "`namespace`", "namespace: shop\n", objects=True),
    Feature("namespace-labels", "`namespaceLabels`, `namespaceAnnotations`", "namespaceLabels: {a: b}\nnamespaceAnnotations: {c: d}\n"),
    Feature("namespace-labels-of-others", "`namespaceLabels` of a customization, which Fleet takes whether it matches or not",
            "namespaceLabels: {a: b}\n" + custom("clusterName: home\n  namespaceLabels: {a: c, d: e}")),
    Feature("create-namespace", "`createNamespace: false`", "createNamespace: false\n"),
    Feature("service-account", "`serviceAccount`", "serviceAccount: one\n" + custom("clusterName: lab\n  serviceAccount: two")),
    Feature("cluster-name", "`clusterName`", custom("clusterName: lab\n  serviceAccount: chosen")),
    Feature("display-name", "`clusterName` with the name that Rancher shows", custom("clusterName: the-house\n  serviceAccount: chosen")),
    Feature("match-labels", "`clusterSelector.matchLabels`", selector("matchLabels: {env: prod, region: eu}")),
    Feature("selector-in", "`matchExpressions` with In", selector("matchExpressions: [{key: env, operator: In, values: [test, other]}]")),
    Feature("selector-not-in", "… NotIn, also where there is no such label", selector("matchExpressions: [{key: region, operator: NotIn, values: [eu]}]")),
    Feature("selector-exists", "… Exists", selector("matchExpressions: [{key: region, operator: Exists}]")),
    Feature("selector-does-not-exist", "… DoesNotExist", selector("matchExpressions: [{key: region, operator: DoesNotExist}]")),
    Feature("selector-unknown-operator", "… another operator", selector("matchExpressions: [{key: env, operator: Is}]"), refused("invalid-selector"), alone=True),
    Feature("empty-selector", "`clusterSelector: {}`", selector("")),
    Feature("no-criterion", "a customization without a criterion", custom("name: none\n  serviceAccount: chosen")),
    Feature("all-criteria", "several criteria, which must all hold", custom("clusterName: home\n  clusterSelector: {matchLabels: {env: test}}\n  serviceAccount: chosen")),
    Feature("first-match", "the first customization that matches", custom("clusterSelector: {}\n  serviceAccount: one", "clusterName: home\n  serviceAccount: two")),
    Feature("all-matches", "`targetCustomizationMode: AllMatches`", custom("clusterSelector: {}\n  serviceAccount: one\n  keepResources: true",
                                                                          "clusterName: home\n  serviceAccount: two", mode="AllMatches")),
    Feature("do-not-deploy", "`doNotDeploy`", custom("clusterName: home\n  doNotDeploy: true")),
    Feature("do-not-deploy-second", "`doNotDeploy` of a second one that matches", custom("clusterSelector: {}\n  serviceAccount: one", "clusterName: home\n  doNotDeploy: true")),
    Feature("do-not-deploy-all-matches", "the same with AllMatches", custom("clusterSelector: {}\n  serviceAccount: one", "clusterName: home\n  doNotDeploy: true", mode="AllMatches")),
    Feature("cluster-group", "`clusterGroup`", custom("clusterGroup: g\n  serviceAccount: chosen"), refused("unknown-cluster"), EXPOSED),
    Feature("cluster-group-of-others", "… of a bundle with nothing for us, which is copied", custom("clusterGroup: g\n  serviceAccount: chosen")),
    Feature("cluster-group-selector", "`clusterGroupSelector`", custom("clusterGroupSelector: {matchLabels: {a: b}}\n  serviceAccount: chosen"), refused("unknown-cluster"), EXPOSED),
    Feature("targets", "`targets`, an older name of customizations", "targets:\n- clusterName: home\n  serviceAccount: chosen\n"),
    Feature("override-targets", "`overrideTargets` by name", "overrideTargets: [{clusterName: home}]\n"),
    Feature("override-targets-selector", "… by label", "overrideTargets: [{clusterName: nowhere}, {clusterSelector: {matchLabels: {env: test}}}]\n"),
    Feature("override-targets-customized", "… with a customization", "overrideTargets: [{clusterName: home}]\n" + custom("clusterSelector: {}\n  serviceAccount: chosen")),
    Feature("override-targets-empty", "… an empty list", "overrideTargets: []\n", refused("unknown-cluster"), EXPOSED),
    Feature("override-targets-group", "… by group", "overrideTargets: [{clusterGroup: g}]\n", refused("unknown-cluster"), EXPOSED),
    Feature("release-name", "`helm.releaseName`", "helm: {releaseName: one}\n" + custom("clusterName: lab\n  helm: {releaseName: two}")),
    Feature("release-flags", "`helm.atomic`, `force`, `takeOwnership`, `waitForJobs`, `disableDNS`, which a customization can only switch on",
            "helm: {atomic: true, force: true}\n" + custom("clusterName: lab\n  helm: {atomic: false, takeOwnership: true, waitForJobs: true, disableDNS: true}")),
    Feature("base-only", "`helm.maxHistory`, `skipSchemaValidation`, which a customization cannot change",
            "helm: {maxHistory: 3, skipSchemaValidation: true}\n" + custom("clusterName: lab\n  helm: {maxHistory: 5}")),
    Feature("timeout", "`helm.timeoutSeconds`, which a negative one takes away", "helm: {timeoutSeconds: 60}\n" + custom("clusterName: lab\n  helm: {timeoutSeconds: -1}",
                                                                                                                         "clusterName: home\n  helm: {timeoutSeconds: 90}")),
    Feature("keep-resources", "`keepResources`", "keepResources: true\n" + custom("clusterName: lab\n  keepResources: false")),
    Feature("correct-drift", "`correctDrift`", "correctDrift: {enabled: true}\n" + custom("clusterName: lab\n  correctDrift: {enabled: true, force: true}")),
    Feature("downstream-resources", "`downstreamResources`, merged by kind and name", "downstreamResources: [{kind: Secret, name: a}]\n" +
            custom("clusterName: lab\n  downstreamResources: [{kind: Secret, name: a}, {kind: ConfigMap, name: b}]")),
    Feature("compare-patches", "`diff.comparePatches`, merged by object", "diff:\n  comparePatches: [{apiVersion: v1, kind: Service, name: a, namespace: b, jsonPointers: [/spec/x]}]\n" +
            custom("clusterName: lab\n  diff: {comparePatches: [{apiVersion: v1, kind: Service, name: a, namespace: b, jsonPointers: [/spec/y]}]}")),
    Feature("ignore", "`ignore`", "ignore: {conditions: [{type: Ready, status: \"False\"}]}\n"),
    Feature("delete-crds", "`deleteCRDResources`, `deleteNamespace`", "deleteCRDResources: true\ndeleteNamespace: true\n"),
    Feature("force-sync", "`forceSyncGeneration`, which the GitRepo's replaces", "forceSyncGeneration: 3\n"),
    Feature("force-sync-customized", "… of a customization", custom("clusterName: lab\n  forceSyncGeneration: 5"), refused("not-supported")),
    Feature("depends-on", "`dependsOn`", "dependsOn: [{name: labels, acceptedStates: [Ready]}]\n"),
    Feature("paused", "`paused`", "paused: true\n"),
    Feature("rollout", "`rolloutStrategy`", "rolloutStrategy: {maxUnavailable: 10%, partitions: [{name: first, clusterName: home}]}\n"),
    Feature("overlays", "`yaml.overlays`", custom("clusterName: home\n  yaml: {overlays: [one]}"), refused("not-supported"),
            {"overlays/one/settings.yaml": CONFIG_MAP.format("overlays")}),
    Feature("kustomize", "a kustomization beside fleet.yaml", "", files={"kustomization.yaml": "resources: [settings.yaml]\n"}, objects=True),
    Feature("kustomize-dir", "`kustomize.dir` of a customization", custom("clusterName: home\n  kustomize: {dir: overlays/home}"),
            files={"overlays/home/kustomization.yaml": "resources: [more.yaml]\n", "overlays/home/more.yaml": CONFIG_MAP.format("more")}, objects=True),
    Feature("kustomize-dirs", "`kustomize.dir`, another one for each cluster", custom("clusterName: home\n  kustomize: {dir: overlays/home}", "clusterName: lab\n  kustomize: {dir: overlays/lab}"),
            files={"settings.yaml": None, "overlays/home/kustomization.yaml": "resources: [more.yaml, ../../base]\n", "overlays/home/more.yaml": CONFIG_MAP.format("more"),
                   "overlays/lab/kustomization.yaml": "resources: [../../base]\n", "base/kustomization.yaml": "resources: [deep/base.yaml]\n",
                   "base/deep/base.yaml": CONFIG_MAP.format("base")}, objects=True),
    Feature("kustomize-subdirectory", "files of subdirectories in a kustomization beside fleet.yaml", "", "Fleet refuses the source; what is rendered of it deploys",
            {"kustomization.yaml": "resources: [objects/settings.yaml]\n", "settings.yaml": None, "objects/settings.yaml": CONFIG_MAP.format("deep")}, objects=True),
    Feature("kustomize-other-name", "a kustomization with another file name", "", refused("fleet-kustomization"), {"kustomization.yml": "resources: [settings.yaml]\n"}),
    Feature("fleetignore", "`.fleetignore`", "", files={".fleetignore": "left-*\nout/*\n", "left-out.yaml": CONFIG_MAP.format("left"), "out/settings.yaml": CONFIG_MAP.format("out")}, objects=True),
    Feature("hidden", "hidden files and directories", "", files={".hidden.yaml": CONFIG_MAP.format("hidden"), ".dir/more.yaml": CONFIG_MAP.format("dir")}, objects=True),
    Feature("subdirectories", "manifests in subdirectories", "defaultNamespace: one\n", files={"a/b/more.yaml": CONFIG_MAP.format("more")}, objects=True),
    Feature("values", "`helm.values` with `${ }`", OPERATOR + "  values: {operatorConfig: {hostname: \"${ .ClusterName }\"}}\n", refused("unknown-offline"), alone=True),
    Feature("cluster-labels", "`global.fleet.clusterLabels.` in values, of a label that is not known", OPERATOR + "  values: {operatorConfig: {hostname: global.fleet.clusterLabels.zone}}\n", refused("unknown-offline"), alone=True),
    Feature("template-values", "`helm.templateValues`", OPERATOR + "  templateValues: {proxyConfig: \"{}\"}\n", refused("unknown-offline"), alone=True),
    Feature("values-from", "`helm.valuesFrom`", OPERATOR + "  valuesFrom: [{secretKeyRef: {name: a, namespace: b, key: c}}]\n", refused("unread-values"), alone=True),
    Feature("image-scans", "`imageScans`, where the Fleet manager has them switched off", "imageScans: [{image: nginx, tagName: web, policy: {semver: {range: \"*\"}}}]\n",
            "Fleet refuses the source; what is rendered of it deploys", alone=True),
    Feature("unknown-key", "a key that Fleet does not know and ignores", "defaultNamspace: one\n", refused("unknown-key")),
]
