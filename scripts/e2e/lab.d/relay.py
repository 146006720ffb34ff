"""The relays of a lab's tailnet, which carry traffic that has no direct path.

    machine_uses_the_relay(lab, peer)       a page of that peer reaches "client", to which no UDP does
    machine_uses_a_peer(lab, relay, peer)   what goes from "client" to that machine goes through the device at `relay`, where both may use it
"""
import collections.abc
import contextlib
import json
import re

from harness import Lab
from hello import page
from shared.checks import Object

RELAY = "lab"  # the code of its region
TABLE = "nodirect"
RULES = f"""table inet {TABLE} {{
    chain input {{ type filter hook input priority 0; iifname eth0 meta l4proto udp drop; }}
    chain output {{ type filter hook output priority 0; oifname eth0 meta l4proto udp drop; }}
}}"""


def status(lab: Lab) -> Object:
    return json.loads(lab.run("tailscale", "status", "--json", on="client"))


def way_to(lab: Lab, peer: str) -> tuple[str, str]:
    """Returns address and relay by which the client reaches the peer now: one of them is empty."""
    [found] = [known for known in status(lab)["Peer"].values() if known["DNSName"] == peer + "."]
    return found["CurAddr"], found["Relay"]


@contextlib.contextmanager
def without_udp(lab: Lab) -> collections.abc.Iterator[None]:
    """Blocks UDP for the client, as in a network that lets only TCP out."""
    lab.run("nft", RULES, on="client")
    try:
        yield
    finally:
        lab.run("nft", "delete", "table", "inet", TABLE, on="client")


@contextlib.contextmanager
def apart(lab: Lab, addresses: list[str]) -> collections.abc.Iterator[None]:
    """Blocks UDP between the client and these addresses."""
    rules = "".join(f"{family} {way} {address} meta l4proto udp drop; " for address in addresses
                    for family in ["ip6" if ":" in address else "ip"] for way in ("saddr", "daddr"))
    lab.run("nft", f"""table inet {TABLE} {{ chain input {{ type filter hook input priority 0; {rules}}}
        chain output {{ type filter hook output priority 0; {rules}}}
        }}""", on="client")
    try:
        yield
    finally:
        lab.run("nft", "delete", "table", "inet", TABLE, on="client")


def machine_uses_a_peer(lab: Lab, relay: str, peer: str) -> None:
    """The grants let all devices use relays. The lab gives the machine its addresses."""
    lab.tailnet.ok("POST", "/admin/grants", {"tailscale.com/cap/relay": [], "tailscale.com/cap/relay-target": []})
    own = [item["local"] for link in json.loads(lab.run("ip", "-j", "address", "show", "dev", "eth0", on=peer)) for item in link["addr_info"]]
    with apart(lab, own):
        wanted = f"via peer-relay({relay}:"
        said = lab.wait("the peer answers through the relay", lambda: re.search(re.escape(wanted) + ".*", lab.verb(
            "run", "--on", "client", "tailscale", "ping", "--c", "5", "--until-direct=false", peer, check=False).stdout))
        print(said.group())


def machine_uses_the_relay(lab: Lab, peer: str) -> None:
    assert status(lab)["Self"]["Relay"] == RELAY, "relay of the client"
    lab.wait("the client reaches the peer directly", lambda: way_to(lab, peer)[0])
    with without_udp(lab):
        assert lab.wait("a page through the relay", lambda: page(lab, peer)) == "hello from the lab\n", "page"
        assert way_to(lab, peer) == ("", RELAY), "address and relay of the peer"
        said = lab.run("tailscale", "ping", "--c", "1", "--until-direct=false", peer, on="client")
        assert f"via DERP({RELAY})" in said, f"tailscale ping says {said!r}"
    assert lab.wait("a page again", lambda: page(lab, peer)) == "hello from the lab\n", "page"
