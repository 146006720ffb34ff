"""Proves that the fake Tailscale API is as strict as tests need it, knows what became of every key, and fails on demand.

Each test has a `testnet --api-only` on loopback ports of its own.
"""
import base64
import http.client
import http.server
import json
import ssl
import subprocess
import threading
import time
import urllib.error
import urllib.request

import pytest

from fake_tailnet import KEYS, started
from shared.checks import run

SCOPES = ["auth_keys", "devices:core", "devices:routes", "services"]
CREATE = {"reusable": False, "ephemeral": False, "preauthorized": True, "tags": ["tag:k8s"]}
KEY = {"description": "apps web-0", "capabilities": {"devices": {"create": CREATE}}}


@pytest.fixture(scope="module")
def private(scratch):
    """The key of an issuer of tokens."""
    run("openssl", "genrsa", "-out", scratch / "private.pem", "2048")
    return scratch / "private.pem"


@pytest.fixture(scope="module")
def start(tools, scratch, private):
    public = run("openssl", "rsa", "-in", private, "-pubout")
    tags, clients = ["tag:k8s", "tag:web"], scratch / "clients.json"
    clients.write_text(json.dumps([
        {"id": "c1", "secret": "s1", "scopes": SCOPES, "tags": tags},
        {"id": "narrow", "secret": "s2", "scopes": ["auth_keys:read", "devices:core:read"], "tags": tags},
        {"id": "fed", "issuer": "https://issuer", "subject": "system:serviceaccount:t:o", "audience": "api.tailscale.com/fed",
         "publicKey": public, "scopes": SCOPES, "tags": tags}]), encoding="utf-8")
    return lambda *kube: started("testnet", clients, ("c1", "s1"), kube)


@pytest.fixture
def tailnet(start):
    with start() as net:
        net.log_in()
        yield net


def test_tokens(tailnet):
    tailnet.token = ""
    path, grant = "/api/v2/oauth/token", {"grant_type": "client_credentials"}
    for fields in ({"client_id": "c1", "client_secret": "wrong"}, {"client_id": "nobody", "client_secret": "s1"}, {}):
        assert tailnet.form(path, **grant, **fields)[0] == 401
    assert tailnet.form(path, client_id="c1", client_secret="s1")[0] == 400, "token without grant_type"
    assert tailnet.form(path, **grant, client_id="c1", client_secret="s1", more="x")[0] == 400, "token with a field too many"
    assert tailnet.send("POST", path, {"grant_type": "client_credentials"})[0] == 400, "token asked for in JSON"
    basic = {"Authorization": "Basic " + base64.b64encode(b"c1:s1").decode()}
    assert tailnet.form(path, headers=basic, **grant)[0] == 200, "token by Basic"
    tailnet.refused(401, "API token invalid", "GET", KEYS)
    tailnet.log_in()
    tailnet.ok("GET", KEYS)
    tailnet.ok("DELETE", "/admin/tokens")
    tailnet.refused(401, "API token invalid", "GET", KEYS)
    tailnet.log_in(("narrow", "s2"))
    tailnet.refused(403, "\"auth_keys\" is missing", "POST", KEYS, KEY)
    tailnet.ok("GET", "/api/v2/tailnet/-/devices")
    tailnet.refused(403, "\"devices:core\" is missing", "DELETE", "/api/v2/device/1")


def encoded(value):
    return base64.urlsafe_b64encode(value if isinstance(value, bytes) else json.dumps(value).encode()).rstrip(b"=").decode()


def test_federation(tailnet, private):
    def jwt(**changes):
        claims = {"iss": "https://issuer", "sub": "system:serviceaccount:t:o", "aud": ["api.tailscale.com/fed"],
                  "exp": int(time.time()) + 600, **changes}
        signed = encoded({"alg": "RS256"}) + "." + encoded(claims)
        signature = subprocess.run(["openssl", "dgst", "-sha256", "-sign", private], input=signed.encode(), stdout=subprocess.PIPE,
                                   check=True).stdout
        return signed + "." + encoded(signature)

    def exchange(token, client="fed"):
        return tailnet.form("/api/v2/oauth/token-exchange", grant_type="client_credentials", client_id=client, jwt=token)

    status, value = exchange(jwt())
    assert status == 200, f"token exchange says {value}"
    tailnet.token = value["access_token"]
    tailnet.ok("GET", KEYS)
    bad = {"issuer": jwt(iss="https://other"), "subject": jwt(sub="x"), "audience": jwt(aud="other"), "time": jwt(exp=5),
           "signature": jwt()[:-8] + "AAAAAAAA", "parts": "x.y"}
    for word, token in bad.items():
        status, value = exchange(token)
        assert (status, word in value["message"]) == (401, True)
    assert exchange(jwt(), client="c1")[0] == 401, "token exchange for a client with a secret"


