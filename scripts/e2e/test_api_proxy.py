"""`tailrender-proxy api` in the lab: a real kubectl on a machine of the tailnet, a real tailscaled beside the proxy, the real API server.

Both run beside the node as users of their own, as they would in a pod, without one: tailscaled in user space, the proxy on its loopback. There
is no ACME: a certificate of the lab's authority is where tailscaled keeps its own. kubectl speaks WebSocket, and SPDY when it is told to.
"""
import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

import pytest

from harness import SCRIPT
from installed import NAMESPACE
from reference import VALUES, operator_in

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
TRANSPORTS = {"websocket": {}, "spdy": {"KUBECTL_REMOTE_COMMAND_WEBSOCKETS": "false", "KUBECTL_PORT_FORWARD_WEBSOCKETS": "false"}}


class Proxy:
    """The two processes, and the kubectl of a machine called client."""

    def __init__(self, lab, program, tools, folder):
        """`folder`: one that every user can reach."""
        self.lab, self.processes, self.folder = lab, [], folder
        self.url = f"https://{NAME}.{lab.inner['LAB_DOMAIN']}"
        self.program, self.daemon = (shutil.copy(path, folder) for path in (program, tools / "tailscaled"))
        self.log = folder / "proxy.log"

    def start(self, uid, command, environment, log):
        identity = ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups"]
        with open(log, "ab") as file:
            process = subprocess.Popen([*identity, *map(str, command)], env={**self.lab.inner, **environment}, preexec_fn=self.lab.enter,
                                       stdout=file, stderr=subprocess.STDOUT)
        self.processes.append(process)
        return process

    def begin(self):
        lab, here = self.lab, self.folder
        lab.kubectl("apply", "-f", "-", text=ACCOUNT)
        token = lab.kubectl("create", "token", "kube-apiserver-auth-proxy")
        lab.run("sh", "-ec", f"""
            mkdir -p {here}/state/certs {here}/root/var/run/secrets/kubernetes.io/serviceaccount
            printf 'tailscaled:x:{DAEMON}:{DAEMON}::/:/bin/false\ntailrender:x:{OURS}:{OURS}::/:/bin/false\n' >>/etc/passwd
            cp "$LAB/ca.crt" {here}/root/var/run/secrets/kubernetes.io/serviceaccount/
            printf %s {token} >{here}/root/var/run/secrets/kubernetes.io/serviceaccount/token
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN={NAME} -addext subjectAltName=DNS:{self.url[8:]} -days 2 \
                -CA "$LAB/ca.crt" -CAkey "$LAB/ca.key" -keyout {here}/state/certs/{self.url[8:]}.key -out {here}/state/certs/{self.url[8:]}.crt
            chown -R {DAEMON}:{DAEMON} {here}/state {here}
            chown -R {OURS}:{OURS} {here}/root""")
        self.start(DAEMON, [self.daemon, "--tun=userspace-networking", "--port=0", f"--statedir={here}/state", "--state=mem:",
                                          f"--socket={here}/tailscaled.sock"], {"SSL_CERT_FILE": f"{here}/root/var/run/secrets/kubernetes.io/serviceaccount/ca.crt"}, here / "tailscaled.log")
        key = lab.tailnet.mint(["tag:k8s"], "the API proxy")["key"]
        lab.wait("tailscaled listens", (here / "tailscaled.sock").exists, 30)
        lab.wait("tailscaled logs in", lambda: lab.run("tailscale", f"--socket={here}/tailscaled.sock", "up", f"--hostname={NAME}", f"--auth-key={key}",
                                                       f"--login-server={lab.inner['LAB_TAILNET']}", "--operator=tailrender", "--timeout=20s") == "", 60)
        self.serve()

    def serve(self, mode="true", grace=5):
        here = self.folder
        self.process = self.start(OURS, [self.program, "api"], {
            "APISERVER_PROXY": mode, "TS_SOCKET": f"{here}/tailscaled.sock", "KUBERNETES_SERVICE_HOST": "10.96.0.1", "KUBERNETES_SERVICE_PORT": "443",
            "TS_LOCAL_ADDR_PORT": "127.0.0.1:9902", "TAILRENDER_API_GRACE_SECONDS": str(grace), "TS_TEST_ONLY_ROOT": f"{here}/root"}, self.log)
        self.lab.wait("the proxy is ready", lambda: self.page("/readyz") == "ok\n", 60)

    def page(self, path):
        try:
            with self.lab.network(), urllib.request.urlopen(f"http://127.0.0.1:9902{path}", timeout=10) as answer:
                return answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.read().decode()
        except OSError as error:
            return str(error)

    def metric(self, name):
        [line] = [line for line in self.page("/metrics").splitlines() if line.startswith(name + " ")]
        return int(line.split()[-1])

    def grants(self, *rules):
        self.lab.tailnet.ok("POST", "/admin/grants", {CAPABILITY: list(rules)} if rules else {})

    def command(self, *words, transport="websocket", url=""):
        environment = [f"{name}={value}" for name, value in TRANSPORTS[transport].items()]
        return [str(SCRIPT), "run", "--on", "client", "env", *environment, "kubectl", "--kubeconfig", "/dev/null", "--server", url or self.url,
                "--certificate-authority", self.lab.inner["LAB"] + "/ca.crt", "--token=unused", *words]

    def kubectl(self, *words, text="", transport="websocket", url="", check=True, seconds=120):
        done = subprocess.run(self.command(*words, transport=transport, url=url), env=self.lab.environment, input=text, text=True, timeout=seconds,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if check:
            assert done.returncode == 0, f"kubectl {' '.join(words)} exits {done.returncode}: {done.stderr}{done.stdout}"
            return done.stdout
        return done

    @contextlib.contextmanager
    def running(self, *words, transport="websocket"):
        """A kubectl that goes on, with pipes; ends with the block."""
        process = subprocess.Popen(self.command(*words, transport=transport), env=self.lab.environment, text=True, bufsize=1,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
            process.communicate(timeout=30)

    def end(self):
        for process in reversed(self.processes):
            process.kill()
            process.wait()


@pytest.fixture(scope="module", name="api")
def made(lab, proxy, tools):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        found = Proxy(lab, proxy, tools, folder)
        try:
            found.begin()
            found.grants({"impersonate": {"groups": [GROUP]}})
            lab.wait("kubectl is let in", lambda: found.kubectl("get", "namespaces"), 60)
            yield found
        finally:
            found.end()
            for log in sorted(folder.glob("*.log")):
                print(log.name, log.read_text(errors="replace")[-3000:])


@pytest.fixture(name="transport", params=TRANSPORTS)
def each_transport(request):
    return request.param


def lines_until(process, wanted, seconds=60):
    end = time.monotonic() + seconds
    seen = []
    while time.monotonic() < end:
        line = process.stdout.readline()
        seen.append(line)
        if wanted in line:
            return seen
        assert line, f"it ended: {seen}"
    raise AssertionError(f"never {wanted}: {seen}")


def test_someone_is_who_the_tailnet_says(api):
    said = json.loads(api.kubectl("auth", "whoami", "-o", "json"))["status"]["userInfo"]
    assert (said["username"], [group for group in said["groups"] if group != "system:authenticated"]) == (f"client.{api.lab.inner['LAB_DOMAIN']}", [GROUP])
    said = json.loads(api.kubectl("auth", "whoami", "-o", "json", "--token=forged", "--as=someone", "--as-group=system:masters"))["status"]["userInfo"]
    assert said["username"] == f"client.{api.lab.inner['LAB_DOMAIN']}", "what the client says of itself counts"


def test_reads_and_writes(api):
    assert api.kubectl("auth", "can-i", "*", "*") == "yes\n"
    api.kubectl("apply", "-f", "-", text=json.dumps(POD))
    api.kubectl("wait", "--for=condition=Ready", "pod/web", "--timeout=120s", seconds=150)
    assert json.loads(api.kubectl("get", "pod", "web", "-o", "json"))["spec"]["nodeName"] == "lab"
    assert "pods" in api.kubectl("api-resources"), "discovery"
    config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "big"}, "data": {"text": "x" * 800_000}}
    for _ in range(2):
        api.kubectl("apply", "--server-side", "-f", "-", text=json.dumps(config))
    assert json.loads(api.kubectl("get", "configmap", "big", "-o", "json"))["data"] == config["data"]
    api.kubectl("label", "configmap", "big", "a=b")
    api.kubectl("delete", "configmap", "big")
    assert api.kubectl("get", "configmap", "big", check=False).returncode == 1
    names = [f"many-{number}" for number in range(50)]
    api.kubectl("apply", "-f", "-", text=json.dumps({"apiVersion": "v1", "kind": "List", "items": [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}} for name in names]}))
    assert set(names) <= set(api.kubectl("get", "configmaps", "--chunk-size=7", "-o", "name").replace("configmap/", "").split())


