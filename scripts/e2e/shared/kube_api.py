"""A cluster's API through `kubectl proxy`: many requests without a process for each."""
import http.client
import json
import subprocess
import typing

from shared.checks import Object


PATCHES = {"PATCH": "application/merge-patch+json"}


class KubeApi:
    def __init__(self) -> None:
        self.process = subprocess.Popen(["kubectl", "proxy", "--port=0"], stdout=subprocess.PIPE, text=True)
        assert self.process.stdout
        self.port = int(self.process.stdout.readline().rsplit(":", 1)[1])

    def __enter__(self) -> typing.Self:
        return self

    def __exit__(self, *unused: object) -> None:
        self.process.terminate()
        self.process.wait()

    def send(self, method: str, path: str, body: Object | str | None = None) -> tuple[int, typing.Any]:
        """Returns status and object of the answer. `body` is an object, or a text of YAML."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        kind = "application/yaml" if isinstance(body, str) else PATCHES.get(method, "application/json")
        text = body if isinstance(body, str) else json.dumps(body) if body else ""
        connection.request(method, path, text.encode(), {"Content-Type": kind})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())

    def ask(self, path: str, body: Object | str | None = None) -> typing.Any:
        status, value = self.send("POST" if body else "GET", path, body)
        assert status in (200, 201), f"{path}: {status} {value}"
        return value
