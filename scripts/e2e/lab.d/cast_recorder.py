#!/usr/bin/python3
"""A recorder for tests, as Tailscale's is for older clients: cast_recorder.py FOLDER PORT

POST /record takes a body in chunks after "100 Continue"; what came whole is FOLDER/N.cast. HTTP/2 is not spoken, so that clients which
try it first go on with this.
"""
import http.server
import itertools
import pathlib
import sys

NUMBERS = itertools.count()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        cast = b""
        while size := int(self.rfile.readline(), 16):
            cast += self.rfile.read(size + 2)[:-2]
        self.rfile.readline()
        part = pathlib.Path(sys.argv[1], f"{next(NUMBERS)}.part")
        part.write_bytes(cast)
        part.rename(part.with_suffix(".cast"))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("", int(sys.argv[2])), Handler).serve_forever()
