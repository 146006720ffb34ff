"""Hostile requests: (name, bytes behind the PROXY header, the expected status or None for a closed connection, how many requests may reach
the API server). The oracle is in `try_hostile`: each request that reaches the API server has the identity of the caller alone, with our
token.

Sources: RFC 9110 and 9112 (sections 2.2, 5, 6, 7.1, 11), the smuggling families CL.TE, TE.CL, TE.TE and CL.CL, h2c, and header tricks of
proxies that join, trim or rewrite names.
"""
import collections.abc
import socket

from world import ALICE, TOKEN, Client, World, check, equal, wait_until

EVIL = "Impersonate-User: evil"
INNER = f"GET /evil HTTP/1.1\r\nHost: a\r\n{EVIL}\r\nImpersonate-Group: system:masters\r\n\r\n"
ALICES = {"impersonate-user": ["alice@example.com"], "impersonate-group": ["dev", "qa"], "authorization": [f"Bearer {TOKEN}"]}


Hostile = tuple[str, str, int | None, int]  # a name, the bytes as Latin-1, the status (None: no answer), how many requests pass


def request(fields: str = "", line: str = "GET /api HTTP/1.1", host: str = "Host: api\r\n", body: str = "") -> str:
    return f"{line}\r\n{host}{fields}Connection: close\r\n\r\n{body}"


def refused(name: str, fields: str = "", status: int = 400, **parts: str) -> Hostile:
    return name, request(fields, **parts), status, 0


def passes(name: str, fields: str = "", reaching: int = 1, **parts: str) -> Hostile:
    return name, request(fields, **parts), 200, reaching


