"""Compromised pods of proxies and of a Recorder, in a lab, with the tokens that the kubelet gave them; and a tenant.

Each test is an attack through the API server while the controller runs. It may change only the attacker's own objects: no device, no
Secret, no status, no name and no address of others (lab.d/bystanders.py). Requests that the Role does not allow are refused, as the audit
log shows; what reaches the controller is reported in a few Events, and blocks no other proxy.
runtime/SECURITY.md says what prevents what.
"""
import collections
import concurrent.futures
import contextlib
import json
import threading
import time

import pytest

import audit
from bystanders import records, table
from hostile_words import LONGEST, asks, flips, garbage, hidings, lures
from hostile_world import ELSEWHERE, INPUTS, world_in_a_lab
from installed import NAMESPACE, data_of, usable_keys
from taken_pods import SECRETS, profile
from uninstall import cleanup, stop_the_controller

COVERS = ["renderer/generate/install", "runtime/controller", "runtime/proxy", "runtime/tailnet"]
PROGRAMS = ["lab"]
METHODS = {"get": "GET", "list": "GET", "watch": "GET", "create": "POST", "update": "PUT", "patch": "PATCH", "delete": "DELETE", "deletecollection": "DELETE"}
COLLECTION = SECRETS.rstrip("/")
RESOLVER = "10.0.0.53"  # an address in no tailnet
MEMORY_MIB = 64  # growth over the memory before
EVENTS, KEYS = 30, 3
ASKED_A_SECOND, TOLD_A_SECOND, SPARE = 6, 1, 30  # requests to the cluster, and to the tailnet


@pytest.fixture(scope="module")
def world(tools, tailrender, runtime, request):
    with world_in_a_lab(tailrender, runtime) as found:
        found.seconds = request.config.getoption("--seconds")
        yield found


def is_refused(lab, pod, attempts):
    """Each (verb, path, body) must get a 403, also in the audit log."""
    begin = audit.end(lab)
    for verb, path, body in attempts:
        pod.refused(METHODS[verb], path, body)

    def are_shown():
        found = audit.refused(lab, begin, pod.account)
        assert [attempt for attempt in attempts if attempt[:2] not in found] == [], f"what the audit log does not show among {found}"
        return True
    lab.wait("the audit log shows it", are_shown)


def test_names_devices_of_others(world):
    bad, recorder = world.pods["bad"], world.pods["bad-recorder"]
    theirs = [world.pods["good"].device["nodeId"], world.pods["good-web"].device["nodeId"], world.client()["nodeId"]]
    with world.nothing_else_changes("bad", "bad-recorder"):
        with bad.undone(), recorder.undone():
            for device in theirs:
                bad.write(profile(device, "good.lab.ts.net") | {"device_id": device})
                recorder.write(profile(device, "good.lab.ts.net"))
                for name in ("bad", "bad-recorder"):
                    world.says(name, "CannotNoteDevice", device)
            world.annotate("bad", tags="tag:k8s,tag:router")
            world.beat()
        world.lab.wait("the device of bad has its new tags", lambda: len(world.lab.tailnet.device(bad.device["nodeId"])["tags"]) == 2)
        world.annotate("bad", tags="tag:k8s")
        world.lab.wait("the device of bad has its old tags", lambda: len(world.lab.tailnet.device(bad.device["nodeId"])["tags"]) == 1)
    assert len(world.events("bad")) <= EVENTS, f"{len(world.events('bad'))} Events"


def test_names_devices_of_others_and_is_deleted(world):
    theirs = [world.pods["good"].device["nodeId"], world.client()["nodeId"]]
    with world.nothing_else_changes("doomed"):
        with world.another("doomed") as doomed:
            world.play("doomed")
            doomed.write(profile(theirs[0], "apps-doomed.lab.ts.net") | {"device_id": theirs[1]})
        for device in theirs:
            world.says("tailrender-devices", "DeviceNotDeleted", device)
    assert world.lab.tailnet.device(doomed.device["nodeId"]).get("deletedBy") == world.lab.inner["LAB_OAUTH_ID"], "who deleted its own device"


