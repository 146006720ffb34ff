"""Cases about the recordings of sessions, and what happens when a session cannot be recorded."""
import collections.abc
import contextlib
import json
import os
import socket
import ssl
import struct
import threading
import time
import typing
import zlib

import recorder
from world import (PATIENCE, POD, SPDY, WEBSOCKET, Case, Client, Object, Request, Script, World, case, cases, check, device, equal, groups,
                   switch, until_end, wait_until, waiting)

RECORDER = "100.64.0.3:80"
HERE = "100.64.0.70"
CHANNEL = WEBSOCKET + "Sec-WebSocket-Protocol: v5.channel.k8s.io, v4.channel.k8s.io\r\nSec-WebSocket-Extensions: permessage-deflate\r\n"


class Recorder(recorder.Recorder):
    """A recorder at an address that tailscaled can dial; it uses the HTTP version of the case."""

    def __init__(self, world: World, address: str = RECORDER, mode: str = "takes", **options: typing.Any) -> None:
        listener = socket.create_server(("127.0.0.1", 0))
        world.daemon.dialled[address] = listener.getsockname()[1]
        super().__init__(listener, mode, world.http2, **options)

    def lines(self, number: int = 0) -> tuple[Object, list[list[typing.Any]]]:
        wait_until("the recording is whole", lambda: len(self.whole) > number)
        header, *events = [json.loads(line) for line in self.whole[number].decode().splitlines()]
        return header, [event[1:] for event in events]


def of_both(waits: bool = False, **options: typing.Any) -> collections.abc.Callable[[Case], Case]:
    """Makes two cases of the function: one with recorders over HTTP/2, and one over HTTP/1.1."""
    def take(function: Case) -> Case:
        case(waits=waits, **options)(function)
        cases.append((function.__name__ + "_over_http1", {**options, "http2": False}, function))
        waiting.update({function.__name__ + "_over_http1"} if waits else ())
        return function
    return take


def caller(world: World, *rules: Object, user: str = "rec@example.com") -> Client:
    """Connects from a new device each time, since what the proxy has found out about a device is cached for some seconds."""
    address = HERE if HERE not in world.daemon.devices else f"100.64.3.{len(world.daemon.devices)}"
    world.daemon.devices[address] = device(address, user, rules=[groups("g"), *rules])
    return Client(world, address)


def enforced(*addresses: str) -> Object:
    return {"recorderAddrs": list(addresses or (RECORDER,)), "enforceRecorder": True}


def frame(payload: bytes, mask: bytes = b"", first: int = 0x82) -> bytes:
    size = bytes([len(payload) | (0x80 if mask else 0)]) if len(payload) < 126 else \
        bytes([126 | (0x80 if mask else 0)]) + struct.pack(">H", len(payload))
    return bytes([first]) + size + mask + bytes(byte ^ mask[i % 4] if mask else byte for i, byte in enumerate(payload))


def typed(payload: bytes) -> bytes:
    return frame(payload, b"\x01\x02\x03\x04")


def websocket_server(*frames: bytes, protocol: str = "v5.channel.k8s.io") -> Script:
    def script(request: Request, connection: ssl.SSLSocket, file: typing.BinaryIO) -> None:
        connection.sendall(switch("websocket")[:-2] + f"Sec-WebSocket-Protocol: {protocol}\r\n\r\n".encode())
        file.read(1)
        for one in frames:
            connection.sendall(one)
        connection.unwrap()
    return script


def play(world: World, target: str, *sent: bytes, method: str = "GET", fields: str = CHANNEL,
         rules: collections.abc.Iterable[Object] = (enforced(),)) -> typing.Any:
    """Returns what came back behind the head."""
    with caller(world, *rules) as client:
        reply = client.ask(target, method, fields)
        if not reply or reply.status != 101:
            return reply
        for one in sent:
            client.send(one)
        with contextlib.suppress(ConnectionResetError):
            return client.file.read()
        return b"reset"


