"""Cases in which tailscaled or the API server misbehaves, changes or stops."""
import contextlib
import os
import pathlib
import signal
import socket
import ssl
import threading
import time
import typing

from world import ALICE, BOB, POD, TOKEN, WEBSOCKET, Client, Failed, World, case, check, close, echo, equal, response, switch, wait_until


@case()
def an_api_server_that_upgrades_to_something_else(world: World) -> None:
    for answer in (switch("h2c"), switch("SPDY/3.1"), b"HTTP/1.1 101 Switching Protocols\r\n\r\n"):
        world.api.script = lambda *_: answer
        with Client(world) as client:
            equal(client.ask(fields=WEBSOCKET).status, 502)
    world.api.script = lambda *_: switch("websocket")
    with Client(world) as client:
        equal(client.ask().status, 502)


@case()
def an_api_server_that_breaks_off(world: World) -> None:
    def ask() -> tuple[int | None, bytes]:
        with Client(world) as client:
            reply = client.ask()
            return (reply.status if reply else None, client.file.read() if reply else b"")
    world.api.script = lambda *_: None
    equal(ask()[0], 502)
    for answer in (b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\nContent-Length: 0\n\n", b"junk\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
                   b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", b"HTTP/1.1 200 OK\r\nX: " + b"y" * 40000):
        world.api.script = lambda _, connection, file: connection.sendall(answer)
        equal(ask()[0], 502)
    world.api.script = lambda _, connection, file: connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab")
    equal(ask(), (200, b"3\r\nab"))
    check(world.refused("api_server_unreachable") >= 7, "not counted")


@case()
def an_api_server_that_says_goodbye_with_its_handshake(world: World) -> None:
    def serve(raw: socket.socket, _: int) -> None:
        context, incoming, outgoing = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.MemoryBIO(), ssl.MemoryBIO()
        context.maximum_version = ssl.TLSVersion.TLSv1_2  # in TLS 1.2 the server sends the last message of the handshake
        context.load_cert_chain(world.api.folder / "server.pem", world.api.folder / "server.key")
        tls = context.wrap_bio(incoming, outgoing, server_side=True)
        while True:
            with contextlib.suppress(ssl.SSLWantReadError):
                tls.do_handshake()
                break
            raw.sendall(outgoing.read())
            incoming.write(raw.recv(65536))
        with contextlib.suppress(ssl.SSLWantReadError):
            tls.unwrap()
        raw.sendall(outgoing.read())  # both in one segment
        with raw:
            while raw.recv(65536):
                """The connection stays open."""
    world.api.serve = serve  # type: ignore[assignment]
    with Client(world) as client:
        equal(client.ask().status, 502)


@case()
def an_answer_in_the_midst_of_a_body_is_passed_on(world: World) -> None:
    def refuse(connection: ssl.SSLSocket, _: int) -> None:
        connection.recv(65536)
        time.sleep(0.3)  # until the proxy can send no more of the body
        connection.sendall(b"HTTP/1.1 413 Payload Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
    world.api.converse = refuse  # type: ignore[assignment]
    body = b"x" * 30_000_000
    with Client(world) as client:
        sending = threading.Thread(target=client.send, args=(f"POST /api HTTP/1.1\r\nHost: api.t.ts.net\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body,))
        sending.start()
        equal((client.head() or b"").split(b"\r\n")[0], b"HTTP/1.1 413 Payload Too Large")
        sending.join()


@case()
def an_answer_that_no_one_asked_for_reaches_no_one(world: World) -> None:
    world.api.script = lambda *_: response(b"mine") + response(b"evil")
    with Client(world) as client:
        equal(client.ask().body, b"mine")
        time.sleep(0.2)
        world.api.script = lambda *_: response(b"next")
        equal(client.ask().body, b"next")
    world.api.script = lambda *_: b"HTTP/1.1 204 No Content\r\n\r\n" + response(b"evil")
    with Client(world) as client:
        client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n")
        equal([client.reply().status, client.reply().status], [204, 204])
    equal([one.connection for one in world.api.requests], [1, 2, 3, 4])


@case()
def an_api_server_that_closes_an_idle_connection(world: World) -> None:
    world.api.script = lambda _, connection, file: connection.sendall(response(b"last"))
    with Client(world) as client:
        for _ in range(5):
            equal(client.ask().body, b"last")

        def answer_and_close(_: object, connection: ssl.SSLSocket, file: typing.BinaryIO) -> None:
            connection.sendall(response(b"last"))
            connection.unwrap()
        world.api.script = answer_and_close
        for _ in range(5):
            time.sleep(0.2)  # a connection that closes while a POST arrives gives a 502, since a POST is not repeated
            equal(client.ask(method="POST", fields="Content-Length: 2\r\n", body=b"ab").body, b"last")
            time.sleep(0.1)


@case()
def an_api_server_that_is_down_and_back(world: World) -> None:
    world.api.listener.shutdown(socket.SHUT_RDWR)
    world.api.listener.close()
    with Client(world) as client:
        reply = client.ask()
        equal((reply.status, reply.message()), (502, "the API server cannot be reached from the proxy"))
    world.api.listener = socket.create_server(("127.0.0.1", world.api.port), backlog=100)
    threading.Thread(target=world.api.accept, daemon=True).start()
    with Client(world) as client:
        equal(client.ask().status, 200)


@case()
def certificates_are_checked_and_may_change(world: World) -> None:
    world.api.use("other")
    with Client(world) as client:
        equal(client.ask().status, 502)
    check("self-signed certificate" in world.log.read_text(), world.log.read_text())
    world.ca.write_bytes((world.api.folder / "other.pem").read_bytes())
    time.sleep(1.1)
    with Client(world) as client:
        equal(client.ask().status, 200)
    world.ca.write_text("none")
    time.sleep(1.1)
    with Client(world) as client:
        equal(client.ask().status, 502)
    equal(len(world.api.requests), 1)


@case()
def the_token_may_change_and_is_never_left_out(world: World) -> None:
    with Client(world) as client:
        equal(client.ask().status, 200)
        new = world.token.with_name("new")
        new.write_text("another")
        new.rename(world.token)
        time.sleep(1.1)
        equal(client.ask().status, 200)
    equal([one.all("authorization") for one in world.api.requests], [[f"Bearer {TOKEN}"], ["Bearer another"]])
    for text in ("", "a\r\nImpersonate-User: evil", None):
        world.token.unlink() if text is None else world.token.write_text(text)
        time.sleep(1.1)
        with Client(world) as client:
            equal((text, client.ask().status), (text, 502))
    equal(len(world.api.requests), 2)


@case()
def who_reads_slowly_slows_no_one(world: World) -> None:
    sent = []

    def pour(_: object, connection: ssl.SSLSocket, file: typing.BinaryIO) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 300000000\r\n\r\n")
        for _ in range(300):
            connection.sendall(b"x" * 1_000_000)
            sent.append(1)
    world.api.script = pour
    slow = [Client(world) for _ in range(8)]
    for client in slow:
        client.send("GET /big HTTP/1.1\r\nHost: a\r\n\r\n")
    wait_until("they are being answered", lambda: len(world.api.requests) == 8)
    time.sleep(1)
    before = len(sent)
    world.api.script = None
    with Client(world, BOB) as client:
        for _ in range(100):
            equal(client.ask().status, 200)
    check(len(sent) - before < 40, "it takes what no one reads:", len(sent) - before)
    memory = int(pathlib.Path(f"/proc/{world.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    check(memory < 40_000_000, "memory", memory)
    close(slow)


@case(grace=60)
def it_stops_when_its_sessions_have_ended(world: World) -> None:
    world.api.script = echo("websocket")
    idle, session = Client(world), Client(world, BOB)
    equal(session.ask(f"{POD}/exec", fields=WEBSOCKET).status, 101)
    session.file.readline()
    world.process.send_signal(signal.SIGTERM)
    check(idle.is_closed(), "an idle connection stays")
    session.send(b"still\n")
    equal(session.file.readline(), b"still\n")
    try:
        Client(world)
        raise Failed("takes new connections")
    except OSError:
        pass
    session.__exit__()
    equal(world.process.wait(20), 0)


@case(grace=1)
def it_stops_within_its_grace(world: World) -> None:
    world.api.script = echo("websocket")
    with Client(world) as session:
        equal(session.ask(f"{POD}/exec", fields=WEBSOCKET).status, 101)
        session.file.readline()
        world.process.send_signal(signal.SIGTERM)
        check(session.is_closed(), "goes on")
        equal(world.process.wait(10), 0)


@case(mode="false", ready=False)
def a_mode_that_is_none_ends_it(world: World) -> None:
    equal(world.process.wait(10), 1)
    check("invalid APISERVER_PROXY" in world.log.read_text(), world.log.read_text())


@case()
def pages_and_audit(world: World) -> None:
    with Client(world) as client:
        equal(client.ask("/api/v1/pods?token=very-secret").status, 200)
        equal(client.ask("/api/v1/pods?token=very-secret", "DELETE", "Authorization: Bearer mine-is-secret\r\n").status, 200)
    equal(world.page("/healthz"), (200, "ok\n"))
    equal(world.page("/other")[0], 404)
    equal(world.metric("k8s_auth_proxy_requests_proxied"), 2)
    [line] = world.lines("request")
    equal([line[key] for key in ("user", "groups", "node", "source", "method", "path", "status", "end")],
          ["alice@example.com", "dev,qa", "n7.t.ts.net", ALICE, "DELETE", "/api/v1/pods", "200", ""])
    check("secret" not in world.log.read_text(), world.log.read_text())
