"""What the renderer must print for a few given cases, written out by hand for scripts/parity_test.

It shares no code with the comparison and never looks at the reference's objects: a proxy is a text with its names
and its few own values filled in.
"""
import base64
import hashlib
import os

import fabricate_group

ALPHABET = "bcdfghjklmnpqrstvwxz2456789"

RIGHTS = """\
apiVersion: v1
kind: ServiceAccount
metadata: {{name: {sts}, namespace: {ns}, labels: {labels}}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {{name: {sts}, namespace: {ns}, labels: {labels}}}
rules:
- apiGroups: [""]
  resources: [secrets]
  resourceNames: [{sts}-0]
  verbs: [get, update, patch]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {{name: {sts}, namespace: {ns}, labels: {labels}}}
roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: Role, name: {sts}}}
subjects:
- {{kind: ServiceAccount, name: {sts}, namespace: {ns}}}
"""
SERVICE = """\
apiVersion: v1
kind: Service
metadata: {{name: {sts}, namespace: {ns}, labels: {labels}}}
spec:
  clusterIP: None
  selector: {{app: {sts}}}
  {families}
---
apiVersion: v1
kind: Secret
metadata: {{name: {sts}-0-config, namespace: {ns}, labels: {labels}}}
data: {data}
"""
STATEFUL_SET = """\
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: {sts}
  namespace: {ns}
  labels: {labels}
  annotations:
    tailrender.dev/contract: v1
    tailrender.dev/hostname: {hostname}
    tailrender.dev/parent: {parent}
    tailrender.dev/tags: {tags}
spec:
  replicas: 1
  serviceName: {sts}
  selector: {{matchLabels: {{app: {sts}}}}}
  template:
    metadata:
      deletionGracePeriodSeconds: 10
      annotations: {{tailrender.dev/config-hash: {hash}{note}}}
      labels: {pod_labels}
    spec:
      serviceAccountName: {sts}
{init}      containers:
      - name: tailscale
        image: tailscale/tailscale:v1.96.5
        imagePullPolicy: IfNotPresent
        {security}
        resources: {{requests: {{cpu: 1m, memory: 1Mi}}}}
        env:
        - {{name: TS_USERSPACE, value: "{userspace}"}}
        - {{name: POD_IP, valueFrom: {{fieldRef: {{fieldPath: status.podIP}}}}}}
        - {{name: POD_NAME, valueFrom: {{fieldRef: {{fieldPath: metadata.name}}}}}}
        - {{name: POD_UID, valueFrom: {{fieldRef: {{fieldPath: metadata.uid}}}}}}
        - {{name: TS_KUBE_SECRET, value: $(POD_NAME)}}
        - {{name: TS_EXPERIMENTAL_SERVICE_AUTO_ADVERTISEMENT, value: "false"}}
        - {{name: TS_EXPERIMENTAL_VERSIONED_CONFIG_DIR, value: /etc/tsconfig/$(POD_NAME)}}
        - {{name: TS_DEBUG_ACME_FORCE_RENEWAL, value: "true"}}
        - {{name: TS_DEBUG_FIREWALL_MODE, value: {firewall}}}
{target_env}        - {{name: TS_INTERNAL_APP, value: k8s-operator-{app}}}
        volumeMounts:
        - {{name: tailscaledconfig-0, readOnly: true, mountPath: /etc/tsconfig/{sts}-0}}
        - {{name: auth-0, readOnly: true, mountPath: /etc/tsauth/{sts}-0}}
{serve_mount}      volumes:
      - {{name: tailscaledconfig-0, secret: {{secretName: {sts}-0-config}}}}
      - {{name: auth-0, secret: {{secretName: {sts}-0-auth, items: [{{key: authkey, path: authkey}}]}}}}
{serve_volume}"""
INIT = """\
      initContainers:
      - name: sysctler
        image: tailscale/tailscale:v1.96.5
        command: [/bin/sh, -c]
        args: ["sysctl -w net.ipv4.ip_forward=1 && if sysctl net.ipv6.conf.all.forwarding; then sysctl -w net.ipv6.conf.all.forwarding=1; fi"]
        securityContext: {privileged: true}
"""
SERVE_MOUNT = """\
        - {{name: serve-config-0, readOnly: true, mountPath: /etc/tailscaled/{sts}-0}}
        - {{name: tmp, mountPath: /tmp}}
"""
SERVE_VOLUME = """\
      - {{name: serve-config-0, secret: {{secretName: {sts}-0-config, items: [{{key: serve-config, path: serve-config}}]}}}}
      - {{name: tmp, emptyDir: {{}}}}
"""
HARDENED = ("securityContext: {runAsNonRoot: true, runAsUser: 65532, runAsGroup: 65532, allowPrivilegeEscalation: false, "
            "capabilities: {drop: [ALL]}, seccompProfile: {type: RuntimeDefault}, readOnlyRootFilesystem: true}")