def cases() -> collections.abc.Iterator[Hostile]:
    # Framing: requests that a front end and a back end could read differently.
    lengths = ["+5", "-5", "0x5", "5 5", "5,5", "5;", "05 ", "5.0", "1e1", "٥", "99999999999999999999", "", "five", "\t", "5\x00", "5\x0b"]
    for value in lengths:
        if value.strip() == "05":
            yield passes("a length with a zero in front", f"Content-Length: {value}\r\n", line="POST /api HTTP/1.1", body="hello")
            continue
        yield refused(f"length {value!r}", f"Content-Length: {value}\r\n".encode().decode("latin-1"), line="POST /api HTTP/1.1", body=INNER)
    for first, second in (("5", "5"), ("5", "6"), ("0", "50"), ("50", "0")):
        yield refused(f"lengths {first} and {second}", f"Content-Length: {first}\r\ncontent-length: {second}\r\n", line="POST /api HTTP/1.1", body=INNER)
    for coding in ("chunked", " chunked", "Chunked", "identity", "chunked, identity", "gzip, chunked", "xchunked"):
        for order in (0, 1):
            both = [f"Content-Length: {len(INNER) + 5}\r\n", f"Transfer-Encoding: {coding}\r\n"]
            yield refused(f"CL and TE {coding!r} {order}", "".join(both[::-1] if order else both), line="POST /api HTTP/1.1", body="0\r\n\r\n" + INNER)
    for value in ("identity", "gzip", "chunked, chunked", "chunked;q=1", "\"chunked\"", "chunked\x0b", "\x0bchunked", "chun\tked", "chunkedx", "",
                  "chunked,", ",chunked", "[chunked]", "chunKED, gzip", "deflate"):
        yield refused(f"coding {value!r}", f"Transfer-Encoding: {value}\r\n", line="POST /api HTTP/1.1", body="0\r\n\r\n" + INNER)
    for name in ("Transfer-Encoding ", "Transfer Encoding", "Transfer-Encoding\t", " Transfer-Encoding", "Transfer-Encoding\x00", "Transfer\x0b-Encoding",
                 "\x0bTransfer-Encoding", "Content-Length ", "Content-Length\t", "Transfer-Encoding\r", "Host ", "Impersonate-User "):
        yield refused(f"name {name!r}", f"{name}: chunked\r\n", line="POST /api HTTP/1.1", body="0\r\n\r\n" + INNER)
    yield refused("two codings", "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", line="POST /api HTTP/1.1", body="0\r\n\r\n" + INNER)
    yield refused("a folded coding", "Transfer-Encoding:\r\n chunked\r\n", line="POST /api HTTP/1.1", body="0\r\n\r\n" + INNER)
    yield refused("a folded value", f"X: a\r\n {EVIL}\r\n")
    yield refused("a folded value by tab", f"X: a\r\n\t{EVIL}\r\n")
    yield refused("a first line that is folded", host=f" {EVIL}\r\nHost: api\r\n")
    # A body that looks like a request is a body.
    yield passes("a request in a body", f"Content-Length: {len(INNER)}\r\n", line="POST /api HTTP/1.1", body=INNER)
    yield passes("a request in a chunk", "Transfer-Encoding: chunked\r\n", line="POST /api HTTP/1.1", body=f"{len(INNER):x}\r\n{INNER}\r\n0\r\n\r\n")
    yield passes("a request in the body of a GET", f"Content-Length: {len(INNER)}\r\n", body=INNER)
    yield passes("bytes behind the last request", body=INNER)
    for line in ("0;evil\r\n\r\n", "0 \r\n\r\n", "0\n\r\n", "0\r\n\n", "-0\r\n\r\n", "+0\r\n\r\n", "0x0\r\n\r\n", "\r\n0\r\n\r\n", "00000000000000000\r\n\r\n",
                 f"0\r\n{EVIL}\r\n\r\n", "0\r\nTransfer-Encoding: chunked\r\n\r\n", "5\r\nhello0\r\n\r\n", "5\r\nhell\r\n0\r\n\r\n", "4\r\nhello\r\n0\r\n\r\n",
                 "5\r\nhello\n0\r\n\r\n", "5\nhello\r\n0\r\n\r\n", "fffffffffffffffff\r\n", "g\r\n", "5;a=\"\r\n\"\r\nhello\r\n0\r\n\r\n", "\x005\r\nhello\r\n0\r\n\r\n",
                 "5\r\r\nhello\r\n0\r\n\r\n", "5\r\nhello\r\n0\r\n\rX", "٥\r\nhello"):
        body = line.encode().decode("latin-1") + INNER
        # The valid chunks may have been forwarded already; the invalid one, and what follows, is not.
        yield f"chunks {line!r}", request("Transfer-Encoding: chunked\r\n", line="POST /api HTTP/1.1", body=body), 400, 0
    # Line ends and bytes.
    for text in ("GET /api HTTP/1.1\nHost: api\n\n", "GET /api HTTP/1.1\r\nHost: api\n\r\n", f"GET /api HTTP/1.1\r\nHost: api\r\nX: a\n{EVIL}\r\n\r\n",
                 f"GET /api HTTP/1.1\r\nHost: api\r\nX: a\r{EVIL}\r\n\r\n", f"GET /api HTTP/1.1\r\nHost: api\r\nX: a\r\r\n{EVIL}\r\n\r\n",
                 "\r\nGET /api HTTP/1.1\r\nHost: api\r\n\r\n", "\nGET /api HTTP/1.1\r\nHost: api\r\n\r\n", "\r\n\r\n", "\0\r\n\r\n"):
        yield f"lines {text[:40]!r}", text, 400, 0
    for byte in (*range(0, 9), *range(11, 13), *range(14, 32), 127):
        yield refused(f"byte {byte} in a value", f"X: a{chr(byte)}{EVIL}\r\n")
    for byte in (0, 9, 11, 32, 34, 40, 44, 47, 59, 64, 91, 127, 128, 255):
        name = f"Imper{chr(byte)}sonate-User"
        yield refused(f"byte {byte} in a name", f"{name}: evil\r\n")
    yield refused("no name", ": evil\r\n")
    yield refused("no colon", "Impersonate-User evil\r\n")
    # The request line.
    for line, status in (("GET /api HTTP/1.0", 505), ("GET /api HTTP/0.9", 505), ("GET /api HTTP/2.0", 505), ("GET /api HTTP/1.1x", 505),
                         ("GET /api http/1.1", 505), ("GET /api", 400), ("GET", 400), ("PRI * HTTP/2.0", 505), ("GET http://evil/api HTTP/1.1", 400),
                         ("GET https://api/api HTTP/1.1", 400), ("GET api HTTP/1.1", 400), ("GET //evil HTTP/1.1 HTTP/1.1", 400), ("GET /a\tb HTTP/1.1", 400),
                         ("GET\t/api\tHTTP/1.1", 400), ("GET  /api HTTP/1.1", 400), ("GET /api  HTTP/1.1", 400), (" GET /api HTTP/1.1", 400),
                         ("GET /api HTTP/1.1 ", 505), ("GET /a#evil HTTP/1.1", 400), ("GET /\x00 HTTP/1.1", 400), ("GET /\xff HTTP/1.1", 400),
                         ("CONNECT kubernetes:443 HTTP/1.1", 400), ("CONNECT / HTTP/1.1", 400), ("TRACE /api HTTP/1.1", 400), ("get /api HTTP/1.1", 400),
                         ("OPTIONS * HTTP/1.1", 400), ("G(T /api HTTP/1.1", 400), ("EVIL /api HTTP/1.1", 400), ("GET ?a HTTP/1.1", 400)):
        yield refused(f"line {line!r}", status=status, line=line)
    # Host.
    for hosts in ("", "Host: api\r\nHost: api\r\n", "Host: api\r\nhost: evil\r\n", "Host:\r\n", "Host: a b\r\n", "Host: api/evil\r\n", "Host: u@api\r\n",
                  "Host: api, evil\r\n", "Host: api\x00\r\n", "Host: a?b\r\n", "Host: a#b\r\n", "Host: a\\b\r\n"):
        yield refused(f"hosts {hosts!r}", host=hosts)
    # Header fields that claim an identity are removed; the request is forwarded.
    for name in ("Impersonate-User", "impersonate-user", "IMPERSONATE-USER", "iMPERSONATE-uSER", "Impersonate-Group", "impersonate-group",
                 "Impersonate-Uid", "impersonate-UID", "Impersonate-Extra-Scopes", "impersonate-extra-", "Impersonate-Extra-%61",
                 "Impersonate_User", "Impersonate_Group", "Impersonate-", "Impersonate", "Authorization", "AUTHORIZATION", "Proxy-Authorization",
                 "X-Remote-User", "x-remote-group", "X-Remote-Extra-Scopes", "X_Remote_User"):
        yield passes(f"says {name}", f"{name}: evil\r\n")
        yield passes(f"says {name} twice", f"{name}: system:masters\r\nX: y\r\n{name}: evil\r\n")
    yield passes("says it before Host", host=f"{EVIL}\r\nHost: api\r\n")
    yield passes("many of them", "".join(f"Impersonate-Group: evil{i}\r\n" for i in range(100)))
    yield refused("too many fields", "".join(f"X{i}: y\r\n" for i in range(300)), status=431)
    yield refused("too large a head", f"X: {'y' * 40000}\r\n", status=431)
    yield "a head without end", "GET /" + "a" * 40000, 431, 0
    yield passes("where from", "X-Forwarded-For: 100.64.0.8\r\nX-Real-Ip: 100.64.0.8\r\nForwarded: for=100.64.0.8\r\n")
    # Connection removes fields from a message on its way.
    for name in ("Authorization", "authorization", "Impersonate-User", "Impersonate-Group", "impersonate-uid", "Host", "Content-Length", "Transfer-Encoding",
                 "Cookie", "Content-Type", "X-Forwarded-For", "close, Impersonate-User", "Impersonate-Extra-a", "Upgrade, Sec-WebSocket-Protocol",
                 "sec_websocket_protocol", "X-Stream-Protocol-Version", "a b", "a;b", ""):
        yield refused(f"Connection: {name}", f"Connection: {name}\r\n")
    yield passes("Connection nominates a header without an owner", f"Connection: X-Mine\r\nX-Mine: {EVIL}\r\n")
    # Upgrades.
    upgrade = "Connection: Upgrade\r\nUpgrade: "
    for value in ("h2c", "HTTP/2.0", "websocket, h2c", "h2c, websocket", "TLS/1.0", "", "websocket/13", "SPDY/3", "SPDY/3.1, websocket", "ts-dial"):
        yield refused(f"Upgrade: {value}", f"{upgrade}{value}\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n")
    yield refused("two upgrades", f"{upgrade}websocket\r\nUpgrade: SPDY/3.1\r\n")
    yield refused("an upgrade with a body", f"{upgrade}websocket\r\nContent-Length: {len(INNER)}\r\n", body=INNER)
    yield refused("an upgrade with chunks", f"{upgrade}websocket\r\nTransfer-Encoding: chunked\r\n", body="0\r\n\r\n" + INNER)
    yield refused("an upgrade by PUT", f"{upgrade}websocket\r\n", line="PUT /api HTTP/1.1")
    yield refused("an upgrade by DELETE", f"{upgrade}SPDY/3.1\r\n", line="DELETE /api HTTP/1.1")
    # If the API server refuses the upgrade, what follows is a separate request, under the caller's name.
    yield passes("an upgrade that is refused, and a request behind it", f"{upgrade}websocket\r\n", body=INNER)
    yield "an upgrade that is refused, with one behind it", request(f"{upgrade}websocket\r\n").replace("Connection: close\r\n", "") + INNER, 200, 2
    yield passes("an upgrade that no one nominates", "Upgrade: h2c\r\n")
    # Other requests.
    yield refused("an expectation", "Expect: 200-ok\r\n", status=417)
    yield refused("two expectations", "Expect: 100-continue\r\nExpect: 100-continue\r\n", status=417)
    yield refused("a promised trailer", "Trailer: Impersonate-User\r\nTransfer-Encoding: chunked\r\n", line="POST /api HTTP/1.1", body=f"0\r\n{EVIL}\r\n\r\n")
    yield passes("TE", "TE: trailers, chunked\r\n")
    yield "one behind the other", request().replace("Connection: close\r\n", "") + INNER, 200, 2
    yield "a bad one behind a good one", request().replace("Connection: close\r\n", "") + INNER.replace("\r\n", "\n"), 200, 1
    # A second PROXY header is not a request.
    yield "a second PROXY header", "\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c\x64\x40\0\x08\x64\x40\0\x01\x9c\x40\x01\xbb" + request(), 400, 0
    yield "a PROXY header of version 1", "PROXY TCP4 100.64.0.8 100.64.0.1 40000 443\r\n" + request(), 505, 0
    yield "TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + "\0" * 300, None, 0


def try_hostile(world: World, name: str, data: str, status: int | None, reaching: int, piece: int | None = None) -> None:
    before = len(world.api.requests)
    with Client(world) as client:
        raw = data.encode("latin-1")
        for at in range(0, len(raw), piece or len(raw)):
            client.send(raw[at:at + (piece or len(raw))])
        if status is None:
            client.socket.shutdown(socket.SHUT_WR)
        reply = client.reply()
        equal(reply.status if reply else None, status)
        if reaching > 1:
            client.reply()
        if status not in (None, 200):
            equal(reply.fields["connection"], "close")
            equal(reply.fields["content-type"], "application/json")
    if reaching:
        wait_until(f"{reaching} requests reach the API server", lambda: len(world.api.requests) >= before + reaching)
    found = world.api.requests[before:]
    equal(len(found), reaching)
    for one in found:
        equal(one.identity(), ALICES)
        equal(one.all("x-forwarded-for"), [ALICE])
        check(not one.all("forwarded") and not one.all("x-real-ip"), one.fields)
        check(not any("evil" in value for _, value in one.fields), "evil reaches the API server:", one.fields)
        check(one.line.split(" ")[2] == "HTTP/1.1", one.line)
    check(not world.api.faults, name, world.api.faults)