@of_both()
def a_websocket_is_recorded(world: World) -> None:
    taker = Recorder(world)
    frames = [frame(b"\1caf\xc3"), frame(b"\1\xa9\n"), frame(b"", first=0x89), frame(b"\2bad\xff"), frame(b'\3{"status":"Success"}')]
    world.api.script = websocket_server(*frames)
    came = play(world, f"{POD}/exec?command=sh&command=-c&command=echo+x&container=main&stdin=true&tty=true",
                typed(b'\4{"Width":100,"Height":30}'), typed(b"\0secret input\n"), typed(b'\4{"Width":90,"Height":20}\n'))
    equal(came, b"".join(frames))
    header, events = taker.lines()
    check(0 <= time.time() - header.pop("timestamp") < 60, "timestamp")
    equal(header, {"version": 2, "width": 100, "height": 30, "command": "sh -c echo x", "srcNode": "n70.t.ts.net", "srcNodeID": "n70",
                   "srcNodeUserID": 7, "srcNodeUser": "rec@example.com", "env": None, "sshUser": "", "localUser": "", "connectionID": "",
                   "kubernetes": {"PodName": "web", "Namespace": "default", "Container": "main", "SessionType": "exec"}})
    output = "".join(text for code, text in events if code == "o")
    equal(output, "café\nbad\ufffd")
    equal([text for code, text in events if code == "r"], ["90x20"])
    equal(world.api.requests[0].all("sec-websocket-protocol"), ["v5.channel.k8s.io, v4.channel.k8s.io"])
    equal(world.api.requests[0].all("sec-websocket-extensions"), [])
    equal(taker.requests, ["HEAD /v2/record HTTP/2", "POST /v2/record HTTP/2"] if world.http2 else ["PRI * HTTP/2.0", "POST /record HTTP/1.1"])
    wait_until("it is counted", lambda: world.metric("k8s_auth_proxy_session_recordings_uploaded") == 1)
    equal([line["recorded"] for line in world.lines("session")], [RECORDER] * 2)
    [line] = world.lines("recording")
    size = str(len(taker.whole[0]))
    equal([line[key] for key in ("user", "node", "path", "recorder", "written", "acknowledged", "problem")],
          ["rec@example.com", "n70.t.ts.net", f"{POD}/exec", RECORDER, size, size, ""])


# The dictionary of the header blocks is in the program's source.
def spdy_opened() -> bytes:
    source = (os.path.dirname(os.path.abspath(__file__)) + "/../../runtime/recording/spdy_dictionary.h")
    with open(source, encoding="ascii") as file:
        dictionary = bytes(int(word.strip(), 16) for word in file.read().split("= {", 1)[1].split("}", 1)[0].split(",") if word.strip())
    writer = zlib.compressobj(zdict=dictionary)
    out = b""
    for stream, kind in ((1, b"error"), (3, b"stdin"), (5, b"stdout"), (7, b"resize")):
        block = struct.pack(">II", 1, 10) + b"streamtype" + struct.pack(">I", len(kind)) + kind
        payload = struct.pack(">IIH", stream, 0, 0) + writer.compress(block) + writer.flush(zlib.Z_SYNC_FLUSH)
        out += struct.pack(">HHI", 0x8003, 1, len(payload)) + payload
    return out


def spdy_data(stream: int, payload: bytes) -> bytes:
    return struct.pack(">II", stream, len(payload)) + payload


@of_both()
def spdy_is_recorded(world: World) -> None:
    taker = Recorder(world)
    frames = [spdy_data(5, b"hel"), struct.pack(">HHI", 0x8003, 6, 4) + b"\0\0\0\1", spdy_data(5, b"lo\n")]

    def script(_: object, connection: ssl.SSLSocket, file: typing.BinaryIO) -> None:
        connection.sendall(switch("SPDY/3.1"))
        file.read(1)
        for one in frames:
            connection.sendall(one)
        connection.unwrap()
    world.api.script = script
    came = play(world, f"{POD}/attach?container=main&stdout=true", spdy_opened(), spdy_data(3, b"input"), method="POST", fields=SPDY)
    equal(came, b"".join(frames))
    header, events = taker.lines()
    equal((header["width"], header["height"], header["kubernetes"]["SessionType"], "command" in header), (0, 0, "attach", False))
    equal("".join(text for code, text in events if code == "o"), "hello\n")


