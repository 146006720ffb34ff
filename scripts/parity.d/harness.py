"""The harness of scripts/parity_test: a stand-in renderer, cases made by a test, and faults planted into output."""
import base64
import json
import os
import shutil
import stat
import subprocess
import tempfile
import unittest

import parity_run
import parity_yaml
from parity_case import Case

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
CORPUS = os.path.join(ROOT, "testdata", "oracle")
PARITY = os.path.join(ROOT, "scripts", "parity")
L3, L7 = "l3-ingress-annotation-basic", "l7-ingress-tls-host-two-paths"
# Of every kind of proxy.
CASES = ("l3-ingress-annotation-basic", "l3-ingress-externalname-rds", "l3-ingress-pinned-clusterip-nodeport", "l3-ingress-login-server-trailing-slash",
         "l3-ingress-tags-with-spaces", "l3-egress-tailnet-ip-v6", "connector-subnet-and-exit", "l7-ingress-tls-host-two-paths", "l7-ingress-ipv6-backend")
renderer = None  # set by --tailrender

SERVICE = """\
apiVersion: v1
kind: Service
metadata: {{name: {0}, namespace: {1}, annotations: {{tailscale.com/expose: "true"{2}}}}}
spec: {{ports: [{{port: 80}}]}}
"""
CONNECTOR = """\
apiVersion: tailscale.com/v1alpha1
kind: Connector
metadata: {{name: c}}
spec: {{{0}}}
"""
EGRESS = """\
apiVersion: v1
kind: Service
metadata: {{name: i, namespace: s, annotations: {{tailscale.com/{0}}}}}
spec: {{{1}}}
"""
INGRESS = """\
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {{name: i, namespace: s, annotations: {{a/b: c{0}}}}}
spec: {{ingressClassName: tailscale, tls: [{{hosts: [{1}]}}], rules: [{{http: {{paths: [{{path: {2}, pathType: Prefix, backend: {{service: {{name: b, port: {{number: 80}}}}}}}}]}}}}]}}
"""


class ParityTest(unittest.TestCase):
    """Runs scripts/parity with a stand-in renderer that prints what a test gives it."""

    def setUp(self):
        self.work = tempfile.mkdtemp(prefix="parity-test-")
        self.addCleanup(shutil.rmtree, self.work)

    def write(self, name, text, mode=0o644):
        path = os.path.join(self.work, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", newline="") as handle:
            handle.write(text)
        os.chmod(path, mode)
        return path

    def copy(self, case, name=None):
        """A case that the test may change."""
        path = os.path.join(self.work, "cases", name or case)
        shutil.copytree(os.path.join(CORPUS, case), path)
        return path

    def case_of(self, documents, messages="", settings=None):
        """A new case, made by the test."""
        with open(os.path.join(CORPUS, L3, "settings.yaml"), encoding="utf-8") as handle:
            base = {**parity_yaml.load(handle.read()), **(settings or {})}
        self.write("cases/made/settings.yaml", json.dumps(base))
        self.write("cases/made/messages.txt", messages)
        return os.path.dirname(self.write("cases/made/input.yaml", documents))

    def run_parity(self, case, stdout="", stderr="", code=0):
        """(verdict line, whole output, exit code) for one case and this output of the renderer."""
        out, err = self.write("out", stdout), self.write("err", stderr)
        binary = self.write("fake", f"#!/bin/sh\ncat {out}\ncat {err} >&2\nexit {code}\n", stat.S_IRWXU)
        path = case if os.path.isabs(case) else os.path.join(CORPUS, case)
        done = subprocess.run([PARITY, "--tailrender", binary, path], capture_output=True, text=True, check=False)
        self.assertEqual("", done.stderr)
        self.assertEqual(done.returncode == 1, done.stdout.startswith(("different", "out of scope")), done.stdout)
        self.assertRegex(done.stdout.splitlines()[-1],
                         r"^parity: \d+ equal, \d+ explained, \d+ refused, \d+ out of scope, \d+ different$")
        return done.stdout.splitlines()[0], done.stdout, done.returncode

    def refuse(self, case, *errors):
        return self.run_parity(case, "", "\n".join(errors) + "\n", 1)[0]

    def assert_different(self, case, *shown, **output):
        line, text, code = self.run_parity(case, **output)
        self.assertTrue(line.startswith("different "), text)
        self.assertEqual(1, code)
        for part in shown:
            self.assertIn(part, text)


def good_output(name):
    result = parity_run.render(renderer, Case(os.path.join(CORPUS, name)))
    if result.code != 0:
        raise AssertionError(f"the renderer refuses {name}: " + "\n".join(e.headline for e in result.errors))
    return result.stdout


def mutate(name, kind, change, which=None):
    """The good output of a case with `change` done to the generated object of this kind."""
    case, texts = Case(os.path.join(CORPUS, name)), []
    users = {item.ident for item in case.inputs}
    for chunk in parity_yaml.split(good_output(name)):
        obj = parity_yaml.load(chunk.text)
        mine = obj["kind"] == kind and f"{kind}/{obj['metadata'].get('namespace')}/{obj['metadata']['name']}" not in users
        if mine and (which is None or which in obj["metadata"]["name"]):
            changed = change(obj)
            texts += [] if changed is False else [json.dumps(obj)]
        else:
            texts.append(chunk.text)
    return "\n---\n".join(texts)


def container(obj):
    return obj["spec"]["template"]["spec"]["containers"][0]


def env(obj, name):
    return next(entry for entry in container(obj)["env"] if entry["name"] == name)


def edit_data(key, old, new):
    def change(obj):
        text = base64.b64decode(obj["data"][key]).decode()
        assert old in text
        obj["data"][key] = base64.b64encode(text.replace(old, new).encode()).decode()
    return change


def leaf_faults(obj):
    """(path, copy of the object with one fault) for every value in it: changed, and taken away."""
    for path, value in _leaves(obj):
        yield f"{path} changed", _with(obj, path, _other(value))
        if path != ("roleRef", "apiGroup"):  # absent means the same there
            yield f"{path} taken away", _with(obj, path, None)


def _leaves(value, path=()):
    if isinstance(value, (dict, list)) and value:
        items = value.items() if isinstance(value, dict) else enumerate(value)
        return [leaf for key, item in items for leaf in _leaves(item, (*path, key))]
    return [(path, value)]


def _other(value):
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int) else "other" if isinstance(value, dict) else value + "x"


def _with(obj, path, value):
    made = json.loads(json.dumps(obj))
    place = made
    for key in path[:-1]:
        place = place[key]
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return made
