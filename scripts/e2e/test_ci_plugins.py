"""Runs the GitLab template and the pre-commit hook of plugins/ci, against real git and a server on the loopback.

The script is taken out of the template and run as GitLab's runner does. The server answers like GitLab's API. Held to: one note, kept up to
date among strangers' ones, also one that begins as ours does; labels that come and go, and no others; nothing posted when nothing differs; a
job that fails, with the report of the other side, when one cannot be rendered; the token on no command line and in no log.
test_github_action.py runs the action.
"""
import json
import os
import re

import pytest
import yaml

from shared.checks import attempt, run
from shared.fleet import ROOT
from shared.forge import TOKEN, GitLab
from shared.pull_request import INGRESS, git, live, repository

COVERS = ["plugins/ci", "renderer/cli", "renderer/diff"]
PROGRAMS = []
pytestmark = pytest.mark.usefixtures("on_path")
CI = ROOT / "plugins" / "ci"
HASH = "1f0c2b7d"


def test_gitlab(tmp_path):
    header, template = yaml.safe_load_all((CI / "gitlab/tailrender.gitlab-ci.yml").read_text(encoding="utf-8"))
    template = template["tailrender-diff"]
    script, = template["script"]
    forge, repo = GitLab(), tmp_path / "repo"
    base = repository(repo)
    (repo / ".git/info/exclude").write_text("tailrender-diff.*\n", encoding="utf-8")

    def work(fail_on="", token=TOKEN):
        inputs = {name: json.dumps(one["default"]).strip('"') for name, one in header["spec"]["inputs"].items()} | {"fail-on": fail_on}
        variables = {name: re.sub(r"\$\[\[ inputs\.([\w-]+) \]\]", lambda found: inputs[found[1]], value)
                     for name, value in template["variables"].items()}
        environment = {**{name: os.environ[name] for name in ("PATH", "HOME")}, "LANG": "C.UTF-8", **variables, "CI_API_V4_URL": forge.url,
                       "CI_PROJECT_ID": "5", "CI_MERGE_REQUEST_IID": "7", "CI_MERGE_REQUEST_DIFF_BASE_SHA": base, "CI_COMMIT_SHA": HASH,
                       "CI_PROJECT_URL": "https://git.example.com/acme/shop"}
        done = attempt("env", "-i", *(f"{name}={value}" for name, value in environment.items()), *([f"TAILRENDER_TOKEN={token}"] if token else []),
                       "sh", "-c", script, cwd=repo)
        log = done.stdout + done.stderr
        assert TOKEN not in log, log
        return done.returncode, log

    live(repo, base, forge, work, "web.yaml:4")
    assert {one["location"]["path"] for one in json.loads((repo / "tailrender-diff.json").read_text(encoding="utf-8"))} == {"web.yaml"}
    writes = forge.writes
    code, log = work(token="")
    assert code == 0 and forge.writes == writes and "`shop`" in log, log
    code, log = work()
    assert code == 0 and f"[`Ingress/shop/shop`](<https://git.example.com/acme/shop/-/blob/{HASH}/shop.yaml#L2>)" in forge.ours()[0], log
    assert forge.asked == set(forge.routes)
    forge.may_write = False
    code, log = work()
    assert code != 0 and "403" in log, log


def test_pre_commit(tmp_path):
    repo = tmp_path / "repo"
    repository(repo)
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
