"""The relays of a lab's tailnet, which carry what cannot go directly.

    machine_uses_the_relay(lab, peer)       a page of that peer reaches "client", to which no UDP does
    machine_uses_a_peer(lab, relay, peer)   what goes from "client" to that machine goes through the device at `relay`, where both may use it
"""
import contextlib
import json
import re

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


@contextlib.contextmanager
def apart(lab, addresses):
    """The client and whoever has the addresses reach each other by no UDP."""
    rules = "".join(f"{family} {way} {address} meta l4proto udp drop; " for address in addresses
                    for family in ["ip6" if ":" in address else "ip"] for way in ("saddr", "daddr"))
    lab.run("nft", f"""table inet {TABLE} {{ chain input {{ type filter hook input priority 0; {rules}}}
        chain output {{ type filter hook output priority 0; {rules}}}
        }}""", on="client")
    try:
        yield
    finally:
        lab.run("nft", "delete", "table", "inet", TABLE, on="client")


def machine_uses_a_peer(lab, relay, peer):
    """By the grants that let everybody use relays. Addresses of the machine are those that the lab gives it."""
    lab.tailnet.ok("POST", "/admin/grants", {"tailscale.com/cap/relay": [], "tailscale.com/cap/relay-target": []})
    own = [item["local"] for link in json.loads(lab.run("ip", "-j", "address", "show", "dev", "eth0", on=peer)) for item in link["addr_info"]]
    with apart(lab, own):
        wanted = f"via peer-relay({relay}:"
        said = lab.wait("the peer answers through the relay", lambda: re.search(re.escape(wanted) + ".*", lab.verb(
            "run", "--on", "client", "tailscale", "ping", "--c", "5", "--until-direct=false", peer, check=False).stdout))
        print(said.group())


def machine_uses_the_relay(lab, peer):
    assert status(lab)["Self"]["Relay"] == RELAY, "relay of the client"
    lab.wait("the client reaches the peer directly", lambda: way_to(lab, peer)[0])
    with without_udp(lab):
        assert lab.wait("a page through the relay", lambda: page(lab, peer)) == "hello from the lab\n", "page"
        assert way_to(lab, peer) == ("", RELAY), "address and relay of the peer"
        said = lab.run("tailscale", "ping", "--c", "1", "--until-direct=false", peer, on="client")
        assert f"via DERP({RELAY})" in said, f"tailscale ping says {said!r}"
    assert lab.wait("a page again", lambda: page(lab, peer)) == "hello from the lab\n", "page"
