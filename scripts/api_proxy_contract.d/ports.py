"""Ports for programs that need to be given a port to listen on."""
import contextlib
import pathlib
import random
import socket

claims: list[socket.socket] = []  # held until this process ends


def free_port() -> int:
    """Returns a port below the ranges from which the kernel assigns ports to connections and to listeners without a port, so that none of
    them takes it before the program listens. Each call returns another port, also in other processes of the tests: an abstract Unix socket
    claims it."""
    ephemeral = int(pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    while True:
        port = random.randrange(ephemeral // 2, ephemeral)
        with contextlib.suppress(OSError), socket.socket() as probe:
            claim = socket.socket(socket.AF_UNIX)
            claim.bind(f"\0tailrender-test-port-{port}")
            claims.append(claim)
            probe.bind(("127.0.0.1", port))
            return port
