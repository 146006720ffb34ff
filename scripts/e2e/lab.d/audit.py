"""Reads a lab's audit log: what the controller requests from the API server, and when objects were created, to the microsecond.

    begin = audit.end(lab)
    ...
    found = audit.requests(lab, begin)           the requests of the controller since then
    found = audit.refused(lab, begin, account)   the requests of an account that were forbidden
    made = audit.created(lab, "secrets")         name: when its creation was answered, in seconds since 1970
"""
import collections
import datetime
import json
import time
import urllib.parse

from fake_tailnet import KEYS
from harness import Lab
from installed import NAMESPACE
from shared.checks import Object

LEASE = "tailrender-controller"
READING = ("get", "list", "watch")
ACCOUNT = f"system:serviceaccount:{NAMESPACE}:operator"
RENEWAL_SECONDS = 3  # of the Lease
ENTRIES_OF_A_WATCH = 2  # when a watch ends in the window: its end, and the begin of the next one
LOOKS_FOR_A_KIND = 1  # of a kind that is not installed: the controller looks every ten minutes


def moment(text: str) -> float:
    return datetime.datetime.fromisoformat(text).timestamp()


def end(lab: Lab) -> int:
    return int(lab.run("sh", "-c", "stat -c %s $LAB/audit.log"))


def requests(lab: Lab, since: int, account: str = ACCOUNT) -> list[Object]:
    """Returns the entries of the account after that place in the log."""
    entries = map(json.loads, lab.run("sh", "-c", f"tail -c +{since + 1} $LAB/audit.log").splitlines())
    return [entry for entry in entries if entry["user"].get("username") == account]


def refused(lab: Lab, since: int, account: str) -> list[tuple[str, str]]:
    """Returns the method and path of each request that was forbidden."""
    return [(entry["verb"], entry["requestURI"]) for entry in requests(lab, since, account) if entry["responseStatus"]["code"] == 403]


def created(lab: Lab, resource: str) -> dict[str, float]:
    """Returns the last time at which each object was created in the controller's namespace."""
    lines = lab.run("sh", "-c", f"""grep -F '"code":201' $LAB/audit.log | grep -F '"resource":"{resource}"' || true""").splitlines()
    found = [(json.loads(line)["objectRef"], json.loads(line)["stageTimestamp"]) for line in lines]
    return {about["name"]: moment(when) for about, when in found if about.get("namespace") == NAMESPACE and "subresource" not in about}


def of_a_watch(entry: Object) -> tuple[str, ...]:
    """Returns path and selector: a resource may be watched in parts."""
    url = urllib.parse.urlsplit(entry["requestURI"])
    return url.path, *urllib.parse.parse_qs(url.query).get("labelSelector", [])


def looks_for_a_kind(entry: Object) -> bool:
    """Returns whether the request lists a kind that is not installed."""
    return (entry["verb"], entry["responseStatus"]["code"]) == ("list", 404)


def unrest(lab: Lab, seconds: float) -> tuple[list[str], str]:
    """Returns the requests of the controller within some seconds, except those that it needs to stay informed and to lead, and a
    description of these."""
    begin, told = end(lab), lab.tailnet.state()["counts"]
    time.sleep(seconds)
    found = requests(lab, begin)
    watches = collections.Counter(of_a_watch(entry) for entry in found if entry["verb"] == "watch")
    absent = collections.Counter(of_a_watch(entry) for entry in found if looks_for_a_kind(entry))
    leases = collections.Counter(entry["verb"] for entry in found if entry["objectRef"]["resource"] == "leases")
    problems = sorted({f"{entry['verb']} {entry['objectRef']['resource']}" for entry in found
                       if entry["verb"] != "watch" and not looks_for_a_kind(entry) and entry["objectRef"]["resource"] != "leases"})
    problems += [f"{count} looks for a kind that is not installed: {' '.join(kind)}" for kind, count in absent.items() if count > LOOKS_FOR_A_KIND]
    problems += [f"{count} entries of the watch of {' '.join(watch)}" for watch, count in watches.items() if count > ENTRIES_OF_A_WATCH]
    if sum(leases.values()) > seconds / RENEWAL_SECONDS + 2 or not leases["update"]:
        problems.append(f"requests for the Lease: {dict(leases)}")
    if (now := lab.tailnet.state()["counts"]) != told:
        problems.append(f"requests to the tailnet: {told}, then {now}")
    return problems, (f"{sum(leases.values())} requests for the Lease, {sum(watches.values())} entries of watches, "
                      f"{sum(absent.values())} looks for kinds that are not installed, none to the tailnet in {seconds} s")


def stays_quiet(lab: Lab, seconds: float, looks: int = 2) -> str:
    """Waits until a controller that has nothing to do has looked for lost keys the second time, a minute after it began, and checks that it
    is quiet. `looks`: how often it lists keys until then, twice for each tailnet and once for a Tailnet whose status it writes."""
    begun = moment(lab.get("lease", LEASE, "-n", NAMESPACE)["spec"]["acquireTime"])

    def has_looked() -> bool:
        found = [request for request in lab.tailnet.state()["requests"]
                 if (request["method"], request["path"]) == ("GET", KEYS) and moment(request["at"]) > begun]
        return len(found) >= looks
    lab.wait("the second look for lost keys", has_looked)

    def is_quiet() -> bool:
        problems, _ = unrest(lab, 2 * RENEWAL_SECONDS + 1)
        if problems:
            print(f"not quiet yet: {problems}", flush=True)
        return not problems
    lab.wait("the controller is quiet", is_quiet)
    problems, said = unrest(lab, seconds)
    assert problems == [], f"what a controller did that had nothing to do, in {seconds} s"
    return said