def test_key_requests(tailnet):
    def with_create(**changes):
        return KEY | {"capabilities": {"devices": {"create": CREATE | changes}}}

    for message, body in {
        "unknown field \"colour\"": KEY | {"colour": "red"},
        "unknown field \"reuseable\"": with_create(reuseable=True),
        "must set tags": with_create(tags=[]),
        "\"tag:other\" is not a tag of client": with_create(tags=["tag:k8s", "tag:other"]),
        "\"k8s\" is not a tag": with_create(tags=["k8s"]),
        "capabilities is missing": {},
        "found description": KEY | {"description": "apps/web"},
        "found expirySeconds 0": KEY | {"expirySeconds": 0},
        "found expirySeconds 7776001": KEY | {"expirySeconds": 7776001},
        "found keyType \"client\"": KEY | {"keyType": "client"},
    }.items():
        tailnet.refused(400, message, "POST", KEYS, body)
    tailnet.refused(400, "content type", "POST", KEYS, KEY, kind="text/plain")
    tailnet.refused(400, "more than one JSON value", "POST", KEYS, b"{}{}")
    tailnet.refused(404, "expected \"-\"", "POST", "/api/v2/tailnet/example.com/keys", KEY)
    tailnet.refused(404, "no such endpoint", "PATCH", KEYS, KEY)
    assert tailnet.state()["keys"] == [], "keys after refused requests"


def test_key_lives(tailnet):
    # Tailscale's own client does not say that it sends JSON.
    spent, revoked, expired, free = (tailnet.ok("POST", KEYS, KEY | {"expirySeconds": 3600}, kind=kind) for kind in ["application/json"] * 3 + [""])
    assert (spent["capabilities"]["devices"]["create"], spent["description"]) == (CREATE, "apps web-0"), "answer for a new key"
    device = tailnet.join("Web_0", spent["key"])
    assert (device["name"], device["tags"], device["key"]) == ("web-0.lab.ts.net", ["tag:k8s"], spent["id"]), "device"
    tailnet.ok("DELETE", f"{KEYS}/{revoked['id']}")
    tailnet.ok("POST", f"/admin/keys/{expired['id']}", {"expires": "2020-01-01T00:00:00Z"})
    tailnet.refused(404, "not found", "DELETE", f"{KEYS}/{revoked['id']}")
    for message, key in {"already used": spent["key"], "is revoked": revoked["key"], "is expired": expired["key"],
                         "does not exist": "tskey-auth-none"}.items():
        tailnet.refused(403, message, "POST", "/admin/devices", {"hostname": "x", "key": key})
    listed = tailnet.ok("GET", KEYS + "?all=true")["keys"]
    assert [(key["id"], "key" in key) for key in listed] == [(free["id"], False)], "listed keys"
    for key, invalid in ((spent, True), (revoked, True), (expired, True), (free, None)):
        assert tailnet.ok("GET", f"{KEYS}/{key['id']}").get("invalid") == invalid, "invalid"
    [known] = [key for key in tailnet.state()["keys"] if key["id"] == spent["id"]]
    assert (known["spent"], known["devices"], known["client"]) == (True, [device["nodeId"]], "c1"), "history of the spent key"
    assert len(tailnet.state()["rejections"]) == 4, "refused registrations"
    assert ("tskey" in json.dumps(tailnet.state())) is False, "state tells a secret"
    many = tailnet.ok("POST", KEYS, {"capabilities": {"devices": {"create": CREATE | {"reusable": True}}}})["key"]
    names = [tailnet.join("web-0", many)["name"] for _ in range(2)]
    assert names == ["web-0-1.lab.ts.net", "web-0-2.lab.ts.net"], "names of later devices"


