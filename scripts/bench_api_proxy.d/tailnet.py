"""The proxy of the Kubernetes API beside the operator's, in the lab, from a machine of the tailnet: tailnet.py BINARY [--pairs N] [--seconds N]

Both ask the one real API server for a small object. In CPU time tailscaled counts with ours, which the operator has inside. Prints a Markdown
table; exits with 1 when a limit is missed.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "scripts" / folder) for folder in ("e2e", "e2e/lab.d", "parity.d")]
import wrk  # noqa: E402
from api_proxy import api_proxy_in  # noqa: E402
from harness import Lab  # noqa: E402
from reference import operators_api_proxy  # noqa: E402

CONNECTIONS = 16
PATH = "/api/v1/namespaces/default/configmaps/kube-root-ca.crt"


def load(lab, url, pids, seconds):
    return wrk.load(lambda *words: lab.run(*words, on="client"), url + PATH, pids, CONNECTIONS, seconds)


def pids_of_the_operator():
    found = [path.parent.name for path in pathlib.Path("/proc").glob("[0-9]*/comm") if path.read_text(encoding="utf-8").strip() == "k8s-operator"]
    assert len(found) == 1, found
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=pathlib.Path)
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--seconds", type=int, default=5)
    given = parser.parse_args()
    tools = pathlib.Path(subprocess.check_output([ROOT / "scripts/e2e/tools", "lab", "helm3", "operator"], text=True).strip())
    os.environ["PATH"] = f"{tools}:{os.environ['PATH']}"
    with Lab() as lab, api_proxy_in(lab, given.binary, tools) as api, operators_api_proxy(lab) as url:
        lab.wait("kubectl is let in by the operator", lambda: api.kubectl("get", "namespaces", url=url))
        both = ((api.url, [process.pid for process in api.processes]), (url, pids_of_the_operator()))
        for one, pids in both:
            load(lab, one, pids, 1)
        pairs = [[load(lab, one, pids, given.seconds) for one, pids in both] for _ in range(given.pairs)]
    print("| over the tailnet, medians | ours | the operator's | ratio | limit |\n|---|---|---|---|---|")
    missed = False
    for number, (what, scale, unit, limit) in enumerate((("CPU time per request", 1000, "ms", 1.0), ("requests per second", 1, "", 1.0),
                                                         ("99th percentile", 1, "ms", 1.2))):
        ratio = statistics.median(ours[number] / theirs[number] for ours, theirs in pairs)
        ours, theirs = (scale * statistics.median(pair[side][number] for pair in pairs) for side in (0, 1))
        met = ratio >= limit if number == 1 else ratio <= limit
        missed |= not met
        print(f"| {what}, {CONNECTIONS} connections | {ours:.3g} {unit} | {theirs:.3g} {unit} | {ratio:.2f} | "
              f"{'>=' if number == 1 else '<='} {limit}{'' if met else ', missed'} |")
    sys.exit(missed)


main()