@of_both()
def without_a_recorder_nothing_begins(world: World) -> None:
    world.api.script = websocket_server(frame(b"\1x"))
    Recorder(world, "100.64.0.4:80", "refuses")
    for addresses in (("100.64.0.5:80",), ("100.64.0.4:80",), ("100.64.0.5:80", "100.64.0.4:80")):
        reply = play(world, f"{POD}/exec", rules=[enforced(*addresses)])
        equal((reply.status, reply.message()), (403, 'your grant of "tailscale.com/cap/kubernetes" requires this to be recorded '
                                                '(enforceRecorder), and no recorder accepts it'))
    equal(world.api.connections, 0)
    # The next recorder of the list takes the session.
    taker = Recorder(world)
    equal(play(world, f"{POD}/exec", typed(b"\0x"), rules=[enforced("100.64.0.5:80", "100.64.0.4:80", RECORDER)]), frame(b"\1x"))
    equal(taker.lines()[1], [["o", "x"]])
    # If recording is not enforced, the session goes on.
    equal(play(world, f"{POD}/exec", typed(b"\0x"), rules=[{"recorderAddrs": ["100.64.0.5:80"]}]), frame(b"\1x"))
    check(world.metric("tailrender_api_proxy_recordings_failed_total") >= 4, world.page("/metrics")[1])


@of_both(waits=True)
def a_recorder_that_hangs_is_given_up(world: World) -> None:
    Recorder(world, mode="hangs")
    begun = time.monotonic()
    with caller(world, enforced()) as client:
        client.socket.settimeout(60)
        equal(client.ask(f"{POD}/exec", fields=CHANNEL).status, 403)
    check(time.monotonic() - begun < 20, "took", time.monotonic() - begun)
    equal(world.api.connections, 0)


@of_both()
def a_recorder_that_dies_ends_what_must_be_recorded(world: World) -> None:
    Recorder(world, mode="dies")

    def script(_: object, connection: ssl.SSLSocket, file: typing.BinaryIO) -> None:
        connection.sendall(switch("websocket")[:-2] + b"Sec-WebSocket-Protocol: v4.channel.k8s.io\r\n\r\n")
        with contextlib.suppress(OSError):
            for _ in range(100):
                connection.sendall(frame(b"\1x"))
                time.sleep(0.05)
        connection.unwrap()
    world.api.script = script
    came = play(world, f"{POD}/exec")
    check(len(came) < 4 * 90, "it goes on", len(came))
    equal(len(play(world, f"{POD}/exec", rules=[{"recorderAddrs": [RECORDER]}])), 400)


@case(waits=True)
def a_recorder_that_does_not_acknowledge_is_given_up(world: World) -> None:
    """This also holds while there is nothing to acknowledge."""
    is_given_up(world, "never acks")


@case(waits=True)
def a_recorder_that_acknowledges_nothing_is_given_up(world: World) -> None:
    is_given_up(world, "acks nothing")


