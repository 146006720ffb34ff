"""Cases about honest clients."""
import json
import os
import socket
import ssl
import threading
import typing

import hostile
from world import ALICE, BOB, BOX, POD, SPDY, TOKEN, WEBSOCKET, Client, Request, World, case, check, echo, equal, response, until_end, wait_until


@case()
def serves_what_tailscaled_forwards(world: World) -> None:
    equal(json.loads(world.daemon.serve or b"null"), {"TCP": {"443": {"TCPForward": f"127.0.0.2:{world.port}", "TerminateTLS": "api.t.ts.net", "ProxyProtocol": 2}}})


@case()
def everyone_is_asked_for_as_they_are(world: World) -> None:
    wanted = {ALICE: hostile.ALICES,
              BOB: {"impersonate-user": ["bob@example.com"], "authorization": [f"Bearer {TOKEN}"]},
              BOX: {"impersonate-user": ["n9.t.ts.net"], "impersonate-group": ["tag:ci"], "authorization": [f"Bearer {TOKEN}"]}}
    for source, identity in wanted.items():
        with Client(world, source) as client:
            equal(client.ask().body, b"{}")
        equal(world.api.requests[-1].identity(), identity)
    equal(len({one.connection for one in world.api.requests}), 3)


@case(mode="noauth")
def without_impersonation_the_clients_token_counts(world: World) -> None:
    with Client(world) as client:
        equal(client.ask(fields="Authorization: Bearer mine\r\n").status, 200)
        equal(world.api.requests[-1].identity(), {"authorization": ["Bearer mine"]})
        equal(client.ask().status, 200)
        equal(world.api.requests[-1].identity(), {})
    with Client(world, "100.64.0.99") as client:
        equal(client.ask().status, 403)


@case()
def one_connection_has_one_to_the_api_server(world: World) -> None:
    with Client(world) as first, Client(world) as second:
        for _ in range(3):
            equal(first.ask().status, 200)
        equal(second.ask().status, 200)
    equal([one.connection for one in world.api.requests], [1, 1, 1, 2])


@case()
def bodies_of_all_kinds_go_both_ways(world: World) -> None:
    big = bytes(range(256)) * 4096
    world.api.script = lambda request, *_: response(request.body)
    with Client(world) as client:
        equal(client.ask(method="POST", fields=f"Content-Length: {len(big)}\r\n", body=big).body, big)
        chunks = b"".join(b"%x\r\n%s\r\n" % (len(big[at:at + 70001]), big[at:at + 70001]) for at in range(0, len(big), 70001)) + b"0\r\n\r\n"
        equal(client.ask(method="PUT", fields="Transfer-Encoding: chunked\r\n", body=chunks).body, big)
        for method in ("DELETE", "PATCH", "OPTIONS", "GET"):
            equal(client.ask(method=method).body, b"")
        world.api.script = lambda request, *_: b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
        equal(client.ask(method="HEAD").fields["content-length"], "5")
        for status in ("204 No Content", "304 Not Modified"):
            world.api.script = lambda *_: f"HTTP/1.1 {status}\r\nX-A: b\r\n\r\n".encode()
            equal((client.ask().fields), {"x-a": "b"})
        world.api.script = lambda *_: b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n3\r\nabc\r\n0\r\nX: y\r\n\r\n"
        equal(client.ask().fields, {"transfer-encoding": "chunked"})
        equal(client.file.read(19), b"3\r\nabc\r\n0\r\nX: y\r\n\r\n")
        world.api.script = lambda *_: response(b"fine")
        equal(client.ask().body, b"fine")
        world.api.script = lambda _, connection, file: connection.sendall(b"HTTP/1.1 200 OK\r\n\r\nto the end")
        equal(client.ask().fields, {"connection": "close"})
        equal(client.file.read(), b"to the end")
    equal(len({one.connection for one in world.api.requests}), 1)


@case()
def requests_behind_each_other_are_answered_in_order(world: World) -> None:
    world.api.script = lambda request, *_: response(request.line.encode())
    with Client(world) as client:
        client.send("".join(f"GET /{i} HTTP/1.1\r\nHost: a\r\n\r\n" for i in range(50)))
        equal([client.reply().body for _ in range(50)], [f"GET /{i} HTTP/1.1".encode() for i in range(50)])


