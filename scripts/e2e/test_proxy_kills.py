"""Kills tailrender-proxy, or the tailscaled that it has started, at any moment, again and again, and starts it as the kubelet would.

Each time traffic of both families works again within 5 seconds, by the same device. The pod has the same rules as before: none of the
killed process is left, and none is missing. If it takes longer, an undisturbed start is measured at once: on a busy machine three times
that time is allowed. The output at the end has the time of each phase, so that waiting for a processor (all phases are long) can be
distinguished from waiting for a timer (one is). --count N kills that often (20), --seed N at the same moments.
"""
import difflib
import os
import random
import re
import signal
import threading
import time

import pytest

from shared.checks import attempt, run
from shared.proxy_world import proxy_world, wait_for

COVERS = ["runtime/localapi", "runtime/nft", "runtime/proxy"]
PROGRAMS = ["tailscale", "testnet"]
BACK_SECONDS = 5
# The phases of a start, by the proxy's messages; the last one is traffic.
PHASES = {"LocalAPI": "tailscaled in state", "login": "Running 'tailscale set'", "rules": "Startup complete"}
TRAFFIC = "traffic"
VARIABLES = {"TS_USERSPACE": "false", "TS_TAILNET_TARGET_FQDN": "client.lab.ts.net", "TS_AUTH_ONCE": "true"}
URLS = ("http://10.78.0.3:8000/", "http://[fd00:78::3]:8000/")


@pytest.fixture(scope="module", name="world")
def made(tools, proxy, tmp_path_factory):
    with proxy_world(tmp_path_factory.mktemp("proxy"), tools, proxy) as world:
        yield world


def rules():
    """Returns the lines of each chain and map of all tables, without counters, the port that tailscaled takes at random, and the order of
    its chains."""
    text = re.sub(r"udp dport \d+", "udp dport ANY", run("ip", "netns", "exec", "pod", "nft", "--stateless", "list", "ruleset"))
    table, name, found = "", "", {}
    for line in text.splitlines():
        if line.startswith("table"):
            table = line
        elif re.match(r"\t(chain|map|set) ", line):
            name = line
        elif line.startswith("\t\t"):
            found.setdefault(f"{table} {name}", []).append(line)
    return [" ".join(key.split()) + " " + " ".join(line.split()) for key in sorted(found) for line in found[key]]


def other_rules(before):
    """Returns the differences to the former rules, after a short wait for them."""
    for _ in range(100):
        found = list(difflib.unified_diff(before, rules(), lineterm="", n=0))
        if not found:
            break
        time.sleep(0.1)
    return found


class Container:
    """The processes of one device, which end together, as in the kubelet's container."""

    def __init__(self, world):
        self.world = world
        self.start()
        wait_for("the proxy is ready", lambda: world.is_ready("killed"))
        self.addresses = world.addresses("killed", "pod")
        self.phases_to_traffic()

    def start(self):
        self.process = self.world.pod_process("killed", **VARIABLES)
        self.begun, self.phases = time.monotonic(), {}
        threading.Thread(target=self.note_phases, args=(self.process, self.begun, self.phases), daemon=True).start()

    def note_phases(self, process, begun, phases):
        while self.process is process and "rules" not in phases:
            said, now = self.world.log("killed"), time.monotonic() - begun
            phases.update({phase: now for phase, words in PHASES.items() if words in said and phase not in phases})
            time.sleep(0.05)

    def daemon(self):
        found = attempt("pgrep", "-f", f"tailscaled --socket={self.world.folder}/killed.sock").stdout.split()
        return int(found[0]) if found else None

    def end_the_rest(self):
        if (left := self.daemon()) is not None:
            os.kill(left, signal.SIGKILL)
            wait_for("tailscaled has ended", lambda: self.daemon() is None)

    def kill(self, victim):
        number = self.process.pid if victim == "proxy" else self.daemon()
        if number is not None:  # None: tailscaled has not been started yet
            os.kill(number, signal.SIGKILL)
        else:
            self.process.kill()
        code = self.process.wait(30)  # the proxy ends with its tailscaled
        assert code in (-signal.SIGKILL, 1), self.world.log("killed")
        self.end_the_rest()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(60) == 0, self.world.log("killed")
        self.end_the_rest()

    def phases_to_traffic(self):
        """Returns the seconds at which each phase is over. Traffic may be there before the rules are checked: the former ones stay in the
        kernel."""
        wanted = [f"client saw {address}" for address in self.addresses]

        def is_back():
            assert self.process.poll() is None, self.world.log("killed")
            return [attempt("curl", "-sS", "--connect-timeout", "0.3", "--max-time", "1", url).stdout for url in URLS] == wanted
        wait_for("traffic", is_back)
        traffic = time.monotonic() - self.begun
        wait_for("rules", lambda: "rules" in self.phases)
        return {**self.phases, TRAFFIC: traffic}

    def start_undisturbed(self):
        self.stop()
        self.start()
        return self.phases_to_traffic()


def said_of(phases):
    return ", ".join(f"{phase} {seconds:.1f}" for phase, seconds in phases.items())


def test_killed_processes_come_back(world, request):
    count = request.config.getoption("--count") or 20
    seed = int(request.config.getoption("--seed") or random.randrange(1 << 31))
    chance = random.Random(seed)
    container = Container(world)
    before = rules()
    found, late = [], []
    for number in range(count):
        time.sleep(chance.uniform(0, 0.5))
        victim = chance.choice(("proxy", "tailscaled"))
        container.kill(victim)
        container.start()
        if chance.random() < 0.25:  # before it is ready
            time.sleep(chance.uniform(0, 1.2))
            container.kill("proxy")
            container.start()
        found.append(container.phases_to_traffic())
        said = f"kill {number} ({victim}), seed {seed}: {said_of(found[-1])}"
        assert world.addresses("killed", "pod") == container.addresses, said
        assert "\n".join(other_rules(before)) == "", said
        if found[-1][TRAFFIC] > BACK_SECONDS:
            log, calm = world.log("killed"), container.start_undisturbed()
            late.append((found[-1], calm))
            assert found[-1][TRAFFIC] <= 3 * calm[TRAFFIC], f"{said}; undisturbed: {said_of(calm)}\n{log}"
    found.sort(key=lambda phases: phases[TRAFFIC])
    parts = [f"seed {seed}: {count} kills, seconds: {said_of(found[count // 2])}; 95 %: traffic {found[count * 95 // 100][TRAFFIC]:.1f}",
             f"slowest: {said_of(found[-1])}", f"{len(late)} took longer than {BACK_SECONDS} s",
             *(f"{said_of(phases)}, undisturbed: {said_of(calm)}" for phases, calm in late[:3]), "same device and rules each time"]
    print("; ".join(parts))
    container.stop()