def test_watches(api):
    with api.running("get", "configmaps", "--watch", "-o", "name") as watch:
        lines_until(watch, "many-49")
        for number in range(5):
            begun = time.monotonic()
            api.lab.kubectl("create", "configmap", f"watched-{number}")
            lines_until(watch, f"watched-{number}")
            assert time.monotonic() - begun < 5, "an event is late"


def test_follows_logs(api):
    with api.running("logs", "-f", "web") as logs:
        seen = [logs.stdout.readline() for _ in range(8)]
        assert [line.split()[0] for line in seen] == ["line"] * 8, seen


def test_runs_commands(api, transport):
    assert api.kubectl("exec", "web", "--", "echo", "hello there", transport=transport) == "hello there\n"
    done = api.kubectl("exec", "web", "--", "sh", "-c", "echo to stderr >&2; exit 7", transport=transport, check=False)
    assert (done.returncode, done.stdout) == (7, "") and "to stderr" in done.stderr, done
    big = "".join(f"{number}\n" for number in range(200_000))
    assert api.kubectl("exec", "-i", "web", "--", "cat", text=big, transport=transport) == big
    # With a terminal: script(1) gives kubectl one.
    words = " ".join(api.command("exec", "-it", "web", "--", "sh", "-c", "'test -t 0 && test -t 1 && echo a terminal'", transport=transport))
    done = subprocess.run(["script", "-qefc", words, "/dev/null"], env=api.lab.environment, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, check=False)
    assert "a terminal" in done.stdout, done.stdout


