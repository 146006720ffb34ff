"""tailrender-proxy with a real tailscaled, on a real tailnet, through real kernels: packets cross it both ways.

Each proxy starts as a new device in the same pod, and the rules of the one before must not interfere.
"""
import json
import os
import signal

import pytest

from shared.checks import run
from shared.proxy_world import proxy_world, wait_for

COVERS = ["runtime/dns", "runtime/localapi", "runtime/nft", "runtime/proxy"]
PROGRAMS = ["tailscale", "testnet"]
SECONDS = 90


@pytest.fixture(scope="module", name="world")
def made(tools, proxy, tmp_path_factory):
    with proxy_world(tmp_path_factory.mktemp("proxy"), tools, proxy) as world:
        yield world


def test_egress_to_a_name_has_both_families(world):
    with world.pod("egress", TS_USERSPACE="false", TS_TAILNET_TARGET_FQDN="client.lab.ts.net"):
        v4, v6 = world.addresses("egress", "pod")
        assert world.get("http://10.78.0.3:8000/") == f"client saw {v4}"
        assert world.get("http://[fd00:78::3]:8000/") == f"client saw {v6}"
        rules = run("ip", "netns", "exec", "pod", world.proxy, "rules")
        assert f"snat ip to {v4}" in rules and f"snat ip6 to {v6}" in rules


def test_egress_to_an_address_is_of_its_family(world):
    v4, _ = world.addresses("client", "client")
    with world.pod("egress-ip", TS_USERSPACE="false", TS_TAILNET_TARGET_IP=v4):
        assert world.get("http://10.78.0.3:8000/").startswith("client saw 100.")


def test_egress_to_a_name_waits_for_it(world):
    process = world.pod_process("egress-later", TS_USERSPACE="false", TS_TAILNET_TARGET_FQDN="later.lab.ts.net")
    wait_for("it misses the name", lambda: process.poll() is not None or 'address "later.lab.ts.net"' in world.log("egress-later"))
    assert not world.is_ready("egress-later")
    world.join("later", 4)
    wait_for("it is ready", lambda: process.poll() is not None or world.is_ready("egress-later"))
    v4, _ = world.addresses("egress-later", "pod")
    assert world.get("http://10.78.0.3:8000/") == f"later saw {v4}"
    process.send_signal(signal.SIGTERM)
    assert process.wait(SECONDS) == 0, world.log("egress-later")


def test_ingress_to_a_name_has_both_families(world):
    with world.pod("ingress", TS_USERSPACE="false", TS_EXPERIMENTAL_DEST_DNS_NAME="web.test"):
        v4, v6 = world.addresses("ingress", "pod")
        assert world.get(f"http://{v4}:8001/", within="client") == "backend saw 10.78.0.3"
        assert world.get(f"http://[{v6}]:8001/", within="client") == "backend saw fd00:78::3"


def test_ingress_to_an_address(world):
    with world.pod("ingress-ip", TS_USERSPACE="false", TS_DEST_IP="10.78.0.1"):
        v4, _ = world.addresses("ingress-ip", "pod")
        assert world.get(f"http://{v4}:8001/", within="client") == "backend saw 10.78.0.3"


def test_serve_in_userspace_follows_its_file(world):
    config = world.folder / "serve/config"
    config.parent.mkdir()

    def serve(path):
        site = {"Handlers": {path: {"Proxy": "http://10.78.0.1:8001"}}}
        config.write_text(json.dumps({"TCP": {"80": {"HTTP": True}}, "Web": {"serve.lab.ts.net:80": site}}))
    serve("/one")
    with world.pod("serve", TS_SERVE_CONFIG=str(config)):
        v4, v6 = world.addresses("serve", "pod")
        assert world.get(f"http://{v4}/one", within="client") == "backend saw 10.78.0.3"
        assert world.get(f"http://[{v6}]/one", within="client") == "backend saw 10.78.0.3"
        serve("/two")
        wait_for("the new path", lambda: world.get(f"http://{v4}/two", within="client") == "backend saw 10.78.0.3")
        assert "saw" not in world.get(f"http://{v4}/one", within="client")


def test_a_killed_proxy_comes_back_as_the_same_device(world):
    variables = {"TS_USERSPACE": "false", "TS_TAILNET_TARGET_FQDN": "client.lab.ts.net", "TS_AUTH_ONCE": "true"}
    with world.pod("killed", **variables) as process:
        before = world.addresses("killed", "pod")
        # All its processes are killed, as when the kubelet ends a container.
        daemon = run("pgrep", "-f", f"tailscaled --socket={world.folder}/killed.sock").split()
        process.kill()
        process.wait()
        for number in daemon:
            os.kill(int(number), signal.SIGKILL)
    with world.pod("killed", **variables):
        assert world.addresses("killed", "pod") == before
        assert world.get("http://10.78.0.3:8000/") == f"client saw {before[0]}"


def test_a_tailscaled_that_hangs_is_ended(world):
    with world.pod("hang") as process:
        [daemon] = run("pgrep", "-f", f"tailscaled --socket={world.folder}/hang.sock").split()
        os.kill(int(daemon), signal.SIGSTOP)
        assert process.wait(2 * SECONDS) == 1
        assert "tailscaled does not answer" in world.log("hang")
