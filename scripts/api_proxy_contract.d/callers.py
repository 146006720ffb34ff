"""Cases about the caller: identity, grants, limits, and how connections are counted."""
import collections.abc
import concurrent.futures
import resource
import socket
import struct
import time
import typing

import hostile
from world import (ALICE, BOB, BOX, DAEMON, STRANGER, Client, Object, World, case, check, close, device, echo, equal, groups, proxy_header,
                   wait_until, WEBSOCKET, SPDY, POD)


@case()
def hostile_requests_whole(world: World) -> None:
    for one in hostile.cases():
        hostile.try_hostile(world, *one)


@case()
def hostile_requests_by_the_byte(world: World) -> None:
    chosen = [one for one in hostile.cases() if len(one[1]) < 1500]
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        for done in [pool.submit(hostile.try_hostile, world, *one, 1) for one in chosen]:
            done.result()


@case()
def who_is_not_known_is_refused(world: World) -> None:
    with Client(world, "100.64.0.99") as client:
        reply = client.ask()
        equal((reply.status, reply.message()), (403, "failed to authenticate the caller: the tailnet has no device with the address 100.64.0.99"))
        check(client.is_closed(), "still open")
    for answer, status in (((500, b"no"), 500), ((403, b"no"), 500), ((200, b""), 403), ((200, b"{}"), 403), ((200, b'{"Node":{}}'), 403),
                           ((200, b"[]"), 403), ((204,), 500), ((200, device(BOB, "bob@example.com")), 403)):
        world.daemon.answer = answer
        with Client(world, "100.64.0.98") as client:
            equal((answer, client.ask().status), (answer, status))
    equal(world.api.connections, 0)
    check(world.refused("caller_unknown") >= 3 and world.refused("caller_denied") >= 5, world.page("/metrics")[1])


@case()
def a_tailscaled_that_is_gone_lets_no_one_in(world: World) -> None:
    world.server.shutdown()
    world.server.server_close()
    with Client(world) as client:
        reply = client.ask()
        equal(reply.status, 500)
        check("tailscaled does not answer" in reply.message(), reply.body)
    equal(world.api.connections, 0)


@case()
def a_grant_that_is_malformed_is_refused_by_name(world: World) -> None:
    for rule in ([], "x", {"impersonate": 1}, {"impersonate": {"groups": "g"}}, {"impersonate": {"groups": ["a\r\nImpersonate-User: evil"]}},
                 {"enforceRecorder": 1}, {"impersonate": {"groups": ["g"]}, "Impersonate": {"groups": ["h"]}}):
        for key in ("rules", "legacy"):
            if key == "legacy" and "enforceRecorder" in rule:
                continue  # means nothing there
            world.daemon.answer = (200, device("100.64.0.50", "x@y", **{key: [rule]}))
            with Client(world, "100.64.0.50") as client:
                reply = client.ask()
                equal((rule, key, reply.status), (rule, key, 403))
                check("tailscale.com/cap/kubernetes" in reply.message() and "is malformed" in reply.message(), reply.body)
    equal(world.api.connections, 0)


@case()
def what_must_be_recorded_is_refused(world: World) -> None:
    def ask(target: str, fields: str = "", *rules: Object) -> int:
        world.daemon.devices["100.64.0.60"] = device("100.64.0.60", "x@y", rules=rules)
        world.daemon.answer = (200, world.daemon.devices["100.64.0.60"])
        number = 60 + len(world.daemon.asked)
        world.daemon.answer = (200, device(f"100.64.1.{number}", "x@y", rules=rules))
        with Client(world, f"100.64.1.{number}") as client:
            return client.ask(target, fields=fields).status
    enforced = {"enforceRecorder": True, "recorderAddrs": ["100.64.0.3:80"]}
    for path in (f"{POD}/exec?command=sh", f"{POD}/attach", f"{POD}/%65xec", f"{POD}//exec", f"{POD}/exec/"):
        equal((path, ask(path, WEBSOCKET, enforced)), (path, 403))
        equal((path, ask(path, SPDY, enforced)), (path, 403))
    equal(world.api.connections, 0)
    equal(ask("/api", "", {"enforceRecorder": True}), 403)
    equal(ask("/api", "", enforced, {"enableEvents": True}), 403)
    equal(ask("/api", "", enforced), 200)
    equal(ask(f"{POD}/portforward", WEBSOCKET, enforced), 200)
    equal(ask(f"{POD}/exec", WEBSOCKET, {"recorderAddrs": ["100.64.0.3:80"]}), 200)


