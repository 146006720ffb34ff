"""A pod around one tailrender-proxy: a root folder, a tailscaled and a tailscale that record how they were called, and in this process the
LocalAPI behind tailscaled's socket and an API server with one Secret."""
import base64
import collections.abc
import contextlib
import http.server
import json
import os
import pathlib
import signal
import socket
import socketserver
import ssl
import subprocess
import threading
import time
import typing
import urllib.parse

TAILSCALED = """#!/bin/sh
echo "tailscaled $*" >> "$RECORD"
for word; do case $word in --socket=*) ln -sf "$LOCALAPI" "${word#--socket=}" ;; esac; done
[ -z "$TAILSCALED_DIES" ] || exit 7
trap 'kill $sleeper; exit 0' TERM
while :; do sleep 5 >/dev/null 2>&1 & sleeper=$!; wait $sleeper; done
"""
TAILSCALE = """#!/bin/sh
echo "tailscale $*" >> "$RECORD"
exit ${TAILSCALE_EXIT:-0}
"""
PATIENCE = 20  # seconds, enough for a busy machine
STATE = "tailscale"
SECRET = "/api/v1/namespaces/default/secrets/"
Object = dict[str, typing.Any]  # an object of JSON
Case = collections.abc.Callable[["Pod"], None]
Found = typing.TypeVar("Found")


class Failed(Exception):
    pass


cases: list[tuple[str, Object, Case]] = []
waiting: set[str] = set()  # the names of the cases that wait


def case(waits: bool = False, **options: object) -> collections.abc.Callable[[Case], Case]:
    """Registers the function as a case that gets a Pod with these options. A case that `waits` for timeouts of the program, 10 seconds and
    more, runs when it is named, and with TAILRENDER_WHOLE=1."""
    def take(function: Case) -> Case:
        cases.append((function.__name__, options, function))
        waiting.update({function.__name__} if waits else ())
        return function
    return take


def wait_until(what: str, condition: collections.abc.Callable[[], Found], patience: float = PATIENCE) -> Found:
    end = time.monotonic() + patience
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise Failed(f"never: {what}")
        time.sleep(0.02)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "UnixServer | TlsServer"

    def log_message(self, *_: object) -> None:
        pass

    def address_string(self) -> str:
        return ""

    def reply(self, status: int, body: object = b"", headers: collections.abc.Iterable[tuple[str, str]] = ()) -> None:
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def handle_one_request(self) -> None:
        try:
            super().handle_one_request()
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def do_GET(self) -> None:
        self.server.peer.answer(self)

    do_POST = do_PATCH = do_PUT = do_GET


