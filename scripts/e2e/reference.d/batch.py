"""Gives a batch of inputs to the reference operator and writes a case for each."""
import copy
import pathlib
import re
import shutil
import time

import yaml

import devices
import record
from cluster import LOGIN_SERVERS, OperatorFailed
from parity_case import CONTROL, TS, annotations, ident, meta, pinned_address
from parity_refusals import CONTROLLERS
from parity_release import is_within

# The addresses in recorded inputs, mapped into the range of this server.
RANGES = (("10.43.", "10.96."), ("fd00:10:43::", "fd00:96::"))
DISTINCT = {"operatorNamespace", "proxyImage", "k8sProxyImage", "defaultTags", "firewallMode", "defaultProxyClass", "priorityClassName",
            "ingressClassName", "isDefaultLoadBalancer", "clusterDomain", "serviceMonitorCRD", "authProxyServiceAccount", "ingressClassPresent",
            "sharedACMEAccountKey"}
ACCOUNTS = "tailscale-acme-accounts"  # one Secret for all groups that share it
# Kinds that others wait for. The operator often does not look again at an object when an object that it names becomes ready later, and
# since 1.98 an operator that starts must read a Tailnet before it sees the objects that name it.
FIRST = {"ProxyClass", "Tailnet", "Secret", "ServiceAccount", "Node"}
LOOK_SECONDS = 0.8  # in which the operator finds that an object is valid now
ENDLESS_SECONDS = 8  # for a case that the operator never finishes
MOST = 60  # inputs at once
# Two objects of one of these kinds in a cluster conflict.
ALONE = {"DNSConfig", "Node", "ProxyGroupPolicy"}
NODE_PORTS = "ports of nodes"  # so do two ProxyClasses that request some of them, and two Services of one hostname
HOSTNAME = TS + "hostname"


def local(text):
    for theirs, ours in RANGES:
        text = text.replace(theirs, ours)
    return text


def as_recorded(text, input_text):
    """Reverses what local() makes of an input's addresses."""
    for theirs, ours in RANGES:
        text = text.replace(ours, theirs) if theirs in input_text else text
    return text


def objects_of(case):
    return [item.object for item in case.inputs]


def together(cases, most=MOST):
    """Returns batches of cases that do not conflict under one operator."""
    batches = []
    for case in cases:
        facts = tuple(sorted((key, str(case.settings.get(key))) for key in DISTINCT))
        keys = {ident(obj) for obj in objects_of(case)} | {obj["kind"] for obj in objects_of(case) if obj["kind"] in ALONE}
        keys |= {HOSTNAME + annotations(obj)[HOSTNAME] for obj in objects_of(case) if HOSTNAME in annotations(obj)}
        keys |= {NODE_PORTS for obj in objects_of(case) if obj["kind"] == "ProxyClass" and (obj.get("spec") or {}).get("staticEndpoints")}
        for batch in batches:
            if batch[0] == facts and not batch[1] & keys and len(batch[2]) < most:
                batch[1].update(keys)
                batch[2].append(case)
                break
        else:
            batches.append((facts, set(keys), [case]))
    return [batch[2] for batch in batches]


def is_endless(case):
    """Returns whether the operator rewrites its output for the case forever: several DNSConfigs in turn, or the reason why a Connector's
    Service is refused, with another random name each time. Since 1.104 it may not look at other objects of that kind meanwhile.
    """
    objects = objects_of(case)
    return sum(obj["kind"] == "DNSConfig" for obj in objects) > 1 or any(obj["kind"] == "Connector" and "." in meta(obj).get("name", "") for obj in objects)


