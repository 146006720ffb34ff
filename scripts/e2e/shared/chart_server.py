"""HTTPS servers of charts on loopback: a repository with an index, and an OCI registry, with their own certificate authority."""
import collections.abc
import contextlib
import hashlib
import http.server
import json
import pathlib
import ssl
import threading
import typing

import yaml

from shared.checks import Object, run

MANIFEST = "application/vnd.oci.image.manifest.v1+json"
CONFIG = "application/vnd.cncf.helm.config.v1+json"
LAYER = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"


def make_authority(folder: pathlib.Path, *names: str) -> pathlib.Path:
    """Makes the files `ca.pem`, and `server.pem` of a server with these names."""
    folder.mkdir()
    (folder / "names").write_text("subjectAltName=" + ",".join(f"DNS:{name}" for name in names) + "\n", encoding="utf-8")

    def openssl(*arguments: str) -> None:
        run("openssl", *arguments, cwd=folder)
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=authority of a test")
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", "server.key", "-out", "server.csr", "-subj", f"/CN={names[0]}")
    openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-out", "server.crt", "-days", "2", "-extfile", "names")
    (folder / "server.pem").write_text((folder / "server.key").read_text() + (folder / "server.crt").read_text(), encoding="utf-8")
    return folder


# Status, headers and body, or only a body, or what answers.
Answer = bytes | tuple[int, dict[str, str], bytes] | collections.abc.Callable[["Handler"], None]


class Server(http.server.ThreadingHTTPServer):
    """A server with the replies `answers`, by path: bytes, (status, headers, bytes), or a function of the handler. `asked` has (path,
    headers) of all requests."""
    daemon_threads = True

    def __init__(self, authority: pathlib.Path) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: dict[str, Answer] = {}
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(authority / "server.pem")
        self.port = self.server_address[1]

    def finish_request(self, request: typing.Any, client_address: typing.Any) -> None:
        with contextlib.suppress(OSError):
            super().finish_request(self.context.wrap_socket(request, server_side=True), client_address)

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients may close the connection."""

    def add_index(self, path: str, *archives: tuple[str, str, bytes], url: str = "") -> None:
        """Adds a repository below `path`: each of `archives` is (name, version, bytes)."""
        entries: dict[str, list[Object]] = {}
        for name, version, archive in archives:
            self.answers[f"{path}/{name}-{version}.tgz"] = archive
            entries.setdefault(name, []).append({"apiVersion": "v2", "name": name, "version": version, "urls": [url or f"{name}-{version}.tgz"]})
        self.answers[f"{path}/index.yaml"] = yaml.safe_dump({"apiVersion": "v1", "entries": entries}).encode()

    def add_image(self, name: str, tag: str, archive: bytes) -> str:
        """Adds an image and returns the digest of its manifest."""
        def blob(data: bytes) -> Object:
            digest = "sha256:" + hashlib.sha256(data).hexdigest()
            self.answers[f"/v2/{name}/blobs/{digest}"] = data
            return {"digest": digest, "size": len(data)}
        config = json.dumps({"name": name.rsplit("/", 1)[-1], "version": tag, "apiVersion": "v2"}).encode()
        manifest = json.dumps({"schemaVersion": 2, "mediaType": MANIFEST, "config": {"mediaType": CONFIG, **blob(config)},
                               "layers": [{"mediaType": LAYER, **blob(archive)}]}).encode()
        digest = "sha256:" + hashlib.sha256(manifest).hexdigest()
        for reference in (tag, digest):
            self.answers[f"/v2/{name}/manifests/{reference}"] = (200, {"Content-Type": MANIFEST, "Docker-Content-Digest": digest}, manifest)
        tags: typing.Any = self.answers.get(f"/v2/{name}/tags/list", b'{"tags": []}')
        self.answers[f"/v2/{name}/tags/list"] = json.dumps({"name": name, "tags": [*json.loads(tags)["tags"], tag]}).encode()
        return digest


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_GET(self) -> None:
        path = self.path.split("?")[0]
        self.server.asked.append((self.path, dict(self.headers)))
        answer = self.server.answers.get(path, (404, {}, b"not found\n"))
        if callable(answer):
            answer(self)
            return
        status, headers, body = (200, {}, answer) if isinstance(answer, bytes) else answer
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, str(value))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_HEAD = do_GET

    def log_message(self, *_: object) -> None:
        pass


@contextlib.contextmanager
def serving(authority: pathlib.Path) -> collections.abc.Iterator[Server]:
    server = Server(authority)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
