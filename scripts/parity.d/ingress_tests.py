"""Tests of what scripts/parity knows about groups that the tailnet reaches, run by scripts/parity_test."""
import json
import os

import parity_run
import parity_yaml
from harness import CORPUS, ParityTest, leaf_faults
from parity_case import Case, ident
from parity_rows import Model, RowError
from resource_tests import rendered

L7_AND_L3, HTTP, API = "pg-ingress-l7-and-l3", "pg-ingress-http-endpoint-and-tags", "kube-apiserver-noauth-hostname-tags"
CASES = (L7_AND_L3, HTTP, "pg-ingress-redirect", "pg-ingress-l3-dual-stack-hostname-tags", API, "kube-apiserver-auth",
         "neg-service-owned-by-someone-else")
GROUP = """\
apiVersion: tailscale.com/v1alpha1
kind: ProxyGroup
metadata: {{name: {0}}}
spec: {{type: {1}}}
"""
INGRESS = """\
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {{name: i, namespace: s, annotations: {{tailscale.com/proxy-group: {0}}}}}
spec: {{ingressClassName: tailscale, tls: [{{hosts: [{1}]}}], defaultBackend: {{service: {{name: b, port: {{number: {2}}}}}}}}}
"""
BACKEND = """\
apiVersion: v1
kind: Service
metadata: {name: b, namespace: s}
spec: {ports: [{port: 80}]}
"""
MEMBER = """\
apiVersion: v1
kind: Service
metadata: {{name: m, namespace: s, annotations: {{tailscale.com/expose: "true", tailscale.com/proxy-group: {0}}}}}
spec: {{ports: [{{port: 80}}]{1}}}
"""


class IngressGroups(ParityTest):
    def judge(self, case, texts):
        return parity_run.judge(case, parity_run.Result(0, "\n---\n".join(texts), ""))

    def test_groups_are_explained(self):
        for name in CASES:
            case = Case(os.path.join(CORPUS, name))
            with self.subTest(name):
                self.assertEqual("explained", self.judge(case, rendered(case))[0])

    def test_no_leaf_is_left_out(self):
        for name in (L7_AND_L3, API):
            case = Case(os.path.join(CORPUS, name))
            users, texts = {item.ident for item in case.inputs}, rendered(case)
            for index, obj in enumerate(map(parity_yaml.load, texts)):
                for where, fault in [] if ident(obj) in users else leaf_faults(obj):
                    with self.subTest(f"{ident(obj)} {where}"):
                        wrong = texts[:index] + [json.dumps(fault)] + texts[index + 1:]
                        self.assertEqual("different", self.judge(case, wrong)[0])

    def test_a_rendered_config_of_an_api_proxy_is_found(self):
        case = Case(os.path.join(CORPUS, API))
        extra = "apiVersion: v1\nkind: Secret\nmetadata: {name: api-lab-0-config, namespace: tailscale}\n"
        self.assertEqual("different", self.judge(case, [*rendered(case), extra])[0])

    def test_the_reference_must_agree(self):
        """A row never makes up what the reference has written otherwise."""
        faults = {"running.yaml": ((HTTP, '"HTTP":true', '"HTTP":false'), (HTTP, "9443/api", "9444/api"),
                                   (API, "kind: Secret", "kind: Other"), (L7_AND_L3, ":80/", ":81/")),
                  "tailscale-services.yaml": ((HTTP, "tag:shop", "tag:other"), (HTTP, "tcp:80", "tcp:81"))}
        for file, edits in faults.items():
            for name, old, new in edits:
                path = self.copy(name, f"{name}-{old}".replace("/", "-"))
                text = Case(path).text(file)
                self.assertIn(old, text)
                self.write(os.path.join(path, file), text.replace(old, new))
                with self.subTest(f"{name} {old}"):
                    self.assertRaises(RowError, Model(Case(path)).apply)

    def test_an_api_service_of_somebody_else_is_no_refusal(self):
        text = "error ensuring exclusive ownership of Tailscale Service svc:kapi: Tailscale Service svc:kapi exists, but ..."
        path = self.copy("kube-apiserver-auth")
        lines = Case(path).text("messages.txt").replace("KubeAPIServerProxyValid=True reason=KubeAPIServerProxyValid", (
            "KubeAPIServerProxyValid=False reason=KubeAPIServerProxyInvalid")).replace("message=KubeAPIServerProxyValid", f"message={text}")
        self.write(os.path.join(path, "messages.txt"), lines + (
            "2 condition ProxyGroup/kapi ProxyGroupReady=False reason=ProxyGroupInvalid observedGeneration=1 "
            "message=waiting for config in spec.kubeAPIServer to be marked valid\n"
            f"2 event Warning ProxyGroup/kapi InvalidTailscaleService: {text}\n"))
        case = Case(path)
        self.assertEqual("explained", self.judge(case, rendered(case))[0])

    def test_a_service_of_somebody_else_is_no_refusal(self):
        name = "neg-service-owned-by-someone-else"
        line = "d/input.yaml:6:1: error: Service/w/s: no [duplicate-hostname]\n"
        self.assert_different(name, "Service/w/s", stderr=line, code=1)