def test_devices(tailnet):
    key = tailnet.ok("POST", KEYS, {"capabilities": {"devices": {"create": CREATE | {"reusable": True}}}})["key"]
    device, _ = tailnet.join("web-0", key), tailnet.join("web-0", key)
    path = "/api/v2/device/" + device["nodeId"]
    tailnet.ok("POST", path + "/tags", {"tags": ["tag:k8s", "tag:web"]})
    tailnet.refused(400, "is not a tag of client", "POST", path + "/tags", {"tags": ["tag:other"]})
    tailnet.refused(400, "unknown field", "POST", path + "/tags", {"tag": []})
    tailnet.refused(409, "is taken", "POST", path + "/name", {"name": "web-0-1"})
    tailnet.refused(400, "expected a DNS label", "POST", path + "/name", {"name": "a_b"})
    tailnet.ok("POST", path + "/name", {"name": "renamed"})
    tailnet.refused(400, "without host bits", "POST", path + "/routes", {"routes": ["10.0.0.1/8"]})
    assert tailnet.ok("POST", path + "/routes", {"routes": ["10.0.0.0/8"]})["enabledRoutes"] == ["10.0.0.0/8"], "routes"
    tailnet.ok("POST", "/admin/devices/" + device["id"], {"connected": True, "lastSeen": "2020-01-01T00:00:00Z"})
    told = tailnet.ok("GET", f"/api/v2/device/{device['id']}?fields=all")
    assert (told["name"], told["tags"], told["connectedToControl"], told["lastSeen"]) == ("renamed.lab.ts.net", ["tag:k8s", "tag:web"], True, "2020-01-01T00:00:00Z")
    for query in ("fields=some", "field=all"):
        tailnet.refused(400, "query parameter", "GET", "/api/v2/tailnet/-/devices?" + query)
    count = len(tailnet.ok("GET", "/api/v2/tailnet/-/devices?fields=default")["devices"])
    tailnet.ok("DELETE", path)
    tailnet.refused(404, "no device", "DELETE", path)
    assert len(tailnet.ok("GET", "/api/v2/tailnet/-/devices")["devices"]) == count - 1, "devices after one was deleted"
    [gone] = [known for known in tailnet.state()["devices"] if known["id"] == device["id"]]
    assert gone["deletedBy"] == "c1", "who deleted the device"


def test_services(tailnet):
    path, web = "/api/v2/tailnet/-/vip-services/svc:web", {"name": "svc:web", "ports": ["tcp:443"], "tags": ["tag:web"]}
    tailnet.refused(404, "not found", "GET", path)
    tailnet.refused(400, "found name", "PUT", path, web | {"name": "svc:other"})
    tailnet.refused(400, "found port", "PUT", path, web | {"ports": ["443"]})
    tailnet.refused(400, "unknown field", "PUT", path, web | {"port": []})
    made = tailnet.ok("PUT", path, web)
    assert len(made["addrs"]) == 2, "addresses of a new service"
    tailnet.refused(400, "which service \"svc:web\" has", "PUT", path, web)
    tailnet.ok("PUT", path, made | {"comment": "x"})
    assert tailnet.ok("GET", "/api/v2/tailnet/-/vip-services")["vipServices"] == [made | {"comment": "x"}], "services"
    tailnet.ok("DELETE", path)
    tailnet.refused(404, "not found", "DELETE", path)


def test_faults(tailnet):
    def keys():
        return len(tailnet.state()["keys"])

    tailnet.fault("410")
    assert tailnet.send("POST", KEYS, KEY)[0] == 410, "fault 410"
    before = keys()
    tailnet.fault("429", retryAfter=7)
    status, value = tailnet.send("POST", KEYS, KEY)
    assert (status, value["retryAfter"], keys()) == (429, "7", before), "fault 429"
    tailnet.fault("500", count=2)
    assert [tailnet.send("POST", KEYS, KEY)[0] for _ in range(3)] == [500, 500, 200], "two faults 500"
    tailnet.fault("reset")
    assert (tailnet.send("POST", KEYS, KEY)[0], keys()) == (0, before + 1), "fault reset"
    tailnet.fault("lost")
    assert (tailnet.send("POST", KEYS, KEY)[0], keys()) == (0, before + 2), "fault lost"
    tailnet.fault("slow", delay="700ms")
    start = time.monotonic()
    tailnet.ok("POST", KEYS, KEY)
    assert (time.monotonic() - start >= 0.7, keys()) == (True, before + 3), "fault slow"
    tailnet.fault("500", path="/api/v2/device/.*", method="")
    tailnet.ok("GET", KEYS)
    assert tailnet.state()["faults"][0]["count"] == 1, "a fault for another path"
    tailnet.ok("DELETE", "/admin/faults")
    assert tailnet.state()["faults"] == [], "faults after they were taken back"
    for message, fault in {"found kind": {"kind": "x"}, "found count": {"kind": "500", "count": 0}, "delay belongs": {"kind": "slow"},
                           "path:": {"kind": "500", "path": "("}, "unknown field": {"kind": "500", "x": 1}}.items():
        tailnet.refused(400, message, "POST", "/admin/faults", {"path": "/", "count": 1} | fault)
    told = tailnet.state()["requests"][-8:]
    assert [(request["status"], request.get("fault")) for request in told[:-1]] == [(429, "429"), (500, "500"), (500, "500"), (200, None), (0, "reset"), (200, "lost"), (200, "slow")]


