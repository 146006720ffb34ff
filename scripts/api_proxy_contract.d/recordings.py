"""What is recorded of sessions, and what happens when it cannot be."""
import contextlib
import json
import os
import socket
import struct
import threading
import time
import zlib

from world import PATIENCE, POD, SPDY, WEBSOCKET, Client, case, check, device, equal, groups, switch, until_end, wait_until

RECORDER = "100.64.0.3:80"
HERE = "100.64.0.70"
CHANNEL = WEBSOCKET + "Sec-WebSocket-Protocol: v5.channel.k8s.io, v4.channel.k8s.io\r\nSec-WebSocket-Extensions: permessage-deflate\r\n"


class Recorder:
    """POST /record, as `mode` says: takes it, refuses it, hangs, dies after the first line, or reads nothing."""

    def __init__(self, world, address=RECORDER, mode="takes"):
        self.mode, self.casts, self.whole, self.heads = mode, [], [], []
        self.listener = socket.create_server(("127.0.0.1", 0))
        world.daemon.dialled[address] = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with connection, contextlib.suppress(OSError, ValueError):
            file = connection.makefile("rb")
            head = b""
            while not head.endswith(b"\r\n\r\n"):
                head += file.read(1) or (_ for _ in ()).throw(OSError)
            self.heads.append(head.decode())
            if self.mode == "hangs":
                until_end(connection)
                return
            if self.mode == "refuses":
                connection.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
                return
            connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            cast = [b""]
            self.casts.append(cast)
            if self.mode == "reads nothing":
                time.sleep(PATIENCE)
                return
            while size := int(file.readline(), 16):
                cast[0] += file.read(size + 2)[:-2]
                if self.mode == "dies":
                    return
            file.readline()
            self.whole.append(cast[0])
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

    def lines(self, number=0):
        wait_until("the recording is whole", lambda: len(self.whole) > number)
        header, *events = [json.loads(line) for line in self.whole[number].decode().splitlines()]
        return header, [event[1:] for event in events]


def caller(world, *rules):
    """A device of its own for each: what is known of one counts for some seconds."""
    address = HERE if HERE not in world.daemon.devices else f"100.64.3.{len(world.daemon.devices)}"
    world.daemon.devices[address] = device(address, "rec@example.com", rules=[groups("g"), *rules])
    return Client(world, address)


def enforced(*addresses):
    return {"recorderAddrs": list(addresses or (RECORDER,)), "enforceRecorder": True}


def frame(payload, mask=b"", first=0x82):
    size = bytes([len(payload) | (0x80 if mask else 0)]) if len(payload) < 126 else \
        bytes([126 | (0x80 if mask else 0)]) + struct.pack(">H", len(payload))
    return bytes([first]) + size + mask + bytes(byte ^ mask[i % 4] if mask else byte for i, byte in enumerate(payload))


def typed(payload):
    return frame(payload, b"\x01\x02\x03\x04")


def websocket_server(*frames, protocol="v5.channel.k8s.io"):
    def script(request, connection, file):
        connection.sendall(switch("websocket")[:-2] + f"Sec-WebSocket-Protocol: {protocol}\r\n\r\n".encode())
        file.read(1)
        for one in frames:
            connection.sendall(one)
        connection.unwrap()
    return script


def play(world, target, *sent, method="GET", fields=CHANNEL, rules=(enforced(),)):
    """What came back behind the head."""
    with caller(world, *rules) as client:
        reply = client.ask(target, method, fields)
        if not reply or reply.status != 101:
            return reply
        for one in sent:
            client.send(one)
        with contextlib.suppress(ConnectionResetError):
            return client.file.read()
        return b"reset"


@case()
def a_websocket_is_recorded(world):
    recorder = Recorder(world)
    frames = [frame(b"\1caf\xc3"), frame(b"\1\xa9\n"), frame(b"", first=0x89), frame(b"\2bad\xff"), frame(b'\3{"status":"Success"}')]
    world.api.script = websocket_server(*frames)
    came = play(world, f"{POD}/exec?command=sh&command=-c&command=echo+x&container=main&stdin=true&tty=true",
                typed(b'\4{"Width":100,"Height":30}'), typed(b"\0secret input\n"), typed(b'\4{"Width":90,"Height":20}\n'))
    equal(came, b"".join(frames))
    header, events = recorder.lines()
    check(0 <= time.time() - header.pop("timestamp") < 60, "timestamp")
    equal(header, {"version": 2, "width": 100, "height": 30, "command": "sh -c echo x", "srcNode": "n70.t.ts.net", "srcNodeID": "n70",
                   "srcNodeUserID": 7, "srcNodeUser": "rec@example.com", "env": None, "sshUser": "", "localUser": "", "connectionID": "",
                   "kubernetes": {"PodName": "web", "Namespace": "default", "Container": "main", "SessionType": "exec"}})
    output = "".join(text for code, text in events if code == "o")
    equal(output, "café\nbad\ufffd")
    equal([text for code, text in events if code == "r"], ["90x20"])
    equal(world.api.requests[0].all("sec-websocket-protocol"), ["v5.channel.k8s.io, v4.channel.k8s.io"])
    equal(world.api.requests[0].all("sec-websocket-extensions"), [])
    check("Expect: 100-continue\r\n" in recorder.heads[0] and recorder.heads[0].startswith("POST /record HTTP/1.1\r\n"), recorder.heads)
    wait_until("it is counted", lambda: world.metric("k8s_auth_proxy_session_recordings_uploaded") == 1)
    equal([line["recorded"] for line in world.lines("session")], [RECORDER] * 2)