def is_given_up(world: World, mode: str) -> None:
    Recorder(world, mode=mode)
    ends = []

    def script(_: object, connection: ssl.SSLSocket, file: typing.BinaryIO) -> None:
        connection.sendall(switch("websocket")[:-2] + b"Sec-WebSocket-Protocol: v4.channel.k8s.io\r\n\r\n")
        until_end(connection)
    world.api.script = script

    def hold(*rules: Object) -> None:
        with caller(world, *rules) as client:
            equal(client.ask(f"{POD}/exec", fields=CHANNEL).status, 101)
            client.socket.settimeout(36)
            begun = time.monotonic()
            with contextlib.suppress(TimeoutError):
                client.is_closed()
            ends.append((len(rules), int(time.monotonic() - begun)))
    sides: tuple[list[Object], list[Object]] = ([enforced()], [{"recorderAddrs": [RECORDER]}, {}])
    holders = [threading.Thread(target=hold, args=rules) for rules in sides]
    for holder in holders:
        holder.start()
    for holder in holders:
        holder.join()
    (_, closed), (_, opened) = sorted(ends)
    check(28 <= closed <= 34 and opened >= 35, "ends", ends)
    lines = world.lines("recording")
    equal([(line["acknowledged"], line["problem"]) for line in lines], [("0", f"recorder {RECORDER}: it acknowledges nothing")] * 2)


@case()
def what_no_recorder_says_ends_what_must_be_recorded(world: World) -> None:
    def script(_: object, connection: ssl.SSLSocket, file: typing.BinaryIO) -> None:
        connection.sendall(switch("websocket")[:-2] + b"Sec-WebSocket-Protocol: v4.channel.k8s.io\r\n\r\n")
        with contextlib.suppress(OSError):
            for _ in range(60):  # longer than the proxy takes to notice
                connection.sendall(frame(b"\1x"))
                time.sleep(0.05)
        connection.unwrap()
    world.api.script = script
    for mode in ("acks too much", "says an error", "ends early", "babbles"):
        Recorder(world, mode=mode)
        came = play(world, f"{POD}/exec")  # bytes, or a refusal if the proxy notices before the session begins
        check(not isinstance(came, bytes) or len(came) < 4 * 50, mode, "goes on", came)
        equal(len(play(world, f"{POD}/exec", rules=[{"recorderAddrs": [RECORDER]}])), 240)
    said = [line["problem"].removeprefix(f"recorder {RECORDER}: ") for line in world.lines("recording")]
    check(said[0].startswith("it acknowledges ") and said[2] == 'it says "the disk is full"' and said[4] == "it has ended the recording"
          and said[6] == "its acknowledgements are malformed" and len(said) == 8, said)


def read_on(client: Client) -> None:
    with contextlib.suppress(OSError):
        client.file.read()


@of_both()
def a_recorder_that_reads_nothing_holds_the_session_up(world: World) -> None:
    taker = Recorder(world, mode="reads nothing")
    sent = []

    def script(_: object, connection: ssl.SSLSocket, file: typing.BinaryIO) -> None:
        connection.sendall(switch("websocket")[:-2] + b"Sec-WebSocket-Protocol: v4.channel.k8s.io\r\n\r\n")
        with contextlib.suppress(OSError):
            for _ in range(2000):
                connection.sendall(frame(b"\1" + b"x" * 60000))
                sent.append(1)
    world.api.script = script
    with caller(world, enforced()) as client:
        equal(client.ask(f"{POD}/exec", fields=CHANNEL).status, 101)
        threading.Thread(target=read_on, args=(client,), daemon=True).start()

        def is_held_up() -> object:
            before = len(sent)
            time.sleep(1)
            return before and len(sent) == before
        wait_until("it is held up", is_held_up)
        check(len(sent) < 1000, "what is not recorded goes on", len(sent))
        client.socket.shutdown(socket.SHUT_RDWR)  # otherwise the reader's thread would have to give up first
    taker.released.set()


@of_both()
def resizes_wait_for_the_recorder_too(world: World) -> None:
    taker = Recorder(world, mode="reads nothing")

    def script(_: object, connection: ssl.SSLSocket, file: typing.BinaryIO) -> None:
        connection.sendall(switch("websocket")[:-2] + b"Sec-WebSocket-Protocol: v4.channel.k8s.io\r\n\r\n")
        until_end(connection)
    world.api.script = script
    resizes = typed(b"\4" + b"{}\n" * 16000) * 20
    with caller(world, enforced()) as client:
        equal(client.ask(f"{POD}/exec", fields=CHANNEL).status, 101)
        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65536)
        client.socket.settimeout(3)
        taken = 0
        with contextlib.suppress(TimeoutError):
            while taken < 8 * len(resizes):
                taken += client.socket.send(resizes[taken % len(resizes):])
        check(taken < 8 * len(resizes), "what is not recorded is taken", taken)
        client.socket.settimeout(PATIENCE)
    taker.released.set()


