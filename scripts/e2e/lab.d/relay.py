"""The relay of a lab's tailnet: its machines know it, and it carries what cannot go directly.

    machine_uses_the_relay(lab, peer)       a page of that peer reaches "client", to which no UDP does
"""
import contextlib
import json

from hello import page

RELAY = "lab"  # its region's code
TABLE = "nodirect"
RULES = f"""table inet {TABLE} {{
    chain input {{ type filter hook input priority 0; iifname eth0 meta l4proto udp drop; }}
    chain output {{ type filter hook output priority 0; oifname eth0 meta l4proto udp drop; }}
}}"""


def status(lab):
    return json.loads(lab.run("tailscale", "status", "--json", on="client"))


def way_to(lab, peer):
    """Address and relay by which the client reaches it now: one of them is empty."""
    [found] = [known for known in status(lab)["Peer"].values() if known["DNSName"] == peer + "."]
    return found["CurAddr"], found["Relay"]


@contextlib.contextmanager
def without_udp(lab):
    """As in a network that lets nothing but TCP out."""
    lab.run("nft", RULES, on="client")
    try:
        yield
    finally:
        lab.run("nft", "delete", "table", "inet", TABLE, on="client")


def machine_uses_the_relay(lab, peer):
    assert status(lab)["Self"]["Relay"] == RELAY, "relay of the client"
    lab.wait("the client reaches the peer directly", lambda: way_to(lab, peer)[0])
    with without_udp(lab):
        assert lab.wait("a page through the relay", lambda: page(lab, peer)) == "hello from the lab\n", "page"
        assert way_to(lab, peer) == ("", RELAY), "address and relay of the peer"
        said = lab.run("tailscale", "ping", "--c", "1", "--until-direct=false", peer, on="client")
        assert f"via DERP({RELAY})" in said, f"tailscale ping says {said!r}"
    assert lab.wait("a page again", lambda: page(lab, peer)) == "hello from the lab\n", "page"
