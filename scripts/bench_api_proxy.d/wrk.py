"""One run of wrk, and what it costs the processes behind it."""
import os
import pathlib
import re

MILLISECONDS = {"us": 0.001, "ms": 1, "s": 1000}


def cpu_seconds(pids):
    fields = [pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split() for pid in pids]
    return sum(int(one[11]) + int(one[12]) for one in fields) / os.sysconf("SC_CLK_TCK")


def load(run, url, pids, connections, seconds):
    """CPU seconds per request of the processes, requests per second, and the 99th percentile in ms. `run`: starts a command, returns its output."""
    before = cpu_seconds(pids)
    said = run("wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", url)
    spent = cpu_seconds(pids) - before
    count = int(re.search(r"(\d+) requests in", said)[1])
    assert "Non-2xx" not in said and "Socket errors" not in said, said
    value, unit = re.search(r"99% +([\d.]+)(us|ms|s)$", said, re.M).groups()
    return spent / count, float(re.search(r"Requests/sec: +([\d.]+)", said)[1]), float(value) * MILLISECONDS[unit]