def rows_about_objects():
    """The rows that this module uses, by number."""
    return {row for name in CASES for row in Model(Case(os.path.join(CORPUS, name))).apply().hit}


GOOD = "---\n".join([GROUP.format("in", "ingress"), INGRESS.format("in", "i", 80), BACKEND, MEMBER.format("in", "")])
# (row, input, object, line, rule): what we refuse on top
REFUSED = [
    (18, "---\n".join([GROUP.format("in", "ingress"), INGRESS.format("in", "i", 81), BACKEND]), "Ingress/s/i", 6,
     "backend-port-not-found"),
    (20, "---\n".join([GROUP.format("in", "ingress"), INGRESS.format("in", "s-m", 80), BACKEND, MEMBER.format("in", "")]),
     "Service/s/m", 16, "duplicate-hostname"),
    (20, GROUP.format("in", "kube-apiserver, hostnamePrefix: a") + "---\n" + GROUP.format("in-0", "ingress") + "---\n"
     + GROUP.format("b", "kube-apiserver, kubeAPIServer: {hostname: in-0-1}"), "ProxyGroup/b", 11, "duplicate-hostname"),
    (59, INGRESS.format("ghost", "i", 80) + "---\n" + BACKEND, "Ingress/s/i", 1, "missing-proxy-group"),
    (60, GROUP.format("in", "ingress") + "---\n" + MEMBER.format("in", ", clusterIP: None"), "Service/s/m", 6,
     "headless-service"),
    (60, GROUP.format("in", "ingress") + "---\n" + MEMBER.format("in", ", type: ExternalName, externalName: x"),
     "Service/s/m", 6, "external-name-in-group"),
    (61, "---\n".join([GROUP.format("in", "ingress"), INGRESS.format("in", "i" * 60, 80), BACKEND]), "Ingress/s/i", 6,
     "name-too-long"),
    (61, "---\n".join([GROUP.format("in", "ingress"), INGRESS.format("in", "i", 80).replace("name: i,", "name: " + "i" * 64 + ","),
                       BACKEND]), "Ingress/s/" + "i" * 64, 6, "name-too-long"),
    (61, GROUP.format("in", "kube-apiserver, kubeAPIServer: {hostname: " + "a" * 60 + "}"), "ProxyGroup/in", 1,
     "name-too-long"),
]
NO_DOMAIN = (61, "---\n".join([GROUP.format("in", "ingress"), INGRESS.format("in", "i", 80), BACKEND]), "Ingress/s/i", 6,
             "no-tailnet-domain")


def rows_about_refusals(test):
    """The same for refusals on top; each is a case of its own."""
    row, text, obj, line, rule = NO_DOMAIN
    return [test.made(*refused, GOOD) for refused in REFUSED] + [
        test.made(row, text, obj, line, rule, GOOD, {"tailnetDomain": ""})]
