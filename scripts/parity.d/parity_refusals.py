"""Reads what the reference refuses (from messages.txt), and checks that our errors name the same objects and causes."""
import collections.abc
import re
import typing

from parity_case import Case, Problem
from parity_chance import clashing
from parity_ontop import ON_TOP
from parity_release import row_holds

if typing.TYPE_CHECKING:
    from parity_run import Error

CONTROLLERS = {
    "service-reconciler": "Service", "service-pg-reconciler": "Service", "egress-svcs-reconciler": "Service",
    "ingress-reconciler": "Ingress", "ingress-pg-reconciler": "Ingress", "connector-reconciler": "Connector",
    "proxyclass-reconciler": "ProxyClass", "proxygroup-reconciler": "ProxyGroup", "tailnet-reconciler": "Tailnet",
    "recorder-reconciler": "Recorder", "nameserver-reconciler": "DNSConfig",
    "kube-apiserver-ts-service-reconciler": "ProxyGroup", "peerrelay-reconciler": "PeerRelay",
}
# Warning events that refuse an object or a part of it. The other events are informational.
REFUSING_EVENTS = {
    "INVALIDSERVICE", "INVALIDCONFIG", "InvalidIngressBackend", "NoValidBackends", "InvalidIngressConfiguration",
    "IngressSvcInvalid", "InvalidTailscaleService", "ProxyGroupNotFound", "ProxyClassInvalid", "ConnectorInvalid",
    "ConnectorCreationFailed", "ProxyGroupCreationFailed", "RecorderInvalid", "MultipleDNSConfigsPresent",
}
UNSEEN = {59, 60}  # rows about what the operator waits for before it looks at the object
# Reasons of False conditions that mean "not yet", or that depend on the tailnet.
WAITING_REASONS = {"KubeAPIServerProxyNoBackends", "ClusterResourcesNotReady", "InvalidOAuth", "ConfigurationFailed",
                   "IngressSvcNoBackendsConfigured", "EndpointsPending", "PodsPending"}
NO_HOSTNAME_YET = "no Tailscale hostname known yet"
# Whether a Tailscale Service exists already depends on the tailnet.
OWNED_ELSEWHERE = re.compile(r"ownership of Tailscale Service|waiting for config in spec\.kubeAPIServer to be marked valid")
BACKENDS = {"missing-backend-service", "backend-without-cluster-ip", "backend-port-not-found", "backend-not-a-service",
            "rule-host-unsupported"}