def test_limit(tailnet):
    tailnet.refused(400, "found perSecond -1", "POST", "/admin/limit", {"perSecond": -1})
    tailnet.ok("POST", "/admin/limit", {"perSecond": 0.001})
    tailnet.ok("GET", KEYS)
    status, value = tailnet.send("GET", KEYS)
    assert (status, int(value["retryAfter"]) > 900, tailnet.state()["taken"]["tailscale/limit"]) == (429, True, 1), "a request beyond the limit"
    tailnet.ok("POST", "/admin/limit", {"perSecond": 1000})
    tailnet.ok("GET", KEYS)
    tailnet.ok("POST", "/admin/limit", {"perSecond": 0})
    tailnet.ok("GET", KEYS)


def test_devices_of_before(tailnet):
    device = tailnet.ok("POST", "/admin/devices", {"hostname": "of-before", "tags": ["tag:web"]})
    told = tailnet.ok("GET", "/api/v2/device/" + device["nodeId"])
    assert (told["name"], told["tags"], told["authorized"]) == ("of-before.lab.ts.net", ["tag:web"], True), "a device of before"
    for body in ({"hostname": "x"}, {"hostname": "x", "key": "k", "tags": ["tag:web"]}):
        tailnet.refused(400, "expected either key or tags", "POST", "/admin/devices", body)


class Cluster(http.server.BaseHTTPRequestHandler):
    """An API server that answers all alike; `asked` tells what has come through to it."""
    asked = []

    def do_GET(self):
        self.asked.append(self.path)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{"kind": "PodList"}')

    def log_message(self, *_):
        pass


def test_a_second_tailnet_is_another_one(start, tailnet):
    with start() as other:
        tailnet.join("web-0", tailnet.mint(["tag:k8s"])["key"])
        assert (other.state()["keys"], other.state()["devices"]) == ([], [])


def test_faults_of_a_cluster(start, scratch):
    """The API server's requests, watches and the Tailscale API each take the faults that are meant for them; the state counts them."""
    run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=ca", "-keyout", scratch / "ca.key", "-out", scratch / "ca.crt")
    cluster = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Cluster)
    threading.Thread(target=cluster.serve_forever, daemon=True).start()
    with start(f"http://127.0.0.1:{cluster.server_port}", scratch / "ca.crt") as net:
        trusted = ssl.create_default_context(cadata=net.kube[1])

        def ask(query=""):
            try:
                with urllib.request.urlopen(f"{net.kube[0]}/api/v1/pods{query}", context=trusted, timeout=60) as answer:
                    return answer.status, json.load(answer)
            except urllib.error.HTTPError as error:
                return error.code, json.load(error).get("reason")
            except (urllib.error.URLError, ConnectionError, http.client.HTTPException):
                return 0, None

        served, gone = (200, {"kind": "PodList"}), (410, "Expired")
        wanted = {"429": (429, "TooManyRequests"), "500": (500, "InternalError"), "410": gone, "reset": (0, None), "slow": served, "lost": (0, None)}
        for kind, answer in wanted.items():
            net.fault(kind, path=".*", method="", api="kubernetes", **{"slow": {"delay": "1ms"}}.get(kind, {}))
            assert ask() == answer, f"fault {kind} of a cluster"
        assert len(Cluster.asked) == 2, "requests that were done: slow, lost"
        net.fault("410", path="/api/v1/.*", method="GET", api="kubernetes watch")
        net.fault("500", path=".*", method="", api="tailscale")
        assert ask() == served, "a list while a fault waits for a watch and one for the other API"
        status, event = ask("?watch=true")
        assert (status, event["type"], event["object"]["code"], event["object"]["reason"]) == (200, "ERROR", *gone), "fault 410 of a watch"
        assert ask("?watch=true") == served, "the next watch"
        assert net.send("GET", KEYS)[0] == 500, "fault 500 of the Tailscale API"
        assert net.state()["taken"] == {**{f"kubernetes/{kind}": 1 for kind in wanted}, "kubernetes watch/410": 1, "tailscale/500": 1}, "faults taken"
        assert net.state()["faults"] == [], "faults that wait"
        net.refused(400, "found api \"x\"", "POST", "/admin/faults", {"kind": "500", "path": "/", "count": 1, "api": "x"})
    cluster.shutdown()
