"""`tailrender-proxy api` in the lab, without a pod: a real tailscaled and the proxy run beside the node, under separate users as in a pod;
tailscaled runs in user space, the proxy on its loopback. There is no ACME server: tailscaled finds a certificate of the lab's authority
where it keeps its own."""
import collections.abc
import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import urllib.error
import urllib.request

from authority import signed
from harness import SCRIPT, Lab
from shared.checks import Object

DAEMON, OURS = 65532, 65533
NAME = "kube"
GROUP = "tailnet-admins"
CAPABILITY = "tailscale.com/cap/kubernetes"
ACCOUNT = """
apiVersion: v1
kind: ServiceAccount
metadata: {name: kube-apiserver-auth-proxy, namespace: default}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: kube-apiserver-auth-proxy}
rules: [{apiGroups: [""], resources: [users, groups], verbs: [impersonate]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: kube-apiserver-auth-proxy}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: kube-apiserver-auth-proxy}
subjects: [{kind: ServiceAccount, name: kube-apiserver-auth-proxy, namespace: default}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: tailnet-admins}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: Group, name: tailnet-admins}]
"""
POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "spec": {"terminationGracePeriodSeconds": 0, "containers": [{
    "name": "web", "image": "lab/hello:1", "imagePullPolicy": "Never", "stdin": True, "tty": False,
    "command": ["/bin/busybox", "sh", "-c", "busybox ln -s busybox /bin/tar; busybox httpd -p 8080 -h /www; "
                "(i=0; while sleep 0.5; do i=$((i+1)); echo line $i; done) & while read word; do echo got $word; done; wait"]}]}}
TRANSPORTS: dict[str, dict[str, str]] = {"websocket": {}, "spdy": {
    "KUBECTL_REMOTE_COMMAND_WEBSOCKETS": "false", "KUBECTL_PORT_FORWARD_WEBSOCKETS": "false"}}