def run(lab, cases, out):
    """Writes the results. An input by which the operator ends, or never becomes quiet, is found by halving; it gets no result."""
    begin = time.monotonic()
    try:
        Batch(lab, cases, out).run()
    except OperatorFailed as error:
        if len(cases) == 1:
            print(f"reference_cases: {cases[0].name}: {error}", flush=True)
            return
        for half in (cases[:len(cases) // 2], cases[len(cases) // 2:]):
            lab.new_tailnet()
            run(lab, half, out)
        return
    print(f"reference_cases: {len(cases)} inputs in {time.monotonic() - begin:.0f} s by {lab.release}", flush=True)


class Batch:
    def __init__(self, lab, cases, out):
        self.lab, self.cases, self.out = lab, cases, pathlib.Path(out)
        self.settings = {"ingressClassPresent": True, **cases[0].settings}
        self.refused, self.users, self.home, self.servers = {}, {}, {}, {}

    def run(self):
        self.lab.api.sweep()
        self.lab.prepare(self.settings)
        pairs = [(case, obj) for case in self.cases for obj in objects_of(case)]
        if any(obj["kind"] in ("ProxyClass", "Tailnet") for _, obj in pairs):
            for case, obj in pairs:
                if obj["kind"] in FIRST:
                    self.submit(case, obj)
            with self.lab.operator(self.settings, LOOK_SECONDS):
                pass
        endless = set(filter(is_endless, self.cases))
        later = endless | {case for case, obj in pairs if obj["kind"] == "Tailnet"}
        self.submit_rest((case, obj) for case, obj in pairs if case not in later)
        with self.lab.operator(self.settings):
            if later - endless:
                self.lab.wait_until_written(self.lab.api.path(live, named=True) + "/status" for live in self.users.values() if live["kind"] == "Tailnet")
                self.submit_rest((case, obj) for case, obj in pairs if case not in endless)
                self.lab.wait_until_quiet()
            first, second, last = Seen(self), None, None
            secrets, balanced = devices.played(self.lab.api, first.made, self.settings), devices.balanced(self.lab.api, first.made)
            if secrets or balanced:
                self.lab.wait_until_quiet(LOOK_SECONDS)
                devices.seen_again(self.lab.api, secrets)
                self.lab.wait_until_quiet()
                second = Seen(self)
            if endless:
                self.submit_rest(pairs)
                self.lab.wait_until_quiet(most=ENDLESS_SECONDS)
                last = Seen(self)
        for case in self.cases:
            self.write(case, *((last, None) if case in endless else (first, second)))

    def submit_rest(self, pairs):
        """Submits objects that pin an address first, since the server may give the address to another one."""
        for case, obj in sorted(pairs, key=lambda pair: pair[1]["kind"] != "Service" or not pinned_address(pair[1])):
            if ident(obj) not in self.home:
                self.submit(case, obj)

    def submit(self, case, obj):
        obj = loaded(local(yaml.dump(obj, Dumper=record.DUMPER)))
        name = ident(obj)
        self.home[name] = case.name
        if meta(obj).get("namespace"):
            self.lab.space(meta(obj)["namespace"])
        if obj["kind"] == "Secret" and meta(obj).get("namespace") == self.settings["operatorNamespace"]:
            self.add_client(case, obj)
        status, answer = self.lab.api.create(self.redirected(obj))
        if status != 201:
            self.refused.setdefault(case.name, []).append(f"admission {name} rejected by the API server: {answer.get('message')}")
            return
        if obj.get("status"):
            self.lab.api.send("PATCH", self.lab.api.path(obj, named=True) + "/status", {"status": obj["status"]}, "application/merge-patch+json")
        self.users[name] = {**answer, "document": obj, "pinned": pinned_address(obj) if obj["kind"] == "Service" else ""}

    def add_client(self, case, secret):
        """Adds the credentials of a Tailnet to the tailnet, unless the case wants them rejected."""
        texts = record.submitted(secret).get("stringData") or {}
        client = texts.get("client_id")
        if client and texts.get("client_secret") and client not in (case.settings.get("rejectedOAuthClientIDs") or []):
            self.lab.add_client(client, texts["client_secret"])

    def redirected(self, obj):
        """Returns a Tailnet with the URL of an existing control server."""
        if obj["kind"] != "Tailnet" or not isinstance(obj.get("spec"), dict):
            return obj
        named = obj["spec"].get("loginUrl") or CONTROL
        told = next((told for told, other in self.servers.items() if other == named), LOGIN_SERVERS[len(self.servers) + 1])
        self.servers[told] = named
        return {**obj, "spec": {**obj["spec"], "loginUrl": told}}

    def sorted_out(self, made):
        """Returns the operator's objects by the case that they belong to."""
        by_name = {meta(obj)["name"]: obj for obj in made.objects.values()}
        found, accounts = {}, by_name.get(ACCOUNTS)
        for obj in made.objects.values():
            if obj is accounts:
                continue
            parent = record.parent_of(obj, by_name)
            name = self.home.get(parent) or self.of_policy(obj)
            assert name, f"{ident(obj)} has no parent: {obj}"
            found.setdefault(name, []).append(obj)
        for objects in found.values() if accounts else []:
            if any(ACCOUNTS in (rule.get("resourceNames") or []) for obj in objects if obj["kind"] == "Role" for rule in obj["rules"]):
                objects.append(accounts)
        return found

    def of_policy(self, obj):
        """Returns the case of a policy by its kind, since a policy is named after the namespace."""
        return next((home for key, home in self.home.items() if obj["kind"].startswith("Validating") and key.startswith("ProxyGroupPolicy/")), "")

    def write(self, case, first, second):
        folder = self.out / case.name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        objects, lines = self.of(case, first), self.said(case, first, 1)
        changed = self.changes(case, first)
        record.write(folder, "input.yaml", local(case.text("input.yaml")))
        record.write(folder, "settings.yaml", case.text("settings.yaml"))
        record.write(folder, "expected.yaml", record.unquoted_ports(record.stream(objects)) if objects else "")
        record.write(folder, "changed.yaml", record.stream([changed]) if changed else "")
        if second:
            known = {line[2:] for line in lines}
            lines += [line for line in self.said(case, second, 2) if line[2:] not in known]
            running = {"created": [], "changed": []}
            names = {ident(obj): obj for obj in objects}
            for obj in (obj for obj in self.of(case, second) if names.get(ident(obj)) != obj):
                running["changed" if ident(obj) in names else "created"].append(obj)
            record.write(folder, "running.yaml", record.stream([running]))
            record.write(folder, "tailscale-services.yaml", record.stream([second.services]))
        record.write(folder, "messages.txt", "".join(line.replace("\n", "\\n") + "\n" for line in sorted(lines)))

    def binding(self, case, seen):
        named = case.settings["loginServer"].rstrip("/")
        if is_within(self.lab.release, since="1.98"):  # k8s-operator/tsclient/client.go: it names the default, too
            named = named or CONTROL
        return record.Binding(seen.texts, self.servers | {LOGIN_SERVERS[0]: named})

    def of(self, case, seen):
        """Returns the operator's objects for this case."""
        objects = copy.deepcopy(seen.by_case.get(case.name, []))
        record.bind_ports(objects)
        return record.in_order(map(self.binding(case, seen).tree, objects))

    def changes(self, case, seen):
        """Returns what the operator wrote into the case's own objects."""
        mine = [(name, before) for name, before in self.users.items() if self.home[name] == case.name]
        found = [{"object": name, "changes": self.binding(case, seen).tree(record.changes(before["document"], before, seen.after[name]))} for name, before in mine]
        return [entry for entry in found if entry["changes"]]

    def said(self, case, seen, phase):
        """Returns the messages of the operator about the case's objects, and what the API server did."""
        lines = list(self.refused.get(case.name, [])) if phase == 1 else []
        for name in (name for name in self.users if self.home[name] == case.name):
            lines += record.said_of(seen.after[name], seen.events)
        for (controller, about), text in seen.errors.items():
            if self.home.get(f"{CONTROLLERS.get(controller)}/{about}") == case.name:
                lines.append(record.error_line(controller, about, text))
        return [f"{phase} {line}" for line in map(self.binding(case, seen).text, set(lines)) if not record.BAD_POD.search(line)]


class Seen:
    """What can be observed of a running operator."""

    def __init__(self, batch):
        api, lab = batch.lab.api, batch.lab
        self.events = api.listed("v1", "events")
        self.errors = record.errors_of(lab.text("operator.err"))
        self.made = record.Made(api, lab.entries())
        self.after = {name: api.send("GET", api.path(obj, named=True))[1] for name, obj in batch.users.items()}
        self.texts = record.texts_of(batch.users, self.made)
        self.by_case = batch.sorted_out(self.made)
        self.services = lab.services()


def loaded(text):
    return yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def tags_of(cases):
    """Returns every word in the inputs and settings that could be a tag."""
    text = "\n".join(case.text("input.yaml") + case.text("settings.yaml") for case in cases)
    return set(re.findall(r"tag:[A-Za-z][A-Za-z0-9-]*", text))

