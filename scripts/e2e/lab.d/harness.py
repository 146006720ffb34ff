"""What tests with the lab share: the lab itself, its cluster by kubectl, its tailnet by the fake API and its admin endpoint.

    with Lab() as lab:
        lab.apply(objects)
        key = lab.tailnet.mint(["tag:k8s"])
        lab.wait("the pod is ready", lambda: ...)

Lab(tailnet_of=lab) is a cluster more on the tailnet of another one. A Lab has a folder of its own, so that any number of tests can have one at a time; its end fails if it leaves anything behind.
Every wait ends with a deadline made for slow machines.
"""
import collections.abc
import contextlib
import json
import pathlib
import subprocess
import sys
import time
import types
import typing

from shared.checks import Object
from shared.namespaces import back_again, set_namespace
from explanation import explanation
from fake_tailnet import Tailnet
from traces import Traces

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "lab"
DEADLINE = 240
# The lab starts in the background, so that it is not a child of the process that a time limit kills with all its children.
GUARD = 'exec 3<&0; { read -r ended <&3 || TAILRENDER_LAB=$1 TMPDIR=$2 "$0" down; } &'


Found = typing.TypeVar("Found")


def guard(folder: pathlib.Path) -> typing.IO[str]:
    """Ends the lab if this process is killed: then the returned pipe closes without a line."""
    process = subprocess.Popen(["sh", "-c", GUARD, SCRIPT, folder, folder.parent], text=True, start_new_session=True,
                               stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    process.wait()
    assert process.stdin
    return process.stdin


class Lab(Traces):
    def __init__(self, tailnet_of: "Lab | None" = None, **environment: str) -> None:
        super().__init__(**environment)
        self.first = tailnet_of

    @staticmethod
    def has_failed() -> bool:
        """Returns whether a test has failed; conftest.py replaces this function."""
        return False

    def __enter__(self) -> typing.Self:
        super().__enter__()
        self.guard = guard(self.folder)
        try:
            begun = time.monotonic()
            self.said = self.verb("up", *(["--tailnet-of", str(self.first.folder)] if self.first else [])).stdout
            self.up_seconds = time.monotonic() - begun
            self.inner = dict(line.split("=", 1) for line in self.run("env").splitlines() if "=" in line)
            self.note()
        except BaseException:
            self.down()
            super().__exit__(*sys.exc_info())
            raise
        self.tailnet: Tailnet = self.first.tailnet if self.first else \
            Tailnet(self.inner["LAB_TAILNET"], self.inner["LAB_ADMIN"], (self.inner["LAB_OAUTH_ID"], self.inner["LAB_OAUTH_SECRET"]), self.network)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: types.TracebackType | None) -> None:
        try:
            if kind or self.has_failed():
                print(explanation(self), file=sys.stderr)
        finally:
            self.down()
            super().__exit__(kind, error, trace)

    def down(self) -> None:
        self.verb("down")
        print("ended", file=self.guard)
        self.guard.close()

    def verb(self, *arguments: str, check: bool = True, text: str = "") -> subprocess.CompletedProcess[str]:
        result = subprocess.run([SCRIPT, *arguments], env=self.environment, encoding="utf-8", errors="replace", input=text,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if check:
            assert result.returncode == 0, f"lab {' '.join(arguments)} exits {result.returncode}: {result.stderr}{result.stdout}"
        return result

    def run(self, *command: str, on: str | None = None) -> str:
        """Returns the output of a command beside the node, or on a machine of the tailnet."""
        return self.verb("run", *(["--on", on] if on else []), *command).stdout

    @contextlib.contextmanager
    def network(self) -> collections.abc.Iterator[None]:
        """Puts this thread into the lab's network."""
        with back_again():
            set_namespace(self.namespaces["net"])
            yield

    def enter(self) -> None:
        set_namespace(self.namespaces["net"])
        set_namespace(self.namespaces["mnt"])

    def kubectl(self, *arguments: str, text: str = "") -> str:
        """Does the same as run("kubectl", …), without starting `lab`, since tests use it often."""
        result = subprocess.run(["kubectl", *arguments], env=self.inner, text=True, input=text, preexec_fn=self.enter,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert result.returncode == 0, f"kubectl {' '.join(arguments)} exits {result.returncode}: {result.stderr}"
        return result.stdout

    def get(self, *arguments: str) -> typing.Any:
        """Returns one object, or a list of them; None if there is none."""
        return json.loads(self.kubectl("get", *arguments, "--ignore-not-found", "-o", "json") or "null")

    def items(self, *arguments: str) -> list[Object]:
        """Returns the items of a list, which may be empty."""
        return (self.get(*arguments) or {"items": []})["items"]

    def apply(self, objects: list[Object], manager: str = "gitops") -> None:
        self.kubectl("apply", "--server-side", "--field-manager", manager, "-f", "-",
                     text=json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))

    def delete(self, objects: list[Object]) -> None:
        """Deletes objects and does not wait for the end of the deletion."""
        self.kubectl("delete", "--wait=false", "-f", "-", text=json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))

    def confirm_removals(self) -> None:
        """Confirms the removals that the controller has blocked."""
        ledger = self.get("configmap", "tailrender-devices", "-n", "tailscale") or {}
        for key in ("blocked-removals.json", "blocked-services.json"):
            token = json.loads(ledger.get("data", {}).get(key, "{}")).get("token")
            if token:
                self.kubectl("annotate", "--overwrite", "configmap", "tailrender-devices", "-n", "tailscale", f"tailrender.dev/confirm-removals={token}")

    def as_a_person(self, *command: str | pathlib.Path) -> tuple[int, str]:
        """Returns exit code and output of a program beside the node that finds the cluster as kubectl does."""
        done = subprocess.run(command, env=self.inner, preexec_fn=self.enter, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout

    def wait(self, what: str, probe: collections.abc.Callable[[], Found | None], seconds: float = DEADLINE) -> Found:
        """Returns the first answer of probe that is not empty; a failure of probe counts as an empty one."""
        deadline = time.monotonic() + seconds
        reason: object = "nothing found"
        while time.monotonic() < deadline:
            try:
                found = probe()
                if found:
                    return found
            except AssertionError as failure:
                reason = failure
            time.sleep(0.3)
        raise AssertionError(f"not after {seconds} s: {what}: {reason}")
