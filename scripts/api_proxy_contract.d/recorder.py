#!/usr/bin/python3
"""A recorder for tests, as Tailscale's: recorder.py FOLDER PORT [http1]

FOLDER gets N.part while a recording arrives, N.cast when it is complete, and N.event for an event; `requests` has a line for each request,
with the host that it names. Bytes are acknowledged once they are in the file. Over HTTP/2, without TLS, it serves HEAD and POST /v2/record;
over HTTP/1.1, POST /record after "100 Continue", and POST /v2/event. With http1 it serves HTTP/1.1 only.
"""
import collections.abc
import contextlib
import itertools
import json
import pathlib
import socket
import sys
import threading
import typing

import h2.config
import h2.connection
import h2.events
import h2.exceptions

EVERY = 0.5  # seconds between acknowledgements when nothing new has arrived


Uploads = dict[int, list[int]]  # by stream: number of the recording, bytes of it


class Recorder:
    """A recorder that behaves as `mode` says: takes, refuses, hangs, dies after the first bytes, reads nothing; over HTTP/2 also: never
    acks, acks nothing, acks too much, says an error, ends early, babbles. `events` is the status that a client which sends an event
    gets."""

    def __init__(self, listener: socket.socket, mode: str = "takes", http2: bool = True, events: str = "200 OK") -> None:
        self.listener, self.mode, self.http2, self.event_status = listener, mode, http2, events
        self.requests: list[str] = []
        self.casts: list[list[bytes]] = []
        self.whole: list[bytes] = []
        self.events: list[dict[str, typing.Any]] = []
        self.released = threading.Event()  # when set, a recorder that reads nothing closes its connection
        threading.Thread(target=self.accept, daemon=True).start()

    def serves(self, request: str, host: str) -> None:
        self.requests.append(request)

    def begins(self) -> int:
        """Begins a recording and returns its number."""
        self.casts.append([b""])
        return len(self.casts) - 1

    def takes(self, number: int, data: bytes) -> None:
        self.casts[number][0] += data

    def ends(self, number: int) -> None:
        self.whole.append(self.casts[number][0])

    def event(self, data: bytes) -> None:
        self.events.append(json.loads(data))

    def accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError, ValueError, h2.exceptions.ProtocolError):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self.mode == "hangs":
                while connection.recv(65536):
                    pass
            elif connection.recv(3, socket.MSG_PEEK | socket.MSG_WAITALL) == b"PRI" and self.http2:
                self.serve_http2(connection)
            else:
                self.serve_http1(connection)

    def serve_http2(self, connection: socket.socket) -> None:
        peer = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
        peer.initiate_connection()
        uploads: Uploads = {}
        connection.settimeout(EVERY)
        while True:
            connection.sendall(peer.data_to_send())
            try:
                data = connection.recv(65536)
                if not data:
                    return
            except TimeoutError:
                data = b""
            for event in peer.receive_data(data) if data else ():
                if isinstance(event, h2.events.RequestReceived):
                    self.take_request(peer, event, uploads)
                    if self.mode == "reads nothing" and uploads:
                        connection.sendall(peer.data_to_send())
                        self.released.wait(30)
                        return
                elif isinstance(event, h2.events.DataReceived) and event.stream_id in uploads:
                    upload = uploads[event.stream_id]
                    self.takes(upload[0], event.data)
                    upload[1] += len(event.data)
                    peer.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                    if self.mode == "dies":
                        return
                elif isinstance(event, h2.events.StreamEnded) and event.stream_id in uploads:
                    number, count = uploads.pop(event.stream_id)
                    self.ends(number)
                    if self.mode == "takes":
                        self.acknowledge(peer, event.stream_id, count, uploads)
                    peer.end_stream(event.stream_id)
                elif isinstance(event, h2.events.StreamReset):
                    uploads.pop(event.stream_id, None)
            for stream, (_, count) in list(uploads.items()):
                self.acknowledge(peer, stream, count, uploads)

    def take_request(self, peer: h2.connection.H2Connection, event: h2.events.RequestReceived, uploads: Uploads) -> None:
        asked = dict(event.headers)
        self.serves(f"{asked[':method']} {asked[':path']} HTTP/2", asked[":authority"])
        known = asked[":path"] == "/v2/record" and asked[":method"] in ("HEAD", "POST") and self.mode != "refuses"
        is_upload = known and asked[":method"] == "POST"
        peer.send_headers(event.stream_id, [(":status", "200" if known else "404")], end_stream=not is_upload)
        if is_upload:
            uploads[event.stream_id] = [self.begins(), 0]

    def acknowledge(self, peer: h2.connection.H2Connection, stream: int, count: int, uploads: Uploads) -> object:
        if self.mode == "ends early":
            uploads.pop(stream)
            return peer.end_stream(stream)
        said = {"never acks": "", "acks nothing": "{}\n", "acks too much": json.dumps({"ack": count + 1}), "says an error": '{"error":"the disk is full"}',
                "babbles": "no acknowledgement"}.get(self.mode, json.dumps({"ack": count} if count else {}) + "\n")
        return peer.send_data(stream, said.encode()) if said else None

    def serve_http1(self, connection: socket.socket) -> None:
        file = connection.makefile("rb")
        while line := file.readline():
            fields = {}
            while (field := file.readline()) not in (b"\r\n", b"\n", b""):
                name, _, value = field.decode().partition(":")
                fields[name.lower()] = value.strip()
            request = line.decode().strip()
            self.serves(request, fields.get("host", ""))
            method, path, _ = request.split(" ", 2)
            if path == "/record" and method == "POST" and self.mode != "refuses":
                if not self.take_recording(connection, file):
                    return
            elif path == "/v2/event" and method == "HEAD":
                connection.sendall(f"HTTP/1.1 {self.event_status}\r\nContent-Length: 0\r\n\r\n".encode())
            elif path == "/v2/event" and method == "POST":
                body = b"".join(self.chunks(file)) if "transfer-encoding" in fields else file.read(int(fields["content-length"]))
                if self.event_status.startswith("200"):
                    self.event(body)
                connection.sendall(f"HTTP/1.1 {self.event_status}\r\nContent-Length: 0\r\n\r\n".encode())
            else:
                connection.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                return

    @staticmethod
    def chunks(file: typing.BinaryIO) -> collections.abc.Iterator[bytes]:
        while size := int(file.readline(), 16):
            yield file.read(size + 2)[:-2]
        file.readline()

    def take_recording(self, connection: socket.socket, file: typing.BinaryIO) -> bool:
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        number = self.begins()
        if self.mode == "reads nothing":
            self.released.wait(30)
            return False
        for chunk in self.chunks(file):
            self.takes(number, chunk)
            if self.mode == "dies":
                return False
        self.ends(number)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        return True


class FolderRecorder(Recorder):
    def __init__(self, listener: socket.socket, folder: pathlib.Path, **options: typing.Any) -> None:
        self.folder = folder
        self.numbers = itertools.count(len(list(folder.iterdir())))
        self.asked = folder / "requests"
        super().__init__(listener, **options)

    def serves(self, request: str, host: str) -> None:
        with open(self.asked, "a", encoding="utf-8") as file:
            file.write(f"{host} {request}\n")

    def begins(self) -> int:
        number = next(self.numbers)
        (self.folder / f"{number}.part").touch()
        return number

    def takes(self, number: int, data: bytes) -> None:
        with open(self.folder / f"{number}.part", "ab", buffering=0) as file:
            file.write(data)

    def ends(self, number: int) -> None:
        (self.folder / f"{number}.part").rename(self.folder / f"{number}.cast")

    def event(self, data: bytes) -> None:
        part = self.folder / f"{next(self.numbers)}.part"
        part.write_bytes(data)
        part.rename(part.with_suffix(".event"))


if __name__ == "__main__":
    FolderRecorder(socket.create_server(("", int(sys.argv[2]))), pathlib.Path(sys.argv[1]), http2="http1" not in sys.argv[3:])
    threading.Event().wait()
