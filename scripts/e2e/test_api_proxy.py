"""`tailrender-proxy api` in the lab: a real kubectl on a machine of the tailnet, a real tailscaled beside the proxy, the real API server.

kubectl speaks WebSocket, and SPDY when it is told to.
"""
import json
import signal
import subprocess
import time

import pytest

from api_proxy import CAPABILITY, DAEMON, GROUP, NAME, POD, TRANSPORTS, api_proxy_in

COVERS = ["runtime/api_proxy", "runtime/recording"]
PROGRAMS = ["lab", "helm3", "informer"]


@pytest.fixture(scope="module", name="api")
def made(lab, proxy, tools, request):
    with api_proxy_in(lab, proxy, tools, request.config.getoption("kubectl")) as found:
        yield found


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


def user(api, *words):
    """Returns name and groups, without the group that everyone has."""
    said = json.loads(api.kubectl("auth", "whoami", "-o", "json", *words))["status"]["userInfo"]
    return said["username"], [group for group in said["groups"] if group != "system:authenticated"]


def test_someone_is_who_the_tailnet_says(api):
    assert user(api) == (f"client.{api.lab.inner['LAB_DOMAIN']}", [GROUP])
    name, _ = user(api, "--token=forged", "--as=someone", "--as-group=system:masters")
    assert name == f"client.{api.lab.inner['LAB_DOMAIN']}", "what the client says of itself counts"


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


def test_a_watch_goes_on_while_nothing_happens(api, request):
    """A connection of kubectl stays open for --seconds (an hour in the soak), and so does client-go's informer, which sends requests now
    and then."""
    seconds = request.config.getoption("seconds")
    path = f"/api/v1/namespaces/default/configmaps?watch=1&timeoutSeconds={seconds + 300}"
    with api.running("get", "--raw", path) as watch, api.informer() as informer:
        lines_until(informer, "synced\n")
        for number in range(10):
            time.sleep(seconds / 10)
            begun = time.monotonic()
            api.lab.kubectl("create", "configmap", f"later-{number}", "--from-literal=text=x")
            lines_until(watch, f'"name":"later-{number}"')
            lines_until(informer, f"add later-{number} x\n")
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
    # This tests a session with a terminal: script(1) gives kubectl one.
    words = " ".join(api.command("exec", "-it", "web", "--", "sh", "-c", "'test -t 0 && test -t 1 && echo a terminal'", transport=transport))
    done = subprocess.run(["script", "-qefc", words, "/dev/null"], env=api.lab.environment, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, check=False)
    assert "a terminal" in done.stdout, done.stdout


def test_runs_commands_through_kubectl_proxy(api, transport):
    """kubectl proxy rejects `exec` unless --reject-paths says something else."""
    with api.running("proxy", "--port=0", "--reject-paths=^$") as proxy:
        port = lines_until(proxy, "Starting to serve on")[-1].strip().rpartition(":")[2]
        assert api.kubectl("exec", "-i", "web", "--", "cat", text="hello there\n", transport=transport,
                           url=f"http://127.0.0.1:{port}") == "hello there\n"


def test_the_kubeconfig_that_tailscale_writes_works(api):
    place = api.lab.inner["LAB"]

    def runs(*words):
        return api.lab.run("env", f"KUBECONFIG={place}/configured", f"SSL_CERT_FILE={place}/ca.crt", *words, on="client")
    assert f'at URL "{api.url}"' in runs("tailscale", "configure", "kubeconfig", NAME)
    assert runs(api.client, "config", "view", "--minify", "-o", "jsonpath={.clusters[0].cluster.server}") == api.url
    assert runs(api.client, "get", "pod", "web", "-o", "name") == "pod/web\n"
    assert runs(api.client, "exec", "web", "--", "echo", "inside") == "inside\n"


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


def test_copies_files(api, request, transport):
    """The files have --count (50) megabytes."""
    place, size = api.lab.inner["LAB"], (request.config.getoption("count") or 50) * 1_000_000
    wanted = api.lab.run("sh", "-c", f"head -c {size} /dev/urandom >{place}/big; sha256sum <{place}/big")
    api.kubectl("cp", f"{place}/big", f"web:/tmp/{transport}", transport=transport, seconds=1200)
    api.kubectl("cp", f"web:/tmp/{transport}", f"{place}/back-{transport}", transport=transport, seconds=1200)
    assert api.lab.run("sh", "-c", f"sha256sum <{place}/back-{transport}") == wanted, "what came back is something else"
    api.kubectl("exec", "web", "--", "busybox", "rm", f"/tmp/{transport}")
    api.lab.run("rm", f"{place}/big", f"{place}/back-{transport}")


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
    _, groups = user(api)
    assert "tag:client" in groups and GROUP not in groups, "tags are the groups of a device without a grant"


@pytest.fixture(name="person")
def logged_in(api):
    """The client's device belongs to a person, in place of a tag, during the test."""
    me = json.loads(api.lab.run("tailscale", "status", "--json", on="client"))["Self"]
    path = f"/admin/devices/{me['ID']}"
    api.lab.tailnet.ok("POST", path, {"tags": []})
    try:
        yield me
    finally:
        api.lab.tailnet.ok("POST", path, {"tags": me["Tags"]})
        api.grants({"impersonate": {"groups": [GROUP]}})
        api.lab.wait("it is the tag's again", lambda: user(api)[0] == f"client.{api.lab.inner['LAB_DOMAIN']}", 60)


def test_a_person_is_who_has_logged_in(api, person):
    """Without a grant the person has no groups; with a grant, also under the first name of the capability, the person has the group."""
    for capability, groups in (("", []), (CAPABILITY, [GROUP]), ("https://" + CAPABILITY, [GROUP])):
        api.lab.tailnet.ok("POST", "/admin/grants", {capability: [{"impersonate": {"groups": [GROUP]}}]} if capability else {})

        def is_known(groups=groups):
            profile = json.loads(api.lab.run("tailscale", "whois", "--json", person["TailscaleIPs"][0], on="client"))["UserProfile"]
            assert "@" in profile["LoginName"], profile
            return user(api) == (profile["LoginName"], groups)
        api.lab.wait(f"the login name counts, with {groups} by {capability}", is_known, 60)


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
    """An attacker may forward ports into the pod: the header is like tailscaled's, but the socket belongs to root."""
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
    """In user space tailscaled forwards a connection to any port to 127.0.0.1, under its own user: a peer could write the header."""
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
    """An informer of client-go survives as well."""
    with api.informer() as informer:
        lines_until(informer, "synced\n")
        api.lab.kubectl("create", "configmap", "followed", "--from-literal=text=one")
        lines_until(informer, "add followed one\n")
        api.lab.kubectl("patch", "configmap", "followed", "--patch", '{"data": {"text": "two"}}')
        lines_until(informer, "update followed two\n")
        api.process.send_signal(signal.SIGTERM)
        assert api.process.wait(30) == 0
        api.lab.kubectl("delete", "configmap", "followed")
        api.lab.kubectl("create", "configmap", "meanwhile", "--from-literal=text=here")
        api.serve()
        api.lab.wait("kubectl is let in again", lambda: api.kubectl("get", "pods", check=False).returncode == 0)
        seen = set()
        while not seen >= {"delete followed two\n", "add meanwhile here\n"}:
            seen.update(lines_until(informer, "\n"))
        api.lab.kubectl("create", "configmap", "afterwards", "--from-literal=text=too")
        lines_until(informer, "add afterwards too\n")
