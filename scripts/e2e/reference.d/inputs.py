"""Random inputs: small cluster repositories from a seed, with unique names so that many fit into one cluster. Features of newer releases of
the operator are only in inputs for these releases."""
import random

import newer
import pods
from parity_release import DEFAULT, RELEASES, is_within

TS = "tailscale.com/"
API = TS + "v1alpha1"
TAGS = ["tag:web", "tag:db", "tag:k8s", "tag:a-1", "tag:Z"]
BAD_TAGS = ["web", "tag:", "tag:1a", "tag:a_b", ""]
HOSTS = ["web", "Web-1", "a", "0", "x" * 63, "db-0"]
BAD_HOSTS = ["a.b", "-a", "a-", "a_b", "x" * 64, ""]
TRUTHS = ["true", "false", "True", "1", ""]
IPS = ["100.64.0.7", "fd7a:115c:a1e0::7", "10.1.2.3", "FD7A:115C:A1E0::7"]
BAD_IPS = ["100.64.0.300", "100.64.0.0/10", "nas", "::1%lo", "100.64.0.07"]
FQDNS = ["nas.tail5e1f.ts.net", "nas.tail5e1f.ts.net.", "a.b.ts.net"]
BAD_FQDNS = ["nas", "host.example.com", "nas.ts.net", "tail5e1f.ts.net.", ".ts.net", "a..ts.net", "NAS.Tail5e1f.ts.net"]
IMAGES = ["ghcr.io/tailscale/tailscale:latest", "localhost:5000/ts:unstable", "example.org/ts@sha256:" + "a1" * 32]
BAD_IMAGES = ["UPPER/case:x", "a b", "x:y:z"]
MAPS = [{"team": "a"}, {"a.example.org/b": "1", "c": "true"}, {"empty": ""}, {"zone": "x-1", "m": "0"}, {}]
LABELS = [*MAPS, {"app": "mine"}, {TS + "managed": "false"}, {TS + "parent-resource": "other", "k": "v"}]
MEMBER_PORTS = [[{"port": 9002}], [{"name": "a", "port": 9002}, {"name": "b", "port": 9003, "targetPort": 80}], [{"port": 80, "targetPort": "web"}],
                [{"name": "x", "port": 53, "protocol": "UDP"}, {"name": "y", "port": 53}, {"name": "z", "port": 1}]]
BAD_LABELS = [{"a": "no spaces"}, {"bad key!": "x"}, {"a": "x" * 64}, {"-a": "x"}, {"a/b/c": "x"}, {"a": "-x"}, {"A.b/c": "x"}]
BAD_NOTES = [{"bad key!": "x"}, {"a/b/c": "x"}, {"/x": "y"}, {"x" * 64: "y"}, {"A.b/c": "x"}]
BAD_ENVS = [[{"name": "1BAD", "value": "x"}], [{"name": "", "value": "x"}], [{"name": "a b"}], [{"value": "x"}], [{"name": "POD_IP", "value": "x"}]]
NOTES = [*MAPS, {"long": "text with spaces: and # more"}, {"multi": "a\nb"}, {"quote": "say \"x\" & <y>"}, {"tail": "scale ü"},
         {"tailscale.com/x": "no"}]
TOLERATIONS = [[{"operator": "Exists"}], [{"key": "a", "operator": "Equal", "value": "b", "effect": "NoExecute", "tolerationSeconds": 0}], []]
SPREADS = [[{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {"matchLabels": {"a": "b"}}}],
           [{"maxSkew": 2, "topologyKey": "host", "whenUnsatisfiable": "ScheduleAnyway", "nodeTaintsPolicy": "Honor"}], []]
