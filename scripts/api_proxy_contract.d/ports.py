"""Ports for programs that are told where to listen."""
import contextlib
import pathlib
import random
import socket

given = set()


def free_port():
    """One below those that the kernel gives to connections and to listeners without a port, so that none of them has it before the program, and
    that no one here has been given: who asks for two gets two."""
    ephemeral = int(pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    while True:
        port = random.randrange(ephemeral // 2, ephemeral)
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            if port not in given:
                given.add(port)
                return port