def test_attaches(api, transport):
    with api.running("attach", "-i", "web", transport=transport) as attached:
        lines_until(attached, "line")
        attached.stdin.write("word\n")
        attached.stdin.flush()
        lines_until(attached, "got word")


def test_forwards_ports(api, transport):
    port = {"websocket": 18080, "spdy": 18081}[transport]
    with api.running("port-forward", "pod/web", f"{port}:8080", transport=transport) as forward:
        lines_until(forward, "Forwarding from 127.0.0.1")
        for _ in range(10):
            assert api.lab.run("curl", "-sS", "--max-time", "10", f"http://127.0.0.1:{port}/", on="client") == "hello from the lab\n"


def test_copies_files(api, transport):
    place = api.lab.inner["LAB"]
    api.lab.run("sh", "-c", f"head -c 50000000 /dev/urandom >{place}/big; sha256sum <{place}/big")
    wanted = api.lab.run("sh", "-c", f"sha256sum <{place}/big")
    api.kubectl("cp", f"{place}/big", f"web:/tmp/{transport}", transport=transport, seconds=300)
    api.kubectl("cp", f"web:/tmp/{transport}", f"{place}/back-{transport}", transport=transport, seconds=300)
    assert api.lab.run("sh", "-c", f"sha256sum <{place}/back-{transport}") == wanted, "what came back is something else"


def test_debugs(api):
    with api.running("debug", "-i", "web", "--image=lab/hello:1", "--image-pull-policy=Never", "--target=web", "--", "cat") as debug:
        debug.stdin.write("debugged\n")
        lines_until(debug, "debugged")


def test_helm_installs(api):
    chart = api.lab.inner["LAB"] + "/chart"
    api.lab.run("sh", "-ec", f"""mkdir -p {chart}/templates
        printf 'apiVersion: v2\\nname: small\\nversion: 1.0.0\\n' >{chart}/Chart.yaml
        printf 'apiVersion: v1\\nkind: ConfigMap\\nmetadata: {{name: of-helm}}\\n' >{chart}/templates/map.yaml""")
    flags = ["--kube-apiserver", api.url, "--kube-ca-file", api.lab.inner["LAB"] + "/ca.crt", "--kube-token=unused"]
    api.lab.run("helm", "install", "small", chart, "--wait", *flags, on="client")
    assert "deployed" in api.lab.run("helm", "list", *flags, on="client")
    assert api.kubectl("get", "configmap", "of-helm", "-o", "name") == "configmap/of-helm\n"
    api.lab.run("helm", "uninstall", "small", *flags, on="client")


def test_sessions_are_counted_and_told(api):
    assert api.metric("tailrender_api_proxy_upgrades_total") >= 10
    told = [json.loads(line) for line in api.log.read_text().splitlines()]
    sessions = {(line["path"].rsplit("/", 1)[-1], line["user"]) for line in told if line["message"] == "session"}
    user = f"client.{api.lab.inner['LAB_DOMAIN']}"
    assert sessions >= {("exec", user), ("attach", user), ("portforward", user)}, sessions


