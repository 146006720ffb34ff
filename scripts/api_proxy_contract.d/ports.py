"""Ports for programs that need to be given a port to listen on."""
import contextlib
import pathlib
import random
import socket

given = set()


def free_port():
    """Returns a port below the ranges from which the kernel assigns ports to connections and to listeners without a port, so that none of
    them takes it before the program listens. Each call in this process returns another port."""
    ephemeral = int(pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    while True:
        port = random.randrange(ephemeral // 2, ephemeral)
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            if port not in given:
                given.add(port)
                return port