# Maps the operator's causes to our rule ids. `what` is the offending text, which our error must contain as well.
CLASS_FAULTS = {"invalid-image", "debug-of-init-container", "no-service-monitor", "invalid-port-range", "invalid-object"}
CAUSES = [
    (r"headless Services are not supported", {"headless-service"}),
    (r"only one of annotations \S+ and \S+ can be set", {"egress-target-conflict"}),
    (r'annotation tailscale\.com/tailnet-fqdn: "(?P<what>[^"]*)" does not appear', {"invalid-tailnet-fqdn"}),
    (r'annotation tailscale\.com/tailnet-ip: "(?P<what>[^"]*)" could not be parsed', {"invalid-tailnet-ip"}),
    (r'invalid Tailscale hostname (?:specified )?"(?P<what>[^"]*)"', {"invalid-hostname"}),
    (r'invalid tag "(?P<what>[^"]*)"', {"invalid-tag"}),
    (r'\\?"(?P<what>[^"\\]*)\\?" is not a tag of client', {"invalid-tag"}),
    (r"invalid proxy firewall mode (?P<what>[^,]+),", {"invalid-firewall-mode"}),
    (r'failed to get service "(?P<what>[^"]*)" for path', {"missing-backend-service"}),
    (r"backend for path .* has invalid ClusterIP", {"backend-without-cluster-ip"}),
    (r"backend for path .* has invalid port", {"backend-port-not-found"}),
    (r"backend for path .* is missing service", {"backend-not-a-service"}),
    (r'rule with host "(?P<what>[^"]*)" ignored', {"rule-host-unsupported"}),
    (r"at least one of (?:exit node, subnet router|subnet router, exit node) or app connector", {"connector-without-purpose"}),
    (r"appConnector field is mutually exclusive|as an app connector must not be also", {"app-connector-not-alone"}),
    (r"hostname field cannot be specified when replicas|multiple replicas cannot specify a hostname", {"hostname-of-several"}),
    (r"hostname and hostnamePrefix fields are mutually|both a hostname and hostname prefix", {"hostname-conflict"}),
    (r"[rR]outes(?:: Required value| in body should have at least 1 items)|no routes defined", {"no-routes"}),
    (r'in body must be of type cidr: "(?P<what>[^"]*)"', {"invalid-route"}),
    (r"route (?P<what>\S+) (?:is invalid|has non-address bits set|contains invalid site ID)", {"invalid-route"}),
    (r"(?P<what>\S+) 4-in-6 prefix must be at least", {"invalid-route"}),
    (r"(?P<what>\S+) advertised without its IPv[46] counterpart", {"lone-default-route"}),
    (r'spec\.hostname(?:Prefix)?: Invalid value: "(?P<what>[^"]*)"', {"invalid-hostname"}),
    (r'spec\.tags\[\d+\]: Invalid value: "(?P<what>[^"]*)"', {"invalid-tag"}),
    (r'env: duplicate entries for key \[name="(?P<what>[^"]*)"', {"duplicate-env"}),
    (r'"(?:ts|peerrelay)-[^"]*" is invalid: \[?metadata\.', {"invalid-object", "name-too-long"}),
    (r"no valid backends", BACKENDS | {"no-valid-backend"}),
    (r"nil pointer dereference", {"rule-without-http", "path-without-type"}),
    (r'ProxyClass\.tailscale\.com "(?P<what>[^"]*)" not found', {"missing-proxy-class"}),
    (r"ProxyClass \S+ specified for the \w+, but is not \(yet\) Ready", CLASS_FAULTS),
    (r'\.spec\.\S*(?:labels|annotations): Invalid value: "(?P<what>[^"]*)"', {"invalid-object"}),
    (r'Container\.image: Invalid value: "(?P<what>[^"]*)"', {"invalid-image"}),
    (r"tailscaleInitContainer\.debug: Invalid value", {"debug-of-init-container"}),
    (r'"servicemonitors\.monitoring\.coreos\.com" CRD was not found', {"no-service-monitor"}),
    (r'nodePort\.ports: Invalid value: "[^"]*": port ranges for ProxyClass', {"invalid-port-range"}),
    (r'nodePort\.ports: Invalid value: "(?P<what>[^"]*)"(?!: port ranges for)', {"invalid-port-range"}),
    (r"cannot unmarshal number (?P<what>\d+) into .* of type uint16", {"invalid-port-range"}),
    (r"spec\.aws\.elasticIPs (?:must contain at least one entry per replica|has \d+ entries but)", {"too-few-elastic-ips"}),
    (r'spec\.staticEndpoints\[\d+\]: (?:Invalid value: )?"(?P<what>[^"]*)"', {"invalid-static-endpoint"}),
    (r"Multiple DNSConfig resources found", {"second-dns-config"}),
    (r"S3 storage must be used when deploying multiple Recorder replicas", {"recorder-storage"}),
    (r"must (?:use S3 storage when using multiple replicas|either enable UI or use S3 storage)", {"recorder-storage"}),
    (r'custom ServiceAccount name "(?P<what>[^"]*)" specified but conflicts', {"name-collision"}),
    (r'serviceAccount\.annotations: Invalid value: "(?P<what>[^"]*)"', {"invalid-object"}),
    (r'referenced secret "(?P<what>[^"]*)" does not exist', {"missing-tailnet-secret"}),
    (r'Secret "(?P<what>[^"]*)" (?:is (?:empty|missing the client_)|must contain either a client_secret)', {"incomplete-tailnet-secret"}),
    (r'tailnet "(?P<what>[^"]*)" is not ready', {"missing-tailnet-secret", "incomplete-tailnet-secret"}),
    (r'failed to get tailnet "(?P<what>[^"]*)"', {"unknown-tailnet"}),
    (r'tailnet not ready: (?P<what>[^\s"]+)', {"missing-tailnet-secret", "incomplete-tailnet-secret"}),
    (r'client not found: (?P<what>[^\s"]+)', {"unknown-tailnet", "missing-tailnet-secret", "incomplete-tailnet-secret"}),
    (r"egress Service for ProxyGroup must have at least one target Port", {"egress-without-ports"}),
    (r"unexpected egress Service type (?P<what>\w+)\.", {"egress-not-external-name"}),
    (r"egress Service references ProxyGroup of type (?P<what>[\w-]+), must be", {"group-type"}),
    (r"^ProxyGroup not found", {"missing-proxy-group"}),
    (r'the name of the ProxyGroup "(?P<what>[^"]*)" conflicts', {"reserved-name"}),
    (r'the ProxyGroup\'s ProxyClass "(?P<what>[^"]*)" does not', {"missing-proxy-class"}),
    (r"the ProxyGroup's ProxyClass .* is not yet in a ready state", CLASS_FAULTS),
    (r'ProxyClass "(?P<what>[^"]*)" specifies to use image', {"wrong-class-image"}),
    (r'ProxyClass "(?P<what>[^"]*)" specifies Tailscale init container', {"class-init-container"}),
    (r"failed to match nodes to configured Selectors", {"no-matching-node"}),
    (r"failed to find any `status.addresses`", {"no-external-address"}),
    (r"not enough available ports to allocate all replicas", {"too-few-node-ports"}),
    (r'the ServiceAccount "(?P<what>[^"]*)" used for the API server proxy', {"missing-api-account"}),
    (r'is of type "(?P<what>[^"]*)" but must be of type', {"group-type"}),
    (r'found duplicate \w+ "[^"]*" for hostname "(?P<what>[^"]*)"', {"duplicate-hostname"}),
    (r"only a single TLS entry with a single host is allowed", {"several-tls-hosts"}),
    (r'invalid hostname "(?P<what>[^"]*)"', {"invalid-hostname"}),
    (r'metadata\.labels: Invalid value: "(?P<what>[^"]*)": must be no more than', {"name-too-long"}),
    (r"error provisioning StatefulSet: .* is invalid", {"invalid-group-name"}),
    (r"error ensuring ClusterIP Service: .* metadata.generateName", {"name-too-long"}),
    (r"^failed to provision: .* is invalid: .*metadata", {"invalid-object", "name-too-long"}),
    (r"^rejected by the API server: .*pathType: Required", {"invalid-object", "path-without-type"}),
    (r"^rejected by the API server: .*(?:must be no more than|Too long)", {"invalid-object", "name-too-long"}),
    (r"^rejected by the API server: .*Unsupported value", {"invalid-object", "schema-value"}),
    (r"^rejected by the API server: .*(?:in body must be of type|cannot unmarshal)", {"invalid-object", "schema-type"}),
    (r"^rejected by the API server: .*Required value", {"invalid-object", "schema-required"}),
    (r"^rejected by the API server", {"invalid-object"}),
]


