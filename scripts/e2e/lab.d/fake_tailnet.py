"""A testnet (scripts/e2e/modules/testnet) as tests use it: the Tailscale API and the admin endpoint.

Tests that need no pods start a testnet without a control server; tests with a lab use Lab.tailnet. Devices that a test plays register with
join(), under the same rules as real ones.
"""
import collections.abc
import contextlib
import http.client
import json
import pathlib
import subprocess
import typing
import urllib.error
import urllib.parse
import urllib.request

from shared.checks import Object


KEYS = "/api/v2/tailnet/-/keys"


class Tailnet:
    """Requests to a testnet, with a token of the OAuth client `credentials`; each is sent inside `within()`."""

    def __init__(self, url: str, admin_url: str, credentials: tuple[str, str],
                 within: collections.abc.Callable[[], contextlib.AbstractContextManager[None]] = contextlib.nullcontext,
                 kube: tuple[str, str] = ("", "")) -> None:
        """`kube`: URL and certificate of its proxy to the API server, if it has one."""
        self.url, self.admin_url, self.credentials, self.within, self.token, self.kube = url, admin_url, credentials, within, "", kube

    def send(self, method: str, path: str, body: object | None = None, kind: str = "application/json") -> tuple[int, typing.Any]:
        """Returns status and JSON of the answer; status 0 means that the connection was reset."""
        base = self.admin_url if path.startswith("/admin") else self.url
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        request = urllib.request.Request(base + path, data=data, method=method)
        if data is not None:
            request.add_header("Content-Type", kind)
        if self.token:
            request.add_header("Authorization", "Bearer " + self.token)
        try:
            with self.within(), urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)
        except (urllib.error.URLError, ConnectionError, http.client.HTTPException):
            return 0, {}

    def ok(self, *arguments: typing.Any) -> typing.Any:
        status, value = self.send(*arguments)
        assert status == 200, f"{arguments} says {value}"
        return value

    def log_in(self) -> None:
        client, secret = self.credentials
        form = urllib.parse.urlencode({"grant_type": "client_credentials", "client_id": client, "client_secret": secret})
        value = self.ok("POST", "/api/v2/oauth/token", form.encode(), "application/x-www-form-urlencoded")
        assert (value.get("token_type"), value.get("expires_in")) == ("Bearer", 3600), "token"
        self.token = value["access_token"]

    def mint(self, tags: list[str], description: str = "") -> Object:
        """Mints a single-use auth key, as a controller does."""
        if not self.token:
            self.log_in()
        create = {"reusable": False, "ephemeral": False, "preauthorized": True, "tags": tags}
        return self.ok("POST", KEYS, {"description": description, "capabilities": {"devices": {"create": create}}})

    def state(self) -> Object:
        return self.ok("GET", "/admin/state")

    def device(self, node_id: str) -> Object:
        """Returns the device of that id, also if it was deleted."""
        [device] = [known for known in self.state()["devices"] if known["nodeId"] == node_id]
        return device

    def fault(self, kind: str, path: str = KEYS, method: str = "POST", count: int = 1, **more: object) -> None:
        self.ok("POST", "/admin/faults", {"kind": kind, "path": path, "method": method, "count": count, **more})

    def join(self, hostname: str, key: str) -> Object:
        return self.ok("POST", "/admin/devices", {"hostname": hostname, "key": key})


@contextlib.contextmanager
def started(program: str | pathlib.Path, clients: str | pathlib.Path, credentials: tuple[str, str],
            kube: collections.abc.Sequence[str] = ()) -> collections.abc.Iterator[Tailnet]:
    """Runs a Tailnet on separate loopback ports, which ends with the block. `kube`: URL of an API server and the file of its authority's
    certificate; requests through Tailnet.kube reach that server with faults."""
    more = ["--kube", kube[0], "--kube-ca", kube[1]] if kube else []
    process = subprocess.Popen([program, "--api-only", "--clients", clients, *more], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        told = json.loads(process.stdout.readline())
        yield Tailnet(told["url"], told["admin"], credentials, kube=(told.get("kube", ""), told.get("kubeCA", "")))
    finally:
        process.kill()
        process.wait()
