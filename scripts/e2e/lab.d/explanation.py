"""Prints what a person would look at first after a failure in a lab, in at most 200 lines: what does not run, and the last messages.

    print(explanation(lab), file=sys.stderr)
"""
import collections.abc
import re
import typing

if typing.TYPE_CHECKING:
    from harness import Lab

SHOWN = 10
SHOWN_PODS = 6
ALWAYS = ["client", "kubelet", "testnet"]


def said(lab: "Lab", *words: str) -> list[str]:
    done = lab.verb(*words, check=False)
    return (done.stdout + done.stderr).splitlines()


def kubectl(lab: "Lab", *words: str) -> list[str]:
    return said(lab, "run", "kubectl", "--request-timeout=10s", *words)


def is_ready(pod: str) -> bool:
    """Reads a line of `kubectl get pods -A`."""
    _, _, ready, phase = pod.split()[:4]
    return phase == "Completed" or (phase == "Running" and len(set(ready.split("/"))) == 1)


def shown_lines(pod: str) -> int:
    """Returns how much of its log to print. The controller's log mentions all others."""
    if pod.split()[1].startswith("operator-"):
        return 60
    return 3 if is_ready(pod) else SHOWN


def log(lab: "Lab", pod: str) -> list[str]:
    namespace, name = pod.split()[:2]
    count = shown_lines(pod)
    return kubectl(lab, "logs", "-n", namespace, name, "--all-containers", "--tail", str(count))[-max(count, SHOWN):]


def sections(lab: "Lab") -> collections.abc.Iterator[tuple[str, list[str]]]:
    ended = [line for line in said(lab, "status") if not line.endswith(": running")]
    yield "what does not run", ended
    if ended and ended[0].startswith("lab: "):
        yield "end of lab.log", [line for log in lab.folder.glob("lab.log") for line in log.read_text(encoding="utf-8", errors="replace").splitlines()[-20:]]
        return
    pods = [line for line in kubectl(lab, "get", "pods", "-A", "--no-headers") if re.match(r"\S+ +\S+ +\d+/\d+ ", line)]
    waiting = [line for line in pods if not is_ready(line)]
    yield "pods that are not ready", waiting[:SHOWN]
    yield "last warnings in the cluster", kubectl(lab, "events", "-A", "--types=Warning", "--no-headers")[-15:]
    ours = [line for line in pods if line.startswith("tailscale ") or line in waiting]
    for pod in sorted(ours, key=shown_lines, reverse=True)[:SHOWN_PODS]:
        yield f"end of the log of pod {pod.split()[1]}", log(lab, pod)
    for name in sorted({*ALWAYS, *(line.split(":")[0] for line in ended[:3])}):
        yield f"end of {name}.log", said(lab, "run", "sh", "-c", f"tail -n {SHOWN} $LAB/{name}.log")


def explanation(lab: "Lab") -> str:
    return "\n".join(line for title, lines in sections(lab) if lines for line in ("--- " + title, *lines))