CONFIG = ('{{"Version":"alpha0","Locked":false,{server}"AuthKey":"file:/etc/tsauth/{sts}-0/authkey","Hostname":"{hostname}",'
          '"acceptDNS":false,"acceptRoutes":false,{routes}{connector}"NoStatefulFiltering":true}}')
TARGET = """\
        - {{name: {target_name}, value: "{target}"}}
"""
DUAL, SINGLE_6 = "ipFamilyPolicy: PreferDualStack", "ipFamilyPolicy: SingleStack\n  ipFamilies: [IPv6]"
LAST_SET = "tailscale.com/operator-last-set-"
# the ordinary hash text, and the one of a case with a login server
HASH_TEXT = '{"acceptDNS":false,"NoStatefulFiltering":true}'
HASH_TEXT_SERVER = '{"ServerURL":"https://headscale.example.org","acceptDNS":false,"NoStatefulFiltering":true}'


def serve(handlers):
    return '{"TCP":{"443":{"HTTPS":true}},"Web":{"${TS_CERT_DOMAIN}:443":{"Handlers":{' + handlers + "}}}}"


def proxy_of(url):
    return '{"Proxy":"' + url + '"}'


CASES = {
    "l3-ingress-annotation-basic": {
        "parent": "Service/shop/status", "hostname": "shop-status", "target": "status.shop.svc.cluster.local"},
    "l3-ingress-externalname-rds": {
        "parent": "Service/data/orders-rds", "hostname": "orders-db", "tags": "tag:db",
        "target": "orders.c3x1q0.eu-west-1.rds.amazonaws.com"},
    "l3-ingress-pinned-clusterip-nodeport": {
        "parent": "Service/ci/registry", "hostname": "ci-registry", "target_name": "TS_DEST_IP",
        "target": "10.43.200.5", "note": "cluster-ip"},
    "l3-ingress-login-server-trailing-slash": {
        "parent": "Service/home/nas", "hostname": "home-nas", "target": "nas.home.svc.cluster.local",
        "ns": "vpn-system", "tags": "tag:cluster-a", "firewall": "iptables", "hash_text": HASH_TEXT_SERVER,
        "server": '"ServerURL":"https://headscale.example.org",'},
    "l3-ingress-tags-with-spaces": {
        "parent": "Service/dev/cache", "hostname": "dev-cache", "target": "cache.dev.svc.cluster.local",
        "tags": '"tag:cache,tag:dev"'},
    "l3-egress-tailnet-ip-v6": {
        "parent": "Service/office/printer", "hostname": "office-printer", "families": SINGLE_6,
        "target_name": "TS_TAILNET_TARGET_IP", "target": "fd7a:115c:a1e0::4d01:22", "note": "ts-tailnet-target-ip",
        "app": "egress-proxy", "replace": ("placeholder.invalid", "{sts}.tailscale.svc.cluster.local")},
    "connector-subnet-and-exit": {
        "parent": "Connector//site", "hostname": "site-connector", "app": "connector-resource", "note": "", "target_name": "",
        "server": '"ServerURL":"https://control.example.org",',
        "hash_text": '{"ServerURL":"https://control.example.org","acceptDNS":false,"NoStatefulFiltering":true}',
        "routes": '"AdvertiseRoutes":["0.0.0.0/0","::/0","10.0.0.0/8","192.168.20.0/24","fd12:3456::/48"],'},
    "l7-ingress-tls-host-two-paths": {
        "parent": "Ingress/docs/wiki", "hostname": "wiki", "serve": serve(
            '"/":' + proxy_of("http://wiki-web.docs.svc.cluster.local:3000/") + ',"/files":'
            + proxy_of("http://wiki-files.docs.svc.cluster.local:8081/files"))},
    "l7-ingress-ipv6-backend": {
        "parent": "Ingress/p/six", "hostname": "six", "serve": serve('"/":' + proxy_of("http://[fd00:10:43::abcd]:80/"))},
}


