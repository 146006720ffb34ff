"""A running testnet (scripts/e2e/modules/testnet) without a control server, for tests that need no pods.

Its devices are played: join() registers one, under the same rules as a real one. Stop it before the test ends.
"""
import http.client
import json
import subprocess
import urllib.error
import urllib.parse
import urllib.request

from expectation import expect

KEYS = "/api/v2/tailnet/-/keys"


class Tailnet:
    """A running testnet, with a token of its first client."""

    def __init__(self, program, clients):
        self.process = subprocess.Popen([program, "--api-only", "--clients", clients], stdout=subprocess.PIPE, text=True)
        told = json.loads(self.process.stdout.readline())
        self.url, self.admin_url, self.token = told["url"], told["admin"], ""

    def stop(self):
        self.process.kill()
        self.process.wait()

    def send(self, method, path, body=None, kind="application/json", headers=()):
        """Status and JSON of the answer; status 0 is a reset."""
        base = self.admin_url if path.startswith("/admin") else self.url
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        request = urllib.request.Request(base + path, data=data, method=method, headers=dict(headers))
        if data is not None:
            request.add_header("Content-Type", kind)
        if self.token and not request.has_header("Authorization"):
            request.add_header("Authorization", "Bearer " + self.token)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error) | {"retryAfter": error.headers.get("Retry-After")}
        except (urllib.error.URLError, ConnectionError, http.client.HTTPException):
            return 0, {}

    def ok(self, *arguments, **named):
        status, value = self.send(*arguments, **named)
        expect(status, 200, f"{arguments} says {value}")
        return value

    def refused(self, status, message, *arguments, **named):
        found, value = self.send(*arguments, **named)
        expect((found, message in value.get("message", "")), (status, True), f"{arguments} says {value}")

    def form(self, path, headers=(), **fields):
        return self.send("POST", path, urllib.parse.urlencode(fields).encode(), "application/x-www-form-urlencoded", headers)

    def log_in(self, client="c1", secret="s1"):
        status, value = self.form("/api/v2/oauth/token", grant_type="client_credentials", client_id=client, client_secret=secret)
        expect((status, value.get("token_type"), value.get("expires_in")), (200, "Bearer", 3600), "token")
        self.token = value["access_token"]

    def state(self):
        return self.ok("GET", "/admin/state")

    def fault(self, kind, path=KEYS, method="POST", count=1, **more):
        self.ok("POST", "/admin/faults", {"kind": kind, "path": path, "method": method, "count": count, **more})

    def join(self, hostname, key):
        return self.ok("POST", "/admin/devices", {"hostname": hostname, "key": key})