class Refusal:
    """One object that the reference refuses for one cause. `objects`: the objects of which it could have refused another one instead."""

    def __init__(self, obj: str, objects: frozenset[str], rules: collections.abc.Iterable[str], line: str) -> None:
        self.object, self.objects, self.rules, self.line = obj, objects, frozenset(rules), line
        self.marks: set[str] = set()
        self.whats: set[str] = set()
        self.optional = False


def _parse(line: str) -> tuple[str, str, str, str] | None:
    """Returns (source, object, reason or status, text) of a refusing line, else None."""
    found = re.match(r"\d (\w+) (.*)$", line, re.S)
    source, rest = (found[1], found[2]) if found else ("", "")
    if source in ("admission", "undecodable"):
        obj, _, text = rest.partition(" ")
        return source, obj, "", text
    if source in ("error", "panic"):
        found = re.match(r"(\S+) (\S+?): (.*)$", rest, re.S)
        return (source, f"{CONTROLLERS.get(found[1], '?')}/{found[2]}", "", found[3]) if found else None
    if source == "event":
        found = re.match(r"Warning (\S+) (\w+): (.*)$", rest, re.S)
        refuses = found and found[2] in REFUSING_EVENTS and not OWNED_ELSEWHERE.search(found[3])
        return (source, found[1], found[2], found[3]) if found and refuses else None
    if source == "condition":
        found = re.match(r"(\S+) \w+=False reason=(\S+) (?:observedGeneration=\d+ )?message=(.*)$", rest, re.S)
        return (source, found[1], found[2], found[3]) if found and not _waiting(found[2], found[3]) else None
    return None