def test_names_a_device_that_is_yet_to_come(world):
    """Ids might be guessed. Those of the test tailnet are numbers."""
    lab = world.lab
    with world.nothing_else_changes("prophet"):
        with world.another("prophet") as prophet:
            world.play("prophet")
            own = prophet.device["nodeId"]
            coming = "n%04xCNTRL" % (int(own.removeprefix("n").removesuffix("CNTRL"), 16) + 1)
            prophet.write({"device_id": coming})
            world.beat()
            stranger = lab.tailnet.join("stranger", lab.tailnet.mint(["tag:lab"])["key"])["nodeId"]
            assert stranger == coming, "id of the device that has come"
            prophet.write({"device_id": own})
            world.beat()
        assert lab.tailnet.device(stranger).get("deletedBy") is None, "who deleted the device of a stranger"
        lab.tailnet.ok("DELETE", "/admin/devices/" + stranger)


@contextlib.contextmanager
def writing(changes):
    """Writes (pod, data, metadata) of each change, ten a second, while the block runs."""
    ends = threading.Event()

    def write():
        for pod, data, metadata in changes:
            if ends.wait(0.1):
                return
            pod.write(data, **metadata)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        written = pool.submit(write)
        try:
            yield
        finally:
            ends.set()
        written.result()


def comes_back(world, pod):
    """Restarts a pod with stock containerboot, with the claims in its state. Returns its device."""
    lab = world.lab
    lab.kubectl("delete", "pod", pod.name, "-n", NAMESPACE, "--grace-period", "1")

    def device():
        uid = (lab.get("pod", pod.name, "-n", NAMESPACE) or {"metadata": {"uid": ""}})["metadata"]["uid"]
        data = data_of(lab, pod.name)
        rests = data.get("pod_uid") == uid and data.get("device_id") == pod.noted() and "reissue_authkey" not in data
        return data.get("device_id") if rests and data_of(lab, pod.name + "-auth").get("authkey") == "" else None
    pod.device = lab.tailnet.device(lab.wait(f"{pod.name} is back, and its key is blank", device))
    return pod.device["nodeId"]


def keys_of(lab, tags):
    return [key for key in lab.tailnet.state()["keys"] if key["tags"] == tags]


def test_asks_for_keys_without_end(world):
    lab, bad, tags = world.lab, world.pods["bad"], ["tag:k8s"]
    world.is_calm("bad")
    before, others_keys, usable = len(keys_of(lab, tags)), usable_keys(lab), 0
    with world.nothing_else_changes("bad", "meanwhile"):
        with bad.undone(), writing(asks(bad, world.seconds)):
            begun = time.monotonic()
            world.others_are_served("meanwhile")
            while time.monotonic() < begun + world.seconds:
                usable = max(usable, len([key for key in keys_of(lab, tags) if not key["spent"] and not key.get("revoked")]))
            minted, seconds = len(keys_of(lab, tags)) - before, time.monotonic() - begun
        own = bad.device["nodeId"]
        assert comes_back(world, bad) == own, "its device"
    found = f"{minted} keys in {seconds:.0f} s, {usable} could be used at one time"
    print(found)
    assert minted <= KEYS and usable <= 1, found
    assert usable_keys(lab) == others_keys, "keys that could still be used"


def test_changes_what_is_noted(world):
    change = {"metadata": {"annotations": {"tailrender.dev/device": world.client()["nodeId"]}}}
    paths = {name: SECRETS + world.pods[name].name + "-auth" for name in ("bad", "good", "bad-recorder")}
    writes = [(verb, change) for verb in ("patch", "update")] + [("delete", None)]
    with world.nothing_else_changes():
        for name, read in (("bad", [("get", paths["bad"], None)]), ("bad-recorder", [])):
            attempts = [(verb, path, body) for path in paths.values() for verb, body in writes]
            is_refused(world.lab, world.pods[name], [*read, ("get", paths["good"], None), *attempts])
    assert world.pods["bad-recorder"].send("GET", paths["bad-recorder"])[0] == 200, "a Recorder reads its key"


def test_reads_other_secrets(world):
    attempts = [("get", SECRETS + name, None) for name in ("operator-oauth", world.pods["good"].name, world.pods["good"].name + "-config", "none")]
    lists = [("list", COLLECTION, None), ("list", "/api/v1/secrets", None), ("watch", COLLECTION + "?watch=true", None)]
    with world.nothing_else_changes():
        for name in ("bad", "bad-web", "bad-recorder"):
            is_refused(world.lab, world.pods[name], attempts + lists)


