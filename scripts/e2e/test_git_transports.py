"""Proves that `commit --push` works over HTTPS and SSH, with a real `git http-backend` behind TLS and a real SSH server (dropbear).

Over each: the branch arrives, a second run continues it, a wrong password, an unknown authority, an unknown host key and an absent
agent are refused by name, and no password shows. Only the loopback link is up, the system's authorities are the test's and root's home is
a scratch folder. Needs root: an SSH server that is not cannot let anybody in.
"""
import base64
import contextlib
import http.server
import os
import shutil
import socket
import ssl
import subprocess
import threading
import time

import pytest

from shared.checks import attempt, run
from shared.namespaces import loopback, mounts_of_our_own

COVERS = ["renderer/emit/git", "renderer/git", "renderer/static"]
PROGRAMS = []
AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt"
USER, PASSWORD = "pusher", "pW7canaryQ2"


class Backend(http.server.BaseHTTPRequestHandler):
    """A CGI server around git http-backend, for one user."""
    root = None
    protocol_version = "HTTP/1.1"

    def body(self):
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = []
        while size := int(self.rfile.readline(), 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def answer(self, status, headers, body):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):  # pylint: disable=invalid-name
        body = self.body()
        if self.headers.get("Authorization") != "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode():
            self.answer(401, [("WWW-Authenticate", 'Basic realm="git"')], b"")
            return
        path, _, query = self.path.partition("?")
        env = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "GIT_PROJECT_ROOT": str(self.root), "GIT_HTTP_EXPORT_ALL": "1",
               "PATH_INFO": path, "QUERY_STRING": query, "REQUEST_METHOD": self.command, "REMOTE_USER": USER, "REMOTE_ADDR": "127.0.0.1",
               "CONTENT_TYPE": self.headers.get("Content-Type") or "", "CONTENT_LENGTH": str(len(body)),
               "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding") or ""}
        done = subprocess.run(["git", "http-backend"], input=body, env=env, capture_output=True, check=False)
        head, _, rest = done.stdout.partition(b"\r\n\r\n")
        headers = [line.split(": ", 1) for line in head.decode().split("\r\n")]
        status = next((int(value.split()[0]) for name, value in headers if name == "Status"), 200)
        self.answer(status, [pair for pair in headers if pair[0] != "Status"], rest)

    do_POST = do_GET

    def log_message(self, format, *args):  # pylint: disable=redefined-builtin
        pass


def certificate(directory, name):
    """Makes a certificate authority, and a server's certificate signed by it. It has a name, since the TLS library of libgit2 reads no
    addresses."""
    ca, key, request, crt = (directory / f"{name}.{end}" for end in ("ca", "key", "csr", "crt"))
    extension = directory / f"{name}.ext"
    extension.write_text("subjectAltName=DNS:localhost\n", encoding="utf-8")
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    run("openssl", "req", "-x509", *curve, "-keyout", f"{ca}.key", "-subj", f"/CN={name} authority", "-days", "2", "-out", ca)
    run("openssl", "req", "-new", *curve, "-keyout", key, "-subj", "/CN=localhost", "-out", request)
    run("openssl", "x509", "-req", "-in", request, "-CA", ca, "-CAkey", f"{ca}.key", "-CAcreateserial", "-days", "2", "-extfile", extension, "-out", crt)
    return ca, crt, key


@contextlib.contextmanager
def https(root, crt, key):
    handler = type("Handler", (Backend,), {"root": root})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(crt, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.handle_error = lambda *_: None  # a client that does not trust the certificate closes the connection
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()


def wait_for_port(port, process):
    deadline = time.monotonic() + 60
    while True:
        assert process.poll() is None and time.monotonic() < deadline, "the SSH server does not start"
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1) as connection:
            connection.recv(1)
            return
        time.sleep(0.05)


@contextlib.contextmanager
def ssh(scratch, home):
    """Runs the server and an agent with the one key that the server accepts; the server's key is among the known hosts."""
    port = 2222
    (home / ".ssh").mkdir(mode=0o700, exist_ok=True)
    run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", scratch / "user")
    shutil.copy(scratch / "user.pub", home / ".ssh" / "authorized_keys")
    run("dropbearkey", "-t", "ed25519", "-f", scratch / "host")
    public = next(line for line in run("dropbearkey", "-y", "-f", scratch / "host").splitlines() if line.startswith("ssh-"))
    known = f"[localhost]:{port} {' '.join(public.split()[:2])}\n"
    with open(scratch / "sshd.log", "w", encoding="utf-8") as log:
        server = subprocess.Popen(["dropbear", "-F", "-E", "-s", "-p", f"127.0.0.1:{port}", "-r", scratch / "host", "-P", scratch / "pid"], stderr=log)
    agent = subprocess.Popen(["ssh-agent", "-D", "-a", scratch / "agent"], stdout=subprocess.DEVNULL)
    try:
        wait_for_port(port, server)
        while not (scratch / "agent").exists():
            time.sleep(0.05)
        run("ssh-add", "-q", scratch / "user", env={"SSH_AUTH_SOCK": str(scratch / "agent")})
        yield port, known
    finally:
        for process in (server, agent):
            process.kill()
            process.wait()


