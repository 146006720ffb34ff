"""Cases with a pod as it is rendered: the program follows its configuration and its key through the API, by name."""
import json
import signal
import stat
import time
import typing

from peers import Object, Pod, case, wait_until

RUNNING, NEEDS_LOGIN = 6, 2
DAEMON = "tailscaled --socket=/tmp/tailscaled.sock --state=kube:tailscale --statedir=/tmp --tun=userspace-networking --config="
FILE = "cap-107.hujson"
MOUNTED, KEY_FILE = f"etc/tsconfig/web-0/{FILE}", "etc/tsauth/web-0/authkey"
COPY = "dev/shm/tailrender-web-0"
ME = {"ID": 1, "StableID": "myID", "Name": "test-node.test.ts.net.", "Addresses": ["100.64.0.1/32"]}


def config(hostname: str) -> str:
    return json.dumps({"Version": "alpha0", "AuthKey": "file:/etc/tsauth/web-0/authkey", "Locked": False, "Hostname": hostname})


def rendered(**options: typing.Any) -> Object:
    base: Object = {"kube": True, "secret": {},
                    "env": {"TS_EXPERIMENTAL_VERSIONED_CONFIG_DIR": "$ROOT/etc/tsconfig/web-0", "POD_NAME": "web-0", "POD_UID": "uid"},
                    "files": {MOUNTED: config("mounted"), KEY_FILE: "mounted", "dev/shm/any": ""},
                    "others": {"web-0-config": {FILE: config("first")}, "web-0-auth": {"authkey": "k1"}}}
    return {key: base.get(key, {}) | value if isinstance(value, dict) else value for key, value in (base | options).items()}


def copied(pod: Pod) -> tuple[str, str]:
    """Returns the hostname and the key that tailscaled finds."""
    found = json.loads((pod.root / COPY / FILE).read_text())
    assert found["AuthKey"] == f"file:{pod.root}/{COPY}/authkey", found
    return found["Hostname"], (pod.root / COPY / "authkey").read_text()


@case(**rendered())
def starts_tailscaled_with_what_the_api_says(pod: Pod) -> None:
    pod.commands(f"{DAEMON}/{COPY}/{FILE}")
    assert copied(pod) == ("first", "k1")
    for name, mode in ((".", 0o700), ("authkey", 0o600), (FILE, 0o600)):
        assert stat.S_IMODE((pod.root / COPY / name).stat().st_mode) == mode, name
    assert {name for _, name in pod.kube.asked} == {"web-0-config", "web-0-auth"}, pod.kube.asked


@case(**rendered())
def reloads_a_configuration_that_changes(pod: Pod) -> None:
    pod.api.say(State=RUNNING, SelfChange=ME)
    pod.says("Startup complete, waiting for shutdown signal")
    assert not pod.api.asked("POST", "reload-config"), "what it was started with"
    pod.kube.put("web-0-config", {"other": "x"})
    pod.says("cap-107.hujson: not a JSON object")
    pod.api.may_reload.clear()
    pod.kube.put("web-0-config", {FILE: config("second")})
    wait_until("a reload", lambda: pod.api.asked("POST", "reload-config"))
    assert copied(pod) == ("second", "k1")
    pod.write("etc/tsconfig/web-0/..data", "")  # the kubelet mounts an older version
    pod.kube.put("web-0-config", {FILE: '{"Version":"alpha1"}'})
    pod.says('unsupported "version" value "alpha1"; want "alpha0" for now')
    assert copied(pod) == ("second", "k1")
    pod.api.may_reload.set()
    pod.kube.put("web-0-config", {FILE: config("third")})
    wait_until("the copy", lambda: copied(pod) == ("third", "k1"))
    wait_until("two reloads", lambda: pod.log().count("config was reloaded") == 2)
    assert len(pod.api.asked("POST", "reload-config")) == 2


@case(**rendered())
def takes_a_configuration_that_changed_before_it_ran(pod: Pod) -> None:
    pod.commands(f"{DAEMON}/{COPY}/{FILE}")
    pod.kube.put("web-0-config", {FILE: config("second")})
    wait_until("the copy", lambda: copied(pod) == ("second", "k1"))
    assert not pod.api.asked("POST", "reload-config")
    pod.api.say(State=RUNNING, SelfChange=ME)
    wait_until("a reload", lambda: pod.api.asked("POST", "reload-config"))


@case(**rendered())
def reloads_nothing_once_it_ends(pod: Pod) -> None:
    pod.api.prefs = {"AdvertiseServices": ["svc:a"]}
    pod.api.say(State=RUNNING, SelfChange=ME)
    pod.says("Startup complete, waiting for shutdown signal")
    pod.process.send_signal(signal.SIGTERM)
    wait_until("nothing is advertised", lambda: pod.api.prefs["AdvertiseServices"] is None)
    pod.kube.put("web-0-config", {FILE: config("second")})
    wait_until("the copy", lambda: copied(pod) == ("second", "k1"))
    time.sleep(0.5)
    assert not pod.api.asked("POST", "reload-config")


@case(**rendered())
def takes_another_key_from_the_api(pod: Pod) -> None:
    pod.api.say(State=NEEDS_LOGIN)
    pod.secret_is(tailscale_capver="148", pod_uid="uid", reissue_authkey="file:/etc/tsauth/web-0/authkey")
    pod.kube.put("web-0-auth", {"authkey": "k2"})
    pod.exits(0)
    assert copied(pod) == ("first", "k2")
    pod.secret_is(tailscale_capver="148", pod_uid="uid")


@case(**rendered(others={"web-0-config": {FILE: config("first")}}))
def starts_with_the_mounted_key_where_there_is_no_other(pod: Pod) -> None:
    pod.commands(f"{DAEMON}/{COPY}/{FILE}")
    assert copied(pod)[0] == "first"


@case(**rendered(others=None))
def is_a_stock_pod_without_these_objects(pod: Pod) -> None:
    pod.commands(f"{DAEMON}/{MOUNTED}")
    pod.api.say(State=RUNNING, SelfChange=ME)
    pod.write(MOUNTED, config("later"))
    pod.write("etc/tsconfig/web-0/..data", "")
    wait_until("a reload", lambda: pod.api.asked("POST", "reload-config"))
    assert ("WATCH", "web-0-config") not in pod.kube.asked


@case(**rendered(files={COPY: "a file"}))
def reads_the_mounted_files_where_it_cannot_write(pod: Pod) -> None:
    pod.commands(f"{DAEMON}/{MOUNTED}")
    pod.says("only the mounted files are watched")


@case(**rendered(env={"POD_NAME": "other-0"}))
def asks_for_nothing_of_a_pod_of_another_name(pod: Pod) -> None:
    pod.commands(f"{DAEMON}/{MOUNTED}")
    assert not pod.kube.asked, pod.kube.asked
