"""Networks that this thread, and what it starts, is in for a while, and mounts that no other process sees."""
import contextlib
import ctypes
import os
import pathlib

from shared.checks import run

LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNS, CLONE_NEWNET = 0x00020000, 0x40000000


def set_namespace(descriptor):
    if LIBC.setns(descriptor, 0):
        raise OSError(ctypes.get_errno(), "setns")


def new_namespace(kind):
    if LIBC.unshare(kind):
        raise OSError(ctypes.get_errno(), "unshare")


@contextlib.contextmanager
def back_again():
    """Whatever network the block goes to."""
    home = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    try:
        yield
    finally:
        set_namespace(home)
        os.close(home)


@contextlib.contextmanager
def loopback():
    """A network of one's own with the loopback link alone."""
    with back_again():
        new_namespace(CLONE_NEWNET)
        run("ip", "link", "set", "lo", "up")
        yield


def mounted():
    """Where, by number; the last one comes last."""
    lines = pathlib.Path("/proc/thread-self/mountinfo").read_text(encoding="utf-8").splitlines()
    return {line.split()[0]: line.split()[4] for line in lines}


@contextlib.contextmanager
def mounts_of_our_own():
    """No other process sees what the block mounts; it is gone after the block."""
    new_namespace(CLONE_NEWNS)
    run("mount", "--make-rprivate", "/")
    before = mounted()
    try:
        yield
    finally:
        for number, point in reversed(mounted().items()):
            if number not in before:
                run("umount", "--lazy", point)