def test_the_api_servers_audit_log_names_the_caller(api):
    found = api.lab.run("sh", "-c", 'grep impersonatedUser "$LAB/audit.log" | tail -n 200')
    users = {(event["user"]["username"], event["impersonatedUser"]["username"], *event["sourceIPs"][:1])
             for event in map(json.loads, found.splitlines())}
    [address] = [line for line in api.lab.run("tailscale", "ip", "-4", on="client").split()]
    assert ("system:serviceaccount:default:kube-apiserver-auth-proxy", f"client.{api.lab.inner['LAB_DOMAIN']}", address) in users, users


def test_without_a_grant_roles_decide(api):
    api.grants()
    end = time.monotonic() + 60
    while (done := api.kubectl("get", "pods", check=False)).returncode == 0:
        assert time.monotonic() < end, "a grant that is withdrawn still counts"
        time.sleep(0.5)
    assert "Forbidden" in done.stderr and f"client.{api.lab.inner['LAB_DOMAIN']}" in done.stderr, done.stderr
    said = json.loads(api.kubectl("auth", "whoami", "-o", "json"))["status"]["userInfo"]
    assert "tag:client" in said["groups"] and GROUP not in said["groups"], "tags are the groups of a device without a grant"


def test_a_session_ends_with_its_grant(api):
    api.grants({"impersonate": {"groups": [GROUP]}})
    api.lab.wait("kubectl is let in again", lambda: api.kubectl("get", "pods", check=False).returncode == 0)
    with api.running("exec", "-i", "web", "--", "cat") as session:
        session.stdin.write("still\n")
        lines_until(session, "still")
        begun = time.monotonic()
        api.grants()
        session.wait(70)
        assert time.monotonic() - begun < 65, "a session goes on without its grant"
    assert api.metric("tailrender_api_proxy_withdrawn_total") >= 1


def test_a_grant_that_is_malformed_or_wants_a_recording_is_refused(api):
    def refusal(rule, *words):
        api.grants(rule)
        end = time.monotonic() + 60
        while (done := api.kubectl(*words, check=False)).returncode == 0 or CAPABILITY not in done.stderr:
            assert time.monotonic() < end, done.stderr
            time.sleep(0.5)
        return done.stderr
    assert "is malformed" in refusal({"impersonate": {"groups": GROUP}}, "get", "pods")
    enforced = {"impersonate": {"groups": [GROUP]}, "recorderAddrs": ["100.64.0.99:80"], "enforceRecorder": True}
    assert "enforceRecorder" in refusal(enforced, "exec", "web", "--", "true")
    assert "web" in api.kubectl("get", "pods")


def test_without_tailscaleds_user_nothing_is_let_in(api):
    """As whoever may forward ports into the pod: the header is as tailscaled writes it, the socket is root's."""
    api.grants({"impersonate": {"groups": [GROUP]}})
    [address] = api.lab.run("tailscale", "ip", "-4", on="client").split()
    script = f"""
import socket, struct
client = socket.create_connection(("127.0.0.2", 8443))
source = socket.inet_aton("{address}") + socket.inet_aton("100.64.0.1") + struct.pack(">HH", 40000, 443)
try:
    client.sendall(b"\\r\\n\\r\\n\\0\\r\\nQUIT\\n\\x21\\x11\\0\\x0c" + source + b"GET /api HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\n\\r\\n")
    print(len(client.recv(100)))
except ConnectionError:
    print(0)
"""
    assert api.lab.run("/usr/bin/python3", "-c", script) == "0\n", "a forged header is believed"
    asks = ["setpriv", f"--reuid={DAEMON}", f"--regid={DAEMON}", "--clear-groups", "/usr/bin/python3", "-c", script]
    assert api.lab.run(*asks) == "100\n", "the header is right, and so is the user: what is refused above is the user"


