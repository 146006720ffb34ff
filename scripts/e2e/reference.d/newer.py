"""Random values that only newer releases of the operator accept."""
from parity_release import is_within

TS = "tailscale.com/"
API = TS + "v1alpha1"
PORTS = [41641, 1, 3478, 65535]
LOAD_BALANCER = "service.beta.kubernetes.io/"
SERVICE_NOTES = [{}, {"example.org/team": "x"}, {LOAD_BALANCER + "aws-load-balancer-scheme": "internal"},
                 {LOAD_BALANCER + "aws-load-balancer-attributes": "a=b", "quote": "say \"x\" & <y>"}]
ENDPOINTS = ["203.0.113.7:41641", "203.0.113.8:1", "[2001:db8::7]:3478", "[2001:DB8::8]:65535"]
BAD_ENDPOINTS = ["203.0.113.300:1", "203.0.113.9:0", "203.0.113.9:99999", "203.0.113.7", "relay.example.org:1", "203.0.113.7:2"]


def settings(variant, release):
    return {"sharedACMEAccountKey": variant % 2 == 1} if is_within(release, "1.104") else {}


class Newer:
    """The newer values of an input (inputs.Maker)."""

    def has(self, since):
        return is_within(self.release, since)

    def account_notes(self):
        """Returns annotations of a ProxyGroup."""
        if not self.has("1.104") or not self.maybe(0.4):
            return {}
        return {TS + "share-acme-account": self.one(["true", "true", "false", "True", ""])}

    def nameserver_pods(self, affinities, maps):
        pods = [{"affinity": self.one(affinities)}, {"nodeSelector": self.one(maps)}] if self.has("1.98") else []
        return pods + ([{"imagePullSecrets": self.one([[{"name": "a"}], [{"name": "a"}, {"name": "b"}], []])}] if self.has("1.104") else [])

    def relay(self):
        spec = self.optional(0.4, replicas=[0, 1, 2, 3], hostnamePrefix=[f"relay{self.number}", "0"])
        if self.maybe(0.4):
            spec["tags"] = self.tags()
        if self.maybe(0.4):
            spec["proxyClass"] = self.proxy_class() if not self.oddly(0.25) else "nowhere"
        if self.maybe(0.5):
            ports = {"port": PORTS} if self.has("1.104") else {}
            spec["service"] = self.optional(0.7, annotations=SERVICE_NOTES, **ports)
        if self.maybe(0.3):
            count = spec.get("replicas", 1) + self.one([0, 1]) - (1 if self.oddly() else 0)
            spec["aws"] = {"elasticIPs": [{"allocationID": f"eipalloc-{n}a", "subnetID": f"subnet-{n}b"} for n in range(max(count, 1))]}
        if self.has("1.104") and self.maybe(0.4):
            spec["staticEndpoints"] = self.some(ENDPOINTS)
            if self.oddly():
                spec["staticEndpoints"] = ["203.0.113.7:41641", self.one(BAD_ENDPOINTS)]
        self.add(API, "PeerRelay", self.name("relay", free=True), spec)