def told(case: Case) -> dict[tuple[tuple[str, ...], tuple[str, ...]], str]:
    """Returns {(objects of which one is refused, words): why}. Three things are random: whether an event or a condition reports a fault,
    when, and in which order several faults are reported."""
    found: dict[tuple[tuple[str, ...], tuple[str, ...]], str] = {}
    for line in case.messages:
        parsed = None if _superseded(line, case.messages) else _parse(line)
        if parsed:
            _, obj, _, text = parsed
            either, words = tuple(sorted(clashing(text))), tuple(sorted(re.findall(r"[^][\s,]+", text)))
            found.setdefault((either, ()) if either else ((obj,), words), text)
    return found


def _waiting(reason: str, text: str) -> bool:
    creating = reason.endswith("Creating") and "ProxyClass" not in text
    return (creating or reason.partition(":")[0] in WAITING_REASONS or text.startswith(NO_HOSTNAME_YET) or bool(OWNED_ELSEWHERE.search(text)))


def _superseded(line: str, lines: list[str]) -> bool:
    """Returns whether a False condition became True later: it was only not reached yet."""
    found = re.match(r"1 condition (\S+ \w+)=False", line)
    return found is not None and any(other.startswith(f"2 condition {found[1]}=True") for other in lines)


def _causes(text: str) -> list[tuple[set[str], str]]:
    """Returns the first rule set that fits each place of the text."""
    taken: list[tuple[set[str], str]] = []
    for pattern, rules in CAUSES:
        if pattern.startswith("^") and taken:
            continue
        whats = [match.groupdict().get("what") or "" for match in re.finditer(pattern, text)]
        taken += [(rules, what.partition("\\")[0]) for what in whats]  # up to the first escape of Go's %q
    return taken


def _narrowed(case: Case, obj: str, rules: set[str]) -> set[str]:
    """Two faults of an Ingress make the reference panic; the input shows which of them it has."""
    if "rule-without-http" not in rules:
        return rules
    all_rules = [rule for found in case.find(obj) for rule in (found.get("spec") or {}).get("rules") or []]
    paths = [path for rule in all_rules for path in (rule.get("http") or {}).get("paths") or []]
    faults = {"rule-without-http": any(not rule.get("http") for rule in all_rules),
              "path-without-type": any(not path.get("pathType") for path in paths)}
    return {rule for rule, found in faults.items() if found}


def refusals(case: Case) -> tuple[list[Refusal], list[tuple[str, str]]]:
    """Returns (list of Refusal, lines whose cause the table does not have)."""
    found: dict[tuple[frozenset[str] | str, frozenset[str]], Refusal] = {}
    unknown: list[tuple[str, str]] = []
    for line in case.messages:
        parsed = None if _superseded(line, case.messages) else _parse(line)
        if not parsed:
            continue
        source, obj, _, text = parsed
        causes = _causes(text)
        if not causes:
            unknown.append((obj, line))
        for rules, what in causes:
            rules = _narrowed(case, obj, rules)
            objects = clashing(text) if rules == {"invalid-port-range"} else frozenset()
            refusal = found.setdefault((objects or obj, frozenset(rules)), Refusal(obj, objects | {obj}, rules, line))
            refusal.marks.add(text if source == "event" and rules <= BACKENDS else "")
            refusal.whats.add(what)
    _mark_optional(list(found.values()))
    return list(found.values()), unknown


