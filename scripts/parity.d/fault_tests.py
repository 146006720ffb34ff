"""Faults planted into the objects of proxies of their own, run by scripts/parity_test."""
import json
import os

import fabricate
import parity_run
import parity_yaml
from harness import CORPUS, L3, L7, ParityTest, container, edit_data, env, good_output, leaf_faults, mutate
from parity_case import Case, ident

STS3 = "ts-status-dj9zn"


class PlantedFaults(ParityTest):
    """(case, kind, change, text that the report must show) per fault."""

    FAULTS = {
        "wrong env value": (L3, "StatefulSet", lambda o: env(o, "TS_DEBUG_FIREWALL_MODE").update(value="nftables"),
                            "containers[0].env[8].value"),
        "missing env": (L3, "StatefulSet", lambda o: container(o)["env"].pop(7), "env[7].name"),
        "extra env": (L3, "StatefulSet", lambda o: container(o)["env"].append({"name": "A", "value": "b"}), "env[11]"),
        "env order": (L3, "StatefulSet", lambda o: container(o)["env"].reverse(), "env[0].name"),
        "env value as bool": (L3, "StatefulSet", lambda o: env(o, "TS_USERSPACE").update(value=False),
                              "env[0].value"),
        "wrong dns target": (L3, "StatefulSet", lambda o: env(o, "TS_EXPERIMENTAL_DEST_DNS_NAME").update(
            value="status.shop.svc"), "env[9].value"),
        "wrong label": (L3, "StatefulSet", lambda o: o["metadata"]["labels"].update({"tailscale.com/managed": "no"}),
                        'metadata.labels["tailscale.com/managed"]'),
        "wrong pull policy": (L3, "StatefulSet", lambda o: container(o).update(imagePullPolicy="Always"),
                              "containers[0].imagePullPolicy"),
        "wrong selector": (L3, "Service", lambda o: o["spec"]["selector"].update(app="ts-status"), "spec.selector.app"),
        "wrong pod label": (L3, "StatefulSet", lambda o: o["spec"]["template"]["metadata"]["labels"].update(app="x"),
                            "spec.template.metadata.labels.app"),
        "wrong families": (L3, "Service", lambda o: o["spec"].update(ipFamilyPolicy="SingleStack"),
                           "spec.ipFamilyPolicy"),
        "ports on headless Service": (L3, "Service", lambda o: o["spec"].update(ports=[{"port": 80}]), "spec.ports"),
        "missing volume": (L3, "StatefulSet", lambda o: o["spec"]["template"]["spec"]["volumes"].pop(),
                           "spec.template.spec.volumes[1]"),
        "optional auth Secret": (L3, "StatefulSet", lambda o: o["spec"]["template"]["spec"]["volumes"][1]["secret"]
                                 .update(optional=True), "volumes[1].secret.optional"),
        "mount order": (L7, "StatefulSet", lambda o: container(o)["volumeMounts"].reverse(), "volumeMounts[0].name"),
        "lost hardening": (L7, "StatefulSet", lambda o: container(o)["securityContext"].update(runAsUser=0),
                           "securityContext.runAsUser"),
        "privilege lost": (L3, "StatefulSet", lambda o: container(o).pop("securityContext"), "securityContext"),
        "extra Role verb": (L3, "Role", lambda o: o["rules"][0]["verbs"].append("list"), "verbs[1]"),
        "wider Role": (L3, "Role", lambda o: [r.pop("resourceNames", None) for r in o["rules"]], "resourceNames"),
        "wrong binding": (L3, "RoleBinding", lambda o: o["subjects"][0].update(namespace="default"),
                          "subjects[0].namespace"),
        "shared account": (L3, "StatefulSet", lambda o: o["spec"]["template"]["spec"].update(
            serviceAccountName="proxies"), "serviceAccountName"),
        "wrong config-hash": (L3, "StatefulSet", lambda o: o["spec"]["template"]["metadata"]["annotations"].update(
            {"tailrender.dev/config-hash": "0123456789abcdef"}), "config-hash"),
        "contract on pods": (L3, "StatefulSet", lambda o: o["spec"]["template"]["metadata"]["annotations"].update(
            {"tailrender.dev/contract": "v1"}), "spec.template.metadata.annotations"),
        "wrong contract tags": (L3, "StatefulSet", lambda o: o["metadata"]["annotations"].update(
            {"tailrender.dev/tags": "tag:other"}), 'annotations["tailrender.dev/tags"]'),
        "missing contract": (L3, "StatefulSet", lambda o: o["metadata"]["annotations"].pop("tailrender.dev/contract"),
                             'annotations["tailrender.dev/contract"]'),
        "missing object": (L3, "ServiceAccount", lambda o: False, "ServiceAccount/tailscale/" + STS3),
        "wrong suffix": (L3, "ServiceAccount", lambda o: o["metadata"].update(name="ts-status-dj9zm"),
                         "ServiceAccount/tailscale/ts-status-dj9zm"),
        "wrong namespace": (L3, "Role", lambda o: o["metadata"].update(namespace="shop"), "Role/shop/" + STS3),
        "wrong apiVersion": (L3, "StatefulSet", lambda o: o.update(apiVersion="apps/v1beta1"), "apiVersion"),
        "stringData": (L3, "Secret", lambda o: o.update(stringData=o.pop("data")), "stringData"),
        "not base64": (L3, "Secret", lambda o: o["data"].update({"cap-95.hujson": "{}"}), "canonical base64"),
        "wrong hostname": (L3, "Secret", edit_data("cap-107.hujson", "shop-status", "status"), "Hostname"),
        "optional key path": (L3, "Secret", edit_data("cap-95.hujson", "dj9zn-0/authkey", "dj9zn-1/authkey"), "AuthKey"),
        "json layout": (L3, "Secret", edit_data("cap-107.hujson", '"Locked":false', '"Locked": false'),
                        "cap-107"),
        "wrong serve port": (L7, "Secret", edit_data("serve-config", ":8081/", ":8080/"), "Proxy"),
        "wrong backend name": (L7, "Secret", edit_data("serve-config", "wiki-web.docs.svc", "wiki-web.shop.svc"), "Proxy"),
        "funnel out of nowhere": (L7, "Secret", edit_data("serve-config", "}}}}}", '}}}},"AllowFunnel":{}}'),
                                  "AllowFunnel"),
        "replicas as text": (L3, "StatefulSet", lambda o: o["spec"].update(replicas="1"), "spec.replicas"),
        "duplicated env": (L3, "StatefulSet", lambda o: container(o)["env"].insert(0, container(o)["env"][0]), "env[1]"),
    }

    def test_each_fault_is_found(self):
        for fault, (case, kind, change, shown) in self.FAULTS.items():
            with self.subTest(fault):
                self.assert_different(case, shown, stdout=mutate(case, kind, change))

    def test_no_leaf_is_left_out(self):
        """Each value of each generated object, changed or taken away, is a difference."""
        for name in (L3, L7):
            case = Case(os.path.join(CORPUS, name))
            users = {item.ident for item in case.inputs}
            chunks = parity_yaml.split(good_output(name))
            objects = [parity_yaml.load(chunk.text) for chunk in chunks]
            for index, obj in enumerate(objects):
                for where, fault in leaf_faults(obj) if ident(obj) not in users else []:
                    texts = [chunk.text for chunk in chunks]
                    texts[index] = json.dumps(fault)
                    with self.subTest(f"{ident(obj)} {where}"):
                        result = parity_run.Result(0, "\n---\n".join(texts), "")
                        self.assertEqual("different", parity_run.judge(case, result)[0])

    def test_an_extra_object_is_found(self):
        extra = "\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: more, namespace: tailscale}\n"
        self.assert_different(L3, "ConfigMap/tailscale/more", stdout=good_output(L3) + extra)

    def test_an_object_printed_twice_is_found(self):
        last = parity_yaml.split(good_output(L3))[-1].text
        self.assert_different(L3, "2 times", stdout=good_output(L3) + "\n---\n" + last)

    def test_a_changed_user_document_is_found(self):
        self.assert_different(L3, "spec.ports[0].targetPort", stdout=good_output(L3).replace("targetPort: 8080",
                                                                                             "targetPort: 8081"))

    def test_a_finalizer_on_the_users_object_is_found(self):
        text = good_output(L3).replace("  name: status\n  namespace: shop\n",
                                       "  name: status\n  namespace: shop\n  finalizers: [tailscale.com/finalizer]\n", 1)
        self.assert_different(L3, "metadata.finalizers", stdout=text)

    def test_a_lost_user_document_is_found(self):
        chunks = [c.text for c in parity_yaml.split(good_output(L3)) if "kind: Service\n" not in c.text or "ts-" in c.text]
        self.assert_different(L3, "Service/shop/status", stdout="\n---\n".join(chunks))

    def test_other_bytes_in_a_user_document_are_found(self):
        for old, new in (("# The status page", "#  The status page"), ('expose: "true"', "expose: 'true'")):
            with self.subTest(old):
                self.assert_different(L3, "bytes", stdout=good_output(L3).replace(old, new, 1))

    def test_other_bytes_around_a_spliced_scalar_are_found(self):
        name = "l3-egress-tailnet-ip-v6"
        right = fabricate.stdout_of(name, CORPUS)
        wrong = right.replace('"fd7a:115c:a1e0::4d01:22"', "'fd7a:115c:a1e0::4d01:22'", 1)
        self.assertNotEqual(right, wrong)
        self.assert_different(name, "bytes", stdout=wrong)

    def test_an_unquoted_word_is_found(self):
        text = mutate(L3, "StatefulSet", lambda o: container(o)["env"].append({"name": "A", "value": "@"}))
        self.assert_different(L3, "YAML 1.1 and 1.2", stdout=text.replace('"@"', "010"))

    def test_a_key_twice_is_found(self):
        text = mutate(L3, "Role", lambda o: None).replace('"kind": "Role",', '"kind": "Role", "kind": "Role",', 1)
        self.assert_different(L3, "duplicate key", stdout=text)

    def test_output_beside_an_error_is_found(self):
        self.assert_different(L3, "exit code 1", stdout=good_output(L3), code=1)
        self.assert_different(L3, "exit code 0", stdout=good_output(L3),
                              stderr="a/input.yaml:1:1: error: Service/shop/status: no [x]\n")

    def test_a_crash_is_found(self):
        self.assert_different(L3, "exit code", stdout=good_output(L3), code=139)
        self.assert_different(L3, "an error with exit code 1", code=1)
