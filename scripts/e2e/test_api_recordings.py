"""What `tailrender-proxy api` records in the lab, of sessions and of requests, beside the real operator's proxy: the recorder is our own,
which the operator's own client holds to the protocol."""
import base64
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time

import pytest

from api_proxy import GROUP, NAME, POD, TRANSPORTS, api_proxy_in
from harness import SCRIPT
from reference import RELEASE, VALUES, operators_api_proxy

COVERS = ["runtime/api_proxy", "runtime/recording", "testdata/e2e/operator"]
PROGRAMS = ["lab", "helm3", "operator"]


@pytest.fixture(scope="module", name="api")
def made(lab, proxy, tools):
    with api_proxy_in(lab, proxy, tools) as found:
        found.kubectl("apply", "-f", "-", text=json.dumps(POD))
        found.kubectl("wait", "--for=condition=Ready", "pod/web", "--timeout=120s", seconds=150)
        yield found


@contextlib.contextmanager
def recording_to(api, **more):
    """Runs a recorder on the client's machine, with a folder of its casts and events; grants require it."""
    casts, port = pathlib.Path(tempfile.mkdtemp(dir=api.folder)), 8085
    program = SCRIPT.parents[1] / "api_proxy_contract.d/recorder.py"
    process = subprocess.Popen([str(SCRIPT), "run", "--on", "client", str(program), str(casts), str(port)], env=api.lab.environment,
                               start_new_session=True)
    try:
        [address] = api.lab.run("tailscale", "ip", "-4", on="client").split()
        api.lab.wait("the recorder listens", lambda: api.lab.run("curl", "-sS", "-w", "%{http_code}", f"http://{address}:{port}/", on="client"), 30)
        api.grants({"impersonate": {"groups": [GROUP]}, "recorderAddrs": [f"{address}:{port}"], "enforceRecorder": True, **more})
        yield casts
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def whole(casts, kind):
    """Returns the files of this kind, when none is incomplete."""
    return [] if list(casts.glob("*.part")) else list(casts.glob("*." + kind))


def await_recording(api, casts, kind, *words, urls=("",)):
    """Repeats the request at each URL until it is recorded, since each proxy gets new grants at another time. Leaves no file."""
    for url in urls:
        def is_recorded(url=url):
            api.kubectl(*words, url=url, check=False)
            return api.lab.wait("a file", lambda: whole(casts, kind), 5)
        for file in api.lab.wait(f"{kind}s come from {url or api.url}", is_recorded, 60):
            file.unlink()


def casts_of(api, casts, number):
    """Returns header and output of each cast, once there are so many; without times. All must come over HTTP/2."""
    api.lab.wait(f"{number} casts", lambda: len(whole(casts, "cast")) >= number, 60)
    found = []
    for file in sorted(casts.glob("*.cast"), key=lambda file: int(file.stem)):
        header, *events = [json.loads(line) for line in file.read_text().splitlines()]
        assert abs(header.pop("timestamp") - time.time()) < 600
        found.append((header, "".join(text for _, code, text in events if code == "o")))
        file.unlink()
    assert {line.split(" ", 1)[1] for line in (casts / "requests").read_text().splitlines() if "record" in line} == {f"{method} /v2/record HTTP/2" for method in ("HEAD", "POST")}
    return found


# The pauses keep the two streams apart, which may arrive in any order.
SESSIONS = (("exec", "web", "-c", "web", "--", "sh", "-c", "echo caf\u00e9; sleep 1; echo to stderr >&2; sleep 1; seq 1 2000; exit 3"),
            ("exec", "-i", "web", "-c", "web", "--", "cat"), ("exec", "web", "-c", "web", "--", "true"))


def record_sessions(api, casts, url=""):
    """Records each session by both transports, and checks that the recordings have what kubectl got."""
    for transport in TRANSPORTS:
        for words in SESSIONS:
            api.kubectl(*words, text="typed in\n", transport=transport, url=url, check=False)
    return casts_of(api, casts, len(SESSIONS) * len(TRANSPORTS))


def test_sessions_are_recorded(api):
    with recording_to(api) as casts:
        await_recording(api, casts, "cast", *SESSIONS[-1])
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
    # Without its recorder no session begins.
    refused = api.kubectl("exec", "web", "-c", "web", "--", "touch", "/never", check=False)
    assert refused.returncode != 0 and "no recorder accepts it" in refused.stderr, refused
    api.grants({"impersonate": {"groups": [GROUP]}})
    api.lab.wait("it need not be recorded", lambda: api.kubectl("exec", "web", "-c", "web", "--", "true", check=False).returncode == 0)
    assert api.kubectl("exec", "web", "-c", "web", "--", "ls", "/never", check=False).returncode != 0, "the command has run"


REQUESTS = (("get", "pods", "-A", "-l", "a=b"), ("get", "pod", "web", "-o", "json"), ("create", "configmap", "told", "--from-literal=a=caf\u00e9"),
            ("label", "configmap", "told", "a=b"), ("get", "configmaps", "--field-selector", "metadata.name=told"),
            ("create", "secret", "generic", "told", "--from-literal=password=hunter2"), ("delete", "configmap/told", "secret/told", "--wait=false"),
            ("exec", "web", "-c", "web", "--", "true"), ("logs", "web", "--tail=1"), ("auth", "whoami"), ("get", "--raw", "/version"),
            ("get", "--raw", "/api/v1/namespaces/default/pods/web/%6cog?tailLines=1&x=a%20b"))


