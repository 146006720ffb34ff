"""Follows the tutorial of docs/quickstart.md and checks that the user sees what it shows.

The file and the commands are those of the page, line by line, in a separate lab. In place of the line that builds, the given programs are
where the other lines look for them. At the end nothing is left behind.
"""
import re
import time

from shared.checks import run
from shared.fleet import ROOT
from traces import Traces

COVERS = ["docs/quickstart.md", "runtime/operate/status"]
PROGRAMS = ["lab"]
PAGE = (ROOT / "docs" / "quickstart.md").read_text(encoding="utf-8")
STATUS = "tailrender-runtime status"
TABLE_SECONDS = 3  # the table is written after the status


def tutorial():
    """Returns the file's name and text, the commands, what the client gets, and what `status` prints."""
    found = re.search(r"^## With a cluster and a tailnet$.*?In `(\S+)`:\n\n```yaml\n(.*?)^```\n\n```\n(.*?)^```$.*?the client gets `(.*?)`.*?"
                      r"^```\n(controller: .*?)^```$", PAGE, re.M | re.S)
    return found.groups()


def clone(folder, tailrender, runtime, proxy):
    """Makes the files that the commands expect in a clone after its build."""
    for path, target in (("scripts/e2e", ROOT / "scripts" / "e2e"), ("scripts/tailrender", tailrender), ("build/dev/runtime/tailrender-runtime", runtime),
                         ("build/dev/runtime/tailrender-proxy", proxy)):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).symlink_to(target)


def follow(line, folder, environment):
    """Runs the line and returns its output."""
    begun = time.monotonic()
    said = run("bash", "-o", "pipefail", "-c", line, stdin="", cwd=folder, env=environment)
    print(f"{time.monotonic() - begun:5.1f} s  {line}", flush=True)
    return said


def until_ready(folder, traces):
    """Waits until the controller is ready: the kubelet probes it every ten seconds."""
    follow("scripts/e2e/lab run kubectl wait --for=condition=Available deployment/operator -n tailscale --timeout=9m", folder, traces.environment)


def follow_all(commands, folder, traces):
    """Runs all lines and returns the output of each."""
    build, *lines = commands.splitlines()
    assert build.split()[:2] == ["scripts/build", "dev"]
    said = {}
    try:
        for line in lines:
            if STATUS in line:
                time.sleep(TABLE_SECONDS)
                until_ready(folder, traces)
            said[line] = follow(line, folder, traces.environment)
            if line == "scripts/e2e/lab up":
                traces.note()
    except BaseException:
        follow("scripts/e2e/lab down", folder, traces.environment)
        raise
    return said


def test_tutorial(tailrender, runtime, proxy, tmp_path):
    name, content, commands, page, status = tutorial()
    with Traces() as traces:
        clone(tmp_path, tailrender, runtime, proxy)
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(content, encoding="utf-8")
        said = follow_all(commands, tmp_path, traces)

    def of(words):
        [found] = [result for line, result in said.items() if words in line]
        return found
    assert re.search(r"^hello .* 100\.\S+,default-hello\.lab\.ts\.net ", of("kubectl get service hello"), re.M)
    assert of("curl") == page + "\n"
    assert of(STATUS) == status