TERMS = [{"matchExpressions": [{"key": "ssd", "operator": "In", "values": ["yes", "on"]}]}]
AFFINITIES = [{}, {"nodeAffinity": {}}, {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": TERMS}}},
              {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
                  {"weight": 1, "podAffinityTerm": {"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "x"}}}}]}}]
RESOURCES = [{}, {"requests": {"cpu": "1000m", "memory": "0.5Gi"}}, {"limits": {"cpu": 1, "memory": "128974848"}}, {"limits": {"cpu": "0.1"}},
             {"requests": {"cpu": "0.25", "ephemeral-storage": "1G"}, "limits": {"cpu": "2.5", "memory": "1024Mi"}},
             {"requests": {"memory": "1536Mi", "cpu": "100u"}}, {"limits": {"memory": "1Gi", "nvidia.com/gpu": "1"}}]
CONTEXTS = [{}, {"privileged": False}, {"runAsUser": 0}, {"capabilities": {"add": ["NET_ADMIN"], "drop": []}}, {"readOnlyRootFilesystem": True,
            "seccompProfile": {"type": "Localhost", "localhostProfile": "x.json"}}, {"seLinuxOptions": {}, "procMount": "Default"}]
POD_CONTEXTS = [{}, {"runAsUser": 1000, "fsGroup": 0}, {"supplementalGroups": []}, {"sysctls": [{"name": "net.ipv4.ip_forward", "value": "1"}]},
                {"runAsNonRoot": False, "windowsOptions": {}}]
ENVS = [[], [{"name": "A"}], [{"name": "A", "value": ""}], [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}],
        [{"name": "TS_USERSPACE", "value": "true"}], [{"name": "TS_DEBUG_FIREWALL_MODE", "value": "iptables"}], [{"name": "a.b-c", "value": "$(POD_UID)"}],
        [{"name": "X", "value": "no"}, {"name": "TS_ENABLE_METRICS", "value": "x"}], [{"name": "YES_", "value": "1.0 \"q\" \\ ü <&>"}],
        [{"name": "TS_LOCAL_ADDR_PORT", "value": "[::]:9003"}], [{"name": "TS_KUBE_SECRET", "value": "x"}], [{"name": "PORT", "value": "1"}]]
DNS_CONFIGS = [{}, {"nameservers": ["1.1.1.1"]}, {"searches": ["a.b"], "options": [{"name": "ndots", "value": "1"}, {"name": "edns0"}]}]
ROUTES = ["10.0.0.0/8", "192.168.1.0/24", "fd00::/8", "10.0.0.1/32", "fd7a:115c:a1e0:b1a:0:7:a01:100/120", "10.0.0.0/9", "FD00::/8",
          "2001:db8:0:0::/64", "100.64.0.0/10"]
BAD_ROUTES = ["10.0.0.1/8", "10.0.0.0", "x", "fd00::1/8", "10.0.0.0/33", "010.0.0.0/8", "0.0.0.0/0", "::/0", "::ffff:1.2.3.0/120",
              "fd7a:115c:a1e0:b1a::/64", "fe80::1%lo/128", "10.0.0.0/-1", "1.2.3.4/32 "]
PORTS = [[{"port": 80}], [{"name": "http", "port": 80, "targetPort": 8080}, {"name": "https", "port": 443, "targetPort": "tls"}],
         [{"name": "dns", "port": 53, "protocol": "UDP"}, {"name": "dns-tcp", "port": 53, "protocol": "TCP"}], [{"name": "web", "port": 65535}],
         [{"name": "a", "port": 1, "protocol": "TCP"}, {"name": "b", "port": 2, "appProtocol": "http"}], [{"port": 5, "protocol": "SCTP"}],
         [{"name": "https", "port": 8443}], [{"name": "x", "port": 443}], [{"name": "http", "port": 443}, {"name": "https", "port": 80}]]
PATHS = ["/", "/a", "/a", "/a", "/a/", "/a/b", "", "/ü", "/a%20b", "/a b", "/*", "/a?b"]
SETTINGS = {
    "operatorNamespace": "tailscale", "k8sProxyImage": "tailscale/k8s-proxy:latest",
    "defaultTags": ["tag:k8s"], "firewallMode": "auto", "loginServer": "", "defaultProxyClass": "", "priorityClassName": "",
    "ingressClassName": "tailscale", "isDefaultLoadBalancer": False, "clusterDomain": "cluster.local", "serviceMonitorCRD": False,
    "httpsEnabled": True, "nodePortRange": "30000-32767", "authProxyServiceAccount": True, "ingressClassPresent": True,
    "tailnetDomain": "lab.ts.net",
}
VARIANTS = [
    {}, {"serviceMonitorCRD": True, "loginServer": "https://hs.example.net/"}, {"isDefaultLoadBalancer": True, "priorityClassName": "prio"},
    {"firewallMode": "", "proxyImage": "example.org/ts:stable", "defaultTags": ["tag:k8s", "tag:eu"], "k8sProxyImage": "example.org/k8s-proxy:v1.2.3"},
    {"operatorNamespace": "vpn", "clusterDomain": "k8s.corp.example", "ingressClassName": "ts-lab", "firewallMode": "nftables"},
    {"firewallMode": "iptables", "authProxyServiceAccount": False, "proxyImage": "example.org/ts:1.96", "serviceMonitorCRD": True},
]


class Maker(newer.Newer):
    """One input. On average `odd` of a thousand values should be refused, but at most one."""

    def __init__(self, seed, number, settings, odd, release):
        self.random, self.number, self.settings, self.odd, self.docs = random.Random(f"{seed}/{number}"), number, settings, odd, []
        self.release, self.images = release, [f"tailscale/tailscale:v1.{int(release.split('.')[1]) - 2}.1", *IMAGES]
        self.space = self.random.choice([f"n{number}"] * 8 + [f"{number}-x", f"n{number}-{'team-' * 6}a", f"n{number}{'0' * 40}"])

    def oddly(self, share=1.0):
        """Returns whether the next value is to be refused. This happens once, since the operator reports only one of several faults."""
        if self.random.random() * 1000 >= self.odd * share:
            return False
        self.odd = 0
        return True

    def one(self, values, bad=()):
        return self.random.choice(bad if bad and self.oddly() else values)

    def maybe(self, chance=0.3):
        return self.random.random() < chance

    def some(self, values, most=3):
        return self.random.sample(values, self.random.randint(1, min(most, len(values))))

    def add(self, version, kind, name, spec=None, namespaced=False, **metadata):
        metadata = {"name": name, **({"namespace": self.space} if namespaced else {}), **{k: v for k, v in metadata.items() if v}}
        obj = {"apiVersion": version, "kind": kind, "metadata": metadata, **({} if spec is None else {"spec": spec})}
        self.docs.append(obj)
        return obj

    def name(self, word, free=False):
        """Returns a name, sometimes of the maximum length and, if `free`, with dots and digits."""
        name = f"{word}-{self.number}"
        if self.maybe(0.1):
            return f"{name}-{'long-' * 8}z"[:self.random.randint(30, 62)].rstrip("-") + "z"
        return self.one([f"{word}.{self.number}", f"{self.number}-{word}", f"{name}.{'x' * 50}", f"{name}.a.b"]) if free and self.maybe(0.15) else name

    def optional(self, chance=0.3, **pools):
        return {key: self.one(values) for key, values in pools.items() if self.maybe(chance)}

    def tags(self):
        return [*self.some(TAGS), *([self.one(BAD_TAGS)] if self.oddly() else [])]

    # ---- classes

    def container(self, debug):
        found = self.optional(image=self.images, imagePullPolicy=["Always", "Never", "IfNotPresent"], resources=RESOURCES, securityContext=CONTEXTS, env=ENVS)
        if self.oddly():
            found |= self.one([{"image": image} for image in BAD_IMAGES] + [{"env": env} for env in BAD_ENVS] + [{"imagePullPolicy": "Sometimes"}])
        if debug and self.maybe():
            found["debug"] = self.one([{}, {"enable": True}, {"enable": False}])
        return found

    def proxy_class(self, init=True):
        """Adds a ProxyClass and returns its name."""
        pod = self.optional(0.2, labels=LABELS, annotations=NOTES, affinity=AFFINITIES, tolerations=TOLERATIONS, topologySpreadConstraints=SPREADS,
                            nodeSelector=MAPS, nodeName=["node-1"], securityContext=POD_CONTEXTS, imagePullSecrets=[[{"name": "a"}], []],
                            priorityClassName=["prio-x"], dnsPolicy=["Default", "ClusterFirst"], dnsConfig=DNS_CONFIGS)
        if "dnsConfig" in pod and pod["dnsConfig"].get("nameservers") and self.maybe(0.5):
            pod["dnsPolicy"] = "None"
        if self.maybe(0.5):
            pod["tailscaleContainer"] = self.container(debug=True)
        if init and self.maybe(0.3):
            pod["tailscaleInitContainer"] = self.container(debug=self.oddly())
        stateful_set = self.optional(0.3, labels=LABELS, annotations=NOTES)
        if self.maybe(0.8):
            stateful_set["pod"] = pod
        if self.oddly(0.5):
            self.one([pod, stateful_set]).update(self.one([{"labels": self.one(BAD_LABELS)}, {"annotations": self.one(BAD_NOTES)}]))
        spec = {"statefulSet": stateful_set} if self.maybe(0.9) else {}
        monitors = [{}, {"enable": False}, *([{"enable": True}, {"enable": True, "labels": {"release": "prom", "x": ""}}]
                                             if self.settings["serviceMonitorCRD"] or self.oddly() else [])]
        if self.maybe():
            spec["metrics"] = self.one([{"enable": True}, {"enable": False}, {"enable": True, "serviceMonitor": {"enable": False, **self.one(monitors)}}],
                                       [{"enable": True, "serviceMonitor": {"enable": True, "labels": {"a": "no spaces"}}},
                                        {"enable": False, "serviceMonitor": {"enable": True}}] if self.settings["serviceMonitorCRD"] else ())
        spec |= self.optional(0.2, tailscale=[{}, {"acceptRoutes": True}, {"acceptRoutes": False}], useLetsEncryptStagingEnvironment=[True, False])
        return self.add(API, "ProxyClass", f"class-{self.number}", spec)["metadata"]["name"]

    def notes(self, with_class=0.35):
        """Returns (labels, annotations) that any parent may have."""
        labels, notes = {}, {"example.org/team": "x"} if self.maybe(0.2) else {}
        if self.maybe():
            notes[TS + "tags"] = self.one([",".join(self.tags()), self.one(TAGS)])
        if self.maybe(with_class):
            self.one([labels, notes])[TS + "proxy-class"] = self.proxy_class()
            if self.maybe(0.1):
                self.one([labels, notes]).setdefault(TS + "proxy-class", "")
        elif self.oddly(0.25):
            notes[TS + "proxy-class"] = "nowhere"
        return labels, notes

    # ---- parents

    def service(self):
        labels, notes = self.notes()
        if self.maybe():
            notes[TS + "hostname"] = self.one([f"{host}-{self.number}" if len(host) < 50 else host for host in HOSTS], BAD_HOSTS)
        way = self.one(["annotation", "class", "both", "external", "default"])
        spec = {"ports": self.one(PORTS), **({"selector": {"app": "x"}} if self.maybe(0.8) else {})}
        if way in ("annotation", "both", "external"):
            notes[TS + "expose"] = self.one(["true"] * 8 + TRUTHS)
        if way in ("class", "both"):
            spec |= {"type": "LoadBalancer", "loadBalancerClass": self.one(["tailscale"] * 6 + ["other.example/lb"])}
        if way == "default":
            spec["type"] = self.one(["LoadBalancer", "NodePort", "ClusterIP"])
        if way == "external":
            spec = {"type": "ExternalName", "externalName": self.one(["db.example.org", "db.example.org.", "1.2.3.4", "a"]),
                    **({"ports": spec["ports"]} if self.maybe() else {})}
        else:
            self.addresses(spec)
        if self.maybe(0.05) and not any(TS + "proxy-class" in keys for keys in (labels, notes)):  # with a class the operator would look
            labels[TS + "managed"] = self.one(["true", "false", ""])
        if self.maybe(0.1):
            notes[TS + "proxy-group"] = ""
        if self.maybe(0.1):
            notes |= self.one([{TS + "tailnet-ip": IPS[0]}, {TS + "tailnet-fqdn": FQDNS[0]}, {TS + "funnel": "true"}])
        if spec.get("type") == "LoadBalancer":
            spec |= self.optional(0.15, allocateLoadBalancerNodePorts=[False], externalTrafficPolicy=["Local"], loadBalancerIP=["192.0.2.7"])
        spec |= self.optional(0.1, sessionAffinity=["ClientIP", "None"], publishNotReadyAddresses=[True], externalIPs=[["192.0.2.1"]])
        self.add("v1", "Service", self.name("web"), spec, True, labels=labels, annotations=notes)

    def addresses(self, spec):
        if spec.get("type", "ClusterIP") == "ClusterIP" and self.maybe(0.1):
            spec["clusterIP"] = "None"
        elif self.maybe(0.25):
            own = (self.number % 100000 * 3 + self.number // 100000) % 25000
            spec["clusterIP"] = f"10.96.{own // 250 + 100}.{own % 250 + 1}"
        elif self.maybe(0.1):
            spec["clusterIP"] = f"fd00:96::{self.number % 60000 + 4096:x}"
        elif self.maybe(0.2):
            spec |= self.one([{"ipFamilyPolicy": "PreferDualStack"}, {"ipFamilies": ["IPv4"]}, {"ipFamilyPolicy": "RequireDualStack"},
                              {"ipFamilies": ["IPv6"]}, {"ipFamilies": ["IPv6", "IPv4"], "ipFamilyPolicy": "PreferDualStack"}])

    def egress(self):
        labels, notes = self.notes()
        kind = self.one(["ip", "fqdn", "old"])
        notes[TS + {"ip": "tailnet-ip", "fqdn": "tailnet-fqdn", "old": "ts-tailnet-target-ip"}[kind]] = \
            self.one(FQDNS, BAD_FQDNS) if kind == "fqdn" else self.one(IPS, BAD_IPS)
        if self.oddly(0.25):
            notes[TS + "tailnet-fqdn"] = FQDNS[0]
        if self.maybe(0.2):
            notes[TS + "hostname"] = f"out-{self.number}"
        spec = {"type": "ExternalName", "externalName": self.one(["placeholder", "unused.example.org"])}
        if self.oddly(0.5):
            spec = {"ports": PORTS[0], **self.optional(type=["ClusterIP", "NodePort"], clusterIP=["None"])}
        if self.maybe(0.1):
            notes[TS + "ts-tailnet-target-ip"] = self.one(IPS)
        spec |= self.optional(0.2, ports=PORTS, selector=[{"a": "b"}])
        self.add("v1", "Service", self.name("out"), spec, True, labels=labels, annotations=notes)

    def ingress(self):
        labels, notes = self.notes()
        own = self.name("site", free=True)
        notes |= {TS + key: self.one(TRUTHS) for key in ("funnel", "http-redirect") if self.maybe(0.25)}
        if len(own + self.space) < 30 and self.maybe(0.2):  # PARITY row 30 and a long name: only the reference renders what we refuse
            notes[TS + "experimental-forward-cluster-traffic-via-ingress"] = self.one(["true", "false"])
        names = [self.backend(n) for n in range(self.random.randint(1, 3))]
        spec = {"ingressClassName": self.settings["ingressClassName"]}
        host = self.one([f"h{self.number}", f"h{self.number}.example.org", f"h{self.number}.lab.ts.net"])
        if self.maybe(0.4):
            spec["defaultBackend"] = self.chosen(names)
        if self.maybe(0.6):
            spec["tls"] = self.one([[{"hosts": [host]}], [{"hosts": [host, "second"]}], [{"hosts": [host], "secretName": "x"}], [{"hosts": []}], [{}]])
        served = host if (spec.get("tls") or [{}])[0].get("hosts") else ""
        if self.maybe(0.8) or "defaultBackend" not in spec:
            spec["rules"] = [self.rule(names, served) for _ in range(self.random.randint(1, 2))]
        if self.oddly(0.5):
            spec["rules"] = self.one([[{"host": host}], [{}], [{"http": {"paths": [{"path": "/", "pathType": "Prefix", "backend": {
                "resource": {"apiGroup": "a.b", "kind": "K", "name": "thing"}}}]}}]])
        if self.maybe(0.1):
            spec["ingressClassName"] = self.one(["nginx", "tailscale", "ts-lab"])
        if self.maybe(0.1):
            spec.pop("ingressClassName")
            notes["kubernetes.io/ingress.class"] = self.settings["ingressClassName"]
        self.add("networking.k8s.io/v1", "Ingress", own, spec, True, labels=labels, annotations=notes)

    def backend(self, n):
        spec = {"ports": self.one(PORTS), "selector": {"app": "x"}}
        if self.maybe(0.3):
            spec["clusterIP"] = self.one([f"10.96.{self.number // 80 % 100 + 10}.{self.number % 80 * 3 + n + 1}", f"fd00:96::{self.number % 20000 * 3 + n + 200:x}"])
        elif self.oddly(0.5):
            spec = self.one([{**spec, "clusterIP": "None"}, {"type": "ExternalName", "externalName": "a.example.org"}])
        return self.add("v1", "Service", f"back{n}-{self.number}", spec, True)

    def chosen(self, services):
        service = self.one(services)
        port = self.one(service["spec"].get("ports") or [{"port": 80}])
        number = {"number": port["port"]} if "name" not in port or self.maybe(0.5) else {"name": port["name"]}
        if self.oddly(0.5):
            number = self.one([{"name": "nope"}, {"number": 9}])
        name = "ghost" if self.oddly(0.25) else service["metadata"]["name"]
        return {"service": {"name": name, "port": number}}

    def rule(self, services, served):
        paths = [{"path": self.one(PATHS), "pathType": self.one(["Prefix", "Exact", "ImplementationSpecific"]), "backend": self.chosen(services)}
                 for _ in range(self.random.randint(1, 3))]
        for path in paths:
            if not path["path"]:
                path |= {"pathType": "ImplementationSpecific"}
        host = self.one(["", "", served], [f"h{self.number}x", "*.example.org"])
        return {**({"host": host} if host else {}), "http": {"paths": paths}}

    def connector(self):
        spec = {}
        routes = [*self.some(ROUTES, 4), *([self.one(BAD_ROUTES)] if self.oddly() else [])]
        kind = self.one(["subnet", "exit", "both", "app"])
        if kind in ("subnet", "both"):
            spec["subnetRouter"] = {"advertiseRoutes": routes}
        if kind in ("exit", "both"):
            spec["exitNode"] = True
        if kind == "app":
            spec["appConnector"] = self.one([{}, {"routes": routes}])
        if self.oddly(0.25):
            spec |= self.one([{"exitNode": False}, {"appConnector": {}}, {"subnetRouter": {"advertiseRoutes": []}}])
        if self.maybe(0.3):
            spec["replicas"] = self.one([1, 2, 3, 11], [0])
        spec |= self.one([{}, {"hostname": f"c{self.number}"}, {"hostnamePrefix": f"p{self.number}"}, {}])
        if spec.get("replicas", 1) > 1 and not self.oddly():
            spec.pop("hostname", None)
        if self.maybe(0.4):
            spec["tags"] = self.tags()
        if self.maybe(0.35):
            spec["proxyClass"] = self.proxy_class()
        self.add(API, "Connector", self.name("conn", free=True), spec)

    def group(self, kind=""):
        spec = {"type": kind or self.one(["egress", "ingress", "kube-apiserver"])} | self.optional(
            0.3, replicas=[0, 1, 2, 3, 4, 11], hostnamePrefix=[f"g{self.number}"])
        if self.maybe(0.4):
            spec["tags"] = self.tags()
        if self.maybe(0.5):
            spec["proxyClass"] = self.proxy_class(init=spec["type"] != "kube-apiserver" or self.oddly())
        if spec["type"] == "kube-apiserver" and self.maybe(0.6):
            spec["kubeAPIServer"] = self.optional(0.6, mode=["auth", "noauth"], hostname=[f"api{self.number}"])
        name = self.name("group", free=self.oddly()) if not kind else f"group-{self.number}"
        return self.add(API, "ProxyGroup", name, spec, annotations=self.account_notes())["metadata"]["name"]

    def member(self):
        odd, self.odd = self.odd, 0
        group = self.group(self.one(["egress"] * 9 + ["ingress"]) if odd else "egress")
        self.odd = odd
        for n in range(self.random.randint(1, 3)):
            fqdn = self.maybe(0.5)
            notes = {TS + "proxy-group": group, TS + ("tailnet-fqdn" if fqdn else "tailnet-ip"): self.one(*((FQDNS, BAD_FQDNS) if fqdn else (IPS, BAD_IPS)))}
            spec = {"type": "ExternalName", "externalName": "placeholder", "ports": self.one(PORTS[:5] + MEMBER_PORTS)}
            if self.oddly(0.25):
                spec.pop("ports")
            if self.maybe(0.1):
                spec["selector"] = {"a": "b"}
            if self.oddly(0.25):
                spec.pop("externalName")
                spec["type"] = "ClusterIP"
            if self.oddly(0.25):
                notes |= {TS + "tailnet-fqdn": FQDNS[0], TS + "tailnet-ip": IPS[0]}
            if self.oddly(0.25):
                notes[TS + "proxy-group"] = "nowhere"
            if self.maybe(0.1):
                notes |= self.one([{TS + "expose": "true"}, {TS + "hostname": "ignored"}, {TS + "tags": "tag:web"}])
            self.add("v1", "Service", f"m{n}-{self.name('far')}"[:63].rstrip("-"), spec, True, annotations=notes)

    def offer(self):
        """Adds objects that the tailnet reaches through a group."""
        odd, self.odd = self.odd, 0
        group = self.group("ingress")
        spec = self.docs[-1]["spec"]
        spec["replicas"] = spec.get("replicas", 2) or 1  # the operator looks at the members of a running group
        self.odd = odd
        self.space = f"n{self.number}"
        for _ in range(self.random.randint(1, 2)):
            self.number += 100000  # so that names of other objects of the same kind differ
            self.one([self.ingress, self.service])()
            for rule in self.docs[-1]["spec"].get("rules") or []:
                rule.pop("host", None)
            notes = self.docs[-1]["metadata"].setdefault("annotations", {})
            notes[TS + "proxy-group"] = group
            notes.pop(TS + "proxy-class", None)
            if TS + "hostname" in notes:
                notes[TS + "hostname"] = notes[TS + "hostname"].lower()
            if self.maybe(0.2):
                notes[TS + "http-endpoint"] = self.one(["enabled", "disabled", ""])

    def recorder(self):
        pod = self.optional(0.25, labels=LABELS, annotations=NOTES, affinity=AFFINITIES, nodeSelector=MAPS, tolerations=TOLERATIONS,
                            securityContext=POD_CONTEXTS, imagePullSecrets=[[{"name": "a"}], []])
        if self.maybe(0.3):
            pod["container"] = self.container(debug=False)
        if self.maybe(0.3):
            pod["serviceAccount"] = self.one([{}, {"name": f"rec-{self.number}-sa"}, {"annotations": {"a.b/c": "d"}}])
        spec = {"enableUI": True} if self.maybe(0.6) else {}
        if self.maybe(0.5) or not spec:
            spec["storage"] = {"s3": self.one([{"endpoint": "s3.example.org", "bucket": "b"}, {"endpoint": "http://minio:9000", "bucket": "b",
                                               "credentials": {"secret": {"name": "creds"}}}, {"bucket": "b", "credentials": {}}, {}])}
        if self.oddly():
            spec = self.one([{}, {"enableUI": False}, {"enableUI": True, "replicas": 2}, {"storage": {}}])
            pod |= self.one([{}, {"serviceAccount": {"annotations": self.one(BAD_NOTES)}}, {"serviceAccount": {"name": "proxies"}}])
        if "storage" in spec and self.maybe():
            spec["replicas"] = self.one([0, 1, 2, 3])
        if self.maybe(0.4):
            spec["tags"] = self.tags()
        if self.maybe(0.6):
            spec["statefulSet"] = {**self.optional(labels=LABELS, annotations=NOTES), "pod": pod}
        self.add(API, "Recorder", f"rec-{self.number}", spec)

    def dns(self):
        spec = {"nameserver": self.optional(0.4, image=[{}, {"repo": "example.org/ns"}, {"tag": "v1.2.3"}, {"repo": "r", "tag": "t"}], replicas=[0, 1, 3],
                                            service=[{}, {"clusterIP": "10.96.0.53"}],
                                            pod=[{}, {"tolerations": TOLERATIONS[1]}, *self.nameserver_pods(AFFINITIES, MAPS)])}
        self.add(API, "DNSConfig", f"dns-{self.number}", spec)

    def policy(self):
        for n in range(self.random.randint(1, 2)):
            spec = self.optional(0.7, ingress=[["a"], ["a", "b"], []], egress=[["x"], ["z", "x"], []])
            self.add(API, "ProxyGroupPolicy", f"policy{n}-{self.number}", spec, True)

    def tailnet(self):
        self.docs.append({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": f"oauth-{self.number}", "namespace": self.settings["operatorNamespace"]},
                          "stringData": {"client_id": f"k{self.number}", "client_secret": "x"}})
        if self.oddly():
            self.docs[0] |= self.one([{"stringData": {}}, {"stringData": {"client_id": "x"}}, {"stringData": {"client_id": "", "client_secret": "x"}}])
        spec = {"credentials": {"secretName": f"oauth-{self.number}" if not self.oddly() else "nowhere"}} | self.optional(0.5, loginUrl=[f"https://hs{self.number}.example.org"])
        name = self.add(API, "Tailnet", f"net-{self.number}", spec)["metadata"]["name"]
        self.one([self.connector, self.group, self.recorder, *([self.relay] if self.has("1.102") else [])])()
        self.docs[-1]["spec"]["tailnet"] = name


    def pod(self):
        """Adds a Recorder, or a ProxyClass and an object that uses it, with random values of any field of a pod that it may set."""
        fields = ["affinity", "securityContext", "tolerations", "nodeSelector", "imagePullSecrets"]
        if self.maybe(0.2):
            container = {key: pods.part(self.random, "recorders", "statefulSet", "pod", "container", key)
                         for key in self.some(["resources", "securityContext", "env"])}
            pod = {key: pods.part(self.random, "recorders", "statefulSet", "pod", key) for key in self.some(fields)}
            self.add(API, "Recorder", f"rec-{self.number}", {"enableUI": True, "statefulSet": {"pod": {**pod, "container": container}}})
            return
        where = "proxyclasses", "statefulSet", "pod"
        pod = {key: pods.part(self.random, *where, key) for key in self.some([*fields, "topologySpreadConstraints", "dnsConfig"])}
        for container in self.some(["tailscaleContainer", "tailscaleInitContainer"]):
            keys = self.some(["resources", "securityContext", "env"])
            pod[container] = {key: pods.part(self.random, *where, container, key) for key in keys}
        self.add(API, "ProxyClass", f"class-{self.number}", {"statefulSet": {"pod": pod}})
        kind = self.one([self.service, self.ingress, self.connector, self.group])
        self.maybe = lambda chance=0.3: False
        kind()
        user = self.docs[-1]
        if user["apiVersion"] == API:
            user["spec"]["proxyClass"] = f"class-{self.number}"
        else:
            user["metadata"].setdefault("labels", {})[TS + "proxy-class"] = f"class-{self.number}"

    def static(self):
        """Adds a group that is reached at the addresses of nodes."""
        for n in range(self.random.randint(0 if self.oddly() else 1, 3)):
            addresses = [{"type": "ExternalIP", "address": f"198.51.100.{n + 1}"}] if not self.oddly() else []
            addresses += [{"type": "ExternalIP", "address": f"2001:db8::{n + 1}"}] if self.maybe(0.3) else []
            node = self.add("v1", "Node", f"node-{n}-{self.number}", {}, labels={"pool": self.one("aab") if n else "a"})
            node["status"] = {"addresses": [*addresses, {"type": "InternalIP", "address": f"10.0.0.{n + 1}"}]}
        # Ports up to 30085: the server assigns none of them to Services that request no specific port.
        ports = self.one([[{"port": 30010, "endPort": 30030}], [{"port": 30050}, {"port": 30051}, {"port": 30052}, {"port": 30053}], [{"port": 30080, "endPort": 30081}]],
                         [[{"port": 80}], [{"port": 30050, "endPort": 30040}], [{"port": 30050}, {"port": 30050}], [{"port": 32767, "endPort": 32769}]])
        self.proxy_class(init=False)
        self.docs[-1]["spec"]["staticEndpoints"] = {"nodePort": {"ports": ports, "selector": {"pool": "a"}}}
        group = self.add(API, "ProxyGroup", f"group-{self.number}", {"type": self.one(["egress", "ingress"])} | self.optional(replicas=[1, 2, 3]))
        group["spec"]["proxyClass"] = f"class-{self.number}"

    def by_default(self):
        """Adds objects that use the default class."""
        self.settings = {**self.settings, "defaultProxyClass": self.proxy_class()}
        for kind in self.some([self.service, self.egress, self.ingress, self.connector, self.group], 2):
            self.number += 1  # a separate class, if it has one
            kind()


KINDS = {"service": 6, "egress": 3, "ingress": 6, "connector": 3, "group": 4, "member": 3, "offer": 3, "pod": 6, "recorder": 2, "tailnet": 1}
SINCE = {"relay": "1.102"}
ALONE = {"dns": 1, "policy": 1, "static": 2, "by_default": 1}


def kinds(release):
    """Returns the relative numbers of kinds that fit into a cluster with others."""
    return KINDS | {kind: 4 for kind, since in SINCE.items() if is_within(release, since)}


def made(seed, number, odd, kind="", release=DEFAULT):
    """Returns (name, settings, documents), of any kind if none is named; inputs with close numbers have the same settings."""
    image = {"proxyImage": f"tailscale/tailscale:v{RELEASES[release]}"}
    settings = {**SETTINGS, **image, **VARIANTS[number // 30 % len(VARIANTS)], **newer.settings(number // 30, release)}
    chooser = random.Random(f"kind/{seed}/{number}")
    alone = number % 30 < 2
    table = ALONE if alone else kinds(release)
    kind = kind or chooser.choices(list(table), table.values())[0]
    maker = Maker(seed, number, settings, odd if chooser.random() < 0.5 else 0, release)
    getattr(maker, kind)()
    return f"{number:05}-{kind}", maker.settings, maker.docs
