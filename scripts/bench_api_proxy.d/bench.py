"""The parts of scripts/bench_api_proxy: bench.py BINARY [--only PART…] [--pairs N] [--seconds N]"""
import argparse
import contextlib
import json
import os
import pathlib
import re
import resource
import socket
import ssl
import statistics
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "api_proxy_contract.d")]
import wrk  # noqa: E402
from ports import free_port  # noqa: E402
from world import BOB, DAEMON, SPDY, Client, World, device, make_certificates, wait_until  # noqa: E402

CONNECTIONS = 64
ANSWER = '{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":["' + "x" * 900 + '"]}'
WATCHES, SESSIONS = 5000, 500
ADDRESSES = [f"100.64.1.{number}" for number in range(10)]  # whoever holds many connections, below the limit of each
WATCHERS, EVERY = 5, 0.1
NGINX = """
daemon off; worker_processes 1; pid {folder}/{name}.pid; error_log {folder}/{name}.log warn; user root;
events {{ worker_connections 4096; }}
http {{
  access_log off; keepalive_requests 100000000;
  client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder}; uwsgi_temp_path {folder}; scgi_temp_path {folder};
  {inside}
}}
"""
SERVER = """server {{
    listen 127.0.0.1:{port} ssl; ssl_certificate {cert}; ssl_certificate_key {key};
    location / {{ default_type application/json; return 200 '{answer}'; }}
  }}"""
PROXY = """upstream api {{ server 127.0.0.1:{upstream}; keepalive 256; keepalive_requests 100000000; }}
  server {{
    listen 127.0.0.1:{port} proxy_protocol;
    location / {{
      proxy_pass https://api; proxy_http_version 1.1; proxy_buffering off; proxy_request_buffering off;
      proxy_set_header Connection ""; proxy_set_header Host 127.0.0.1:{upstream}; proxy_set_header X-Forwarded-For $proxy_protocol_addr;
      proxy_set_header Authorization "Bearer the-proxys-own-token"; proxy_set_header Impersonate-User bob@example.com;
    }}
  }}"""
# WhoIs is answered at once, as by the real one; the rest is the scripted one's.
LOCAL_API = """server {{
    listen unix:{quick}; default_type application/json;
    location /localapi/v0/whois {{ return 200 '{whois}'; }}
    location / {{ proxy_pass http://unix:{scripted}; proxy_http_version 1.1; }}
  }}"""
# What tailscaled does: another user's connection to us, with the client's address in front.
HAPROXY = """
global
  maxconn 4000
  uid {daemon}
defaults
  mode tcp
  timeout connect 10s
  timeout client 1h
  timeout server 1h
listen ours
  bind {bob}:{to_us}
  server us 127.0.0.2:{us} send-proxy-v2
listen theirs
  bind {bob}:{to_nginx}
  server nginx 127.0.0.1:{nginx} send-proxy-v2
"""


class QuickWorld(World):
    """Whose tailscaled knows one caller, and says so quickly."""

    def start_daemon(self, owner):
        super().start_daemon(owner)
        scripted, self.socket = self.socket, self.folder / "quick.sock"
        write_nginx(self.folder, "whois", LOCAL_API.format(quick=self.socket, scripted=scripted, whois=json.dumps(device(BOB, "bob@example.com"))))
        self.whois = subprocess.Popen(["/usr/sbin/nginx", "-c", self.folder / "whois.conf"], user=owner, group=owner, extra_groups=[],
                                      stderr=subprocess.DEVNULL)
        wait_until("nginx listens, whois", self.socket.exists)
        self.socket.chmod(0o777)

    def stop(self):
        super().stop()
        self.whois.terminate()
        self.whois.wait()


def listens(port, address="127.0.0.1"):
    with socket.socket() as probe:
        return probe.connect_ex((address, port)) == 0


@contextlib.contextmanager
def running(*words, **options):
    process = subprocess.Popen(list(map(str, words)), **options)
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def write_nginx(folder, name, inside):
    (folder / f"{name}.conf").write_text(NGINX.format(folder=folder, name=name, inside=inside), encoding="utf-8")


@contextlib.contextmanager
def nginx(folder, name, port, inside):
    """Its worker's process id."""
    write_nginx(folder, name, inside)
    with running("/usr/sbin/nginx", "-c", folder / f"{name}.conf") as process:
        wait_until(f"nginx listens, {name}", lambda: listens(port))
        yield int(subprocess.check_output(["pgrep", "-P", str(process.pid)], text=True))


def private_bytes(pid):
    text = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="utf-8")
    return 1024 * sum(int(kib) for kib in re.findall(r"^Private_\w+: +(\d+) kB$", text, re.M))


def load(port, pid, seconds):
    def run(*words):
        return subprocess.check_output(words, text=True)
    return wrk.load(run, f"http://{BOB}:{port}/api/v1/pods", [pid], CONNECTIONS, seconds)


