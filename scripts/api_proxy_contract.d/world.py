"""Runs one `tailrender-proxy api` between a scripted tailscaled (its LocalAPI, and the connections that it hands over) and a scripted API
server, which records each request that it gets and reads it as strictly as HTTP/1.1 can be read."""
import collections.abc
import contextlib
import ctypes
import http.server
import json
import os
import pathlib
import signal
import socket
import socketserver
import ssl
import struct
import subprocess
import threading
import time
import typing
import urllib.parse
import urllib.request

from ports import free_port

PATIENCE = 20  # seconds, enough for a busy machine
TOKEN = "the-proxys-own-token"
DAEMON, OURS, STRANGER = (65532, 65533, 65534) if os.geteuid() == 0 else (os.geteuid(),) * 3
HOST = "127.0.0.2"
ALICE, BOB, BOX = "100.64.0.7", "100.64.0.8", "100.64.0.9"
C = ctypes.CDLL(None)
Object = dict[str, typing.Any]  # an object of JSON
Some = collections.abc.Iterable[object]
Case = collections.abc.Callable[["World"], None]
Script = collections.abc.Callable[["Request", ssl.SSLSocket, typing.BinaryIO], bytes | None]  # without an answer, the connection ends
Found = typing.TypeVar("Found")


class Failed(Exception):
    pass


def wait_until(what: str, condition: collections.abc.Callable[[], Found], patience: float = PATIENCE) -> Found:
    end = time.monotonic() + patience
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise Failed(f"never: {what}")
        time.sleep(0.01)


def check(condition: object, *said: object) -> None:
    if not condition:
        raise Failed(" ".join(map(str, said)))


def equal(found: object, wanted: object) -> None:
    check(found == wanted, f"\n  found    {found!r}\n  expected {wanted!r}")


def device(address: str, user: str | None = None, tags: Some = (), rules: Some = (), legacy: Some = ()) -> Object:
    name = "n" + address.rsplit(".", maxsplit=1)[-1]
    return {"Node": {"Name": f"{name}.t.ts.net.", "StableID": name, "User": 7, "Addresses": [f"{address}/32"], "Tags": list(tags)},
            "UserProfile": {"LoginName": user or ""},
            "CapMap": {"tailscale.com/cap/kubernetes": list(rules), "https://tailscale.com/cap/kubernetes": list(legacy)}}


def groups(*names: str) -> Object:
    return {"impersonate": {"groups": list(names)}}


DEVICES = {ALICE: device(ALICE, "alice@example.com", rules=[groups("dev", "qa")]), BOB: device(BOB, "bob@example.com"),
           BOX: device(BOX, tags=["tag:ci"])}


def proxy_header(source: str, port: int = 40000, command: int = 0x21) -> bytes:
    address = socket.inet_aton(source) + socket.inet_aton("100.64.0.1") + struct.pack(">HH", port, 443)
    return b"\r\n\r\n\0\r\nQUIT\n" + bytes([command, 0x11]) + struct.pack(">H", len(address)) + address