def test_annotates_and_labels_its_state(world):
    lab, bad, good = world.lab, world.pods["bad"], world.pods["good"]
    label, gone = "tailrender.dev/secret", "2020-01-01T00:00:00Z"
    changes = [
        {"annotations": {"tailrender.dev/statefulset": good.set}},
        {"annotations": {"tailrender.dev/tailnet": "elsewhere"}},
        {"annotations": {"tailrender.dev/gone-since": gone}},
        {"annotations": {"tailrender.dev/contract": "v9", "tailrender.dev/device": good.device["nodeId"], "tailrender.dev/key-id": "kNone"}},
        {"labels": {"tailscale.com/parent-resource": "good", "tailscale.com/parent-resource-ns": "apps", "tailscale.com/parent-resource-type": "svc"}},
        {"labels": {"tailscale.com/managed": None}},
        {"labels": {label: None}},
        {"labels": {label: "certificate"}},
        {"labels": {label: "auth"}, "annotations": {"tailrender.dev/device": good.device["nodeId"]}},
    ]
    with world.nothing_else_changes("bad", "claimed"), bad.undone() as before:
        for change in changes:
            bad.write(**change)
            if label in change.get("labels", {}):
                world.says("bad", "StateSecretRestored", bad.name)
                lab.wait("its label is back", lambda: bad.state()["metadata"]["labels"].get(label) == "state")
            world.beat()
            bad.put(before["metadata"]["labels"], before["metadata"]["annotations"], before["data"])
        is_kept_from_nothing(world, bad)
    lab.wait("bad is in the table again", lambda: table(lab).get(bad.name, {}).get("state") == "joined")
    device = lab.tailnet.device(bad.device["nodeId"])
    assert (bad.noted(), device.get("deletedBy")) == (device["nodeId"], None), "the device of bad, and who deleted it"


@pytest.mark.parametrize("how", hidings())
def test_hides_its_state_and_is_deleted(world, how):
    """While the proxy is wanted, its device gets its tags and others are served; afterwards nothing of it is left."""
    lab, name, hiding = world.lab, "hidden-" + how, hidings()[how]
    with world.nothing_else_changes(name, "beside-" + how):
        with world.another(name) as hidden:
            world.play(name)
            hidden.attempt(**hiding)
            world.annotate(name, tags="tag:k8s,tag:router")
            lab.wait("its device has its new tags", lambda: len(lab.tailnet.device(hidden.device["nodeId"])["tags"]) == 2)
            world.others_are_served("beside-" + how)
            hidden.attempt(**hiding)
    assert lab.tailnet.device(hidden.device["nodeId"]).get("deletedBy") == lab.inner["LAB_OAUTH_ID"], "who deleted its own device"


def test_keeps_no_tags_by_its_words(world):
    lab, bad = world.lab, world.pods["bad"]

    def has_tags(count):
        lab.wait(f"the device of bad has {count} tags", lambda: len(lab.tailnet.device(bad.device["nodeId"])["tags"]) == count)
    for words in ({"device_id": world.client()["nodeId"]}, {"pod_uid": "none"}, {"reissue_authkey": "file:/etc/tsauth"}):
        with world.nothing_else_changes("bad"), bad.undone():
            bad.write(words)
            world.annotate("bad", tags="tag:k8s,tag:router")
            has_tags(2)
            bad.write(words)
            world.annotate("bad", tags="tag:k8s")
            has_tags(1)


def is_kept_from_nothing(world, bad):
    """Tests another proxy, whose new device the pod claims before the controller has noted it."""
    lab = world.lab
    with world.another("claimed") as late:
        late.join(f"/etc/tsauth/{late.name}/authkey")
        lab.tailnet.fault("500", path="/api/v2/device/.*", method="GET", count=100)
        late.says_who_it_is()
        with bad.undone():
            bad.write({"device_id": late.device["nodeId"]}, labels={"tailrender.dev/secret": "auth"},
                      annotations={"tailrender.dev/device": late.device["nodeId"]})
            world.beat()
            lab.tailnet.ok("DELETE", "/admin/faults")
            late.is_noted()