def requests(world_of, folder, cert, key, options):
    upstream, theirs, to_us, to_nginx = (free_port() for _ in range(4))
    server = SERVER.format(port=upstream, cert=cert, key=key, answer=ANSWER)
    with contextlib.ExitStack() as stack:
        stack.enter_context(nginx(folder, "upstream", upstream, server))
        worker = stack.enter_context(nginx(folder, "proxy", theirs, PROXY.format(port=theirs, upstream=upstream)))
        world = stack.enter_context(world_of(upstream, QuickWorld))
        (folder / "haproxy.conf").write_text(HAPROXY.format(bob=BOB, to_us=to_us, us=world.port, to_nginx=to_nginx, nginx=theirs, daemon=DAEMON), encoding="utf-8")
        stack.enter_context(running("/usr/sbin/haproxy", "-db", "-f", folder / "haproxy.conf"))
        wait_until("haproxy listens", lambda: listens(to_us, BOB) and listens(to_nginx, BOB))
        load(to_us, world.process.pid, 1)
        load(to_nginx, worker, 1)
        pairs = [(load(to_us, world.process.pid, options.seconds), load(to_nginx, worker, options.seconds)) for _ in range(options.pairs)]
    for number, (what, scale, unit, limit) in enumerate((("CPU time per request", 1e6, "µs", 1.0), ("requests per second", 1, "", 1.0),
                                                         ("99th percentile", 1, "ms", 1.2))):
        ratio = statistics.median(ours[number] / theirs[number] for ours, theirs in pairs)
        ours, theirs = (scale * statistics.median(pair[side][number] for pair in pairs) for side in (0, 1))
        wanted = f">= {limit}" if number == 1 else f"<= {limit}"
        yield f"{what}, {CONNECTIONS} connections", f"{ours:.4g} {unit}", f"nginx {theirs:.4g} {unit}; ratio {ratio:.2f}", wanted, (
            ratio >= limit if number == 1 else ratio <= limit)


def read_events(file, into, until):
    """Delays, in ms, of the events that come."""
    while time.monotonic() < until:
        line = file.readline()
        now = time.monotonic_ns()
        if not line:
            return
        if found := re.search(rb'"sent":(\d+)', line):
            into.append((now - int(found[1])) / 1e6)


def percentile(values, part):
    return sorted(values)[int(len(values) * part)]


@contextlib.contextmanager
def holding(cert, key):
    port = free_port()
    with running(sys.executable, HERE / "upstream.py", port, cert, key):
        wait_until("the API server listens", lambda: listens(port))
        yield port


def watches(world_of, _, cert, key, options):
    asked = f"GET /api/v1/pods?watch=1&every={EVERY} HTTP/1.1\r\nHost: api.t.ts.net\r\n\r\n".encode()
    delays, seconds = {"direct": [], "ours": []}, options.pairs * options.seconds / 2
    with holding(cert, key) as upstream, world_of(upstream) as world, contextlib.ExitStack() as stack:
        until, threads = time.monotonic() + seconds, []
        context = ssl.create_default_context(cafile=cert)
        for _ in range(WATCHERS):
            raw = stack.enter_context(socket.create_connection(("127.0.0.1", upstream)))
            direct = stack.enter_context(context.wrap_socket(raw, server_hostname="127.0.0.1"))
            direct.sendall(asked)
            ours = stack.enter_context(Client(world, BOB))
            ours.send(asked)
            threads += [threading.Thread(target=read_events, args=(direct.makefile("rb"), delays["direct"], until)),
                        threading.Thread(target=read_events, args=(ours.file, delays["ours"], until))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    ours, direct = (percentile(delays[who], 0.99) for who in ("ours", "direct"))
    yield (f"event of a watch, 99th percentile of {len(delays['ours'])}", f"{ours:.2f} ms", f"direct {direct:.2f} ms", "<= 2 ms over direct", ours <= direct + 2)


def held(world_of, _, cert, key, __):
    with holding(cert, key) as upstream, world_of(upstream) as world, contextlib.ExitStack() as stack:
        for address in ADDRESSES:
            world.daemon.devices[address] = device(address, f"{address}@example.com")
        before = private_bytes(world.process.pid)
        for number in range(WATCHES + SESSIONS):
            client = stack.enter_context(Client(world, ADDRESSES[number % len(ADDRESSES)]))
            fields = SPDY if number >= WATCHES else ""
            path = "/api/v1/namespaces/default/pods/web/exec?command=sh" if fields else "/api/v1/pods?watch=1"
            client.send(f"GET {path} HTTP/1.1\r\nHost: api.t.ts.net\r\n{fields}\r\n")
            head = client.head()
            assert head and head.startswith(b"HTTP/1.1 101" if fields else b"HTTP/1.1 200"), head
        each = (private_bytes(world.process.pid) - before) / (WATCHES + SESSIONS)
    yield f"memory of {WATCHES} watches and {SESSIONS} sessions, each", f"{each / 1024:.1f} KiB", "", "<= 64 KiB", each <= 65536


PARTS = {"requests": requests, "watches": watches, "held": held}


def parsed():
    parser = argparse.ArgumentParser(prog="scripts/bench_api_proxy")
    parser.add_argument("binary")
    parser.add_argument("--only", nargs="+", choices=list(PARTS), default=list(PARTS))
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--seconds", type=int, default=8)
    return parser.parse_args()


def main():
    options, missed = parsed(), False
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        make_certificates(folder)
        cert, key = folder / "server.pem", folder / "server.key"
        binary = folder / "tailrender-proxy"
        binary.write_bytes(pathlib.Path(options.binary).read_bytes())
        binary.chmod(0o755)

        @contextlib.contextmanager
        def world_of(upstream, kind=World):
            with tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as own:
                os.chmod(own, 0o755)
                world = kind(binary, own, folder, upstream=upstream)
                try:
                    wait_until("it is ready", world.is_ready)
                    yield world
                finally:
                    world.stop()

        print("| what | ours | beside | limit | |\n|---|---|---|---|---|")
        for part in options.only:
            for what, ours, beside, limit, good in PARTS[part](world_of, folder, cert, key, options):
                print(f"| {what} | {ours} | {beside} | {limit} | {'ok' if good else 'MISSED'} |", flush=True)
                missed |= not good
    return 1 if missed else 0


sys.exit(main())
