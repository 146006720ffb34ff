"""An API server that holds what it is asked for: upstream.py PORT CERTIFICATE KEY

A watch gets an event when it begins, and one every EVERY seconds with ?every=EVERY, each with the time at which it was sent; an upgrade is taken,
and nothing is said any more.
"""
import asyncio
import ssl
import sys
import time
import urllib.parse

BACKLOG = 8192


def chunk():
    event = b'{"type":"BOOKMARK","sent":%d}\n' % time.monotonic_ns()
    return b"%x\r\n%s\r\n" % (len(event), event)


async def serve(reader, writer):
    try:
        head = await reader.readuntil(b"\r\n\r\n")
        if b"\r\nupgrade: " in head.lower():
            writer.write(b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n")
            await reader.read()
            return
        query = urllib.parse.urlsplit(head.split(b" ", 2)[1].decode()).query
        every = float(urllib.parse.parse_qs(query).get("every", ["0"])[0])
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk())
        while every:
            await asyncio.sleep(every)
            writer.write(chunk())
            await writer.drain()
        await reader.read()
    except (OSError, asyncio.IncompleteReadError):
        pass
    finally:
        writer.close()


async def main(port, certificate, key):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = await asyncio.start_server(serve, "127.0.0.1", int(port), ssl=context, backlog=BACKLOG)
    await server.serve_forever()


asyncio.run(main(*sys.argv[1:]))
