"""Runs an API server of scripts/e2e/apiserver, with this process in its network."""
import base64
import contextlib
import json
import os
import pathlib
import subprocess
import typing

from shared.checks import run
from shared.namespaces import back_again, set_namespace

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "apiserver"
TOLD = 'echo "$KUBECONFIG" && kubectl config view --raw --flatten -o json | tr -d "\\n" && echo && cat'


def child_of(process: int) -> int:
    return int(pathlib.Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii").split()[0])


class ApiServer(contextlib.ExitStack):
    """The API server ends with the block, or with this process."""

    def __init__(self, folder: pathlib.Path) -> None:
        super().__init__()
        self.folder = folder

    def __enter__(self) -> typing.Self:
        process = self.enter_context(subprocess.Popen([SCRIPT, "run", "sh", "-c", TOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        assert process.stdin and process.stdout
        self.callback(process.stdin.close)
        self.file, config = process.stdout.readline().strip(), json.loads(process.stdout.readline())
        self.inside = child_of(child_of(process.pid))
        for part in (config["clusters"][0]["cluster"], config["users"][0]["user"]):
            for name in [key for key in part if key.endswith("-data")]:
                file = self.folder / name.removesuffix("-data")
                file.write_bytes(base64.b64decode(part.pop(name)))
                part[file.name] = str(file)
        (self.folder / "kubeconfig").write_text(json.dumps(config), encoding="utf-8")
        os.environ.update(KUBECONFIG=str(self.folder / "kubeconfig"), KUBECACHEDIR=str(self.folder / "cache"))
        self.enter_context(back_again())
        with open(f"/proc/{self.inside}/ns/net", "rb") as network:
            set_namespace(network.fileno())
        return self

    def restart(self, *flags: str) -> None:
        """Kills the server, and starts it again with these flags."""
        run("nsenter", f"--target={self.inside}", "--net", "--mount", "--pid", SCRIPT, "restart", *flags, env={"KUBECONFIG": self.file})