def _mark_optional(all_of_them: list[Refusal]) -> None:
    """An object that the API server refuses is also missing for the objects that refer to it: an error about the Service, ProxyClass or
    ProxyGroup is enough."""
    admitted_not = {r.object for r in all_of_them if "rejected by" in r.line}
    for refusal in all_of_them:
        if refusal.rules == {"missing-proxy-class"}:
            refusal.optional = all(f"ProxyClass/{what}" in admitted_not for what in refusal.whats)
    for refusal in all_of_them:
        if refusal.rules == {"missing-backend-service"}:
            namespace = refusal.object.split("/")[1]
            refusal.optional = all(f"Service/{namespace}/{what}" in admitted_not for what in refusal.whats)
    for refusal in (r for r in all_of_them if "no-valid-backend" in r.rules):
        rest = [r for r in all_of_them if r.object == refusal.object and r.rules < BACKENDS]
        refusal.optional = bool(rest) and all(r.optional for r in rest)


# ---- our side

def compare(case: Case, errors: "list[Error]") -> tuple[list[Problem], set[int]]:
    """Returns (problems, rows that were used). With `case.several_faults` an object that the reference refuses may have more faults, since
    the reference reports only the first one."""
    wanted, unknown = refusals(case)
    problems = [(obj, "", f"a cause that the table knows: {line}", "") for obj, line in unknown]
    problems += [p for refusal in wanted if not refusal.optional for p in _unmet(refusal, errors)]
    found, rows = _found(case, errors, wanted)
    return problems + found, rows


def _found(case: Case, errors: "list[Error]", wanted: list[Refusal]) -> tuple[list[Problem], set[int]]:
    problems: list[Problem] = []
    rows: set[int] = set()
    unseen = {error.object for error in errors if case.several_faults and _row_of(case, error.object, error.rule) in UNSEEN}
    for error in errors:
        problems += misplaced(case, error)
        problems += _extra(case, error, wanted, unseen, rows)
    return problems, rows


def _row_of(case: Case, name: str, rule: str) -> int:
    """Returns the row that allows this error on the object, or 0."""
    return next((number for number, rules, allows in ON_TOP if rule in rules and row_holds(number, case.release) and allows(case, name, rule)), 0)


def _unmet(refusal: Refusal, errors: "list[Error]") -> list[Problem]:
    mine = [e for e in errors if e.rule in refusal.rules and refusal.objects & e.named()]
    expected = " or ".join(sorted(refusal.rules))
    if len({(e.path, e.line, e.column, e.rule, e.message) for e in mine}) < len(refusal.marks):
        return [(refusal.object, "", f"{len(refusal.marks)} error(s) [{expected}] as in: {refusal.line}",
                 f"{len(mine)} such error(s)")]
    said = "\n".join(e.text for e in mine)
    return [(refusal.object, f"[{expected}]", f"an error that shows {what!r}", "it is not named")
            for what in sorted(refusal.whats) if what not in said]


def misplaced(case: Case, error: "Error") -> list[Problem]:
    """Returns a problem unless an error about an object points into a document of that object, or into another file (settings)."""
    spans = [i.chunk for i in case.inputs if i.ident == error.object]
    if not error.object or not error.path.endswith("input.yaml"):
        return []
    if any(chunk.first_line <= error.line <= chunk.last_line for chunk in spans):
        return []
    return [(error.object, "", "an error at a line of this object", f"{error.path}:{error.line}")]


def _behind_another_fault(case: Case, name: str, wanted: list[Refusal]) -> bool:
    """Returns whether the reference never looks at the object, since it refuses the object, or the class that the object waits for, for
    another fault."""
    refused = {obj for refusal in wanted for obj in refusal.objects}
    return case.several_faults and bool(refused & {name, *(f"ProxyClass/{case.proxy_class(obj)}" for obj in case.find(name))})


def _extra(case: Case, error: "Error", wanted: list[Refusal], unseen: set[str], rows: set[int]) -> list[Problem]:
    names = [error.object] if error.object else error.notes
    if not names:
        return [("", "", "(no error without an object)", error.headline)]
    problems = []
    for name in names:
        if any(name in r.objects and error.rule in r.rules for r in wanted) or _behind_another_fault(case, name, wanted):
            continue
        number = _row_of(case, name, error.rule)
        if number:
            rows.add(number)
        elif name not in unseen:
            problems.append((name, "", "(the reference does not refuse this)", error.headline))
    return problems
