"""Servers that answer like the APIs of GitHub and GitLab for one pull or merge request: pages of 100, a token that is checked, 403 for one
that may not write. What they answer is held to clients of these APIs in the tests that use them."""
import base64
import collections.abc
import gzip
import http.server
import json
import re
import threading
import urllib.parse

from shared.checks import Object

TOKEN = "canary-token-of-ci"
MARK = "<!-- tailrender diff -->"
STRANGER = {"id": 8, "login": "stranger", "type": "User"}
OTHER_BOT = {"id": 9, "login": "other[bot]", "type": "Bot"}


Answer = tuple[int, object]


class Handler(http.server.BaseHTTPRequestHandler):
    server: "Forge"

    def answer(self, code: int, content: object) -> None:
        body = json.dumps(content).encode()
        self.send_response(code)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def handle_request(self) -> None:
        forge, (path, _, query) = self.server, self.path.partition("?")
        text = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        name, value = forge.token_header
        if self.headers.get(name) != value:
            return self.answer(401, {"message": "bad credentials"})
        for (method, route), function in forge.routes.items():
            match = re.fullmatch(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", route), path)
            if self.command != method or not match:
                continue
            forge.asked.add((method, route))
            if method != "GET" and not forge.may_write:
                return self.answer(403, {"message": "resource not accessible"})
            forge.writes += method != "GET"
            found = {key: urllib.parse.unquote(part) for key, part in match.groupdict().items()}
            return self.answer(*function(**found, **({"body": json.loads(text)} if text else {}),
                                         **({"fields": dict(urllib.parse.parse_qsl(query))} if query else {})))
        return self.answer(404, {"message": "no such route"})

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = handle_request

    def log_message(self, *_: object) -> None:
        pass


class Forge(http.server.ThreadingHTTPServer):
    path_of: collections.abc.Callable[[int], str]

    """`comments`: [{id, url, body, author}], the last under the name `author_key`. `me` is the token's user, who may not be asked for
    (`knows_me`) with the token of a GitHub job. `asked` are the routes that were used."""

    def __init__(self, token_header: tuple[str, str], author_key: str) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.token_header, self.author_key = token_header, author_key
        self.me, self.knows_me = {"id": 7, "login": "github-actions[bot]", "type": "Bot"}, True
        self.comments: list[Object] = []
        self.labels: list[str] = []
        self.scans: list[Object] = []
        self.asked: set[tuple[str, str]] = set()
        self.writes, self.may_write = 0, True
        self.routes: dict[tuple[str, str], collections.abc.Callable[..., Answer]] = {}
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def add(self, body: str, author: Object) -> None:
        number = len(self.comments) + 1
        self.comments.append({"id": number, "url": self.url + self.path_of(number), "body": body, self.author_key: author})

    def ours(self) -> list[str]:
        return [comment["body"] for comment in self.comments if comment[self.author_key] == self.me]

    def user(self) -> Answer:
        return (200, self.me) if self.knows_me else (403, {"message": "resource not accessible"})

    def page(self, fields: dict[str, str]) -> Answer:
        size, page = int(fields["per_page"]), int(fields["page"])
        return 200, self.comments[size * (page - 1):size * page]

    def new(self, body: Object) -> Answer:
        self.add(body["body"], self.me)
        return 201, self.comments[-1]

    def change(self, comment: str, body: Object) -> Answer:
        self.comments[int(comment) - 1]["body"] = body["body"]
        return 200, self.comments[int(comment) - 1]


class GitHub(Forge):
    """Pull request 7 of acme/shop."""

    def __init__(self) -> None:
        super().__init__(("Authorization", f"Bearer {TOKEN}"), "user")
        issue = "/repos/acme/shop/issues/7"
        self.routes = {("GET", "/user"): self.user, ("GET", issue + "/comments"): self.page, ("POST", issue + "/comments"): self.new,
                       ("PATCH", "/repos/acme/shop/issues/comments/{comment}"): self.change, ("GET", issue + "/labels"): self.list_labels,
                       ("POST", issue + "/labels"): self.add_labels, ("DELETE", issue + "/labels/{label}"): self.remove_label,
                       ("POST", "/repos/acme/shop/code-scanning/sarifs"): self.scan}

    def path_of(self, number: int) -> str:
        return f"/repos/acme/shop/issues/comments/{number}"

    def shown_labels(self) -> list[dict[str, str]]:
        return [{"name": name} for name in self.labels]

    def list_labels(self, fields: dict[str, str]) -> Answer:
        assert fields["per_page"] == "100"
        return 200, self.shown_labels()

    def add_labels(self, body: Object | list[str]) -> Answer:
        """Both shapes are documented: a list, and an object."""
        self.labels += body["labels"] if isinstance(body, dict) else body
        return 200, self.shown_labels()

    def remove_label(self, label: str) -> Answer:
        if label not in self.labels:
            return 404, {"message": "label does not exist"}
        self.labels.remove(label)
        return 200, self.shown_labels()

    def scan(self, body: Object) -> Answer:
        assert body.keys() == {"commit_sha", "ref", "sarif"}, body.keys()
        text = body["sarif"] and gzip.decompress(base64.b64decode(body["sarif"]))
        self.scans.append({**body, "sarif": text and json.loads(text)})
        return 202, {"id": "1"}


class GitLab(Forge):
    """Merge request 7 of project 5."""

    def __init__(self) -> None:
        super().__init__(("PRIVATE-TOKEN", TOKEN), "author")
        request = "/projects/5/merge_requests/7"
        self.routes = {("GET", "/user"): self.user, ("GET", request + "/notes"): self.page, ("POST", request + "/notes"): self.new,
                       ("PUT", request + "/notes/{comment}"): self.change, ("GET", request): self.request, ("PUT", request): self.update}

    def path_of(self, number: int) -> str:
        return f"/projects/5/merge_requests/7/notes/{number}"

    def request(self) -> Answer:
        return 200, {"iid": 7, "labels": self.labels}

    def update(self, body: Object) -> Answer:
        assert body.keys() <= {"add_labels", "remove_labels"}, body.keys()
        gone = body.get("remove_labels", "").split(",")
        self.labels = [one for one in self.labels if one not in gone]
        self.labels += [one for one in body.get("add_labels", "").split(",") if one and one not in self.labels]
        return 200, {"labels": self.labels}