CONSOLE = "/apis/subresources.kubevirt.io/v1/namespaces/a/virtualmachineinstances/b/console"
KUBELETS = ("/api/v1/nodes/n/proxy/run/a/b/c?cmd=id", "/api/v1/nodes/https:n:10250/proxy/cri/exec/x", "/api/v1/n%6fdes/n/proxy/run",
            "/api/v1/proxy/nodes/n/run", "/api//v1/nodes/n/proxy/run")


def answers_to_enforced(world: World, *requests: tuple[str, str, str]) -> collections.abc.Iterator[typing.Any]:
    enforced = {"enforceRecorder": True, "recorderAddrs": ["100.64.0.3:80"]}
    world.daemon.devices["100.64.0.61"] = device("100.64.0.61", "x@y", rules=[enforced])
    for method, target, fields in requests:
        with Client(world, "100.64.0.61") as client:
            yield client.ask(target, method, fields)


@case()
def what_runs_commands_unseen_is_refused(world: World) -> None:
    """Found by a probe: enforceRecorder was a list of what to refuse, and requests that were not on it passed unrecorded."""
    upgrades = [("GET", path, fields) for path in (CONSOLE, CONSOLE.replace("console", "vnc"), f"{POD}/proxy/terminal", "/api/v1/namespaces/a/pods?watch=true",
                                                   "/apis/example.com/v1/namespaces/a/pods/b/exec", "/metrics") for fields in (WEBSOCKET, SPDY)]
    kubelets = [(method, path, "") for path in KUBELETS for method in ("GET", "POST", "PUT")]
    for asked, reply in zip(upgrades + kubelets, answers_to_enforced(world, *upgrades, *kubelets)):
        equal((asked, reply.status), (asked, 403))
    equal(world.api.connections, 0)
    reply, = answers_to_enforced(world, ("GET", CONSOLE, WEBSOCKET))
    equal(reply.message(), 'your grant of "tailscale.com/cap/kubernetes" requires this to be recorded (enforceRecorder): it cannot be recorded, and no setting of the proxy allows "virtualmachineinstances/console"')
    passing = [("GET", "/api/v1/nodes/n", ""), ("GET", f"{POD}/proxy/x", ""), ("GET", f"{POD}/portforward", SPDY), ("GET", "/metrics", "")]
    equal([reply.status for reply in answers_to_enforced(world, *passing)], [200] * 4)


@case(unrecorded="nodes/proxy,virtualmachineinstances/console")
def what_a_setting_names_passes(world: World) -> None:
    passing = [("GET", CONSOLE, WEBSOCKET), *(("POST", path, "") for path in KUBELETS)]
    equal([reply.status for reply in answers_to_enforced(world, *passing)], [200] * 6)
    refused = [("GET", CONSOLE.replace("console", "vnc"), WEBSOCKET), ("GET", f"{POD}/%65xec", WEBSOCKET)]
    equal([reply.status for reply in answers_to_enforced(world, *refused)], [403] * 2)


@case()
def names_that_look_like_credentials_are_in_the_audit_line(world: World) -> None:
    """Found by a probe: redaction emptied whole lines, so that a namespace called tskey-a hid what was done in it."""
    name, path = "eyJbox.t.ts.net", "/api/v1/namespaces/tskey-a/pods/Bearer%20victim"
    world.daemon.devices["100.64.0.62"] = device("100.64.0.62", tags=["tag:tskey-b"])
    world.daemon.devices["100.64.0.62"]["Node"]["Name"] = name + "."
    with Client(world, "100.64.0.62") as client:
        equal(client.ask(path + "?command=secret", "DELETE").status, 200)
    [line] = wait_until("its line is there", lambda: world.lines("request"))
    equal([line[key] for key in ("user", "groups", "node", "path", "method")], [name, "tag:tskey-b", name, path, "DELETE"])
    check("secret" not in world.log.read_text(), "a query")


