"""Runs what plugins/ci ships, against real git and servers on the loopback.

The steps are taken out of action.yml and the GitLab template and run as the runners run them. The servers answer like the comment APIs of
GitHub and GitLab: pages of 100, a token that is checked, 403 for one that may not write. Held to: one comment, kept up to date among
strangers' ones, also one that begins as ours does; nothing posted when nothing differs; a job that fails, with the report of the other side,
when one cannot be rendered; the token on no command line and in no log.
"""
import http.server
import json
import os
import re
import subprocess
import threading

import pytest
import yaml

from shared.checks import attempt, run
from shared.fleet import ROOT

COVERS = ["plugins/ci", "renderer/cli", "renderer/diff"]
PROGRAMS = []
pytestmark = pytest.mark.usefixtures("on_path")
CI = ROOT / "plugins" / "ci"
TOKEN = "canary-token-of-ci"
MARK = "<!-- tailrender diff -->"
STRANGER = {"id": 8, "login": "stranger", "type": "User"}
OTHER_BOT = {"id": 9, "login": "other[bot]", "type": "Bot"}

SERVICE = """apiVersion: v1
kind: Service
metadata: {{name: web, namespace: shop, annotations: {{tailscale.com/expose: "{exposed}"}}}}
spec: {{selector: {{app: web}}, ports: [{{port: 80}}]}}
"""
INGRESS = """apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: shop, namespace: shop, annotations: {tailscale.com/funnel: "true"}}
spec: {ingressClassName: tailscale, tls: [{hosts: [shop]}], defaultBackend: {service: {name: web, port: {number: 80}}}}
"""


class Forge(http.server.ThreadingHTTPServer):
    """The comments of one pull request: [{id, url, body, author}], the last under the name `author_key`. `me` is the token's user, who may
    not be asked for (`knows_me`) with the token of a GitHub job."""

    def __init__(self, path, token_header, update, author_key):
        super().__init__(("127.0.0.1", 0), Handler)
        self.path, self.token_header, self.update, self.author_key = path, token_header, update, author_key
        self.me, self.knows_me = {"id": 7, "login": "github-actions[bot]", "type": "Bot"}, True
        self.comments, self.writes, self.may_write = [], 0, True
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def add(self, body, author):
        number = len(self.comments) + 1
        self.comments.append({"id": number, "url": f"{self.url}{self.path}/{number}", "body": body, self.author_key: author})

    def ours(self):
        return [comment["body"] for comment in self.comments if comment[self.author_key] == self.me]


class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self, code, content):
        body = json.dumps(content).encode()
        self.send_response(code)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def handle_request(self):
        forge, (path, _, query) = self.server, self.path.partition("?")
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        name, value = forge.token_header
        if self.headers.get(name) != value:
            return self.answer(401, {"message": "bad credentials"})
        if self.command == "GET" and path == "/user":
            return self.answer(200, forge.me) if forge.knows_me else self.answer(403, {"message": "resource not accessible"})
        if self.command == "GET" and path == forge.path:
            fields = dict(pair.split("=") for pair in query.split("&"))
            size, page = int(fields["per_page"]), int(fields["page"])
            return self.answer(200, forge.comments[size * (page - 1):size * page])
        if not forge.may_write:
            return self.answer(403, {"message": "resource not accessible"})
        forge.writes += 1
        text = json.loads(body)["body"]
        if self.command == "POST" and path == forge.path:
            forge.add(text, forge.me)
            return self.answer(201, forge.comments[-1])
        match = re.fullmatch(re.escape(forge.path) + r"/(\d+)", path)
        if self.command == forge.update and match:
            forge.comments[int(match[1]) - 1]["body"] = text
            return self.answer(200, forge.comments[int(match[1]) - 1])
        return self.answer(404, {"message": "no such route"})

    do_GET = do_POST = do_PATCH = do_PUT = handle_request

    def log_message(self, *_):
        pass


def git(repo, *words):
    identity = ["-c", "user.name=ci", "-c", "user.email=ci@example.com", "-c", "init.defaultBranch=main"]
    return run("git", *identity, *words, cwd=repo).strip()