def published(world):
    """Returns all published names and addresses, except those of "beat"."""
    lab = world.lab
    places = {f"{item['kind']} {item['metadata']['name']}": (item.get("status") or {}).get("loadBalancer") for item in lab.items("services,ingresses", "-A")}
    lines = [{key: value for key, value in line.items() if key != "problem"} for pod, line in table(lab).items() if pod != world.pods["beat"].name]
    return json.dumps([places, lines, sorted(records(lab).items())])


def test_publishes_what_is_not_its_own(world):
    lab, pods = world.lab, [world.pods[name] for name in ("bad", "bad-web", "bad-recorder")]
    victim = world.pods["good-web"].device
    own = {"device_ips": json.dumps([RESOLVER, "2001:db8::53"]), "device_fqdn": "stolen.lab.ts.net.", "https_endpoint": "stolen.lab.ts.net"}
    its = {"device_ips": json.dumps(victim["addresses"]), "device_fqdn": victim["name"] + ".", "https_endpoint": victim["name"]}
    before = published(world)
    with world.nothing_else_changes("bad", "bad-web", "bad-recorder"):
        with contextlib.ExitStack() as stack:
            for pod in pods:
                stack.enter_context(pod.undone())
            for lies, name in ((own, "stolen.lab.ts.net"), (its, victim["name"])):
                for pod in pods[:2]:
                    pod.write(lies)
                pods[2].write(profile(pods[2].device["nodeId"], name))
                world.beat()
                found = published(world)
                words = [RESOLVER, "2001:db8::53", name, *victim["addresses"]]
                assert [word for word in words if found.count(word) > before.count(word)] == [], f"lies that are published in {found}"
    with contextlib.suppress(AssertionError):
        lab.wait("what they publish is true again", lambda: published(world) == before, 60)
    assert published(world) == before, "what they publish in the end"


def test_takes_the_addresses_of_others_along(world):
    """When the pod is deleted, the addresses of its proxy are removed from every status that had them."""
    with world.nothing_else_changes("doomed-too"):
        with world.another("doomed-too") as doomed:
            world.play("doomed-too")
            doomed.write({"device_ips": json.dumps([ELSEWHERE])})
            world.beat()


def memory_mib(lab):
    """Returns the maximum memory that the controller has used."""
    text = lab.run("sh", "-c", "cat /proc/$(pgrep -x tailrender-runt)/status")
    return int(next(line.split()[1] for line in text.splitlines() if line.startswith("VmHWM:"))) / 1024


@contextlib.contextmanager
def says_garbage(world, words):
    pods = [world.pods["bad"], world.pods["bad-web"]]
    with pods[0].undone(), pods[1].undone():
        for pod, its in zip(pods, words):
            pod.write(its)
        yield


def records_follow(world):
    """The records follow a pod that withdraws its name and claims it again."""
    pod, name = world.pods["good-web"], world.pods["good-web"].device["name"]
    try:
        for said in ("no-https", name):
            pod.write({"https_endpoint": said})
            world.lab.wait(f"the records follow good-web, which says {said}",
                           lambda said=said: (("ip4", name) in records(world.lab)) == (said == name))
    finally:
        pod.write({"https_endpoint": name})


def test_writes_garbage(world):
    before, problems, kinds = memory_mib(world.lab), [], garbage()

    def demand_of(what, step, *arguments):
        try:
            step(*arguments)
        except AssertionError as failure:
            problems.append(f"{what}: {failure}")
            print(problems[-1])
    with world.nothing_else_changes("bad", "bad-web", "beside", "good-web"):
        for what, words in kinds.items():
            with says_garbage(world, words):
                demand_of(what, world.beat)
                if what == LONGEST:
                    demand_of(what, records_follow, world)
                    demand_of(what, world.others_are_served, "beside")
    used = memory_mib(world.lab) - before
    print(f"{before:.0f} MiB before, {used:.0f} more")
    assert problems == [], "garbage that keeps the controller from others"
    assert used <= MEMORY_MIB, f"the controller needed {used:.0f} MiB more"