@case(root=True)
def only_tailscaleds_connections_count(world: World) -> None:
    for owner in (STRANGER, 0, 65533):
        with Client(world, owner=owner) as client:
            client.send("GET /api HTTP/1.1\r\nHost: api\r\n\r\n")
            check(client.is_closed(), owner)
    for _ in range(20):  # closed at once: its user id is then 0
        with Client(world, owner=STRANGER) as client:
            client.send("GET /api HTTP/1.1\r\nHost: api\r\n\r\n")
            client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 0, 0))
    equal(world.api.connections, 0)
    wait_until("they are counted", lambda: world.refused("not_from_tailscaled") >= 3)
    with Client(world) as client:
        equal(client.ask().status, 200)


@case(root=True, owner=0, ready=False)
def a_tailscaled_of_root_is_refused(world: World) -> None:
    wait_until("it says why", lambda: "tailscaled runs as root" in world.page("/readyz")[1])
    for owner in (0, DAEMON):
        with Client(world, owner=owner) as client:
            client.send("GET /api HTTP/1.1\r\nHost: api\r\n\r\n")
            check(client.is_closed(), owner)
    equal((world.api.connections, world.daemon.asked), (0, []))


@case()
def headers_of_proxy_that_name_no_peer(world: World) -> None:
    for header in (proxy_header(ALICE, command=0x20), proxy_header(ALICE, command=0x11), proxy_header("127.0.0.1"), proxy_header("0.0.0.0"),
                   proxy_header(ALICE, port=0), b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", b"\0" * 16):
        with Client(world, header=header) as client:
            check(client.is_closed(), header)
    equal(world.refused("proxy_header"), 7)
    equal(world.api.connections, 0)


@case(waits=True)
def a_grant_that_is_withdrawn_counts_within_seconds(world: World) -> None:
    with Client(world) as client:
        equal(client.ask().status, 200)
        world.daemon.devices[ALICE] = device(ALICE, "alice@example.com", rules=[groups("qa")])
        time.sleep(5.5)
        equal(client.ask().status, 200)
        equal(world.api.requests[-1].all("impersonate-group"), ["qa"])
        del world.daemon.devices[ALICE]
        time.sleep(5.5)
        equal(client.ask().status, 403)


@case(waits=True, grace=2)
def a_session_ends_with_its_grant(world: World) -> None:
    world.api.script = echo("websocket")
    clients = [Client(world, source) for source in (ALICE, BOB, BOX)]
    for client in clients:
        equal(client.ask(f"{POD}/exec", fields=WEBSOCKET).status, 101)
        client.file.readline()
    alice, bob, box = clients
    # Bob gets a new group, Alice loses one; the third device was deleted from the tailnet.
    world.daemon.devices[BOB] = device(BOB, "bob@example.com", rules=[groups("new")])
    world.daemon.devices[ALICE] = device(ALICE, "alice@example.com", rules=[groups("dev")])
    del world.daemon.devices[BOX]
    begun = time.monotonic()
    for client in (alice, box):
        client.socket.settimeout(60)
        check(client.is_closed(), "goes on")
    check(time.monotonic() - begun < 60, "took", time.monotonic() - begun)
    bob.send(b"still\n")
    equal(bob.file.readline(), b"still\n")
    equal(world.metric("tailrender_api_proxy_withdrawn_total"), 2)
    close(clients)


@case(waits=True, grace=2)
def a_session_ends_when_no_one_confirms_it(world: World) -> None:
    world.api.script = echo("websocket")
    with Client(world) as client:
        equal(client.ask(f"{POD}/exec", fields=WEBSOCKET).status, 101)
        client.file.readline()
        world.daemon.answer = (500, b"no")
        begun = time.monotonic()
        time.sleep(25)
        client.send(b"still\n")
        equal(client.file.readline(), b"still\n")
        client.socket.settimeout(60)
        check(client.is_closed(), "goes on")
        check(time.monotonic() - begun < 60, "took", time.monotonic() - begun)


@case()
def one_who_has_too_many_connections_gets_no_more(world: World) -> None:
    clients = [Client(world) for _ in range(1000)]
    try:
        wait_until("they are there", lambda: world.metric("tailrender_api_proxy_connections") == 1000)
        equal(clients[0].ask().status, 200)
        with Client(world) as client:
            reply = client.ask()
            equal((reply.status, reply.fields["retry-after"], reply.message()), (429, "10", "too many connections; try again later"))
        # A silent connection over the limit is closed soon, so that it does not take the place of those that get an answer.
        begun = time.monotonic()
        with Client(world) as client:
            check(client.is_closed(), "goes on")
        check(time.monotonic() - begun < 10, "took", time.monotonic() - begun)
        with Client(world, BOB) as client:
            equal(client.ask().status, 200)
        equal(clients[0].ask().status, 200)
    finally:
        close(clients)
    wait_until("they are closed", lambda: world.metric("tailrender_api_proxy_connections") == 0)
    with Client(world) as client:
        equal(client.ask().status, 200)


@case()
def one_user_has_one_limit_for_all_devices(world: World) -> None:
    for number in range(2):
        world.daemon.devices[f"100.64.2.{number}"] = device(f"100.64.2.{number}", "many@example.com")
    clients = [Client(world, f"100.64.2.{number % 2}") for number in range(1000)]
    try:
        for client in clients:
            equal(client.ask().status, 200)
        with Client(world, "100.64.2.0") as client:
            equal(client.ask().status, 429)
    finally:
        close(clients)


@case(waits=True)
def silent_connections_close_the_proxy_to_no_one(world: World) -> None:
    """Found by a probe: 11,000 silent connections of eleven devices without a grant kept everyone else out."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    sources = [f"100.64.4.{number}" for number in range(11)]
    for number, source in enumerate(sources):
        world.daemon.devices[source] = device(source, f"user{number}@example.com")
    silent = []
    try:
        for number in range(11_000):
            silent.append(Client(world, sources[number % 11]))
        wait_until("there are as many as there may be", lambda: world.metric("tailrender_api_proxy_connections") >= 10_000, 60)
        for source in (ALICE, BOB, BOX):
            with Client(world, source) as client:
                equal(client.ask().status, 200)
        check(silent[0].is_closed(), "the most silent is still there")
        check(world.metric("tailrender_api_proxy_connections") <= 10_010, world.metric("tailrender_api_proxy_connections"))
    finally:
        close(silent)


@case()
def silent_connections_count_for_their_user(world: World) -> None:
    """Connections of all devices of a user count for that user, also before the first request."""
    for number in range(2):
        world.daemon.devices[f"100.64.5.{number}"] = device(f"100.64.5.{number}", "silent@example.com")
    silent = [Client(world, f"100.64.5.{number % 2}") for number in range(1000)]
    try:
        wait_until("they are there", lambda: world.metric("tailrender_api_proxy_connections") == 1000)
        wait_until("tailscaled was asked", lambda: world.daemon.asked.count("whois") >= 2)
        with Client(world, "100.64.5.0") as client:
            equal(client.ask().status, 429)
        with Client(world, BOB) as client:
            equal(client.ask().status, 200)
    finally:
        close(silent)


@case()
def strangers_have_no_time_to_be_silent(world: World) -> None:
    clients = [Client(world, f"100.64.6.{number}") for number in range(5)]
    begun = time.monotonic()
    for client in clients:
        check(client.is_closed(), "goes on")
    check(time.monotonic() - begun < 10, "took", time.monotonic() - begun)