@case()
def events_of_a_watch_come_at_once(world: World) -> None:
    go, ended = threading.Event(), []

    def watch(_: Request, connection: ssl.SSLSocket, file: typing.BinaryIO) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        for i in range(20):
            go.wait()
            go.clear()
            connection.sendall(b"%x\r\n{%d}\n\r\n" % (len(str(i)) + 3, i))
        ended.append(until_end(connection))
    world.api.script = watch
    with Client(world) as client:
        equal(client.ask("/api/v1/pods?watch=true").fields["transfer-encoding"], "chunked")
        for i in range(20):
            go.set()
            client.file.readline()
            equal(client.file.readline(), b"{%d}\n" % i)
            client.file.readline()
    wait_until("the API server sees that no one watches any more", lambda: ended == [b""])


@case()
def what_comes_in_many_records_at_once_is_not_left_lying(world: World) -> None:
    events = [b"{%d%s}\n" % (i, b"x" * (i * 37 % 2000)) for i in range(6000)]

    def watch(_: Request, connection: ssl.SSLSocket, file: typing.BinaryIO) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)  # several events in each segment
        connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        for event in events:
            connection.sendall(b"%x\r\n%s\r\n" % (len(event), event))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 0)
        until_end(connection)  # the watch sends nothing more
    world.api.script = watch
    with Client(world) as quick, Client(world) as slow:
        for client in (quick, slow):
            equal(client.ask("/api/v1/pods?watch=true").status, 200)
        for client in (quick, slow):
            for event in events:
                client.file.readline()
                equal(client.file.readline(), event)
                client.file.readline()


@case()
def sessions_are_raw_both_ways(world: World) -> None:
    for protocol, method, fields in (("websocket", "GET", WEBSOCKET), ("SPDY/3.1", "POST", SPDY), ("SPDY/3.1", "GET", SPDY)):
        world.api.script = echo(protocol)
        with Client(world) as client:
            reply = client.ask(f"{POD}/exec?command=top-secret", method, fields)
            equal((reply.status, reply.fields), (101, {"x-stream": "v1", "connection": "Upgrade", "upgrade": protocol}))
            equal(client.file.readline(), b"hello\n")
            for size in (1, 1000, 3_000_000):
                data = os.urandom(size)
                sender = threading.Thread(target=client.send, args=(data,))
                sender.start()
                equal(client.file.read(size) == data, True)
                sender.join()
            client.socket.shutdown(socket.SHUT_WR)  # closes one direction only: the rest still arrives
            equal(client.file.read(), b"bye")
    wait_until("each session has its lines", lambda: len(world.lines("session")) == 6)
    check("top-secret" not in world.log.read_text() and TOKEN not in world.log.read_text(), "a secret in the log")
    begins, ends = world.lines("session")[:2]
    equal([begins[key] for key in ("user", "groups", "node", "source", "method", "path", "status", "end", "recorded")],
          ["alice@example.com", "dev,qa", "n7.t.ts.net", ALICE, "GET", f"{POD}/exec", "101", "begins", "no"])
    check(int(ends["received"]) > 3_000_000 and int(ends["sent"]) > 3_000_000, ends)


@case()
def a_session_that_is_refused_is_a_response(world: World) -> None:
    world.api.script = lambda *_: response(b"no", "403 Forbidden")
    with Client(world) as client:
        equal(client.ask(f"{POD}/exec", "POST", SPDY).status, 403)
        world.api.script = None
        equal(client.ask().status, 200)


@case()
def expectations_are_the_api_servers_to_answer(world: World) -> None:
    def script(request: Request, connection: ssl.SSLSocket, file: typing.BinaryIO) -> bytes:
        return response(request.body)
    world.api.script = script
    read_body = type(world.api).read_body
    with Client(world) as client:
        client.send("PUT /x HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
        wait_until("the head is there", lambda: world.api.connections)
        client.send("hello")
        equal(client.reply().body, b"hello")
    del read_body
    # The API server answers before it has the body: the connection cannot be used again.
    world.api.read_body = lambda file, request: b""  # type: ignore[assignment]
    world.api.script = lambda *_: b"HTTP/1.1 100 Continue\r\n\r\n" + response(b"no", "413 Too Large")
    with Client(world) as client:
        client.send("PUT /x HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
        equal(client.reply().status, 100)
        reply = client.reply()
        equal((reply.status, reply.fields["connection"]), (413, "close"))
        client.send("hello")
        check(client.is_closed(), "still open")
