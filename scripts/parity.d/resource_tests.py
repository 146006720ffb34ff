"""Tests of the rows about Recorder, DNSConfig and Tailnet (parity_resources.py), run by scripts/parity_test."""
import base64
import json
import os

import parity_run
import parity_yaml
from harness import CORPUS, ParityTest, leaf_faults
from parity_case import Case, ident
from parity_rows import Model

RECORDER = "recorder-everything"
DNS, POLICY = "dnsconfig-full", "proxygrouppolicy"
CASES = (RECORDER, "tailnet-connector", DNS, POLICY, "dnsconfig-records")
SCALED_DOWN = """\
apiVersion: tailscale.com/v1alpha1
kind: Recorder
metadata: {name: tape}
spec: {enableUI: true, replicas: 0}
"""


def rendered(case):
    """What the rows make of the reference's objects: the output that they call right."""
    kept = [item.chunk.text for item in case.inputs if not item.object["apiVersion"].startswith("tailscale.com/")]
    objects = Model(case).apply().objects
    for obj in (obj for obj in objects if obj["kind"] == "StatefulSet" and not obj["spec"].get("serviceName")):
        obj["spec"].pop("serviceName", None)  # means the same
    for obj in objects:
        for key in {"Secret": ("data",), "ConfigMap": ("binaryData",)}.get(obj["kind"], ()):
            encoded = {name: base64.b64encode(text.encode()).decode() for name, text in obj.get(key, {}).items()}
            obj.update({key: encoded} if encoded else {})
    return [json.dumps(obj) for obj in objects] + kept


class Resources(ParityTest):
    def judge(self, case, texts):
        return parity_run.judge(case, parity_run.Result(0, "\n---\n".join(texts), ""))

    def test_resources_are_explained(self):
        for name in (RECORDER, DNS, POLICY):
            case = Case(os.path.join(CORPUS, name))
            texts = rendered(case)
            with self.subTest(name):
                self.assertEqual("explained", self.judge(case, texts)[0])
                self.assertFalse([t for t in texts if "ownerReferences" in t or '"kind": "Secret"' in t])

    def test_no_leaf_is_left_out(self):
        for case in (Case(os.path.join(CORPUS, name)) for name in (RECORDER, DNS, POLICY)):
            texts = rendered(case)
            for index, text in enumerate(texts):
                obj = parity_yaml.load(text)
                for where, fault in leaf_faults(obj):
                    with self.subTest(f"{ident(obj)} {where}"):
                        wrong = texts[:index] + [json.dumps(fault)] + texts[index + 1:]
                        self.assertEqual("different", self.judge(case, wrong)[0])

    def test_marks_of_the_nameserver(self):
        model = Model(Case(os.path.join(CORPUS, "dnsconfig-records"))).apply()
        heads = [obj["metadata"] for obj in model.objects if obj["kind"] == "Service"]
        self.assertFalse([h for h in heads if "finalizers" in h or "tailscale.com/magic-dnsname" in h.get("annotations", {})])
        self.assertIn("annotations", next(h for h in heads if h["name"] == "nameserver"))

    def test_rendered_records_are_found(self):
        case = Case(os.path.join(CORPUS, DNS))
        records = json.dumps(next(obj for obj in case.expected if obj["kind"] == "ConfigMap"))
        self.assertEqual("different", self.judge(case, rendered(case) + [records])[0])

    def test_each_planted_fault_is_found(self):
        faults = {
            "recorder reads another key": (RECORDER, '"secretName": "tape-0-auth"', '"secretName": "tape-auth-0"'),
            "recorder's other Role": (RECORDER, '["tape-0", "tape-1"]', '["tape-0"]'),
            "recorder with Helm's label": (RECORDER, '"app.kubernetes.io/name": "recorder"}, "name": "tape"',
                                           '"app.kubernetes.io/managed-by": "tailscale-operator", "app.kubernetes.io/name": "recorder"}, "name": "tape"'),
            "recorder that writes its keys": (RECORDER, '"tape-1-auth"], "resources": ["secrets"], "verbs": ["get"]',
                                              '"tape-1-auth"], "resources": ["secrets"], "verbs": ["get", "patch"]'),
            "recorder without contract": (RECORDER, '"tailrender.dev/contract": "v1", ', ""),
            "other nameserver image": (DNS, "tailrender/tailrender-runtime", "tailscale/k8s-nameserver"),
            "nameserver that is not asked": (DNS, '"/readyz"', '"/healthz"'),
            "policy that denies bare objects": (POLICY, "has(object.metadata.annotations) && ", ""),
        }
        for fault, (name, old, new) in faults.items():
            case = Case(os.path.join(CORPUS, name))
            texts = rendered(case)
            wrong = [text.replace(old, new) for text in texts]
            with self.subTest(fault):
                self.assertNotEqual(texts, wrong)
                self.assertEqual("different", self.judge(case, wrong)[0])


class Tailnets(ParityTest):
    def test_another_login_url_is_found(self):
        model = Model(Case(os.path.join(CORPUS, "tailnet-connector"))).apply()
        made = model.get("ConfigMap", "tailrender-tailnet-partner")
        self.assertEqual({"loginUrl": "https://controlplane.tailscale.com", "secretName": "partner-oauth"}, made["data"])
        model = Model(Case(os.path.join(CORPUS, "tailnet-login-url-and-proxygroup"))).apply()
        self.assertEqual("https://hs.corp.example", model.get("ConfigMap", "tailrender-tailnet-corp")["data"]["loginUrl"])


def rows_about_objects(test):
    """The rows that this module uses, by number."""
    hit = set()
    for name in CASES:
        hit |= Model(Case(os.path.join(CORPUS, name))).apply().hit
    return hit | recorder_without_replicas(test)


def recorder_without_replicas(test):
    path = test.copy(RECORDER)
    case = Case(path)
    for obj in case.expected:
        if obj["kind"] == "StatefulSet":
            obj["spec"]["replicas"] = 0
        if obj["kind"] == "Role":
            obj["rules"][0].pop("resourceNames")
    model = Model(case).apply()
    test.assertEqual([["events"]], [rule["resources"] for rule in model.get("Role", "tape")["rules"]])
    return model.hit & {36}


def rows_about_refusals(test, innocent):
    """The same for refusals on top; each is a case of its own."""
    return [test_recorder_names(test, innocent)]


def test_recorder_names(test, innocent):
    for name, rule in (("operator", "name-collision"), ("a.b", "invalid-object"), ("a" * 53, "name-too-long")):
        row = test.made(38, SCALED_DOWN.replace("tape", name), f"Recorder/{name}", 3, rule, innocent)
    return row