class UnixServer(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    peer: "LocalApi"


class TlsServer(http.server.ThreadingHTTPServer):
    daemon_threads = True
    peer: "Kube"


class LocalApi:
    """tailscaled's LocalAPI: `say` sends a message on the bus; a client that connects later gets what `first` makes of all earlier
    messages."""

    def __init__(self, path: pathlib.Path, old: bool = False) -> None:
        self.lock = threading.Condition()
        self.old = old
        self.messages: list[Object] = []
        self.requests: list[tuple[str, str, str]] = []
        self.masks: list[int] = []
        self.prefs: Object = {}
        self.serve: Object = {}
        self.etag = 1
        self.status: Object = {}
        self.silent = False
        self.may_reload = threading.Event()  # while it is not set, a reload is not answered
        self.may_reload.set()
        self.refuse_serve = 0  # how many writes to refuse, as if another client had written meanwhile
        self.dns: Object = {"CertDomains": [], "ExtraRecords": []}
        self.server = UnixServer(str(path), Handler)
        self.server.peer = self
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def say(self, **message: typing.Any) -> None:
        with self.lock:
            if "State" in message:
                names = ["NoState", "InUseOtherUser", "NeedsLogin", "NeedsMachineAuth", "Stopped", "Starting", "Running"]
                self.status["BackendState"] = names[message["State"]]
            node = message.get("SelfChange")
            if node:
                self.status["Self"] = {"ID": node["StableID"], "DNSName": node["Name"],
                                       "TailscaleIPs": [a.split("/")[0] for a in node["Addresses"]]}
            for peer in message.get("PeersChanged", []):
                self.status.setdefault("Peer", {})[f"nodekey:{peer['ID']}"] = {
                    "ID": peer["StableID"], "NodeID": peer["ID"], "DNSName": peer["Name"],
                    "TailscaleIPs": [a.split("/")[0] for a in peer["Addresses"]]}
            self.messages.append(message)
            self.lock.notify_all()

    def old_message(self, message: Object) -> Object:
        """Returns the message as 1.96 sends it: with a whole netmap each time."""
        out = {key: message[key] for key in ("State", "Health") if key in message}
        me = next((m["SelfChange"] for m in reversed(self.messages) if "SelfChange" in m), None)
        if me:
            peers = {p["ID"]: p for m in self.messages for p in m.get("PeersChanged", [])}
            out["NetMap"] = {"SelfNode": me, "Peers": list(peers.values()), "DNS": self.dns}
        return out

    def watch(self, handler: Handler, mask: int) -> None:
        handler.send_response(200)
        handler.send_header("Connection", "close")
        handler.end_headers()
        with self.lock:
            at = max(len(self.messages) - 1, 0)
            first = True
            while True:
                for message in self.messages[at:]:
                    out = self.old_message(message) if self.old else dict(message)
                    if first and not self.old:
                        out["InitialStatus"] = {**self.status, **self.dns}
                    if first and self.old:
                        out["Version"] = "1.96.5"
                        if not mask & 8:
                            out.pop("NetMap", None)
                    first = False
                    handler.wfile.write(json.dumps(out).encode() + b"\n")
                    handler.wfile.flush()
                at = len(self.messages)
                self.lock.wait(30)

    def answer(self, handler: Handler) -> None:
        path, _, query = handler.path.removeprefix("/localapi/v0/").partition("?")
        body = handler.body()
        with self.lock:
            self.requests.append((handler.command, path, body.decode()))
            while self.silent:
                self.lock.wait(1)
        if path == "watch-ipn-bus":
            self.masks.append(int(query.removeprefix("mask=")))
            if not self.old and self.masks[-1] & 8:
                return handler.reply(400, b"the NotifyInitialNetMap bit is no longer supported")
            return self.watch(handler, self.masks[-1])
        if path == "prefs":
            if handler.command == "PATCH":
                self.prefs.update({k: v for k, v in json.loads(body).items() if not k.endswith("Set")})
            return handler.reply(200, self.prefs)
        if path == "serve-config" and handler.command == "POST":
            match = handler.headers["If-Match"]
            if match and (match != str(self.etag) or self.refuse_serve):
                self.refuse_serve = max(self.refuse_serve - 1, 0)
                return handler.reply(412, b"etag mismatch")
            self.serve, self.etag = json.loads(body), self.etag + 1
            return handler.reply(200, {})
        if path == "serve-config":
            return handler.reply(200, self.serve, [("Etag", str(self.etag))])
        if path == "usermetrics":
            return handler.reply(200, b"tailscaled_up 1\n")
        if path == "dns-config":
            return handler.reply(200, self.dns)
        if path == "reload-config":
            self.may_reload.wait()
            return handler.reply(200, {"Reloaded": True, "Err": ""})
        if path == "disconnect-control" or path.startswith("cert/"):
            return handler.reply(200)
        return handler.reply(404, b"not found")

    def asked(self, method: str, path: str) -> list[str]:
        return [body for m, p, body in self.requests if (m, p) == (method, path)]


class Kube:
    """An API server with the state Secret and the rights on it, and other Secrets by name, with the rights to get and watch each."""

    def __init__(self, certificate: str | pathlib.Path, secret: collections.abc.Mapping[str, str] | None, denied: collections.abc.Container[str],
                 others: collections.abc.Mapping[str, dict[str, str]] | None = None) -> None:
        self.secret = None if secret is None else dict(secret)
        self.others = dict(others or {})
        self.refused: set[str] = set()  # names of other Secrets that may not be read
        self.asked: list[tuple[str, str]] = []  # requests about other Secrets: GET or WATCH, and the name
        self.changed = threading.Condition()
        self.denied = denied
        self.failures = 0  # how many of the next patches fail
        self.server = TlsServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.server.peer = self
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def put(self, name: str, data: dict[str, str]) -> None:
        with self.changed:
            self.others[name] = data
            self.changed.notify_all()

    @staticmethod
    def object(name: str, data: dict[str, str]) -> Object:
        return {"metadata": {"name": name},
                "data": {key: base64.b64encode(value.encode()).decode() for key, value in data.items()}}

    def watch(self, handler: Handler, name: str) -> None:
        handler.send_response(200)
        handler.send_header("Connection", "close")
        handler.end_headers()
        told = None
        with self.changed:
            while True:
                data = self.others.get(name)
                if data is not None and data != told:
                    event = {"type": "MODIFIED" if told else "ADDED", "object": self.object(name, data)}
                    handler.wfile.write(json.dumps(event).encode() + b"\n")
                    handler.wfile.flush()
                    told = data
                self.changed.wait(1)

    def answer_about(self, handler: Handler, name: str, watches: bool) -> None:
        self.asked.append(("WATCH" if watches else "GET", name))
        if name in self.refused:
            return handler.reply(403, {"message": f"secrets \"{name}\" is forbidden", "reason": "Forbidden"})
        if watches:
            return self.watch(handler, name)
        if name not in self.others:
            return handler.reply(404, {"message": f"secrets \"{name}\" not found", "reason": "NotFound"})
        return handler.reply(200, self.object(name, self.others[name]))

    def answer(self, handler: Handler) -> None:
        body = handler.body()
        path, _, query = handler.path.partition("?")
        words = urllib.parse.parse_qs(query)
        if handler.command == "GET" and ("watch" in words or path.startswith(SECRET) and path != SECRET + STATE):
            [name] = words.get("fieldSelector", [path.removeprefix(SECRET)])
            return self.answer_about(handler, name.removeprefix("metadata.name="), "watch" in words)
        if handler.headers["Authorization"] != "Bearer token":
            return handler.reply(401, {"message": "Unauthorized"})
        if path == "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews":
            verb = json.loads(body)["spec"]["resourceAttributes"]["verb"]
            return handler.reply(201, {"status": {"allowed": verb not in self.denied}})
        if self.secret is None:
            return handler.reply(404, {"message": "secrets \"tailscale\" not found", "reason": "NotFound"})
        if handler.command == "GET" and path.startswith(SECRET):
            data = {key: base64.b64encode(value.encode()).decode() for key, value in self.secret.items()}
            return handler.reply(200, {"data": data})
        if handler.command == "PATCH" and path.startswith(SECRET):
            if "patch" in self.denied:
                raise AssertionError("a patch that is not allowed")
            assert handler.headers["Content-Type"] == "application/strategic-merge-patch+json", handler.headers
            assert query == "fieldManager=tailscale-container", query
            if self.failures:
                self.failures -= 1
                return handler.reply(500, {"message": "etcd is away"})
            for key, value in json.loads(body)["data"].items():
                self.secret.pop(key, None)
                if value is not None:
                    self.secret[key] = base64.b64decode(value).decode()
            return handler.reply(200)  # the program ignores the body of the reply
        return handler.reply(405, {"message": f"{handler.command} {path}"})


class Pod:
    def __init__(self, binary: str | pathlib.Path, folder: str | pathlib.Path, certificate: str | pathlib.Path, *,
                 env: dict[str, str] | None = None, secret: dict[str, str] | None = None, kube: bool = False,
                 denied: collections.abc.Container[str] = (), files: dict[str, str] | None = None, old: bool = False,
                 others: dict[str, dict[str, str]] | None = None) -> None:
        self.binary, self.root = binary, pathlib.Path(folder)
        for name in ("usr/bin", "tmp", "dev/net", "proc/sys/net/ipv4", "proc/sys/net/ipv6/conf/all", "var/run",
                     "var/run/secrets/kubernetes.io/serviceaccount"):
            (self.root / name).mkdir(parents=True, exist_ok=True)
        base = {"dev/net/tun": "", "proc/sys/net/ipv4/ip_forward": "0\n", "proc/sys/net/ipv6/conf/all/forwarding": "0\n"}
        for name, text in {**base, **(files or {})}.items():
            self.write(name, text)
        for name, text in (("tailscaled", TAILSCALED), ("tailscale", TAILSCALE)):
            self.write(f"usr/bin/{name}", text)
            (self.root / "usr/bin" / name).chmod(0o755)
        self.api = LocalApi(self.root / "tmp/localapi", old)
        self.env = {"PATH": f"{self.root}/usr/bin:{os.environ['PATH']}", "RECORD": f"{self.root}/commands",
                    "LOCALAPI": f"{self.root}/tmp/localapi", "TS_SOCKET": f"{self.root}/tmp/tailscaled.sock",
                    "TS_TEST_ONLY_ROOT": str(self.root), "TS_TEST_FAKE_NETFILTER": "true"}
        self.kube: typing.Any = None  # a Kube, if the case has one
        if kube:
            self.kube = Kube(certificate, secret, denied, others)
            account = self.root / "var/run/secrets/kubernetes.io/serviceaccount"
            for name, text in (("token", "token\n"), ("namespace", "default"),
                               ("ca.crt", pathlib.Path(certificate).read_text())):
                (account / name).write_text(text)
            self.env |= {"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT_HTTPS": str(self.kube.port)}
        self.env |= {name: value.replace("$ROOT", str(self.root)) for name, value in (env or {}).items()}
        self.log_file = open(self.root / "log", "wb")
        self.process = subprocess.Popen([binary], env=self.env, stdout=self.log_file, stderr=subprocess.STDOUT)

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("$ROOT", str(self.root)))

    def log(self) -> str:
        return (self.root / "log").read_text(errors="replace")

    def says(self, line: str) -> None:
        wait_until(f"a log line that ends with {line!r}", lambda: any(
            said.startswith("boot: ") and said.endswith(line) for said in self.log().splitlines()))

    def commands(self, *want: str) -> None:
        path = self.root / "commands"

        def got() -> bool:
            text = path.read_text().replace(str(self.root), "") if path.exists() else ""
            return text.splitlines() == list(want)
        try:
            wait_until(f"the commands {want}", got)
        except Failed as failed:
            raise Failed(f"{failed}; but {path.read_text() if path.exists() else 'none'}") from None

    def secret_is(self, **want: str) -> None:
        want = {key.replace("__", "-"): value for key, value in want.items()}
        try:
            wait_until("secret", lambda: self.kube.secret == want)
        except Failed:
            raise Failed(f"the Secret is {self.kube.secret}, not {want}") from None

    def http(self, port: int, path: str) -> tuple[int, str, str]:
        """Returns the status (-1: no one listens), the body and the headers."""
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
                connection.sendall(f"GET {path} HTTP/1.0\r\n\r\n".encode())
                text = connection.makefile("rb").read().decode()
        except ConnectionRefusedError:
            return -1, "", ""
        head, _, body = text.partition("\r\n\r\n")
        return int(head.split()[1]), body, head

    def ready(self) -> bool:
        return subprocess.run([self.binary, "ready"], env=self.env, capture_output=True, check=False).returncode == 0

    def exits(self, code: int, patience: float = PATIENCE) -> None:
        try:
            got = self.process.wait(patience)
        except subprocess.TimeoutExpired:
            raise Failed(f"still runs, should have ended with {code}") from None
        if got != code:
            raise Failed(f"exit code {got}, not {code}")

    def end_leftovers(self) -> None:
        """Kills the tailscaled that a killed proxy leaves behind."""
        for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                if f"{self.root}/usr/bin/".encode() in path.read_bytes():
                    os.kill(int(path.parent.name), signal.SIGKILL)

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.end_leftovers()
        self.log_file.close()
        for server in filter(None, (self.api.server, self.kube and self.kube.server)):
            server.shutdown()
            server.server_close()