def test_no_other_port_of_the_device_leads_to_the_proxy(api):
    """In user space tailscaled hands a connection to any port over to 127.0.0.1, as itself: a peer would write the header."""
    [address] = api.lab.run("tailscale", f"--socket={api.folder}/tailscaled.sock", "ip", "-4").split()
    header = "printf '\\r\\n\\r\\n\\0\\r\\nQUIT\\n\\x21\\x11\\0\\x0c\\x64\\x40\\0\\x01\\x64\\x40\\0\\x02\\x9c\\x40\\x01\\xbb"
    request = header + "GET /api HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\n\\r\\n'"
    before = api.page("/metrics")
    said = api.lab.run("bash", "-c", f"({request}; sleep 2) | timeout 5 busybox nc {address} 8443 || true", on="client")
    assert said == "", said
    pages = api.lab.run("curl", "-sS", "--max-time", "10", f"http://{address}:9902/healthz", on="client")
    assert pages == "ok\n", "this port of loopback is open to peers, and so would be the proxy's"
    assert api.page("/metrics") == before, "the proxy was reached"


def test_survives_a_restart_and_stops(api):
    api.process.send_signal(signal.SIGTERM)
    assert api.process.wait(30) == 0
    api.serve()
    api.lab.wait("kubectl is let in again", lambda: api.kubectl("get", "pods", check=False).returncode == 0)


@contextlib.contextmanager
def recording_to(api):
    """A recorder on the client's machine, and the folder of its casts; grants require it."""
    casts, port = api.folder / "casts", 8085
    casts.mkdir(exist_ok=True)
    program = SCRIPT.parents[1] / "api_proxy_contract.d/recorder.py"
    process = subprocess.Popen([str(SCRIPT), "run", "--on", "client", str(program), str(casts), str(port)], env=api.lab.environment,
                               start_new_session=True)
    try:
        [address] = api.lab.run("tailscale", "ip", "-4", on="client").split()
        api.lab.wait("the recorder listens", lambda: api.lab.run("curl", "-sS", f"http://{address}:{port}/", on="client"), 30)
        api.grants({"impersonate": {"groups": [GROUP]}, "recorderAddrs": [f"{address}:{port}"], "enforceRecorder": True})
        yield casts
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def casts_of(api, casts, number):
    """Header and output of each, once there are so many; without times. All came over HTTP/2."""
    api.lab.wait(f"{number} casts", lambda: len(list(casts.glob("*.cast"))) >= number, 60)
    found = []
    for file in sorted(casts.glob("*.cast"), key=lambda file: int(file.stem)):
        header, *events = [json.loads(line) for line in file.read_text().splitlines()]
        assert abs(header.pop("timestamp") - time.time()) < 600
        found.append((header, "".join(text for _, code, text in events if code == "o")))
        file.unlink()
    assert {line for line in (casts / "requests").read_text().splitlines() if "record" in line} == {f"{method} /v2/record HTTP/2" for method in ("HEAD", "POST")}
    return found


SESSIONS = (("exec", "web", "-c", "web", "--", "sh", "-c", "echo caf\u00e9; echo to stderr >&2; seq 1 2000; exit 3"),
            ("exec", "-i", "web", "-c", "web", "--", "cat"), ("exec", "web", "-c", "web", "--", "true"))


def record_sessions(api, casts, url=""):
    """Each by both transports; what they hold is what kubectl got."""
    for transport in TRANSPORTS:
        for words in SESSIONS:
            api.kubectl(*words, text="typed in\n", transport=transport, url=url, check=False)
    return casts_of(api, casts, len(SESSIONS) * len(TRANSPORTS))


def test_sessions_are_recorded(api):
    with recording_to(api) as casts:
        def is_recorded():
            api.kubectl("exec", "web", "-c", "web", "--", "true", check=False)
            return list(casts.glob("*.cast"))
        api.lab.wait("the grant counts", is_recorded, 60)
        time.sleep(2)
        for file in casts.glob("*.cast"):
            file.unlink()
        recorded = record_sessions(api, casts)
        wanted = "caf\u00e9\nto stderr\n" + "".join(f"{number}\n" for number in range(1, 2001))
        assert [sorted(output.splitlines()) for _, output in recorded] == [sorted(text.splitlines()) for text in (wanted, "typed in\n", "")] * 2
        assert [header["kubernetes"] for header, _ in recorded] == [
            {"PodName": "web", "Namespace": "default", "Container": "web", "SessionType": "exec"}] * 6
        words = " ".join(api.command("exec", "-it", "web", "-c", "web", "--", "sh", "-c", "'sleep 1; test -t 0 && echo a terminal'"))
        done = subprocess.run(["script", "-qefc", f"stty rows 33 cols 111; {words}", "/dev/null"], env=api.lab.environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, check=False)
        [(header, output)] = casts_of(api, casts, 1)
        assert (header["width"], header["height"]) == (111, 33) and "a terminal" in output, (header, output, done.stdout)
    # Without its recorder nothing begins.
    refused = api.kubectl("exec", "web", "-c", "web", "--", "touch", "/never", check=False)
    assert refused.returncode != 0 and "no recorder takes it" in refused.stderr, refused
    api.grants({"impersonate": {"groups": [GROUP]}})
    api.lab.wait("it need not be recorded", lambda: api.kubectl("exec", "web", "-c", "web", "--", "true", check=False).returncode == 0)
    assert api.kubectl("exec", "web", "-c", "web", "--", "ls", "/never", check=False).returncode != 0, "the command has run"


