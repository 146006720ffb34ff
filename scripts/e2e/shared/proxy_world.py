"""Runs tailrender-proxy with a real tailscaled, in network namespaces: a bridge plays the cluster's network; the pod and a machine of the
tailnet are connected to it, and the tailnet is a testnet. There is no Kubernetes: state is in files."""
import collections.abc
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import time
import typing
import urllib.parse
import urllib.request

from .checks import attempt, run
from .namespaces import loopback, mounts_of_our_own

URL = "http://10.78.0.1:8080"
SECONDS = 90
TAGS = ["tag:client", "tag:k8s"]
SERVER = """
import http.server, socket, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(f"{sys.argv[1]} saw {self.client_address[0].removeprefix('::ffff:')}".encode())
    def log_message(self, *_):
        pass
class Server(http.server.ThreadingHTTPServer):
    address_family = socket.AF_INET6
Server(("::", int(sys.argv[2])), Handler).serve_forever()
"""


Found = typing.TypeVar("Found")


def wait_for(what: str, condition: collections.abc.Callable[[], Found]) -> Found:
    end = time.monotonic() + SECONDS
    while not (value := condition()):
        assert time.monotonic() < end, f"never: {what}"
        time.sleep(0.1)
    return value


class World:
    def __init__(self, folder: pathlib.Path, tools: pathlib.Path, proxy: pathlib.Path) -> None:
        self.folder, self.tools, self.proxy = folder, tools, proxy
        self.processes: list[subprocess.Popen[bytes]] = []

    def start(self, name: str, *command: object, within: str | None = None, env: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
        words = (["ip", "netns", "exec", within] if within else []) + [str(word) for word in command]
        with open(self.folder / f"{name}.log", "wb") as log:
            process = subprocess.Popen(words, stdout=log, stderr=subprocess.STDOUT, env={**os.environ, **(env or {})})
        self.processes.append(process)
        return process

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(errors="replace")

    def machine(self, name: str, number: int) -> None:
        run("ip", "netns", "add", name)
        run("ip", "link", "add", f"v{number}", "type", "veth", "peer", "name", "eth0", "netns", name)
        run("ip", "link", "set", f"v{number}", "master", "br0", "up")
        for words in (("link", "set", "lo", "up"), ("address", "add", f"10.78.0.{number}/24", "dev", "eth0"),
                      ("address", "add", f"fd00:78::{number}/64", "dev", "eth0", "nodad"), ("link", "set", "eth0", "up"),
                      ("route", "add", "default", "via", "10.78.0.1"), ("-6", "route", "add", "default", "via", "fd00:78::1")):
            run("ip", "-n", name, *words)

    def join(self, name: str, number: int) -> None:
        """Adds a machine to the tailnet, which serves a page."""
        self.machine(name, number)
        socket = self.folder / f"{name}.sock"
        self.start(name, "tailscaled", "--tun=tailscale0", f"--socket={socket}", "--state=mem:", f"--statedir={self.folder}/{name}-state",
                   within=name)
        wait_for("tailscaled listens", socket.exists)
        run("ip", "netns", "exec", name, "tailscale", f"--socket={socket}", "up", f"--login-server={URL}", f"--hostname={name}",
            f"--auth-key={self.key('tag:client')}", f"--timeout={SECONDS}s")
        self.start(f"{name}-page", "python3", "-c", SERVER, name, "8000", within=name)
        wait_for("its server listens", lambda: "saw" in self.get(f"http://10.78.0.{number}:8000/"))

    def ask(self, path: str, body: str, kind: str, token: str | None = None) -> typing.Any:
        request = urllib.request.Request(URL + path, data=body.encode(), headers={"Content-Type": kind})
        if token:
            request.add_header("Authorization", "Bearer " + token)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def key(self, tag: str) -> str:
        form = urllib.parse.urlencode({"grant_type": "client_credentials", "client_id": "c", "client_secret": "s"})
        token = self.ask("/api/v2/oauth/token", form, "application/x-www-form-urlencoded")["access_token"]
        create = {"reusable": False, "ephemeral": False, "preauthorized": True, "tags": [tag]}
        return self.ask("/api/v2/tailnet/-/keys", json.dumps({"capabilities": {"devices": {"create": create}}}), "application/json",
                        token)["key"]

    def addresses(self, name: str, within: str) -> list[str]:
        status = run("ip", "netns", "exec", within, "tailscale", f"--socket={self.folder}/{name}.sock", "status", "--json")
        return json.loads(status)["Self"]["TailscaleIPs"]

    def get(self, url: str, within: str | None = None) -> str:
        words = ["ip", "netns", "exec", within] if within else []
        # A connection that times out is tried again: the path between the two devices may just have changed.
        done = attempt(*words, "curl", "-sS", "--max-time", "10", "--retry", "2", "-H", "Host: serve.lab.ts.net", url)
        return done.stdout or done.stderr

    def is_ready(self, name: str) -> bool:
        return attempt(self.proxy, "ready", env={"TS_SOCKET": f"{self.folder}/{name}.sock"}).returncode == 0

    @contextlib.contextmanager
    def pod(self, name: str, **variables: str) -> collections.abc.Iterator[subprocess.Popen[bytes]]:
        """Runs a proxy until it is ready; it must end with exit code 0 after SIGTERM."""
        process = self.pod_process(name, **variables)
        wait_for(f"{name} is ready", lambda: process.poll() is not None or self.is_ready(name))
        assert process.poll() is None, self.log(name)
        yield process
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            assert process.wait(SECONDS) == 0, self.log(name)

    def pod_process(self, name: str, **variables: str) -> subprocess.Popen[bytes]:
        key = {} if (self.folder / f"{name}-state").exists() else {"TS_AUTHKEY": self.key("tag:k8s")}
        return self.start(name, self.proxy, within="pod", env={
            "TS_HOSTNAME": name, "TS_EXTRA_ARGS": f"--login-server={URL}", "TS_SOCKET": f"{self.folder}/{name}.sock",
            "TS_STATE_DIR": f"{self.folder}/{name}-state", **key, **variables})


@contextlib.contextmanager
def proxy_world(folder: pathlib.Path, tools: pathlib.Path, proxy: pathlib.Path) -> collections.abc.Iterator[World]:
    with mounts_of_our_own(), loopback():
        (folder / "resolv.conf").write_text("")  # the client's tailscaled writes there
        run("mount", "--bind", folder / "resolv.conf", "/etc/resolv.conf")
        run("mount", "-t", "tmpfs", "none", "/run")
        pathlib.Path("/run/netns").mkdir()
        hosts = folder / "hosts"
        hosts.write_text("127.0.0.1 localhost\n10.78.0.1 web.test\nfd00:78::1 web.test\n")
        run("mount", "--bind", hosts, "/etc/hosts")
        run("ip", "link", "add", "br0", "type", "bridge")
        for address in ("10.78.0.1/24", "fd00:78::1/64"):
            run("ip", "address", "add", address, "dev", "br0", *(["nodad"] if ":" in address else []))
        run("ip", "link", "set", "br0", "up")
        world = World(folder, tools, proxy)
        try:
            world.machine("pod", 3)
            scopes = ["auth_keys", "devices:core", "devices:routes", "services"]
            (folder / "clients.json").write_text(json.dumps([{"id": "c", "secret": "s", "scopes": scopes, "tags": TAGS}]))
            world.start("testnet", "testnet", "--listen", "10.78.0.1:8080", "--admin", "127.0.0.1:8081", "--domain", "lab.ts.net",
                        "--clients", folder / "clients.json")
            wait_for("the testnet listens", lambda: world.log("testnet"))
            world.join("client", 2)
            world.start("backend", "python3", "-c", SERVER, "backend", "8001")
            wait_for("the backend listens", lambda: "saw" in world.get("http://10.78.0.1:8001/"))
            yield world
        finally:
            for process in reversed(world.processes):
                process.kill()
                process.wait()
