"""Tests of what scripts/parity knows about ProxyGroups: faults planted into their objects, rows about refusals."""
import json
import os

import parity_group_rows
import parity_yaml
import parity_run
from harness import CORPUS, ParityTest, container, edit_data, env, good_output, leaf_faults, mutate
from parity_case import Case, ident
from parity_rows import Model
from resource_tests import rendered

CASE, STATIC = "pg-egress-two-ports", "pg-static-endpoints"
GROUP = """\
apiVersion: tailscale.com/v1alpha1
kind: ProxyGroup
metadata: {{name: {0}}}
spec: {{type: egress{1}}}
"""
ALWAYS = """
---
apiVersion: tailscale.com/v1alpha1
kind: ProxyClass
metadata: {name: always}
spec: {statefulSet: {pod: {tailscaleContainer: {imagePullPolicy: Always}}}}
"""
MEMBER = """\
apiVersion: v1
kind: Service
metadata: {{name: {0}, namespace: {1}, annotations: {{tailscale.com/proxy-group: out, tailscale.com/tailnet-ip: 100.64.0.7}}}}
spec: {{type: ExternalName, externalName: x, ports: [{{port: 80{2}}}]}}
"""
INNOCENT = "---\n".join([GROUP.format("out", ""), GROUP.format("b", ", hostnamePrefix: b"), MEMBER.format("s", "a-b", "")])


def edit_map(key, old, new):
    def change(obj):
        obj["data"] = obj.pop("binaryData")
        edit_data(key, old, new)(obj)
        obj["binaryData"] = obj.pop("data")
    return change


class GroupFaults(ParityTest):
    FAULTS = {
        "an owner": ("ConfigMap", lambda o: o["metadata"].update(ownerReferences=[]), "ownerReferences"),
        "wrong match port": ("ConfigMap", edit_map("egress-services", "10606", "10607"), "matchPort"),
        "match port as text": ("ConfigMap", edit_map("egress-services", ":10606", ':"10606"'), "matchPort"),
        "ports in another order": ("ConfigMap", edit_map("egress-services", '"matchPort":10606,"targetPort":5432',
                                                         '"targetPort":5432,"matchPort":10606'), "egress-services"),
        "wrong target port": ("Service", lambda o: o["spec"]["ports"][0].update(targetPort=10134), "ports[0].targetPort"),
        "no selector": ("Service", lambda o: o["spec"].pop("selector"), "spec.selector"),
        "wider Role": ("Role", lambda o: o["rules"][0].pop("resourceNames"), "resourceNames"),
        "no probe": ("StatefulSet", lambda o: container(o).pop("readinessProbe"), "readinessProbe"),
        "short grace": ("StatefulSet", lambda o: o["spec"]["template"]["spec"].pop("terminationGracePeriodSeconds"),
                        "terminationGracePeriodSeconds"),
        "no preStop": ("StatefulSet", lambda o: container(o).pop("lifecycle"), "lifecycle"),
        "no health check": ("StatefulSet", lambda o: env(o, "TS_ENABLE_HEALTH_CHECK").update(value="false"), "env[14]"),
        "hostnames": ("StatefulSet", lambda o: o["metadata"]["annotations"].update({"tailrender.dev/hostname": "out"}),
                      "tailrender.dev/hostname"),
    }

    def test_the_group_is_explained(self):
        line, text, _ = self.run_parity(CASE, good_output(CASE))
        self.assertTrue(line.startswith(f"explained {CASE} (rows "), text)

    def test_each_fault_is_found(self):
        for fault, (kind, change, shown) in self.FAULTS.items():
            with self.subTest(fault):
                self.assert_different(CASE, shown, stdout=mutate(CASE, kind, change))

    def test_a_wrong_port_of_tailscaled_is_found(self):
        case = Case(os.path.join(CORPUS, STATIC))
        port = str(parity_group_rows.tailscaled_port("edge"))
        texts = rendered(case)
        self.assertEqual("explained", parity_run.judge(case, parity_run.Result(0, "\n---\n".join(texts), ""))[0])
        for index, text in enumerate(texts):
            if port in text:
                wrong = [*texts[:index], text.replace(port, "7622"), *texts[index + 1:]]
                self.assertEqual("different", parity_run.judge(case, parity_run.Result(0, "\n---\n".join(wrong), ""))[0])

    def test_a_class_may_ask_for_every_pull(self):
        path = self.copy(CASE)
        with open(os.path.join(path, "input.yaml"), "a", encoding="utf-8") as handle:
            handle.write(ALWAYS)
        case = Case(path)
        for asked, policy in ((None, "IfNotPresent"), ("always", "Always")):
            case.find("ProxyGroup/out")[0]["spec"]["proxyClass"] = asked
            pod = Model(case).apply().get("StatefulSet", "out")["spec"]["template"]["spec"]
            self.assertEqual(policy, pod["containers"][0]["imagePullPolicy"])

    def test_a_state_secret_is_found(self):
        extra = "\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: out-0, namespace: tailscale}\n"
        self.assert_different(CASE, "Secret/tailscale/out-0", stdout=good_output(CASE) + extra)

    def test_no_leaf_is_left_out(self):
        case = Case(os.path.join(CORPUS, CASE))
        chunks = parity_yaml.split(good_output(CASE))
        for index, obj in enumerate(parity_yaml.load(chunk.text) for chunk in chunks):
            # an absent serviceName means the same as an empty one
            faults = [] if ident(obj) == "Service/data/office-pg" else leaf_faults(obj)
            for where, fault in faults:
                if where == "('spec', 'serviceName') taken away":
                    continue
                texts = [chunk.text for chunk in chunks]
                texts[index] = json.dumps(fault)
                with self.subTest(f"{ident(obj)} {where}"):
                    result = parity_run.Result(0, "\n---\n".join(texts), "")
                    self.assertEqual("different", parity_run.judge(case, result)[0])


# (row, input, object, line, rule): what we refuse on top
REFUSED = [
    (20, GROUP.format("out", ", hostnamePrefix: b") + "---\n" + GROUP.format("b", ""), "ProxyGroup/b", 7,
     "duplicate-hostname"),
    (23, GROUP.format("out", ", replicas: -1"), "ProxyGroup/out", 4, "invalid-object"),
    (24, GROUP.format("out", ""), "ProxyGroup/out", 1, "invalid-firewall-mode"),
    (48, GROUP.format("proxies", ""), "ProxyGroup/proxies", 3, "reserved-name"),
    (48, GROUP.format("a.b", "").replace("egress", "kube-apiserver"), "ProxyGroup/a.b", 3, "invalid-group-name"),
    (48, GROUP.format("out", ", replicas: 5000"), "ProxyGroup/out", 4, "too-many-replicas"),
    (48, GROUP.format("out", ", hostnamePrefix: " + "a" * 62), "ProxyGroup/out", 4, "invalid-hostname"),
    (49, GROUP.format("out", "") + "---\n" + MEMBER.format("s", "t", ", protocol: SCTP"), "Service/t/s", 9,
     "unsupported-protocol"),
    (49, GROUP.format("out", "") + "---\n" + MEMBER.format("s", "t", ", name: tailscale-health-check"), "Service/t/s", 9,
     "reserved-port-name"),
    (49, GROUP.format("out", "") + "---\n" + MEMBER.format("b-c", "a", "") + "---\n" + MEMBER.format("c", "a-b", ""),
     "Service/a-b/c", 11, "ambiguous-group-key"),
]
