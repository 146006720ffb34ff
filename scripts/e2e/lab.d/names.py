"""Names of the tailnet inside the cluster: a rendered DNSConfig and an egress Service, queried by clients that people use."""
import pathlib
import time

from harness import Lab
from shared import checks
from shared.checks import Object

NAMESPACE = "tailscale"


def rendered(tailrender: pathlib.Path, values: Object, name: str) -> list[Object]:
    """Returns what is rendered for a DNSConfig and for Service apps/far, whose egress proxy targets that name in the tailnet."""
    inputs = [{"apiVersion": "tailscale.com/v1alpha1", "kind": "DNSConfig", "metadata": {"name": "names"}, "spec": {"nameserver": {}}},
              {"apiVersion": "v1", "kind": "Service",
               "metadata": {"name": "far", "namespace": "apps", "annotations": {"tailscale.com/tailnet-fqdn": name}},
               "spec": {"type": "ExternalName", "externalName": "placeholder"}}]
    return [item for item in checks.rendered(tailrender, inputs, values) if item["kind"] != "DNSConfig"]


def dig(lab: Lab, server: str, *words: str) -> tuple[str, list[str]]:
    """Returns the code of the reply, and the addresses in it."""
    lines = lab.run("dig", "@" + server, "+noall", "+comments", "+answer", "+tries=1", "+time=5", *words).splitlines()
    status = next((line.split("status: ")[1].split(",")[0] for line in lines if "status: " in line), "")
    return status, sorted(line.split()[-1] for line in lines if line and line[0] != ";")


def addresses_of(lab: Lab, pod: str) -> list[str]:
    """Returns IPv4 and IPv6 of a pod, once it is ready."""
    status = (lab.get("pod", pod, "-n", NAMESPACE) or {}).get("status", {})
    ready = any(item["type"] == "Ready" and item["status"] == "True" for item in status.get("conditions", []))
    return [item["ip"] for item in status.get("podIPs", [])] if ready else []


def look_up(lab: Lab, server: str, name: str, addresses: list[str]) -> None:
    four, six = addresses
    # Each family has a separate EndpointSlice, and the kubelet may have looked in between.
    for kind, address in (("A", four), ("AAAA", six)):
        lab.wait(f"{kind} of {name} is known", lambda: dig(lab, server, name, kind) == ("NOERROR", [address]))
    assert dig(lab, server, "+tcp", name.upper(), "A") == ("NOERROR", [four]), "A over TCP, in capitals"
    assert dig(lab, server, "+noedns", name, "TXT") == ("NOERROR", []), "TXT"
    assert dig(lab, server, "+edns=1", "+noednsneg", name, "A") == ("BADVERS", []), "another EDNS"
    assert dig(lab, server, "none." + name, "A") == ("NXDOMAIN", []), "a name that is not there"
    assert dig(lab, server, "example.com", "A") == ("REFUSED", []), "another zone"


def ask_the_clusters_dns(lab: Lab, server: str, proxy: str, name: str, addresses: list[str]) -> None:
    """The cluster's DNS forwards ts.net, as Tailscale's documentation says. A pod and glibc look the name up there."""
    lab.run("sh", "-c", f"""printf '%s\\n' 'ts.net:53 {{' '    bind {lab.inner["LAB_NODE"]}' '    forward . {server}' '}}' >>"$LAB/Corefile" """)
    lab.wait("a pod finds the name", lambda: addresses[0] in lab.kubectl("exec", proxy, "-n", NAMESPACE, "--", "nslookup", name))
    script = f"""echo nameserver {lab.inner["LAB_NODE"]} >"$LAB/resolv.conf"
        mount --bind "$LAB/resolv.conf" /etc/resolv.conf
        getent ahostsv4 {name}; getent ahostsv6 {name}"""
    found = {line.split()[0] for line in lab.run("unshare", "--mount", "sh", "-c", script).splitlines()}
    assert found == set(addresses), "what glibc finds"


def names_follow(lab: Lab, tailrender: pathlib.Path, values: Object) -> None:
    """The names of an egress Service reach the clients, and so does a new name without a restart of the nameserver."""
    begun = time.monotonic()
    first, second = (word + "." + lab.inner["LAB_DOMAIN"] for word in ("client", "elsewhere"))
    objects = rendered(tailrender, values, first)
    lab.apply(objects)
    proxy = next(item for item in objects if item["kind"] == "StatefulSet")["metadata"]["name"] + "-0"
    addresses = lab.wait("the proxy is ready", lambda: addresses_of(lab, proxy))
    server = lab.get("service", "nameserver", "-n", NAMESPACE)["spec"]["clusterIP"]
    look_up(lab, server, first, addresses)
    print(f"a name in the tailnet is known in the cluster {time.monotonic() - begun:.1f} s after its Service", flush=True)
    ask_the_clusters_dns(lab, server, proxy, first, addresses)

    pods = {item["metadata"]["uid"]: item for item in lab.get("pod", "-n", NAMESPACE, "-l", "app=nameserver")["items"]}
    lab.apply(rendered(tailrender, values, second))
    # The kubelet checks the volumes of a pod once a minute, or when the pod changes.
    lab.wait("the controller writes the new name", lambda: second in lab.get("configmap", "dnsrecords", "-n", NAMESPACE)["data"]["records.json"])
    lab.kubectl("annotate", "pod", "-n", NAMESPACE, "-l", "app=nameserver", "look=again")
    lab.wait("the new name is known", lambda: dig(lab, server, second, "A") == ("NOERROR", addresses_of(lab, proxy)[:1]))
    assert dig(lab, server, first, "A") == ("NXDOMAIN", []), "the old name"
    for item in lab.get("pod", "-n", NAMESPACE, "-l", "app=nameserver")["items"]:
        assert (item["metadata"]["uid"] in pods, item["status"]["containerStatuses"][0]["restartCount"]) == (True, 0), "restarts of the nameserver"
