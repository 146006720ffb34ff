"""What a lab has on this machine: while it is up, for those who look into it; once it is down, nothing.

    with Traces() as traces:
        … lab up, with traces.environment …
        traces.note()
        … lab down …

The end of the block fails if anything is left. The folder and TMPDIR of a lab are its own, so that tests can run at one time.
"""
import collections.abc
import fcntl
import hashlib
import os
import pathlib
import tempfile
import types
import typing

from shared.checks import run


NS_GET_PARENT = 0xB702  # of linux/nsfs.h


def machine() -> dict[str, list[str]]:
    """Returns what no lab may change: names of network namespaces, links and nft tables."""
    def lines(*command: str) -> list[str]:
        return run(*command).splitlines()
    return {"network namespaces": lines("ip", "netns"), "links": [line.split()[0] for line in lines("ip", "-br", "link")],
            "tables": lines("nft", "list", "tables")}


def pid_namespaces(process: pathlib.Path) -> collections.abc.Iterator[int]:
    """Yields the pid namespace of a process and those around it."""
    descriptor = os.open(process / "ns" / "pid", os.O_RDONLY)
    while True:
        yield os.fstat(descriptor).st_ino
        try:
            parent = fcntl.ioctl(descriptor, NS_GET_PARENT)
        except PermissionError:
            return
        finally:
            os.close(descriptor)
        descriptor = parent


class Traces:
    def __init__(self, **environment: str) -> None:
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="lab.")).resolve()
        self.folder = self.scratch / "lab"
        self.environment = dict(os.environ, TMPDIR=str(self.scratch), TAILRENDER_LAB=str(self.folder), **environment)
        self.before = machine()
        self.namespaces: dict[str, int] = {}

    def __enter__(self) -> typing.Self:
        self.scratch.mkdir(exist_ok=True)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: types.TracebackType | None) -> None:
        left = self.left()
        for descriptor in self.namespaces.values():
            os.close(descriptor)
        self.namespaces = {}
        if kind is None:
            assert left == [], "left behind"
        if not any(self.scratch.iterdir()):
            self.scratch.rmdir()

    def of_lab(self, process: pathlib.Path) -> bool:
        return f"TAILRENDER_LAB={self.folder}".encode() in (process / "environ").read_bytes().split(b"\0")

    def keeper(self) -> int | None:
        """Returns the process that holds the lab's namespaces from outside; None if there is none."""
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if (process / "cmdline").read_bytes().startswith(b"unshare\0") and self.of_lab(process):
                    return int(process.name)
            except OSError:
                continue
        return None

    def note(self) -> None:
        """Opens the namespaces of the lab that is up: while they are open, no other namespaces get their numbers."""
        keeper = self.keeper()
        process = pathlib.Path(f"/proc/{keeper}/task/{keeper}/children").read_text().split()[0]
        self.namespaces |= {kind: os.open(f"/proc/{process}/ns/{kind}", os.O_RDONLY) for kind in ("net", "mnt", "pid")}

    def runs_in_lab(self, process: pathlib.Path) -> bool:
        """Finds out by the environment or the namespaces of a process: processes in pods do not have our environment."""
        if self.of_lab(process):
            return True
        numbers = {os.fstat(descriptor).st_ino for descriptor in self.namespaces.values()}
        return (process / "ns" / "net").stat().st_ino in numbers or not numbers.isdisjoint(pid_namespaces(process))

    def processes(self) -> list[str]:
        found = []
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if self.runs_in_lab(process):
                    found.append(f"process {process.name}: {(process / 'cmdline').read_text().replace(chr(0), ' ')}")
            except OSError:
                continue
        return found

    def left(self) -> list[str]:
        """Returns what names the lab or runs in it, what is in its TMPDIR, and what is new on the machine."""
        cgroup = "tailrender-lab-" + hashlib.sha256(str(self.folder).encode()).hexdigest()[:8]
        found = [str(path) for path in self.scratch.glob("*")] + self.processes()
        found += [line for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines() if str(self.folder) in line]
        found += [path for path, _, _ in os.walk("/sys/fs/cgroup") if os.path.basename(path) == cgroup]  # others' may vanish
        return found + [f"{what}: {now}, before {self.before[what]}" for what, now in machine().items() if now != self.before[what]]
