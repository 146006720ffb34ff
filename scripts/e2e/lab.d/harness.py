"""What tests with the lab share: the lab itself, its cluster by kubectl, its tailnet by the fake API and its admin endpoint.

    with Lab() as lab:
        lab.apply(objects)
        lab.wait("the pod is ready", lambda: ...)

A Lab has a folder of its own, so that any number of tests can have one at a time. Every wait ends with a deadline made for slow machines.
"""
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from expectation import Failure

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "lab"
DEADLINE = 240


class Lab:
    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="lab.")).resolve()
        self.environment = dict(os.environ, TAILRENDER_LAB=str(self.folder))
        self.names = {}

    def __enter__(self):
        self.verb("up")
        return self

    def __exit__(self, kind, error, trace):
        if kind:
            self.explain()
        self.verb("down")

    def verb(self, *arguments, check=True):
        result = subprocess.run([SCRIPT, *arguments], env=self.environment, text=True, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if check and result.returncode:
            raise Failure(f"lab {arguments[0]} exits {result.returncode}: {result.stderr}")
        return result

    def run(self, *command, on=None, text=None, check=True):
        """Output of a command beside the node, or on a machine of the tailnet."""
        where = ["--on", on] if on else []
        result = subprocess.run([SCRIPT, "run", *where, *command], env=self.environment, text=True, input=text or "",
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if check and result.returncode:
            raise Failure(f"{' '.join(command)} exits {result.returncode}: {result.stderr}{result.stdout}")
        return result.stdout if check else result

    def kubectl(self, *arguments, text=None):
        return self.run("kubectl", *arguments, text=text)

    def get(self, *arguments):
        """One object, or None if there is none."""
        return json.loads(self.kubectl("get", *arguments, "--ignore-not-found", "-o", "json") or "null")

    def apply(self, objects, manager="gitops"):
        self.kubectl("apply", "--server-side", "--field-manager", manager, "-f", "-",
                     text=json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))

    def wait(self, what, probe, seconds=DEADLINE):
        """The first answer of probe that is not empty; a Failure of a probe counts as none."""
        deadline = time.monotonic() + seconds
        reason = "nothing found"
        while time.monotonic() < deadline:
            try:
                found = probe()
                if found:
                    return found
            except Failure as failure:
                reason = failure
            time.sleep(0.3)
        raise Failure(f"not after {seconds} s: {what}: {reason}")

    def name(self, variable):
        """A variable that commands in the lab have, such as LAB_TAILNET."""
        if not self.names:
            self.names = dict(line.split("=", 1) for line in self.run("env").splitlines() if line.startswith("LAB"))
        return self.names[variable]

    def request(self, method, url, body=None, token=None):
        """JSON answer of the fake API (url starts with /api) or the admin endpoint (/admin); a Failure unless it is 200."""
        base = self.name("LAB_ADMIN" if url.startswith("/admin") else "LAB_TAILNET")
        command = ["curl", "-sS", "--fail-with-body", "--max-time", "60", "-X", method, base + url]
        if token:
            command += ["-H", "Authorization: Bearer " + token]
        if body is not None:
            command += ["-H", "Content-Type: application/json", "-d", json.dumps(body)]
        return json.loads(self.run(*command))

    def state(self):
        return self.request("GET", "/admin/state")

    def mint(self, tags, description=""):
        """A single-use auth key, minted as a controller does."""
        token = json.loads(self.run(
            "sh", "-c", 'curl -sS --fail-with-body --max-time 60 "$LAB_TAILNET/api/v2/oauth/token" -d grant_type=client_credentials '
            '-d "client_id=$LAB_OAUTH_ID" -d "client_secret=$LAB_OAUTH_SECRET"'))["access_token"]
        create = {"reusable": False, "ephemeral": False, "preauthorized": True, "tags": tags}
        return self.request("POST", "/api/v2/tailnet/-/keys", token=token,
                            body={"description": description, "capabilities": {"devices": {"create": create}}})

    def explain(self):
        """What a person would look at first after a failure."""
        for command in (["status"], ["run", "kubectl", "get", "pods,events", "-A"],
                        ["run", "sh", "-c", "kubectl logs -n tailscale --all-containers --tail 30 -l tailscale.com/managed=true"],
                        ["run", "sh", "-c", "tail -n 15 $LAB/testnet.log $LAB/client.log $LAB/kubelet.log"]):
            result = self.verb(*command, check=False)
            print(f"--- lab {' '.join(command)}\n{result.stdout}{result.stderr}", file=sys.stderr)

    def left_behind(self):
        """Everything on this machine that names the lab; nothing once it is down."""
        found = [str(self.folder)] if self.folder.exists() else []
        mark = f"TAILRENDER_LAB={self.folder}".encode()
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if mark in (process / "environ").read_bytes().split(b"\0"):
                    found.append(f"process {(process / 'cmdline').read_bytes()}")
            except OSError:
                continue
        found += [line for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines() if str(self.folder) in line]
        cgroup = "tailrender-lab-" + hashlib.sha256(str(self.folder).encode()).hexdigest()[:8]
        found += [str(path) for path in pathlib.Path("/sys/fs/cgroup").glob("**/" + cgroup)]
        return found