TYPES = {"Service": "svc", "Ingress": "ingress", "Connector": "connector"}


def suffix(parent):
    rest, letters = int(hashlib.sha256(parent.encode()).hexdigest(), 16) % 27 ** 5, ""
    while len(letters) < 5:
        rest, letters = rest // 27, ALPHABET[rest % 27] + letters
    return letters


def _inline(mapping):
    return "{" + ", ".join(f'{key}: "{value}"' for key, value in mapping.items()) + "}"


def _fields(own):
    kind, space, name = own["parent"].split("/")
    l7 = kind == "Ingress"
    labels = {"tailscale.com/managed": "true", "tailscale.com/parent-resource": name,
              "tailscale.com/parent-resource-ns": space, "tailscale.com/parent-resource-type": TYPES[kind]}
    fields = {"sts": f"ts-{name}-{suffix(own['parent'])}", "ns": "tailscale", "tags": "tag:k8s", "families": DUAL,
              "firewall": "auto", "server": "", "routes": "", "hash_text": HASH_TEXT, "userspace": "true" if l7 else "false",
              "app": "ingress-resource" if l7 else "ingress-proxy", "init": "" if l7 else INIT,
              "security": HARDENED if l7 else "securityContext: {privileged: true}",
              "target_name": "TS_SERVE_CONFIG" if l7 else "TS_EXPERIMENTAL_DEST_DNS_NAME",
              "target": "/etc/tailscaled/$(POD_NAME)/serve-config", "note": "" if l7 else "cluster-dns-name", **own}
    note = f', {LAST_SET}{fields["note"]}: "{fields["target"]}"' if fields["note"] else ""
    fields["parent"] = fields["parent"].replace("//", "/")
    fields.update(target_env=TARGET.format(**fields) if fields["target_name"] else "", labels=_inline(labels), pod_labels=_inline({"app": fields["sts"], **labels}), note=note,
                  hash=f'"{hashlib.sha256(fields["hash_text"].encode()).hexdigest()[:16]}"',
                  serve_mount=SERVE_MOUNT.format(**fields) if l7 else "",
                  serve_volume=SERVE_VOLUME.format(**fields) if l7 else "")
    return fields


def _data(fields):
    files = {"cap-107.hujson": CONFIG.format(connector='"AppConnector":{"Advertise":false},', **fields),
             "cap-95.hujson": CONFIG.format(connector="", **fields)}
    if "serve" in fields:
        files["serve-config"] = fields["serve"]
    return _inline({key: base64.b64encode(text.encode()).decode() for key, text in files.items()})


def stdout_of(name, corpus):
    """The whole stdout for a case of CASES, or of the group."""
    if name == fabricate_group.CASE:
        return fabricate_group.stdout_of(corpus)
    own = CASES[name]
    with open(os.path.join(corpus, name, "input.yaml"), encoding="utf-8") as handle:
        text = handle.read()
    fields = _fields(own)
    if "replace" in own:
        old, new = own["replace"]
        text = text.replace(old, new.format(**fields))
    kept = [] if own["parent"].startswith("Connector") else [text]  # a custom resource is consumed
    made = [part.format(data=_data(fields), **fields) for part in (RIGHTS, SERVICE, STATEFUL_SET)]
    return "---\n".join([*kept, *made])