OPERATOR = "tailscale-operator"
ACCOUNTS = {OPERATOR: "system:serviceaccount:tailscale:operator", NAME: "system:serviceaccount:default:kube-apiserver-auth-proxy"}


@contextlib.contextmanager
def the_operators_proxy(api):
    """The operator with its own proxy; its certificate is there before it is."""
    lab, domain = api.lab, f"{OPERATOR}.{api.lab.inner['LAB_DOMAIN']}"
    with operator_in(lab) as operator:
        lab.run("sh", "-ec", f"""cd "$LAB"
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN={OPERATOR} -addext subjectAltName=DNS:{domain} -days 2 \
                -CA ca.crt -CAkey ca.key -keyout operator.key -out operator.crt
            kubectl create secret generic operator -n {NAMESPACE} --from-file={domain}.crt=operator.crt --from-file={domain}.key=operator.key""")
        authority = "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt"
        operator.upgrade("--set-string", "apiServerProxyConfig.mode=true", "--set", f"operatorConfig.extraEnv[1].name=SSL_CERT_FILE,operatorConfig.extraEnv[1].value={authority}")
        yield f"https://{domain}"


def asked(lab, account, since):
    """What the API server was asked in others' names by this account, behind so many lines of its audit log."""
    events = map(json.loads, lab.run("sh", "-c", f"""tail -n +{since} "$LAB/audit.log" | grep impersonatedUser || true""").splitlines())
    return {(event["verb"], event["requestURI"].split("?")[0], event["impersonatedUser"]["username"], *sorted(event["impersonatedUser"].get("groups", [])),
             event.get("responseStatus", {}).get("code")) for event in events if event["user"]["username"] == account}


def test_the_operators_proxy_asks_the_same(api):
    """By the API server's audit log: users, groups, verbs, paths and answers."""
    assert VALUES.is_file()
    with the_operators_proxy(api) as url:
        urls = {OPERATOR: url, NAME: api.url}
        for grants in ({"impersonate": {"groups": [GROUP]}}, None):
            api.grants(*([grants] if grants else []))
            wanted = 0 if grants else 1
            for one in urls.values():
                api.lab.wait("the grant counts", lambda one=one: api.kubectl("get", "pods", url=one, check=False).returncode == wanted)
            since = int(api.lab.run("sh", "-c", 'wc -l <"$LAB/audit.log"')) + 1
            for one in urls.values():
                for transport in TRANSPORTS:
                    for words in (("get", "pods", "-A"), ("create", "configmap", "same"), ("label", "configmap", "same", "a=b"), ("delete", "configmap", "same"),
                                  ("get", "configmap", "missing"), ("exec", "web", "--", "true"), ("logs", "web", "--tail=1"), ("auth", "whoami"),
                                  ("auth", "can-i", "--list"), ("get", "--raw", "/version"), ("get", "--raw", "/api/v1/namespaces/default/pods/web/%6cog")):
                        api.kubectl(*words, transport=transport, url=one, check=False)
            found = {name: asked(api.lab, ACCOUNTS[name], since) for name in urls}
            assert len(found[NAME]) >= 10, found
            assert found[NAME] == found[OPERATOR], found[NAME] ^ found[OPERATOR]
        with recording_to(api) as casts:
            time.sleep(10)  # until the grant counts for both
            ours, theirs = (record_sessions(api, casts, one) for one in (api.url, url))
        def plain(recorded):
            return sorted((json.dumps(header, sort_keys=True), sorted(output.splitlines())) for header, output in recorded)
        for (header, lines), (their_header, their_lines) in zip(plain(ours), plain(theirs)):
            assert header == their_header
            # What is behind the first frame of the operator's last read is not in its recording.
            assert lines == their_lines or set(their_lines) < set(lines), (header, lines[:5], their_lines[:5])