@case()
def what_cannot_be_read_cannot_be_recorded(world: World) -> None:
    Recorder(world)
    bad = [[frame(b"\1x", first=0x81)], [frame(b"\1x", first=0xC2)], [frame(b"\1x", b"mask")], [frame(b"\1x", first=0x80)]]
    for frames in bad:
        world.api.script = websocket_server(*frames, frame(b"\1evil"))
        check(b"evil" not in play(world, f"{POD}/exec", typed(b"\0x")), frames)
    world.api.script = websocket_server(frame(b"\1x"))
    check(play(world, f"{POD}/exec", b"\x82\x02\0x") in (b"", b"reset"), "a client's frame without its mask")
    # Other subprotocols of the API server or the client are refused.
    world.api.script = websocket_server(frame(b"1eA=="), protocol="v4.base64.channel.k8s.io")
    equal(play(world, f"{POD}/exec", typed(b"\0x")), None)
    before = world.api.connections
    for protocols in ("base64.channel.k8s.io", "channel.k8s.io, v4.base64.channel.k8s.io", ""):
        fields = WEBSOCKET + (f"Sec-WebSocket-Protocol: {protocols}\r\n" if protocols else "")
        equal(play(world, f"{POD}/exec", fields=fields).status, 403)
        equal(play(world, "/api/v1/namespaces/execs/pods/attaching/exec", fields=fields).status, 403)
    for target in (f"{POD}/%65xec", f"{POD}//exec", f"/{POD}/exec", f"{POD}/exec/", "/apis/x/v1/namespaces/a/pods/b/exec"):
        equal((target, play(world, target).status), (target, 403))
    equal(world.api.connections, before)


EXEC = f"{POD}/exec?command=id"


def is_recorded_with(taker: Recorder, number: int, output: str) -> None:
    """Checks that the recording of the command was completed."""
    header, events = taker.lines(number)
    equal((header["command"], "".join(text for code, text in events if code == "o")), ("id", output))


@of_both()
def what_was_recorded_stays_when_the_session_breaks_it(world: World) -> None:
    taker = Recorder(world)
    spoilt = frame(b"\0typed")  # without a mask

    def script(_: object, connection: ssl.SSLSocket, file: typing.BinaryIO) -> None:
        connection.sendall(switch("websocket")[:-2] + b"Sec-WebSocket-Protocol: v4.channel.k8s.io\r\n\r\n" + frame(b"\1secret"))
        until_end(connection)
    world.api.script = script
    for number, target in enumerate((EXEC + "&tty=true", EXEC)):
        with caller(world, enforced()) as client:
            equal(client.ask(target, fields=CHANNEL).status, 101)
            equal(client.file.read(9), frame(b"\1secret"))
            client.send(spoilt)
            check(client.is_closed(), "goes on")
        is_recorded_with(taker, number, "secret")
    equal([line["recorded"] for line in world.lines("session")], [RECORDER, "in part: " + RECORDER] * 2)
    wait_until("it is counted", lambda: world.metric("tailrender_api_proxy_recordings_failed_total") == 2)
    equal(world.metric("k8s_auth_proxy_session_recordings_uploaded"), 0)