def commit(repo, message="change"):
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "--no-verify", "-m", message)
    return git(repo, "rev-parse", "HEAD")


class Job:
    """One job of a runner: a repository with a base, a change on top, and the forge that it reports to."""

    def __init__(self, scratch, forge=None):
        self.repo, self.forge = scratch / "repo", forge
        self.repo.mkdir()
        git(self.repo, "init", "-q")
        (self.repo / "web.yaml").write_text(SERVICE.format(exposed="true"))
        self.base = commit(self.repo)
        self.environment = {**{name: os.environ[name] for name in ("PATH", "HOME")}, "LANG": "C.UTF-8"}

    def run(self, command, **more):
        environment = {**self.environment, **more}
        done = subprocess.run(command, cwd=self.repo, env=environment, capture_output=True, text=True, check=False)
        log = done.stdout + done.stderr
        assert TOKEN not in log, log
        return done.returncode, log

    def scenario(self, job, without_token, log_has_report, place):
        """The life of a pull request. `job()` and `without_token()` run it and return (exit code, log), `job(words)` with what fails it;
        `place` is how the log names the line of an error."""
        forge = self.forge
        code, log = job()
        assert code == 0 and forge.writes == 0, log
        for number in range(130):
            forge.add(f"comment {number} quotes {MARK}", STRANGER)
        forge.add(f"{MARK} begins a stranger's comment", STRANGER)
        forge.add(f"{MARK} begins a comment of another bot", OTHER_BOT)
        strangers = [one["body"] for one in forge.comments]
        (self.repo / "shop.yaml").write_text(INGRESS)
        commit(self.repo)
        code, log = job()
        assert code == 0 and len(forge.ours()) == 1, log
        assert "PUBLIC: anyone on the internet" in forge.ours()[0]
        code, log = job("warning,public")
        assert code == 4 and len(forge.ours()) == 1 and "[fail-on]" in log, log
        code, log = job("removed,replaced")
        assert code == 0, log
        (self.repo / "shop.yaml").write_text(INGRESS.replace("hosts: [shop]", "hosts: [store]"))
        commit(self.repo)
        code, log = job()
        assert code == 0 and len(forge.ours()) == 1 and "`store`" in forge.ours()[0], log
        writes = forge.writes
        code, log = without_token()
        assert code == 0 and forge.writes == writes, log
        assert log_has_report(log), log
        (self.repo / "shop.yaml").unlink()
        commit(self.repo)
        code, log = job()
        assert code == 0 and "no difference" in forge.ours()[0], log
        assert [one["body"] for one in forge.comments if one[forge.author_key] in (STRANGER, OTHER_BOT)] == strangers
        (self.repo / "web.yaml").write_text(SERVICE.format(exposed="true").replace("port: 80", "port: nothing"))
        commit(self.repo)
        code, log = job()
        assert code != 0 and len(forge.ours()) == 1 and "`.` cannot be rendered" in forge.ours()[0] and place in log, log
        git(self.repo, "reset", "-q", "--hard", self.base)
        (self.repo / "shop.yaml").write_text(INGRESS)
        commit(self.repo)