# The header blocks' dictionary is in the program.
def spdy_opened():
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


def spdy_data(stream, payload):
    return struct.pack(">II", stream, len(payload)) + payload


@case()
def spdy_is_recorded(world):
    recorder = Recorder(world)
    frames = [spdy_data(5, b"hel"), struct.pack(">HHI", 0x8003, 6, 4) + b"\0\0\0\1", spdy_data(5, b"lo\n")]

    def script(_, connection, file):
        connection.sendall(switch("SPDY/3.1"))
        file.read(1)
        for one in frames:
            connection.sendall(one)
        connection.unwrap()
    world.api.script = script
    came = play(world, f"{POD}/attach?container=main&stdout=true", spdy_opened(), spdy_data(3, b"input"), method="POST", fields=SPDY)
    equal(came, b"".join(frames))
    header, events = recorder.lines()
    equal((header["width"], header["height"], header["kubernetes"]["SessionType"], "command" in header), (0, 0, "attach", False))
    equal("".join(text for code, text in events if code == "o"), "hello\n")


@case()
def without_a_recorder_nothing_begins(world):
    world.api.script = websocket_server(frame(b"\1x"))
    Recorder(world, "100.64.0.4:80", "refuses")
    for addresses in (("100.64.0.5:80",), ("100.64.0.4:80",), ("100.64.0.5:80", "100.64.0.4:80")):
        reply = play(world, f"{POD}/exec", rules=[enforced(*addresses)])
        equal((reply.status, reply.message()), (403, 'your grant of "tailscale.com/cap/kubernetes" requires this to be recorded '
                                                '(enforceRecorder), and no recorder takes it'))
    equal(world.api.connections, 0)
    # The next one of the list has it.
    recorder = Recorder(world)
    equal(play(world, f"{POD}/exec", typed(b"\0x"), rules=[enforced("100.64.0.5:80", "100.64.0.4:80", RECORDER)]), frame(b"\1x"))
    equal(recorder.lines()[1], [["o", "x"]])
    # Where it need not be recorded, it goes on.
    equal(play(world, f"{POD}/exec", typed(b"\0x"), rules=[{"recorderAddrs": ["100.64.0.5:80"]}]), frame(b"\1x"))
    check(world.metric("tailrender_api_proxy_recordings_failed_total") >= 4, world.page("/metrics")[1])


@case()
def a_recorder_that_hangs_is_given_up(world):
    Recorder(world, mode="hangs")
    begun = time.monotonic()
    with caller(world, enforced()) as client:
        client.socket.settimeout(60)
        equal(client.ask(f"{POD}/exec", fields=CHANNEL).status, 403)
    check(time.monotonic() - begun < 20, "took", time.monotonic() - begun)
    equal(world.api.connections, 0)


@case()
def a_recorder_that_dies_ends_what_must_be_recorded(world):
    Recorder(world, mode="dies")

    def script(_, connection, file):
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


@case()
def a_recorder_that_reads_nothing_holds_the_session_up(world):
    Recorder(world, mode="reads nothing")
    sent = []

    def script(_, connection, file):
        connection.sendall(switch("websocket")[:-2] + b"Sec-WebSocket-Protocol: v4.channel.k8s.io\r\n\r\n")
        with contextlib.suppress(OSError):
            for _ in range(2000):
                connection.sendall(frame(b"\1" + b"x" * 60000))
                sent.append(1)
    world.api.script = script
    with caller(world, enforced()) as client:
        equal(client.ask(f"{POD}/exec", fields=CHANNEL).status, 101)
        threading.Thread(target=client.file.read, daemon=True).start()
        time.sleep(3)
        before = len(sent)
        check(before < 1000, "what is not recorded goes on", before)
        time.sleep(1)
        check(len(sent) - before < 20, "what is not recorded goes on", len(sent) - before)


@case()
def resizes_wait_for_the_recorder_too(world):
    Recorder(world, mode="reads nothing")

    def script(_, connection, file):
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


@case()
def what_cannot_be_read_cannot_be_recorded(world):
    Recorder(world)
    bad = [[frame(b"\1x", first=0x81)], [frame(b"\1x", first=0xC2)], [frame(b"\1x", b"mask")], [frame(b"\1x", first=0x80)]]
    for frames in bad:
        world.api.script = websocket_server(*frames, frame(b"\1evil"))
        check(b"evil" not in play(world, f"{POD}/exec", typed(b"\0x")), frames)
    world.api.script = websocket_server(frame(b"\1x"))
    check(play(world, f"{POD}/exec", b"\x82\x02\0x") in (b"", b"reset"), "a client's frame without its mask")
    # Also when the API server, or the client, would speak something else.
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