def test_deletes_its_state(world):
    lab, bad = world.lab, world.pods["bad"]
    with world.nothing_else_changes("bad"):
        is_refused(lab, bad, [("delete", SECRETS + bad.name, None), ("deletecollection", COLLECTION, None), ("create", COLLECTION, {})])
        is_refused(lab, world.pods["bad-recorder"], [("delete", SECRETS + world.pods["bad-recorder"].name, None)])
        old = bad.device["nodeId"]
        state = bad.state()["metadata"]
        bad.put(state["labels"], state["annotations"], {})
        lab.kubectl("delete", "pod", bad.name, "-n", NAMESPACE, "--grace-period", "1")
        new = lab.wait("it has a new device", lambda: bad.noted() not in (None, old) and bad.noted())
        bad.device = lab.tailnet.device(new)
        assert bad.device["name"] == "apps-bad.lab.ts.net", "name of the new device"
        assert lab.tailnet.device(old).get("deletedBy") == lab.inner["LAB_OAUTH_ID"], "who deleted the old device"


def test_makes_and_changes_what_is_others(world):
    core, apps, rights = (f"/{path}/namespaces/{NAMESPACE}/" for path in ("api/v1", "apis/apps/v1", "apis/rbac.authorization.k8s.io/v1"))
    bad, change = world.pods["bad"], {"metadata": {"annotations": {"tailrender.dev/tags": "tag:lab"}}}

    def thing(version, kind, name):
        return {"apiVersion": version, "kind": kind, "metadata": {"name": name}}
    attempts = [
        ("create", core + "configmaps", thing("v1", "ConfigMap", "tailrender-tailnet-none")),
        ("create", core + "configmaps", thing("v1", "ConfigMap", "tailrender-group-none")),
        ("patch", core + "configmaps/tailrender-devices", {"metadata": {"annotations": {"tailrender.dev/confirm-removals": "1-000000"}}}),
        ("patch", core + "configmaps/dnsrecords", {"data": {}}),
        ("create", "/apis/coordination.k8s.io/v1/namespaces/tailscale/leases", thing("coordination.k8s.io/v1", "Lease", "none")),
        ("patch", "/apis/coordination.k8s.io/v1/namespaces/tailscale/leases/tailrender-controller", {"spec": {"holderIdentity": "none"}}),
        ("create", apps + "statefulsets", thing("apps/v1", "StatefulSet", "none")),
        ("patch", apps + f"statefulsets/{bad.set}", change),
        ("patch", apps + "deployments/operator", change),
        ("create", core + "services", thing("v1", "Service", "none")),
        ("create", "/api/v1/namespaces/apps/services", thing("v1", "Service", "none")),
        ("patch", "/api/v1/namespaces/apps/services/good", change),
        ("patch", "/api/v1/namespaces/apps/services/good/status", {"status": {"loadBalancer": {"ingress": [{"ip": RESOLVER}]}}}),
        ("patch", "/apis/networking.k8s.io/v1/namespaces/apps/ingresses/good-web/status", {"status": {}}),
        ("create", "/api/v1/namespaces/apps/events", thing("v1", "Event", "none")),
        ("create", core + "serviceaccounts/operator/token", {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}),
        ("create", core + f"pods/{world.pods['good'].name}/exec?command=true&stdout=true", {}),
        ("delete", core + f"pods/{world.pods['good'].name}", None),
        ("patch", rights + f"roles/{bad.set}", {"rules": []}),
        ("create", rights + "rolebindings", thing("rbac.authorization.k8s.io/v1", "RoleBinding", "none")),
    ]
    event = thing("v1", "Event", "none") | {"involvedObject": {"kind": "Pod", "name": "none", "namespace": NAMESPACE}}
    with world.nothing_else_changes():
        for name in ("bad", "bad-recorder"):
            is_refused(world.lab, world.pods[name], attempts)
        is_refused(world.lab, bad, [("create", core + "events", event)])
    assert world.pods["bad-recorder"].send("POST", core + "events", event)[0] == 201, "a Recorder writes an Event in its namespace"


def as_tenant(lab, *arguments, text=""):
    """Runs kubectl with the rights of `edit` in the namespace apps, which is more than a tenant needs."""
    return lab.kubectl("--as=tenant", *arguments, "-n", "apps", text=text)


