"""Runs an image's root with runc as a rendered container defines it, in a separate network; its volumes are empty."""
import collections.abc
import json
import pathlib
import subprocess
import time

from shared.checks import Object, run

DEADLINE = 300


class Bundle:
    def __init__(self, folder: pathlib.Path, root: pathlib.Path, config: Object, container: Object) -> None:
        assert "command" not in container, f"the container has a command of its own: {container}"
        folder.mkdir()
        self.folder, self.name, self.state = folder, f"tailrender-{folder.parent.name}", folder / "state"
        (folder / "empty").mkdir()
        self.entrypoint = config["Entrypoint"]
        run("runc", "spec", "--bundle", folder)
        self.spec = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        context = container["securityContext"]
        assert context["capabilities"] == {"drop": ["ALL"]}, f"capabilities: {context}"
        self.spec["root"] = {"path": str(root), "readonly": context["readOnlyRootFilesystem"]}
        self.spec["linux"]["cgroupsPath"] = "/" + self.name
        self.spec["mounts"] += [{"destination": volume["mountPath"], "type": "bind", "source": str(folder / "empty"), "options": ["rbind", "ro"]}
                                for volume in container["volumeMounts"]]
        process = self.spec["process"]
        process.update(terminal=False, env=config["Env"], noNewPrivileges=not context["allowPrivilegeEscalation"],
                       user={"uid": context["runAsUser"], "gid": context["runAsGroup"]})
        process["capabilities"] = {kind: [] for kind in process["capabilities"]}

    def start(self, *args: str, **environment: str) -> subprocess.Popen[str]:
        process = {**self.spec["process"], "args": [*self.entrypoint, *args]}
        process["env"] = process["env"] + [f"{name}={value}" for name, value in environment.items()]
        (self.folder / "config.json").write_text(json.dumps({**self.spec, "process": process}), encoding="utf-8")
        return subprocess.Popen(["runc", "--root", self.state, "run", "--bundle", self.folder, self.name], text=True, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def ended(self, *args: str) -> tuple[int, str]:
        """Returns exit code and all output."""
        return self.end(self.start(*args))

    def terminated(self, *args: str, until: collections.abc.Callable[[], object], **environment: str) -> tuple[int, str]:
        """Sends SIGTERM once `until` is true; returns exit code and all output."""
        process = self.start(*args, **environment)
        deadline = time.monotonic() + DEADLINE
        while not until():
            assert process.poll() is None and time.monotonic() < deadline, self.removed(process)
            time.sleep(0.2)
        run("runc", "--root", self.state, "kill", self.name, "TERM")
        return self.end(process)

    def end(self, process: subprocess.Popen[str]) -> tuple[int, str]:
        try:
            output, _ = process.communicate(timeout=DEADLINE)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"it still runs: {self.removed(process)}") from None
        return process.returncode, output

    def removed(self, process: subprocess.Popen[str]) -> str:
        """Removes the container and returns its output."""
        subprocess.run(["runc", "--root", self.state, "delete", "--force", self.name], check=False)
        return process.communicate()[0]

    def inside(self, *words: str) -> str:
        """Returns the output of a program of this machine in the container's network; "" while there is none."""
        state = subprocess.run(["runc", "--root", self.state, "state", self.name], capture_output=True, text=True, check=False)
        if state.returncode:
            return ""
        pid = str(json.loads(state.stdout)["pid"])
        return subprocess.run(["nsenter", "--target", pid, "--net", *words], capture_output=True, text=True, check=False).stdout
