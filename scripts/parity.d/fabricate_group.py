"""What the renderer must print for one egress group with one Service, written out by hand for scripts/parity_test."""
import base64
import os

CASE = "pg-egress-two-ports"
LABELS = ('{tailscale.com/managed: "true", tailscale.com/parent-resource: out, '
          "tailscale.com/parent-resource-type: proxygroup}")
MEMBER = ('{tailscale.com/managed: "true", tailscale.com/parent-resource: office-pg, '
          "tailscale.com/parent-resource-ns: data, tailscale.com/parent-resource-type: svc, "
          "tailscale.com/proxy-group: out, tailscale.com/svc-type: egress}")
SERVICES = ('{"data-office-pg":{"healthCheckEndpoint":"http://ts-office-pg-qqbqf.tailscale.svc.cluster.local:9002/healthz",'
            '"tailnetTarget":{"ip":"","fqdn":"pg1.tail5e1f.ts.net"},"ports":[{"protocol":"TCP","matchPort":10606,'
            '"targetPort":5432},{"protocol":"TCP","matchPort":10134,"targetPort":9187}]}}')
OUTPUT = f"""\
apiVersion: v1
kind: ServiceAccount
metadata: {{name: out, namespace: tailscale, labels: {LABELS}}}
---
apiVersion: v1
kind: Secret
metadata:
  name: out-0-config
  namespace: tailscale
  labels: {LABELS[:-1]}, tailscale.com/secret-type: config}}
data: {{cap-106.hujson: @CONFIG0@}}
---
apiVersion: v1
kind: Secret
metadata:
  name: out-1-config
  namespace: tailscale
  labels: {LABELS[:-1]}, tailscale.com/secret-type: config}}
data: {{cap-106.hujson: @CONFIG1@}}
---
apiVersion: v1
kind: ConfigMap
metadata: {{name: out-egress-config, namespace: tailscale, labels: {LABELS}}}
binaryData: {{egress-services: @SERVICES@, hep-pings: Ng==}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {{name: out, namespace: tailscale, labels: {LABELS}}}
rules:
- {{apiGroups: [""], resources: [secrets], resourceNames: [out-0, out-1], verbs: [get, update, patch]}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {{name: out, namespace: tailscale, labels: {LABELS}}}
roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: Role, name: out}}
subjects:
- {{kind: ServiceAccount, name: out, namespace: tailscale}}
---
apiVersion: v1
kind: Service
metadata: {{name: ts-office-pg-qqbqf, namespace: tailscale, labels: {MEMBER}}}
spec:
  type: ClusterIP
  selector: {LABELS}
  ports:
  - {{name: sql, port: 5432, protocol: TCP, targetPort: 10606}}
  - {{name: exporter, port: 9187, protocol: TCP, targetPort: 10134}}
  - {{name: tailscale-health-check, port: 9002, protocol: TCP, targetPort: 9002}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: out
  namespace: tailscale
  labels: {LABELS}
  annotations:
    tailrender.dev/contract: v1
    tailrender.dev/hostname: "out-0,out-1"
    tailrender.dev/parent: ProxyGroup/out
    tailrender.dev/tags: tag:k8s
spec:
  replicas: 2
  serviceName: ""
  selector: {{matchLabels: {LABELS}}}
  template:
    metadata:
      name: out
      namespace: tailscale
      deletionGracePeriodSeconds: 360
      annotations: {{tailrender.dev/config-hash: "30b8844547cca6a1"}}
      labels: {LABELS}
    spec:
      serviceAccountName: out
      terminationGracePeriodSeconds: 360
      initContainers:
      - name: sysctler
        image: tailscale/tailscale:v1.96.5
        command: [/bin/sh, -c]
        args: ["sysctl -w net.ipv4.ip_forward=1 && if sysctl net.ipv6.conf.all.forwarding; then sysctl -w net.ipv6.conf.all.forwarding=1; fi"]
        securityContext: {{privileged: true}}
      containers:
      - name: tailscale
        image: tailscale/tailscale:v1.96.5
        imagePullPolicy: IfNotPresent
        securityContext: {{privileged: true}}
        resources: {{requests: {{cpu: 1m, memory: 1Mi}}}}
        lifecycle: {{preStop: {{httpGet: {{path: /internal-egress-services-preshutdown, port: 9002}}}}}}
        readinessProbe: {{httpGet: {{path: /healthz, port: 9002}}, periodSeconds: 1, failureThreshold: 10}}
        env:
        - {{name: TS_USERSPACE, value: "false"}}
        - {{name: POD_IP, valueFrom: {{fieldRef: {{fieldPath: status.podIP}}}}}}
        - {{name: POD_NAME, valueFrom: {{fieldRef: {{fieldPath: metadata.name}}}}}}
        - {{name: POD_UID, valueFrom: {{fieldRef: {{fieldPath: metadata.uid}}}}}}
        - {{name: POD_IPS, valueFrom: {{fieldRef: {{fieldPath: status.podIPs}}}}}}
        - {{name: TS_KUBE_SECRET, value: $(POD_NAME)}}
        - {{name: TS_EXPERIMENTAL_SERVICE_AUTO_ADVERTISEMENT, value: "false"}}
        - {{name: TS_STATE, value: "kube:$(POD_NAME)"}}
        - {{name: TS_EXPERIMENTAL_VERSIONED_CONFIG_DIR, value: /etc/tsconfig/$(POD_NAME)}}
        - {{name: TS_DEBUG_ACME_FORCE_RENEWAL, value: "true"}}
        - {{name: TS_DEBUG_FIREWALL_MODE, value: auto}}
        - {{name: TS_EGRESS_SERVICES_CONFIG_PATH, value: /etc/proxies/egress-services}}
        - {{name: TS_EGRESS_PROXIES_CONFIG_PATH, value: /etc/proxies}}
        - {{name: TS_INTERNAL_APP, value: k8s-operator-proxygroup-egress}}
        - {{name: TS_ENABLE_HEALTH_CHECK, value: "true"}}
        volumeMounts:
        - {{name: tailscaledconfig-0, readOnly: true, mountPath: /etc/tsconfig/out-0}}
        - {{name: tailscaledconfig-1, readOnly: true, mountPath: /etc/tsconfig/out-1}}
        - {{name: auth-0, readOnly: true, mountPath: /etc/tsauth/out-0}}
        - {{name: auth-1, readOnly: true, mountPath: /etc/tsauth/out-1}}
        - {{name: out-egress-config, readOnly: true, mountPath: /etc/proxies}}
      volumes:
      - {{name: tailscaledconfig-0, secret: {{secretName: out-0-config}}}}
      - {{name: tailscaledconfig-1, secret: {{secretName: out-1-config}}}}
      - {{name: auth-0, secret: {{secretName: out-0-auth, items: [{{key: authkey, path: authkey}}]}}}}
      - {{name: auth-1, secret: {{secretName: out-1-auth, items: [{{key: authkey, path: authkey}}]}}}}
      - {{name: out-egress-config, configMap: {{name: out-egress-config}}}}
"""


def _config(pod):
    return (f'{{"Version":"alpha0","Locked":false,"AuthKey":"file:/etc/tsauth/{pod}/authkey","Hostname":"{pod}",'
            '"acceptDNS":false,"acceptRoutes":false}')


def stdout_of(corpus):
    with open(os.path.join(corpus, CASE, "input.yaml"), encoding="utf-8") as handle:
        users = handle.read().partition("---\n")[2].replace("placeholder", "ts-office-pg-qqbqf.tailscale.svc.cluster.local")
    text = OUTPUT
    for mark, value in (("@CONFIG0@", _config("out-0")), ("@CONFIG1@", _config("out-1")), ("@SERVICES@", SERVICES)):
        text = text.replace(mark, base64.b64encode(value.encode()).decode())
    return f"{users}---\n{text}"