@pytest.fixture
def tenant(world):
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "edit"}
    world.lab.apply([{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": "tenant", "namespace": "apps"},
                      "roleRef": role, "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "tenant"}]}])


def test_tenant_makes_what_means_something_elsewhere(world, tenant):
    lab, before = world.lab, usable_keys(world.lab)
    objects = lures(world.pods["good"], world.client()["nodeId"], world.pods["good-web"].device["name"])
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})
    with world.nothing_else_changes():
        as_tenant(lab, "apply", "-f", "-", text=text)
        world.beat()
        found = {item["metadata"]["name"]: item.get("status", {}).get("loadBalancer") for item in lab.items("services,ingresses", "-n", "apps")}
        assert {name: found[name] for name in ("lure", "theirs", "twin", "nameserver")} == dict.fromkeys(("lure", "theirs", "twin", "nameserver"), {})
        as_tenant(lab, "delete", "-f", "-", text=text)
    assert usable_keys(lab) == before, "keys that could still be used"


def test_tenant_changes_where_his_service_leads(world, tenant):
    lab, victim = world.lab, world.pods["good-web"].device["name"]
    with world.nothing_else_changes("far"):
        with world.another("far", fqdn=world.client()["name"]):
            lab.wait("the records know where it leads", lambda: ("ip4", world.client()["name"]) in records(lab))
            before = records(lab)["ip4", victim]
            as_tenant(lab, "annotate", "service", "far", "--overwrite", "tailscale.com/tailnet-fqdn=" + victim)
            world.beat()
            assert records(lab).get(("ip4", victim)) == before, f"where {victim} leads"


def test_flips_its_words(world):
    lab, bad, recorder = world.lab, world.pods["bad"], world.pods["bad-recorder"]

    def counts():
        """Counts Events about them, and requests to the tailnet."""
        return sum(item["count"] for name in ("bad", "bad-recorder") for item in world.events(name)), collections.Counter(lab.tailnet.state()["counts"])
    world.is_calm("bad", "bad-recorder")
    with world.nothing_else_changes("bad", "bad-recorder", "between"):
        begin, (said, told), begun = audit.end(lab), counts(), time.monotonic()
        with bad.undone(), recorder.undone(), writing(flips(bad, recorder, world.pods["good"].device["nodeId"])):
            world.others_are_served("between")
            time.sleep(max(0.0, begun + world.seconds - time.monotonic()))
            asked = [f"{entry['verb']} {entry['objectRef']['resource']} {entry['objectRef'].get('name', '')}" for entry in audit.requests(lab, begin)
                     if entry["verb"] != "watch" and entry["objectRef"]["resource"] != "leases"]
            said, told = (now - before for now, before in zip(counts(), (said, told)))
            seconds = time.monotonic() - begun
        comes_back(world, bad)
    found = f"in {seconds:.0f} s {said} Events, {told.total()} requests to the tailnet: {told}, {len(asked)} to the cluster: {collections.Counter(asked)}"
    print(found)
    assert said <= EVENTS, found
    assert told.total() <= TOLD_A_SECOND * seconds + SPARE and len(asked) <= ASKED_A_SECOND * seconds + SPARE, found


def test_cleanup_believes_no_pod(world):
    """This test is the last, since it removes the world: cleanup finds claims about a machine, and about a device that looks like a proxy's
    of another cluster."""
    lab, bad = world.lab, world.pods["bad"]
    twin = lab.tailnet.join("apps-bad-of-another", lab.tailnet.mint(["tag:k8s"])["key"])["nodeId"]
    theirs = [world.client()["nodeId"], twin]
    stop_the_controller(lab)
    for pod, device in zip((bad, world.pods["bad-recorder"]), theirs):
        pod.write(profile(device, "none.lab.ts.net") | ({"device_id": device} if pod is bad else {}))
    lab.delete(world.rendered(INPUTS))
    lab.wait("the proxies have stopped", lambda: not lab.get("pods", "-n", NAMESPACE))
    for flags in ((), ("--yes",)):
        code, said = cleanup(lab, world.runtime, *flags)
        assert (code, [device in said for device in theirs]) == (0, [True, True]), f"exit code, and whether cleanup speaks of {theirs}:\n{said}\n"
    living = {device["nodeId"]: device["tags"] for device in lab.tailnet.state()["devices"] if not device.get("deletedBy")}
    assert living == {theirs[0]: ["tag:client"], twin: ["tag:k8s"]}, "devices that are left"