def told_events(api, casts, url=""):
    """Returns the events of these requests, without times; discovery requests depend on kubectl's cache."""
    for words in REQUESTS:
        api.kubectl(*words, url=url)
    found = []
    for file in casts.glob("*.event"):
        event = json.loads(file.read_text())
        file.unlink()
        assert abs(event.pop("timestamp") - time.time()) < 600
        if event["kubernetes"]["IsResourceRequest"] or event["request"]["path"] == "/version":
            found.append(event)
    return found


def body_of(event):
    return base64.b64decode(event["request"]["body"])


def test_requests_are_recorded(api):
    with recording_to(api, enableEvents=True) as casts:
        await_recording(api, casts, "event", "get", "--raw", "/version")
        found = told_events(api, casts)
        bodies = {(event["kubernetes"]["Verb"], event["kubernetes"]["Resource"]): body_of(event) for event in found}
        assert "caf\u00e9".encode() in bodies["create", "configmaps"] and bodies["create", "secrets"] == b"", bodies
        assert {("list", "pods"), ("get", "pods"), ("patch", "configmaps"), ("delete", "secrets"), ("create", "selfsubjectreviews")} <= set(bodies), bodies
        assert {event["source"]["node"] for event in found} == {f"client.{api.lab.inner['LAB_DOMAIN']}"}
    # Without its recorder no request is made.
    refused = api.kubectl("create", "configmap", "never", check=False)
    assert refused.returncode != 0 and "no recorder accepts it" in refused.stderr, refused
    assert api.lab.kubectl("get", "configmap", "never", "--ignore-not-found") == ""
    api.grants({"impersonate": {"groups": [GROUP]}})
    api.lab.wait("it need not be recorded", lambda: api.kubectl("get", "pods", check=False).returncode == 0)


ACCOUNTS = {RELEASE: "system:serviceaccount:tailscale:operator", NAME: "system:serviceaccount:default:kube-apiserver-auth-proxy"}


# The first one also waits for a grant: it may be late in the log.
ASKED = (("get", "pods", "-A"), ("create", "configmap", "same"), ("label", "configmap", "same", "a=b"), ("delete", "configmap", "same"),
         ("get", "configmap", "missing"), ("exec", "web", "--", "true"), ("logs", "web", "--tail=1"), ("auth", "whoami"), ("auth", "can-i", "--list"),
         ("get", "--raw", "/version"), ("get", "--raw", "/api/v1/namespaces/default/pods/web/%6cog"))


def asked(lab, account, since):
    """Returns the requests that this account made under other users' names, from that line of the audit log on."""
    events = map(json.loads, lab.run("sh", "-c", f"""tail -n +{since} "$LAB/audit.log" | grep impersonatedUser || true""").splitlines())
    return {(event["verb"], event["requestURI"].split("?")[0], event["impersonatedUser"]["username"], *sorted(event["impersonatedUser"].get("groups", [])),
             event.get("responseStatus", {}).get("code")) for event in events if event["user"]["username"] == account}


def test_the_operators_proxy_asks_the_same(api):
    """Compares users, groups, verbs, paths and answers by the API server's audit log."""
    assert VALUES.is_file()
    with operators_api_proxy(api.lab) as url:
        urls = {RELEASE: url, NAME: api.url}
        for grants in ({"impersonate": {"groups": [GROUP]}}, None):
            api.grants(*([grants] if grants else []))
            wanted = 0 if grants else 1
            for one in urls.values():
                api.lab.wait("the grant counts", lambda one=one: api.kubectl(*ASKED[0], url=one, check=False).returncode == wanted)
            since = int(api.lab.run("sh", "-c", 'wc -l <"$LAB/audit.log"')) + 1
            for one in urls.values():
                for transport in TRANSPORTS:
                    for words in ASKED:
                        api.kubectl(*words, transport=transport, url=one, check=False)

            def same(since=since):
                found = {name: asked(api.lab, ACCOUNTS[name], since) for name in urls}
                assert len(found[NAME]) >= 10, found
                assert found[NAME] == found[RELEASE], found[NAME] ^ found[RELEASE]
                return True
            api.lab.wait("the last of them are in the log", same, 10)
        with recording_to(api) as casts:
            await_recording(api, casts, "cast", *SESSIONS[-1], urls=(api.url, url))
            ours, theirs = (record_sessions(api, casts, one) for one in (api.url, url))
        with recording_to(api, enableEvents=True) as casts:
            await_recording(api, casts, "event", "get", "--raw", "/version", urls=(api.url, url))
            our_events, their_events = (told_events(api, casts, one) for one in (api.url, url))
        for event in their_events:
            if event["kubernetes"]["Resource"] == "secrets":  # it mentions the contents of Secrets
                assert event["kubernetes"]["Verb"] != "create" or b"hunter2" in body_of(event), event
                event["request"]["body"] = ""
        assert [sorted(json.dumps(event, sort_keys=True) for event in events) for events in (our_events, our_events)] == [
            sorted(json.dumps(event, sort_keys=True) for event in events) for events in (our_events, their_events)]

        def plain(recorded):
            return sorted((json.dumps(header, sort_keys=True), sorted(output.splitlines())) for header, output in recorded)
        for (header, lines), (their_header, their_lines) in zip(plain(ours), plain(theirs), strict=True):
            assert header == their_header
            # The operator's recording lacks what is behind the first frame of its last read.
            assert lines == their_lines or set(their_lines) < set(lines), (header, lines[:5], their_lines[:5])
