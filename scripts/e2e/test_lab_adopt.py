"""Proves in the lab that many proxies of the reference operator become rendered ones without a new device, whenever `adopt` is killed.

100 proxies (with --short 25) of the oracle, whose pods and devices the test plays, run beside our controller: `adopt` is killed again and
again, at random points, until a run ends by itself. Every device is where it was, none ran twice, nothing is left over, and users' Services
have lost only the operator's finalizer. test_lab_operator.py does it with the operator itself.
"""
import base64
import json
import random
import threading
import time

import pytest

import operators
from installed import NAMESPACE, adopt, adopt_and_kill, lab_with_controller

COVERS = ["runtime/controller/keys", "runtime/adopt", "testdata/oracle"]
PROGRAMS = ["lab"]
WITH_PARENT = 20
WHOLE, SHORT = (100, 6), (25, 2)  # proxies, kills
FINALIZER, OTHERS_FINALIZER = "tailscale.com/finalizer", "example.com/stays"


def status(lab, runtime):
    """Returns pod, FQDN and state of each device."""
    code, said = lab.as_a_person(runtime, "status", "-o", "json")
    assert code == 0, f"exit code of status, which says\n{said}\n"
    return {(device["pod"], device["fqdn"], device["state"]) for device in json.loads(said)["devices"]}


def living(lab):
    return {device["nodeId"]: device["name"] for device in lab.tailnet.state()["devices"] if not device.get("deletedBy")}


class Player(threading.Thread):
    """Plays containerboot in pods that cannot be scheduled: a pod with its Secrets runs its device."""

    def __init__(self, lab, pairs):
        super().__init__(daemon=True)
        self.lab, self.pairs, self.stopped, self.doubles, self.failure = lab, pairs, threading.Event(), [], None

    def run(self):
        while not self.stopped.wait(0.5):
            try:
                self.play()
            except AssertionError as failure:
                self.failure = failure  # the next round tries again

    def play(self):
        secrets = {item["metadata"]["name"]: item for item in self.lab.get("secrets", "-n", NAMESPACE)["items"]}
        pods = {item["metadata"]["name"]: item["metadata"] for item in self.lab.get("pods", "-n", NAMESPACE)["items"]}
        started = []
        for pair in self.pairs:
            for name, ready in ((pair.old + "-0", True), (pair.new + "-0", pair.new + "-0-auth" in secrets)):
                if name not in pods or name not in secrets or not ready or "deletionTimestamp" in pods[name]:
                    continue
                uid = base64.b64encode(pods[name]["uid"].encode()).decode()
                data = secrets[name].get("data") or {}
                if data.get("device_id") and data.get("pod_uid") != uid:
                    started.append({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": NAMESPACE},
                                    "data": {"pod_uid": uid}})
                    if name == pair.new + "-0" and pair.old + "-0" in pods:
                        self.doubles.append(name)
        if started:
            self.lab.kubectl("apply", "--server-side", "--force-conflicts", "--field-manager", "containerboot", "-f", "-",
                             text=json.dumps({"apiVersion": "v1", "kind": "List", "items": started}))

    def stop(self):
        self.stopped.set()
        self.join()


def parents_of(pairs):
    """Returns users' Services of some of them, as the operator leaves them."""
    labels = [next(item for item in pair.operators if item["kind"] == "StatefulSet")["metadata"]["labels"] for pair in pairs]
    found = {(label[operators.SPACE], label[operators.PARENT]) for label in labels if label[operators.PARENT + "-type"] == "svc"}
    return [{"apiVersion": "v1", "kind": "Service", "spec": {"clusterIP": "None", "selector": {"app": name}, "ports": [{"port": 80}]},
             "metadata": {"name": name, "namespace": namespace, "finalizers": [OTHERS_FINALIZER, FINALIZER], "annotations": {"example.com/a": "b"},
                          "labels": {"of": "a-user"}}} for namespace, name in sorted(found)[:WITH_PARENT]]