class LocalApi(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "UnixServer"

    def log_message(self, *_: object) -> None:
        pass

    def address_string(self) -> str:
        return ""

    def reply(self, status: int, body: object = b"", **headers: str) -> None:
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        daemon, url = self.server.world.daemon, urllib.parse.urlsplit(self.path)
        what = url.path.rsplit("/", 1)[-1]
        daemon.asked.append(what)
        if what == "status":
            self.reply(200, {"BackendState": "Running", "CertDomains": ["api.t.ts.net"]})
        elif what == "serve-config":
            self.reply(200, daemon.serve or b"null", Etag="e1")
        elif what == "prefs":
            self.reply(200, daemon.prefs)
        elif daemon.answer is not None:
            self.reply(*daemon.answer)
        else:
            address = urllib.parse.parse_qs(url.query)["addr"][0].rsplit(":", 1)[0].strip("[]")
            found = daemon.devices.get(address)
            self.reply(200 if found else 404, found or b"no match for IP:port")

    def dial(self) -> None:
        """Connects to the address that a test has registered; any other address fails."""
        port = self.server.world.daemon.dialled.get(f"{self.headers['Dial-Host']}:{self.headers['Dial-Port']}")
        if not port:
            return self.reply(502, b"dial failure")
        self.close_connection = True
        with socket.create_connection(("127.0.0.1", port)) as other:
            self.wfile.write(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: ts-dial\r\nConnection: upgrade\r\n\r\n")
            threading.Thread(target=pump, args=(other, self.connection), daemon=True).start()
            return pump(self.connection, other)

    def do_POST(self) -> None:
        if self.path.endswith("/dial"):
            return self.dial()
        if self.path.endswith("/reload-config"):
            self.server.world.daemon.prefs = {"AdvertiseServices": self.server.world.daemon.configured}
            return self.reply(200, {"Reloaded": True})
        self.server.world.daemon.posted += 1
        self.server.world.daemon.serve = self.rfile.read(int(self.headers["Content-Length"]))
        return self.reply(200)

    def do_PATCH(self) -> None:
        edit = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        prefs = self.server.world.daemon.prefs
        prefs.update({key: value for key, value in edit.items() if edit.get(key + "Set")})
        self.reply(200, prefs)


def pump(source: socket.socket, to: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            to.sendall(data)
    for end in (source, to):
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


class UnixServer(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    request_queue_size = 200
    world: "World"

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignores errors of connections that the client has closed."""


# This runs as tailscaled's user: the kernel keeps the user id of the listening process.
LISTEN = """
import os, socket, sys
server = socket.socket(socket.AF_UNIX)
server.bind(sys.argv[2])
os.chmod(sys.argv[2], 0o777)
server.listen(200)
socket.send_fds(socket.socket(fileno=int(sys.argv[1])), [b"x"], [server.fileno()])
"""


class Daemon:
    def __init__(self) -> None:
        self.devices, self.posted = dict(DEVICES), 0
        self.answer: tuple[typing.Any, ...] | None = None
        self.asked: list[str] = []
        self.serve: bytes | None = None
        self.dialled: dict[str, int] = {}
        self.prefs: Object = {"AdvertiseServices": None}  # the advertised Services
        self.configured: list[str] | None = None  # those after a reload


class Request:
    """A request as it reached the API server."""

    def __init__(self, head: bytes, body: bytes, connection: int) -> None:
        self.line, *rest = head.decode("latin-1").split("\r\n")
        self.fields: list[tuple[str, ...]] = [tuple(field.split(": ", 1)) for field in rest]
        self.body, self.connection = body, connection

    def all(self, name: str) -> list[str]:
        return [value for field, value in self.fields if field.lower() == name.lower()]

    def identity(self) -> dict[str, list[str]]:
        """Returns every field that could claim an identity, whatever its spelling."""
        said: dict[str, list[str]] = {}
        for name, value in self.fields:
            plain = name.lower().replace("_", "-")
            if plain.startswith(("impersonate", "x-remote")) or plain in ("authorization", "proxy-authorization"):
                said.setdefault(plain, []).append(value)
        return said


class ApiServer:
    """Answers by `script(request, connection)`, which returns the response, or writes it itself and returns None; then the connection
    ends."""

    def __init__(self, folder: pathlib.Path, world: "World") -> None:
        self.world, self.connections = world, 0
        self.requests: list[Request] = []
        self.faults: list[str] = []
        self.script: Script | None = None
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.folder = folder
        self.use("server")
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=2000)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def use(self, name: str) -> None:
        self.context.load_cert_chain(self.folder / f"{name}.pem", self.folder / f"{name}.key")

    def accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                self.connections += 1
                threading.Thread(target=self.serve, args=(connection, self.connections), daemon=True).start()

    def serve(self, raw: socket.socket, number: int) -> None:
        try:
            raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self.context.wrap_socket(raw, server_side=True, suppress_ragged_eofs=False) as connection:
                self.converse(connection, number)
        except (OSError, ValueError) as error:
            if isinstance(error, ValueError):
                self.faults.append(str(error))

    def converse(self, connection: ssl.SSLSocket, number: int) -> None:
        file = connection.makefile("rb")
        while True:
            head = b""
            while not head.endswith(b"\r\n\r\n"):
                line = file.readline(70000)
                if not line:
                    if head:
                        raise ValueError(f"half a head: {head!r}")
                    return
                if not line.endswith(b"\r\n"):
                    raise ValueError(f"a bare line end: {line!r}")
                head += line
            request = Request(head[:-4], b"", number)
            request.body = self.read_body(file, request)
            self.requests.append(request)
            answer = self.script(request, connection, file) if self.script else RESPONSE
            if answer is None:
                return
            connection.sendall(answer)

    @staticmethod
    def read_body(file: typing.BinaryIO, request: Request) -> bytes:
        lengths, encodings = request.all("content-length"), request.all("transfer-encoding")
        if len(lengths) + len(encodings) > 1 or any(value != "chunked" for value in encodings):
            raise ValueError(f"ambiguous framing: {request.fields}")
        if lengths:
            body = file.read(int(lengths[0]))
            if len(body) != int(lengths[0]):
                raise OSError("half a body")
            return body
        body = b""
        while encodings:
            size = file.readline()
            digits = size.rstrip(b"\r\n")
            if (digits and not digits.isalnum()) or (size.endswith(b"\n") and not size.endswith(b"\r\n")):
                raise ValueError(f"not the size of a chunk: {size!r}")
            if not size.endswith(b"\n"):
                raise OSError("half a body")
            chunk = file.read(int(digits, 16) + 2)
            if not b"\r\n".startswith(chunk[int(digits, 16):]):
                raise ValueError(f"not a chunk: {size!r} {chunk[:50]!r}")
            if not chunk.endswith(b"\r\n"):
                raise OSError("half a body")
            body += chunk[:-2]
            if chunk == b"\r\n":
                break
        return body


def response(body: bytes = b"{}", status: str = "200 OK", *fields: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", *fields, f"Content-Length: {len(body)}", "", ""]
    return "\r\n".join(lines).encode() + body


RESPONSE = response()


class Reply:
    def __init__(self, head: bytes, body: bytes) -> None:
        line, *rest = head.decode("latin-1").split("\r\n")
        self.status = int(line.split(" ")[1])
        self.fields = {name.lower(): value for name, value in (field.split(": ", 1) for field in rest)}
        self.body = body

    def message(self) -> str:
        return json.loads(self.body)["message"]


class Client:
    """A connection as tailscaled hands it over, or one of another user."""

    def __init__(self, world: "World", source: str = ALICE, owner: int = DAEMON, header: bytes | None = None) -> None:
        with world.lock:
            C.setfsuid(owner)
            self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            C.setfsuid(os.geteuid())
        self.socket.settimeout(PATIENCE)
        self.socket.connect((HOST, world.port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file = self.socket.makefile("rb")
        self.send(proxy_header(source) if header is None else header)

    def __enter__(self) -> typing.Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()
        self.socket.close()

    def send(self, data: str | bytes) -> None:
        """Sends data. If the other end has closed the connection, the reason is in its reply."""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.socket.sendall(data.encode("latin-1") if isinstance(data, str) else data)

    def head(self) -> bytes | None:
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            line = self.file.readline()
            if not line:
                check(not head, "half a head", head)
                return None
            head += line
        return head[:-4]

    def reply(self, method: str = "GET") -> typing.Any:
        """Returns the next response, or None if the connection has ended."""
        try:
            head = self.head()
        except ConnectionResetError:
            return None
        if head is None:
            return None
        found = Reply(head, b"")
        if method != "HEAD" and "content-length" in found.fields:
            found.body = self.file.read(int(found.fields["content-length"]))
        return found

    def ask(self, target: str = "/api", method: str = "GET", fields: str = "", body: bytes = b"") -> typing.Any:
        self.send(f"{method} {target} HTTP/1.1\r\nHost: api.t.ts.net\r\n{fields}\r\n".encode("latin-1") + body)
        return self.reply(method)

    def is_closed(self) -> bool:
        with contextlib.suppress(ConnectionResetError):
            return self.file.read(1) == b""
        return True


def make_certificates(folder: pathlib.Path) -> None:
    for name in ("server", "other"):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                        folder / f"{name}.key", "-out", folder / f"{name}.pem", "-days", "2", "-subj", "/CN=kube", "-addext",
                        "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)


def close(clients: collections.abc.Iterable[Client]) -> None:
    for client in clients:
        client.__exit__()


class World:
    def __init__(self, binary: str | pathlib.Path, folder: str | pathlib.Path, certificates: pathlib.Path, mode: str = "true", grace: int = 5,
                 owner: int = DAEMON, http2: bool = True, upstream: int | None = None, service: str | None = None,
                 unrecorded: str | None = None) -> None:
        """`http2`: the protocol that the recorders use. `upstream`: the port of an API server to use in place of the scripted one.
        `unrecorded`: names of the requests that enforceRecorder lets pass."""
        self.http2 = http2
        self.lock, self.folder = threading.Lock(), pathlib.Path(folder)
        self.daemon, self.api = Daemon(), ApiServer(certificates, self)
        self.port, self.local = free_port(), free_port()
        account = self.folder / "var/run/secrets/kubernetes.io/serviceaccount"
        account.mkdir(parents=True)
        self.ca, self.token = account / "ca.crt", account / "token"
        self.ca.write_bytes((certificates / "server.pem").read_bytes())
        self.token.write_text(TOKEN + "\n")
        for place in (self.folder, *self.folder.rglob("*")):
            place.chmod(0o755)
        self.start_daemon(owner)
        self.log = self.folder / "log"
        environment = {"APISERVER_PROXY": mode, "TS_SOCKET": str(self.socket), "KUBERNETES_SERVICE_HOST": "127.0.0.1",
                       "KUBERNETES_SERVICE_PORT": str(upstream or self.api.port), "TAILRENDER_API_LISTEN": f"{HOST}:{self.port}",
                       "TS_LOCAL_ADDR_PORT": f"127.0.0.1:{self.local}", "TAILRENDER_API_GRACE_SECONDS": str(grace),
                       "TS_TEST_ONLY_ROOT": str(self.folder)} | ({"TAILRENDER_API_SERVICE": service} if service else {})
        environment |= {"TAILRENDER_API_UNRECORDED": unrecorded} if unrecorded else {}
        identity: Object = {"user": OURS, "group": OURS, "extra_groups": []} if os.geteuid() == 0 else {}
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen([binary, "api"], env=environment, stderr=log, stdout=log, **identity)

    def start_daemon(self, owner: int) -> None:
        self.socket = self.folder / "tailscaled.sock"
        self.folder.chmod(0o777)
        ours, theirs = socket.socketpair()
        identity: Object = {"user": owner, "group": owner, "extra_groups": []} if os.geteuid() == 0 else {}
        subprocess.run(["/usr/bin/python3", "-c", LISTEN, str(theirs.fileno()), str(self.socket)], pass_fds=[theirs.fileno()], check=True, **identity)
        _, [descriptor], _, _ = socket.recv_fds(ours, 1, 1)
        self.server = UnixServer(str(self.socket), LocalApi, bind_and_activate=False)
        self.server.socket.close()
        self.server.socket = socket.socket(fileno=descriptor)
        self.server.world = self
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def stop(self) -> int:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.server.shutdown()
        self.server.server_close()
        self.api.listener.close()
        return self.process.returncode

    def page(self, path: str) -> tuple[int, str]:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.local}{path}", timeout=PATIENCE) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError:
            return 0, ""

    def is_ready(self) -> bool:
        check(self.process.poll() is None, "it ended:", self.log.read_text())
        return self.page("/readyz")[0] == 200

    def metric(self, name: str) -> int:
        for line in self.page("/metrics")[1].splitlines():
            if line.rsplit(" ", 1)[0] == name:
                return int(line.rsplit(" ", 1)[1])
        raise Failed(f"no metric {name}")

    def refused(self, reason: str) -> int:
        return self.metric(f'tailrender_api_proxy_refused_total{{reason="{reason}"}}')

    def lines(self, message: str) -> list[Object]:
        found = [json.loads(line) for line in self.log.read_text().splitlines()]
        return [line for line in found if line.get("msg", line.get("message")) == message]


WEBSOCKET = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n"
SPDY = "Connection: Upgrade\r\nUpgrade: SPDY/3.1\r\n"
POD = "/api/v1/namespaces/default/pods/web"
cases: list[tuple[str, Object, Case]] = []
waiting: set[str] = set()  # the names of the cases that wait


def case(root: bool = False, waits: bool = False, **options: object) -> collections.abc.Callable[[Case], Case]:
    """Registers the function as a case that gets a World with these options; with `root` it runs only as root. A case that `waits` for
    timeouts of the program, 10 seconds and more, runs when it is named, and with TAILRENDER_WHOLE=1."""
    def take(function: Case) -> Case:
        if not root or os.geteuid() == 0:
            cases.append((function.__name__, options, function))
            waiting.update({function.__name__} if waits else ())
        return function
    return take


def switch(protocol: str) -> bytes:
    return f"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: {protocol}\r\nX-Stream: v1\r\n\r\n".encode()


def until_end(connection: ssl.SSLSocket) -> bytes:
    data = b""
    while piece := connection.recv(65536):
        data += piece
    return data


def echo(protocol: str) -> Script:
    def script(_: Request, connection: ssl.SSLSocket, file: typing.BinaryIO) -> None:
        connection.sendall(switch(protocol) + b"hello\n")
        while data := connection.recv(65536):
            connection.sendall(data)
        connection.sendall(b"bye")
        connection.unwrap()
    return script
