"""Argo CD's sidecar: the real argocd-cmp-server with plugins/argocd/plugin.yaml, called over gRPC by Argo CD's own client."""
import collections.abc
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import time
import typing

from shared.checks import Object, attempt, run
from shared.fleet import ROOT

PLUGIN = ROOT / "plugins" / "argocd"


@contextlib.contextmanager
def server(tailrender: pathlib.Path, scratch: pathlib.Path) -> collections.abc.Iterator["Server"]:
    """Prepares our program on PATH, a separate temporary directory, and the socket where the repo server looks for it."""
    programs, sockets = scratch / "bin", scratch / "plugins"
    for directory in (programs, sockets, scratch / "tmp", scratch / "config"):
        directory.mkdir(parents=True)
    (programs / "tailrender").symlink_to(tailrender)
    shutil.copy(PLUGIN / "plugin.yaml", scratch / "config" / "plugin.yaml")
    env = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "TMPDIR": str(scratch / "tmp"),
           "ARGOCD_PLUGINSOCKFILEPATH": str(sockets)}
    with started(["argocd-cmp-server", "--config-dir-path", scratch / "config"], env, sockets, scratch / "server.log") as cmp:
        yield cmp


@contextlib.contextmanager
def started(command: collections.abc.Iterable[object], env: dict[str, str], sockets: pathlib.Path,
            log_file: pathlib.Path) -> collections.abc.Iterator["Server"]:
    """Runs a server that listens."""
    with open(log_file, "w", encoding="utf-8") as log:
        process = subprocess.Popen([str(word) for word in command], env=env, stdout=log, stderr=log)
    try:
        socket = sockets / "tailrender.sock"
        deadline = time.monotonic() + 60
        while not socket.exists():
            assert process.poll() is None and time.monotonic() < deadline, "the server does not start:\n" + log_file.read_text(encoding="utf-8")
            time.sleep(0.05)
        yield Server(socket)
    finally:
        process.kill()  # on SIGTERM it may wait for a long time
        process.wait()


class Server:
    def __init__(self, socket: pathlib.Path) -> None:
        self.socket = socket

    def ask(self, what: str, repository: pathlib.Path, directory: str = ".", plugin: Object | None = None,
            env: dict[str, str] | None = None) -> typing.Any:
        return json.loads(run(*self.command(what, repository, directory, plugin), env=env))

    def refusal(self, repository: pathlib.Path, plugin: Object | None = None, env: dict[str, str] | None = None) -> str:
        done = attempt(*self.command("generate", repository, ".", plugin), env=env)
        assert done.returncode != 0, "the server generates what we refuse"
        return done.stderr

    def command(self, what: str, repository: pathlib.Path, directory: str, plugin: Object | None) -> list[object]:
        return ["argocd-cmp-client", self.socket, what, repository, pathlib.Path(repository, directory), json.dumps(plugin or {})]


def cluster(name: str) -> Object:
    return {"parameters": [{"name": "cluster", "string": name}]}