@case()
def nothing_may_follow_a_request_for_a_session(world: World) -> None:
    taker = Recorder(world)
    world.api.script = websocket_server(frame(b"\1x"))
    for rest in (frame(b"\0typed"), typed(b"\0typed")):
        with caller(world, enforced()) as client:
            reply = client.ask(EXEC, fields=CHANNEL, body=rest)
            equal((reply.status, reply.message()), (400, "nothing may follow a request for a session before its answer"))
    equal(world.api.requests, [])
    # Nothing may follow either while the API server has not answered yet, when the command may run already.
    thinks = threading.Event()

    def script(_: Request, connection: ssl.SSLSocket, file: typing.BinaryIO) -> None:
        thinks.wait(PATIENCE)
        websocket_server(frame(b"\1x"))(_, connection, file)
    world.api.script = script
    with caller(world, enforced()) as client:
        client.send(f"GET {EXEC} HTTP/1.1\r\nHost: api.t.ts.net\r\n{CHANNEL}\r\n")
        wait_until("it is asked", lambda: world.api.requests)
        client.send(typed(b"\0typed"))
        time.sleep(0.5)
        thinks.set()
        check(client.is_closed(), "goes on")
    is_recorded_with(taker, 0, "")


@of_both()
def who_hangs_up_before_the_answer_is_recorded(world: World) -> None:
    taker = Recorder(world)
    thinks = threading.Event()

    def script(*_: object) -> None:
        thinks.wait(PATIENCE)
    world.api.script = script
    with caller(world, enforced()) as client:
        client.send(f"GET {EXEC}&tty=true HTTP/1.1\r\nHost: api.t.ts.net\r\n{CHANNEL}\r\n")
        wait_until("it is asked", lambda: world.api.requests)
    is_recorded_with(taker, 0, "")
    thinks.set()
    # The same holds when there is no answer, or an invalid one.
    world.api.script = lambda *_: None
    equal(play(world, EXEC).status, 502)
    is_recorded_with(taker, 1, "")
    world.api.script = lambda *_: switch("SPDY/3.1")
    equal(play(world, EXEC).status, 502)
    is_recorded_with(taker, 2, "")


@case()
def a_session_is_asked_for_once(world: World) -> None:
    taker = Recorder(world)
    for rules, fields in (((enforced(),), CHANNEL), ((), CHANNEL), ((), SPDY)):
        world.api.requests.clear()
        world.api.script = None
        with caller(world, *rules) as client:
            equal(client.ask().status, 200)
            world.api.script = lambda *_: None
            equal(client.ask(EXEC, fields=fields).status, 502)
        equal([request.line.split()[1] for request in world.api.requests], ["/api", EXEC])
    is_recorded_with(taker, 0, "")


@case()
def another_protocol_of_the_api_server_is_a_recording(world: World) -> None:
    taker = Recorder(world)
    world.api.script = websocket_server(frame(b"1eA=="), protocol="v4.base64.channel.k8s.io")
    equal(play(world, EXEC, typed(b"\0x")), None)
    is_recorded_with(taker, 0, "")


@of_both()
def a_session_that_is_refused_is_no_recording(world: World) -> None:
    taker = Recorder(world)
    world.api.script = lambda *_: b"HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno"
    equal(play(world, f"{POD}/exec").status, 403)
    wait_until("the recorder is let go", lambda: taker.casts and not taker.whole)
    equal(taker.casts, [[b""]])


@of_both(grace=3)
def a_stop_brings_recordings_to_their_end(world: World) -> None:
    taker = Recorder(world)

    def script(_: object, connection: ssl.SSLSocket, file: typing.BinaryIO) -> None:
        connection.sendall(switch("websocket")[:-2] + b"Sec-WebSocket-Protocol: v4.channel.k8s.io\r\n\r\n" + frame(b"\1before"))
        until_end(connection)
    world.api.script = script
    with caller(world, enforced()) as client:
        equal(client.ask(f"{POD}/exec", fields=CHANNEL).status, 101)
        client.file.read(9)
        world.process.terminate()
        check(client.is_closed(), "goes on")
    equal(world.process.wait(10), 0)
    equal(taker.lines()[1], [["o", "before"]])
