"""Lets this kernel run programs for arm64, under the qemu of the Debian that scripts/arm64 keeps in the cache."""
import collections.abc
import contextlib
import pathlib
import platform
import tempfile

from shared.checks import run
from shared.debian_root import CACHE

# The begin of an ELF file for arm64, and which bits of it count: those of qemu's own qemu-binfmt-conf.sh.
MAGIC = b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\x00\xb7\x00"
MASK = b"\xff" * 7 + b"\x00" + b"\xff" * 8 + b"\xfe\xff\xff\xff"
NAME = "tailrender-arm64"


def escaped(data: bytes) -> str:
    return "".join(f"\\x{byte:02x}" for byte in data)


@contextlib.contextmanager
def arm64_programs() -> collections.abc.Iterator[None]:
    """Does nothing where the machine is set up for it. Else it registers qemu until the end, also for programs in other roots, under a name of
    its own: another run may end before."""
    with tempfile.TemporaryDirectory() as folder:
        run("mount", "-t", "binfmt_misc", "binfmt_misc", folder)
        try:
            known = any("qemu-aarch64" in entry.read_text(encoding="utf-8") for entry in pathlib.Path(folder).iterdir()
                        if entry.name not in ("register", "status") and not entry.name.startswith(NAME))
            own = not known and platform.machine() != "aarch64"
            name = f"{NAME}-{pathlib.Path(folder).name}"
            if own:
                qemu = CACHE / "arm64/usr/bin/qemu-aarch64-static"
                pathlib.Path(folder, "register").write_text(f":{name}:M::{escaped(MAGIC)}:{escaped(MASK)}:{qemu}:F", encoding="ascii")
            try:
                yield
            finally:
                if own:
                    pathlib.Path(folder, name).write_text("-1", encoding="ascii")
        finally:
            run("umount", folder)