class Proxy:
    """The two processes, and the kubectl of a machine called client."""

    def __init__(self, lab: Lab, program: pathlib.Path, tools: pathlib.Path, folder: pathlib.Path, kubectl: str = "kubectl") -> None:
        """`folder` must be accessible to every user."""
        self.lab, self.folder, self.client = lab, folder, kubectl
        self.processes: list[subprocess.Popen[bytes]] = []
        self.url = f"https://{NAME}.{lab.inner['LAB_DOMAIN']}"
        self.program, self.daemon = (shutil.copy(path, folder) for path in (program, tools / "tailscaled"))
        self.log = folder / "proxy.log"

    def start(self, uid: int, command: collections.abc.Iterable[object], environment: dict[str, str], log: pathlib.Path) -> subprocess.Popen[bytes]:
        identity = ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups"]
        with open(log, "ab") as file:
            process = subprocess.Popen([*identity, *map(str, command)], env={**self.lab.inner, **environment}, preexec_fn=self.lab.enter,
                                       stdout=file, stderr=subprocess.STDOUT)
        self.processes.append(process)
        return process

    def begin(self) -> None:
        lab, here = self.lab, self.folder
        lab.kubectl("apply", "-f", "-", text=ACCOUNT)
        domain = self.url[8:]
        signed(lab, domain)
        token = lab.kubectl("create", "token", "kube-apiserver-auth-proxy", "--duration=8h")
        lab.run("sh", "-ec", f"""
            mkdir -p {here}/state/certs {here}/root/var/run/secrets/kubernetes.io/serviceaccount
            printf 'tailscaled:x:{DAEMON}:{DAEMON}::/:/bin/false\ntailrender:x:{OURS}:{OURS}::/:/bin/false\n' >>/etc/passwd
            cp "$LAB/ca.crt" {here}/root/var/run/secrets/kubernetes.io/serviceaccount/
            printf %s {token} >{here}/root/var/run/secrets/kubernetes.io/serviceaccount/token
            cp "$LAB/{domain}".* {here}/state/certs/
            chown -R {DAEMON}:{DAEMON} {here}/state {here}
            chown -R {OURS}:{OURS} {here}/root""")
        self.start(DAEMON, [self.daemon, "--tun=userspace-networking", "--port=0", f"--statedir={here}/state", "--state=mem:",
                                          f"--socket={here}/tailscaled.sock"], {"SSL_CERT_FILE": f"{here}/root/var/run/secrets/kubernetes.io/serviceaccount/ca.crt"}, here / "tailscaled.log")
        key = lab.tailnet.mint(["tag:k8s"], "the API proxy")["key"]
        lab.wait("tailscaled listens", (here / "tailscaled.sock").exists, 30)
        lab.wait("tailscaled logs in", lambda: lab.run("tailscale", f"--socket={here}/tailscaled.sock", "up", f"--hostname={NAME}", f"--auth-key={key}",
                                                       f"--login-server={lab.inner['LAB_TAILNET']}", "--operator=tailrender", "--timeout=20s") == "", 60)
        self.serve()

    def serve(self, mode: str = "true", grace: int = 5) -> None:
        here = self.folder
        self.process = self.start(OURS, [self.program, "api"], {
            "APISERVER_PROXY": mode, "TS_SOCKET": f"{here}/tailscaled.sock", "KUBERNETES_SERVICE_HOST": "10.96.0.1", "KUBERNETES_SERVICE_PORT": "443",
            "TS_LOCAL_ADDR_PORT": "127.0.0.1:9902", "TAILRENDER_API_GRACE_SECONDS": str(grace), "TS_TEST_ONLY_ROOT": f"{here}/root"}, self.log)
        self.lab.wait("the proxy is ready", lambda: self.page("/readyz") == "ok\n", 60)

    def page(self, path: str) -> str:
        try:
            with self.lab.network(), urllib.request.urlopen(f"http://127.0.0.1:9902{path}", timeout=10) as answer:
                return answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.read().decode()
        except OSError as error:
            return str(error)

    def metric(self, name: str) -> int:
        [line] = [line for line in self.page("/metrics").splitlines() if line.startswith(name + " ")]
        return int(line.split()[-1])

    def grants(self, *rules: Object) -> None:
        self.lab.tailnet.ok("POST", "/admin/grants", {CAPABILITY: list(rules)} if rules else {})

    def command(self, *words: str, transport: str = "websocket", url: str = "") -> list[str]:
        environment = [f"{name}={value}" for name, value in TRANSPORTS[transport].items()]
        return [str(SCRIPT), "run", "--on", "client", "env", *environment, self.client, "--kubeconfig", "/dev/null", "--server", url or self.url,
                "--certificate-authority", self.lab.inner["LAB"] + "/ca.crt", "--token=unused", *words]

    def kubectl(self, *words: str, text: str = "", transport: str = "websocket", url: str = "", check: bool = True,
                seconds: float = 120) -> str | subprocess.CompletedProcess[str]:
        done = subprocess.run(self.command(*words, transport=transport, url=url), env=self.lab.environment, input=text, text=True, timeout=seconds,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if check:
            assert done.returncode == 0, f"kubectl {' '.join(words)} exits {done.returncode}: {done.stderr}{done.stdout}"
            return done.stdout
        return done

    def running(self, *words: str, transport: str = "websocket") -> contextlib.AbstractContextManager[subprocess.Popen[str]]:
        """Runs a kubectl that does not end by itself."""
        return self.going_on(self.command(*words, transport=transport))

    def informer(self) -> contextlib.AbstractContextManager[subprocess.Popen[str]]:
        """Runs an informer of client-go on the ConfigMaps."""
        return self.going_on([str(SCRIPT), "run", "--on", "client", "informer", self.url, self.lab.inner["LAB"] + "/ca.crt", "default"])

    @contextlib.contextmanager
    def going_on(self, command: list[str]) -> collections.abc.Iterator[subprocess.Popen[str]]:
        """Runs a process with pipes, which ends with the block."""
        process = subprocess.Popen(command, env=self.lab.environment, text=True, bufsize=1,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
            process.communicate(timeout=30)

    def end(self) -> None:
        for process in reversed(self.processes):
            process.kill()
            process.wait()


@contextlib.contextmanager
def api_proxy_in(lab: Lab, program: pathlib.Path, tools: pathlib.Path, kubectl: str = "kubectl") -> collections.abc.Iterator[Proxy]:
    """Runs a proxy that accepts the lab's machine called client, whose kubectl may be of another release."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        found = Proxy(lab, program, tools, folder, kubectl)
        try:
            found.begin()
            found.grants({"impersonate": {"groups": [GROUP]}})
            lab.wait("kubectl is let in", lambda: found.kubectl("get", "namespaces"), 60)
            yield found
        finally:
            found.end()
            for log in sorted(folder.glob("*.log")):
                print(log.name, log.read_text(errors="replace")[-3000:])
