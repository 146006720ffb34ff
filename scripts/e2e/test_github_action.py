"""Runs plugins/ci/github with act, which works as GitHub's runner does, on this machine and offline.

The files are where the README puts them, and the workflow is the one that it copies. GitHub itself cannot run here: a server answers for it,
and a client of its API is served by the same routes, so the action asks for what GitHub documents. Held to: one comment with links to the
sources, kept up to date among strangers' ones, also one that begins as ours does; labels that come and go, and no others; what fails the job;
a pull request of a fork, whose token may not write; a program of a release, by its sum; the token in no log; and a title and files whose names
try to be more than text.
"""
import functools
import hashlib
import http.server
import json
import os
import re
import shutil
import subprocess
import tarfile
import threading

import pytest
import yaml

from shared.checks import attempt, run
from shared.fleet import ROOT
from shared.forge import TOKEN, GitHub
from shared.pull_request import INGRESS, commit, git, live, repository

COVERS = ["plugins/ci", "renderer/cli", "renderer/diff"]
PROGRAMS = ["act"]
ACTION = ROOT / "plugins/ci/github"
EVIL = '"; touch /tmp/tailrender-was-here; $(touch /tmp/tailrender-was-here) `touch /tmp/tailrender-was-here` ${{ github.token }}'


class Runner:
    def __init__(self, scratch, tailrender):
        self.scratch, self.repo, self.forge, self.program = scratch, scratch / "repo", GitHub(), tailrender
        repository(self.repo)
        git(self.repo, "remote", "add", "origin", "https://github.com/acme/shop.git")
        (self.repo / ".github/actions/tailrender-diff").mkdir(parents=True)
        (self.repo / ".github/workflows").mkdir()
        for file in ("action.yml", "diff_comment", "get_program"):
            shutil.copy(ACTION / file, self.repo / ".github/actions/tailrender-diff")
        self.workflow = yaml.safe_load((ACTION / "workflow.yml").read_text(encoding="utf-8"))
        self.workflow["on"] = self.workflow.pop(True)  # what YAML 1.1 reads "on" as
        self.step = next(step for step in self.workflow["jobs"]["diff"]["steps"] if step["uses"].startswith("./"))
        self.write({})
        self.base = commit(self.repo)
        (scratch / "home/.config/act").mkdir(parents=True)
        (scratch / "home/.config/act/actrc").touch()

    def write(self, inputs):
        self.step["with"] = inputs
        (self.repo / ".github/workflows/tailrender.yml").write_text(yaml.safe_dump(self.workflow), encoding="utf-8")

    def run(self, fail_on="", token=TOKEN, **inputs):
        """Returns the exit code and the log of the job."""
        self.write({"program": str(self.program), "fail-on": fail_on, **inputs})
        head = git(self.repo, "rev-parse", "HEAD")
        event = {"pull_request": {"number": 7, "title": EVIL, "body": EVIL, "base": {"sha": self.base, "ref": "main"},
                                  "head": {"sha": head, "ref": EVIL, "repo": {"fork": not self.forge.may_write}}}}
        (self.scratch / "event.json").write_text(json.dumps(event), encoding="utf-8")
        done = subprocess.run(["act", "pull_request", "--platform", "ubuntu-latest=-self-hosted", "--eventpath", self.scratch / "event.json",
                               "--action-offline-mode", "--env", f"GITHUB_API_URL={self.forge.url}", "--secret", f"GITHUB_TOKEN={token}"],
                              cwd=self.repo, env={"PATH": os.environ["PATH"], "HOME": str(self.scratch / "home"), "LANG": "C.UTF-8"},
                              capture_output=True, text=True, check=False)
        log = done.stdout + done.stderr
        assert TOKEN not in log and not os.path.exists("/tmp/tailrender-was-here"), log
        return done.returncode, log


@pytest.fixture
def runner(tools, tmp_path, tailrender):
    return Runner(tmp_path, tailrender)


def summary(log):
    return log.partition("Summary - ")[2].partition("\n[")[0]


def test_server_answers_like_github(tools):
    forge = GitHub()
    url, label = run("github-calls", forge.url, TOKEN).split()
    assert url == f"{forge.url}/repos/acme/shop/issues/comments/1" and label == "tailnet:public" and forge.labels == []
    assert forge.asked == set(forge.routes)


@pytest.mark.parametrize("knows_me", [False, True])
def test_life_of_a_pull_request(runner, knows_me):
    assert runner.workflow["permissions"] == {"contents": "read", "pull-requests": "write"}
    forge = runner.forge
    forge.knows_me = knows_me
    forge.me["type"] = "User" if knows_me else "Bot"
    live(runner.repo, runner.base, forge, runner.run, "::error file=web.yaml,line=4,")