def is_recorded_with(recorder, number, output):
    """A recording of the command, brought to its end."""
    header, events = recorder.lines(number)
    equal((header["command"], "".join(text for code, text in events if code == "o")), ("id", output))


@case()
def what_was_recorded_stays_when_the_session_breaks_it(world):
    recorder = Recorder(world)
    spoilt = frame(b"\0typed")  # without its mask

    def script(_, connection, file):
        connection.sendall(switch("websocket")[:-2] + b"Sec-WebSocket-Protocol: v4.channel.k8s.io\r\n\r\n" + frame(b"\1secret"))
        until_end(connection)
    world.api.script = script
    for number, target in enumerate((EXEC + "&tty=true", EXEC)):
        with caller(world, enforced()) as client:
            equal(client.ask(target, fields=CHANNEL).status, 101)
            equal(client.file.read(9), frame(b"\1secret"))
            client.send(spoilt)
            check(client.is_closed(), "goes on")
        is_recorded_with(recorder, number, "secret")
    equal([line["recorded"] for line in world.lines("session")], [RECORDER, "in part: " + RECORDER] * 2)
    wait_until("it is counted", lambda: world.metric("tailrender_api_proxy_recordings_failed_total") == 2)
    equal(world.metric("k8s_auth_proxy_session_recordings_uploaded"), 0)


@case()
def nothing_may_follow_a_request_for_a_session(world):
    recorder = Recorder(world)
    world.api.script = websocket_server(frame(b"\1x"))
    for rest in (frame(b"\0typed"), typed(b"\0typed")):
        with caller(world, enforced()) as client:
            reply = client.ask(EXEC, fields=CHANNEL, body=rest)
            equal((reply.status, reply.message()), (400, "nothing may follow a request for a session before its answer"))
    equal(world.api.requests, [])
    # Nor while the API server thinks about it, when the command may run already.
    thinks = threading.Event()

    def script(_, connection, file):
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
    is_recorded_with(recorder, 0, "")


@case()
def who_hangs_up_before_the_answer_is_recorded(world):
    recorder = Recorder(world)
    thinks = threading.Event()
    world.api.script = lambda *_: thinks.wait(PATIENCE) and None
    with caller(world, enforced()) as client:
        client.send(f"GET {EXEC}&tty=true HTTP/1.1\r\nHost: api.t.ts.net\r\n{CHANNEL}\r\n")
        wait_until("it is asked", lambda: world.api.requests)
    is_recorded_with(recorder, 0, "")
    thinks.set()
    # The same when no answer comes, or one that is none.
    world.api.script = lambda *_: None
    equal(play(world, EXEC).status, 502)
    is_recorded_with(recorder, 1, "")
    world.api.script = lambda *_: switch("SPDY/3.1")
    equal(play(world, EXEC).status, 502)
    is_recorded_with(recorder, 2, "")


@case()
def a_session_is_asked_for_once(world):
    recorder = Recorder(world)
    for rules, fields in (((enforced(),), CHANNEL), ((), CHANNEL), ((), SPDY)):
        world.api.requests.clear()
        world.api.script = None
        with caller(world, *rules) as client:
            equal(client.ask().status, 200)
            world.api.script = lambda *_: None
            equal(client.ask(EXEC, fields=fields).status, 502)
        equal([request.line.split()[1] for request in world.api.requests], ["/api", EXEC])
    is_recorded_with(recorder, 0, "")


@case()
def another_protocol_of_the_api_server_is_a_recording(world):
    recorder = Recorder(world)
    world.api.script = websocket_server(frame(b"1eA=="), protocol="v4.base64.channel.k8s.io")
    equal(play(world, EXEC, typed(b"\0x")), None)
    is_recorded_with(recorder, 0, "")


@case()
def a_session_that_is_refused_is_no_recording(world):
    recorder = Recorder(world)
    world.api.script = lambda *_: b"HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno"
    equal(play(world, f"{POD}/exec").status, 403)
    wait_until("the recorder is let go", lambda: recorder.casts and not recorder.whole)
    equal(recorder.casts, [[b""]])


@case(grace=3)
def a_stop_brings_recordings_to_their_end(world):
    recorder = Recorder(world)

    def script(_, connection, file):
        connection.sendall(switch("websocket")[:-2] + b"Sec-WebSocket-Protocol: v4.channel.k8s.io\r\n\r\n" + frame(b"\1before"))
        until_end(connection)
    world.api.script = script
    with caller(world, enforced()) as client:
        equal(client.ask(f"{POD}/exec", fields=CHANNEL).status, 101)
        client.file.read(9)
        world.process.terminate()
        check(client.is_closed(), "goes on")
    equal(world.process.wait(10), 0)
    equal(recorder.lines()[1], [["o", "before"]])