@pytest.fixture(scope="module", autouse=True)
def home(scratch):
    """The home of root, in a separate network."""
    home = scratch / "home"
    home.mkdir(mode=0o700)
    (scratch / "passwd").write_text(f"root:x:0:0:root:{home}:/bin/sh\n", encoding="utf-8")
    with loopback(), mounts_of_our_own(), pytest.MonkeyPatch.context() as monkeypatch:
        run("mount", "--bind", scratch / "passwd", "/etc/passwd")
        monkeypatch.setenv("HOME", str(home))
        monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        for key, value in (("user.name", "Tester"), ("user.email", "tester@example.com"), ("safe.directory", "*")):
            run("git", "config", "--global", key, value)
        yield home


class Pushes:
    def __init__(self, tailrender, scratch):
        self.tailrender, self.source, self.bare = tailrender, scratch / "source", scratch / "served" / "rendered.git"
        run("git", "init", "--quiet", "--bare", self.bare)
        run("git", "-C", self.bare, "config", "http.receivepack", "true")
        run("git", "init", "--quiet", "--initial-branch=main", self.source)

    def change(self, name):
        service = f"apiVersion: v1\nkind: Service\nmetadata: {{name: {name}, namespace: shop, annotations: {{tailscale.com/expose: 'true'}}}}\n" \
                  "spec: {ports: [{port: 80}], selector: {app: web}}\n"
        (self.source / "web.yaml").write_text(service, encoding="utf-8")
        run("git", "-C", self.source, "add", "--all")
        run("git", "-C", self.source, "commit", "--quiet", "--message", f"Expose {name}")

    def commit(self, url, **env):
        return attempt(self.tailrender, "commit", ".", "--branch", "rendered", "--push", url, "--quiet", cwd=self.source, env=env)

    def arrived(self):
        return run("git", "-C", self.bare, "rev-list", "rendered").split()

    def arrives(self, url, **env):
        """Pushes twice, the second time on top of the first."""
        for name in ("web", "shop"):
            self.change(name)
            done = self.commit(url, **env)
            assert done.returncode == 0, done.stderr
            assert self.arrived() == run("git", "-C", self.source, "rev-list", "rendered").split()
        assert len(self.arrived()) == 2

    def refused(self, why, url, *words, **env):
        self.change(why.replace(" ", "-"))
        before = self.arrived()
        done = self.commit(url, **env)
        assert done.returncode == 1 and "[git-remote]" in done.stderr, why
        assert PASSWORD not in done.stdout + done.stderr and "wrong-pass" not in done.stderr, why
        assert all(word in done.stderr for word in words), done.stderr
        assert before == self.arrived(), why


@pytest.fixture(params=["built", "released"])
def program(request, tailrender):
    """The static program looks names up and speaks TLS and SSH by archives of its own."""
    return tailrender if request.param == "built" else request.getfixturevalue("released")


def test_https(program, tmp_path):
    ca, crt, key = certificate(tmp_path, "server")
    run("mount", "--bind", ca, AUTHORITIES)
    pushes = Pushes(program, tmp_path)
    with https(pushes.bare.parent, crt, key) as port:
        pushes.arrives(f"https://{USER}:{PASSWORD}@localhost:{port}/rendered.git")
        pushes.refused("a wrong password", f"https://{USER}:wrong-pass@localhost:{port}/rendered.git")
        pushes.refused("no password", f"https://localhost:{port}/rendered.git", "no credentials that the remote accepts")
        pushes.refused("an unknown name", "https://git.invalid/rendered.git")
        pushes.refused("an unknown repository", f"https://{USER}:{PASSWORD}@localhost:{port}/absent.git")
    _, crt, key = certificate(tmp_path, "stranger")
    with https(pushes.bare.parent, crt, key) as port:
        pushes.refused("an unknown authority", f"https://{USER}:{PASSWORD}@localhost:{port}/rendered.git", "certificate")


def test_ssh(program, tmp_path, home):
    with ssh(tmp_path, home) as (port, known):
        pushes = Pushes(program, tmp_path)
        url = f"ssh://root@localhost:{port}{pushes.bare}"
        (home / ".ssh" / "known_hosts").write_text(known, encoding="utf-8")
        agent = {"SSH_AUTH_SOCK": str(tmp_path / "agent")}
        pushes.arrives(url, **agent)
        pushes.refused("no agent", url, SSH_AUTH_SOCK=str(tmp_path / "absent"))
        (home / ".ssh" / "known_hosts").write_text("", encoding="utf-8")
        pushes.refused("an unknown host key", url, **agent)