@pytest.mark.parametrize("knows_me", [False, True])
def test_github(tmp_path, knows_me):
    action = yaml.safe_load((CI / "github/action.yml").read_text())
    workflow = yaml.safe_load((CI / "github/workflow.yml").read_text())
    step, = action["runs"]["steps"]
    assert workflow["permissions"] == {"contents": "read", "pull-requests": "write"}
    forge = Forge("/repos/acme/shop/issues/7/comments", ("Authorization", f"Bearer {TOKEN}"), "PATCH", "user")
    forge.knows_me = knows_me
    forge.me["type"] = "User" if knows_me else "Bot"
    job = Job(tmp_path, forge)
    (tmp_path / "event.json").write_text(json.dumps({"pull_request": {"number": 7, "base": {"sha": job.base}}}))
    summary = tmp_path / "summary.md"

    def work(fail_on="", token=TOKEN):
        given = {"token": token, "fail-on": fail_on}
        inputs = {name: given.get(name, field["default"]) for name, field in action["inputs"].items()}
        expressions = {"${{ inputs." + name + " }}": value for name, value in inputs.items()}
        environment = {name: expressions[value] for name, value in step["env"].items()}
        (tmp_path / "step.sh").write_text(step["run"])
        summary.write_text("")
        return job.run(["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(tmp_path / "step.sh")], **environment,
                       GITHUB_ACTION_PATH=str(CI / "github"), GITHUB_EVENT_PATH=str(tmp_path / "event.json"), GITHUB_API_URL=forge.url,
                       GITHUB_REPOSITORY="acme/shop", GITHUB_STEP_SUMMARY=str(summary))

    job.scenario(work, lambda: work(token=""), lambda log: "`store`" in summary.read_text(), "::error file=web.yaml,line=4,")
    forge.may_write = False
    code, log = work()
    assert code == 0 and "::warning::" in log, log
    assert "`shop`" in summary.read_text()


def test_gitlab(tmp_path):
    template = yaml.safe_load((CI / "gitlab/tailrender.gitlab-ci.yml").read_text())["tailrender-diff"]
    script, = template["script"]
    forge = Forge("/projects/5/merge_requests/7/notes", ("PRIVATE-TOKEN", TOKEN), "PUT", "author")
    job = Job(tmp_path, forge)
    (job.repo / ".git/info/exclude").write_text("tailrender-diff.*\n")

    def work(fail_on="", **token):
        variables = {**template["variables"], "TAILRENDER_FAIL_ON": fail_on}
        return job.run(["sh", "-c", script], **variables, **token, CI_API_V4_URL=forge.url, CI_PROJECT_ID="5",
                       CI_MERGE_REQUEST_IID="7", CI_MERGE_REQUEST_DIFF_BASE_SHA=job.base)

    job.scenario(lambda fail_on="": work(fail_on, TAILRENDER_TOKEN=TOKEN), work, lambda log: "`store`" in log, "web.yaml:4")
    assert {one["location"]["path"] for one in json.loads((job.repo / "tailrender-diff.json").read_text())} == {"web.yaml"}
    forge.may_write = False
    code, log = work(TAILRENDER_TOKEN=TOKEN)
    assert code != 0 and "403" in log, log


def test_pre_commit(tmp_path):
    repo = Job(tmp_path).repo
    hook = repo / ".git/hooks/pre-commit"
    hook.write_bytes((CI / "pre-commit/pre-commit").read_bytes())
    hook.chmod(0o755)

    def try_commit(*words):
        done = attempt("git", "-c", "user.name=ci", "-c", "user.email=ci@example.com", "commit", "-q", "-m", "change", *words, cwd=repo)
        return done.returncode, done.stdout + done.stderr

    def render():
        run("tailrender", "render", ".", "-o", "rendered", "-q", cwd=repo)

    render()
    git(repo, "add", "-A")
    code, log = try_commit()
    assert code == 0, log
    (repo / "shop.yaml").write_text(INGRESS)
    git(repo, "add", "shop.yaml")
    code, log = try_commit()
    assert code != 0 and "ingress" in log.lower() and "tailrender render -o rendered -- ." in log, log
    render()
    code, log = try_commit()
    assert code != 0, log
    git(repo, "add", "-A")
    (repo / "web.yaml").write_text("not: [added")
    code, log = try_commit()
    assert code == 0, log
    hooks = yaml.safe_load((CI / "pre-commit/.pre-commit-hooks.yaml").read_text())
    git(repo, "rm", "-q", "--cached", "web.yaml", "shop.yaml")
    code, log = try_commit()
    assert code != 0 and "only what is added counts, and 2 manifests are not: git add ." in log, log
    git(repo, "reset", "-q")
    git(repo, "checkout", "-q", "--", "web.yaml")
    for one in hooks:
        words = one["entry"].split()
        if "lint" in words:  # images of the default release have a known hole, which is an error where an Ingress is public
            words += ["--set", "tailrender.operatorVersion=1.104"]
        run(*words, cwd=repo)
