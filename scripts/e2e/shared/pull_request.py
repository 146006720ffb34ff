"""The life of a pull request whose job explains it, for the CI services of plugins/ci."""
import collections.abc

import pathlib
from shared.checks import run
from shared.forge import MARK, OTHER_BOT, STRANGER, Forge

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


def git(repo: pathlib.Path, *words: str) -> str:
    identity = ["-c", "user.name=ci", "-c", "user.email=ci@example.com", "-c", "init.defaultBranch=main"]
    return run("git", *identity, *words, cwd=repo).strip()


def commit(repo: pathlib.Path, message: str = "change") -> str:
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "--no-verify", "-m", message)
    return git(repo, "rev-parse", "HEAD")


def repository(folder: pathlib.Path) -> str:
    """Makes a repository with a Service, and returns the hash of its commit."""
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "web.yaml").write_text(SERVICE.format(exposed="true"), encoding="utf-8")
    return commit(folder)


def live(repo: pathlib.Path, base: str, forge: Forge, job: collections.abc.Callable[..., tuple[int, str]], place: str) -> None:
    """Changes the repository on top of `base`. `job()` runs the job and returns (exit code, log), `job(words)` with what fails it;
    `place` is how the log names the line of an error."""
    code, log = job()
    assert code == 0 and forge.writes == 0, log
    for number in range(130):
        forge.add(f"comment {number} quotes {MARK}", STRANGER)
    forge.add(f"{MARK} begins a stranger's comment", STRANGER)
    forge.add(f"{MARK} begins a comment of another bot", OTHER_BOT)
    strangers = [one["body"] for one in forge.comments]
    forge.labels = ["kind/bug"]
    (repo / "shop.yaml").write_text(INGRESS, encoding="utf-8")
    commit(repo)
    code, log = job()
    assert code == 0 and len(forge.ours()) == 1, log
    assert "PUBLIC: anyone on the internet" in forge.ours()[0]
    assert forge.labels == ["kind/bug", "tailnet:public"]
    for words in ("warning,public", "public"):
        code, log = job(words)
        assert code != 0 and len(forge.ours()) == 1 and "[fail-on]" in log, log
    code, log = job("removed,replaced")
    assert code == 0, log
    (repo / "shop.yaml").write_text(INGRESS.replace("hosts: [shop]", "hosts: [store]"), encoding="utf-8")
    commit(repo)
    code, log = job()
    assert code == 0 and len(forge.ours()) == 1 and "`store`" in forge.ours()[0], log
    (repo / "shop.yaml").unlink()
    (repo / "web.yaml").write_text(SERVICE.format(exposed="false"), encoding="utf-8")
    commit(repo)
    code, log = job("removed")
    assert code != 0 and "[fail-on]" in log, log
    assert "- ➖ removed `shop-web`" in forge.ours()[0] and forge.labels == ["kind/bug", "tailnet:removes"]
    (repo / "web.yaml").write_text(SERVICE.format(exposed="true"), encoding="utf-8")
    commit(repo)
    code, log = job()
    assert code == 0 and "no difference" in forge.ours()[0] and forge.labels == ["kind/bug"], log
    assert [one["body"] for one in forge.comments if one[forge.author_key] in (STRANGER, OTHER_BOT)] == strangers
    (repo / "web.yaml").write_text(SERVICE.format(exposed="true").replace("port: 80", "port: nothing"), encoding="utf-8")
    commit(repo)
    code, log = job()
    assert code != 0 and len(forge.ours()) == 1 and "`.` cannot be rendered" in forge.ours()[0] and place in log, log
    git(repo, "reset", "-q", "--hard", base)
    (repo / "shop.yaml").write_text(INGRESS, encoding="utf-8")
    commit(repo)
