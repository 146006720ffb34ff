"""Puts this thread, and the programs that it starts, into separate networks for a while, and makes mounts that no other process sees."""
import collections.abc
import contextlib
import ctypes
import os
import pathlib

from shared.checks import run

LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNS, CLONE_NEWNET = 0x00020000, 0x40000000


def set_namespace(descriptor: int) -> None:
    if LIBC.setns(descriptor, 0):
        raise OSError(ctypes.get_errno(), "setns")


def new_namespace(kind: int) -> None:
    if LIBC.unshare(kind):
        raise OSError(ctypes.get_errno(), "unshare")


@contextlib.contextmanager
def back_again() -> collections.abc.Iterator[None]:
    """Returns to the present network after the block, whatever network the block enters."""
    home = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    try:
        yield
    finally:
        set_namespace(home)
        os.close(home)


@contextlib.contextmanager
def loopback() -> collections.abc.Iterator[None]:
    """Enters a separate network that has only the loopback link."""
    with back_again():
        new_namespace(CLONE_NEWNET)
        run("ip", "link", "set", "lo", "up")
        yield


def mounted() -> dict[str, str]:
    """Returns the mount points by number; the last one was mounted last."""
    lines = pathlib.Path("/proc/thread-self/mountinfo").read_text(encoding="utf-8").splitlines()
    return {line.split()[0]: line.split()[4] for line in lines}


@contextlib.contextmanager
def mounts_of_our_own() -> collections.abc.Iterator[None]:
    """No other process sees what the block mounts; the mounts end with the block."""
    new_namespace(CLONE_NEWNS)
    run("mount", "--make-rprivate", "/")
    before = mounted()
    try:
        yield
    finally:
        for number, point in reversed(mounted().items()):
            if number not in before:
                run("umount", "--lazy", point)