def of_users(lab, parents):
    """Returns the Services without the fields that the API server updates at every change."""
    found = {}
    for parent in parents:
        item = lab.get("service", parent["metadata"]["name"], "-n", parent["metadata"]["namespace"])
        item["metadata"].pop("resourceVersion")
        found[parent["metadata"]["namespace"], parent["metadata"]["name"]] = item
    return found


def left_to_move(lab, pairs):
    sets = {item["metadata"]["name"] for item in lab.get("statefulsets", "-n", NAMESPACE)["items"]}
    return len([pair for pair in pairs if pair.old in sets])


def kill_at_random(lab, runtime, pairs, kills):
    """Kills `adopt` first when no proxy has moved, then each time when some more have, after a random pause."""
    generator = random.Random(1)
    for left in [len(pairs), *sorted(generator.sample(range(1, len(pairs)), kills - 1), reverse=True)]:
        def wait(left=left):
            lab.wait(f"{left} are left to move", lambda: left_to_move(lab, pairs) <= left)
            time.sleep(generator.uniform(0, 0.5))
        if adopt_and_kill(lab, runtime, wait):
            print(f"killed with {left_to_move(lab, pairs)} of {len(pairs)} to go")


def check_all(lab, runtime, pairs, player):
    assert player.doubles == [], "pods that started while the old one ran"
    secrets = {item["metadata"]["name"]: item.get("data") or {} for item in lab.get("secrets", "-n", NAMESPACE)["items"]}
    left = {item["metadata"]["name"] for item in lab.get("statefulsets,services", "-n", NAMESPACE)["items"]}
    for pair in pairs:
        state = {key: base64.b64decode(value).decode() for key, value in secrets[pair.new + "-0"].items()}
        assert {key: state.get(key) for key in pair.state} == pair.state
        assert pair.old not in left and pair.old + "-0" not in secrets
    minted = [key for key in lab.tailnet.state()["keys"] if key.get("description", "").startswith("tailrender-")]
    assert minted == [], "keys that the controller minted"
    said = adopt(lab, runtime)
    assert "nothing left to move from the operator" in said


@pytest.fixture(scope="module")
def lab(tools, tailrender, runtime):
    with lab_with_controller(tailrender, runtime) as found:
        yield found


def test_many_move(lab, tailrender, runtime, short):
    count, kills = SHORT if short else WHOLE
    pairs = operators.pairs(tailrender, count)
    for pair in pairs:
        pair.join(lab.tailnet)
        next(item for item in pair.operators if item["kind"] == "Secret").setdefault("stringData", {}).update(pair.state)
    made = [item for pair in pairs for item in pair.operators]
    lab.kubectl("create", "-f", "-", text=json.dumps({"apiVersion": "v1", "kind": "List", "items": made}))
    parents = parents_of(pairs)
    lab.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in sorted({item["metadata"]["namespace"] for item in parents})])
    lab.kubectl("create", "-f", "-", text=json.dumps({"apiVersion": "v1", "kind": "List", "items": parents}))
    lab.apply([item for pair in pairs for item in pair.rendered])
    before, devices = of_users(lab, parents), living(lab)
    player = Player(lab, pairs)
    player.start()
    begun = time.monotonic()
    kill_at_random(lab, runtime, pairs, kills)
    adopt(lab, runtime)
    print(f"{count} proxies adopted in {time.monotonic() - begun:.0f} s", flush=True)
    lab.wait("status shows every device", lambda: {(pair.new + "-0", pair.state["device_fqdn"].rstrip("."), "joined") for pair in pairs} <= status(lab, runtime))
    player.stop()
    check_all(lab, runtime, pairs, player)
    assert living(lab) == devices, "devices in the tailnet, by node id"
    for item in before.values():
        item["metadata"]["finalizers"] = [OTHERS_FINALIZER]
    assert len(before) >= min(WITH_PARENT, count // 5)
    assert of_users(lab, parents) == before, "users' Services without the operator's finalizer"