def test_fork(runner):
    (runner.repo / "shop.yaml").write_text(INGRESS, encoding="utf-8")
    commit(runner.repo)
    runner.forge.may_write = False
    code, log = runner.run(sarif="true")
    assert code == 0, log
    assert "PUBLIC: anyone on the internet" in summary(log) and runner.forge.comments == [] and runner.forge.labels == []
    for what in ("the comment could not be posted", "the labels could not be changed", "could not be uploaded to code scanning"):
        assert what in log
    assert runner.run("public")[0] != 0


def test_without_token(runner):
    (runner.repo / "shop.yaml").write_text(INGRESS, encoding="utf-8")
    commit(runner.repo)
    code, log = runner.run(token="", labels="true")
    assert code == 0 and "`shop`" in summary(log) and runner.forge.writes == 0, log


def test_links_annotations_and_scan(runner):
    """The warnings at changed lines come first, and names of files stay text."""
    old = "".join(f"---\n{INGRESS.replace('name: shop', f'name: old-{number}').replace('[shop]', f'[old-{number}]')}" for number in range(12))
    (runner.repo / "a.yaml").write_text(old.replace("name: web", "name: lost"), encoding="utf-8")
    runner.base = commit(runner.repo)
    name = "z ](x) <b> $(id) `x`.yaml"
    (runner.repo / name).write_text(INGRESS.replace("name: web", "name: lost"), encoding="utf-8")
    head = commit(runner.repo)
    code, log = runner.run(sarif="true")
    assert code == 0, log
    found = re.findall(r"::warning file=(.*?),line=(\d+)", log)
    assert len(found) == 13 and found[0] == (name, "4") and {place for place, _ in found[1:]} == {"a.yaml"}
    comment, = runner.forge.ours()
    address = f"https://github.com/acme/shop/blob/{head}/z%20%5D%28x%29%20%3Cb%3E%20%24%28id%29%20%60x%60.yaml"
    assert f"[`Ingress/shop/shop`](<{address}#L2>)" in comment and f"(<{address}#L4>): " in comment
    scan, = runner.forge.scans
    assert (scan["commit_sha"], scan["ref"]) == (head, "refs/pull/7/merge") and len(scan["sarif"]["runs"][0]["results"]) == 13


def served(folder):
    """Serves a folder, and returns the server and the paths that it was asked for."""
    asked = []

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            asked.append(self.path)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/", asked


def test_program_of_a_release(runner, tmp_path):
    """It is downloaded once, its sum is checked each time, and a later step finds it."""
    runner.workflow["jobs"]["diff"]["steps"].append({"run": "echo where=$(command -v tailrender)"})
    files = tmp_path / "files"
    files.mkdir()
    name = f"tailrender-1.2.3-linux-{run('dpkg', '--print-architecture').strip()}"
    archive = files / f"{name}.tar.gz"
    with tarfile.open(archive, "w:gz") as out:
        out.add(runner.program, f"{name}/tailrender")
    url, asked = served(files)
    release = {"program": "", "version": "1.2.3", "release": url, "sha256": hashlib.sha256(archive.read_bytes()).hexdigest()}
    (runner.repo / "shop.yaml").write_text(INGRESS, encoding="utf-8")
    commit(runner.repo)
    for _ in range(2):
        code, log = runner.run(**release)
        assert code == 0 and len(asked) == 1 and len(runner.forge.ours()) == 1 and re.search(rf"where=/.*/{name}/tailrender", log), log
    cached, = (tmp_path / "home").rglob(archive.name)
    cached.write_bytes(b"another program")
    code, log = runner.run(**release)
    assert code == 0 and len(asked) == 2, log
    for wrong, text in ({"sha256": "0" * 64}, "does not have the sum"), ({"sha256": ""}, "is not the sum of the archive"), \
            ({"version": "1.2.4"}, "cannot download"), ({"version": "../1"}, "is not a version"), ({"release": ""}, '"release" is empty'), \
            ({"program": "tailrender"}, "exclude each other"):
        code, log = runner.run(**release | wrong)
        assert code != 0 and text in log, log
    code, log = runner.run(program="/nothing")
    assert code != 0 and "no program tailrender on the PATH" in log, log
    assert not attempt("find", tmp_path / "home", "-name", "part.*").stdout


def test_event_without_a_base(runner):
    done = attempt("bash", ACTION / "diff_comment", env={"GITHUB_EVENT_PATH": "/dev/null", "DIFF_PROGRAM": str(runner.program)})
    assert done.returncode == 1 and "no base: this event is no pull request" in done.stdout
