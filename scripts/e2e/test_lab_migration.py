"""Follows "With Flux or Argo CD" of docs/migration.md command by command in the lab, from the operator to what is rendered.

The repository is examples/flux, or examples/argocd, as it was before tailrender, with testdata/e2e/migration: the real operator, a
Connector, an egress group and their ProxyClass. It is pushed to a remote on this disk, and the engines of lab.d/engines.py apply it. The
steps that the page describes in words are done here. In all that time every device keeps node id, address and name, none is new, and only
the operator's own file changes; at the end the operator is deleted, and its custom resources are still there. The test follows the page
back once, and forward again; with --short only Flux does.
"""
import json
import re
import shutil
import subprocess
import time

import pytest
import yaml

from engines import Argo, Flux
from hello import page
from installed import NAMESPACE, give_proxy_image, lab_with_runtime
from reference import VALUES, devices_of, names_of_the_operator, operator_in
from shared.checks import run
from shared.fleet import ROOT

COVERS = ["docs/migration.md", "examples/argocd", "examples/flux", "runtime/adopt", "runtime/operate", "testdata/e2e/crds.yaml", "testdata/e2e/migration",
          "testdata/e2e/operator"]
PROGRAMS = ["lab", "argocd", "kustomize", "flux", "helm3", "operator"]
SECTION = re.search(r"^## With Flux or Argo CD$(.*)", (ROOT / "docs" / "migration.md").read_text(encoding="utf-8"), re.M | re.S)[1]
FIRST, *PARTS = re.split(r"^(?=\*\*(?:\d\.|Back))", SECTION, flags=re.M)
STEPS = {re.match(r"\*\*(\w+)", part)[1]: part for part in PARTS}
TOLD = {"1": "Its `values.yaml` gets the values of the chart, without `oauth`. It also gets `tailrender.image`, `tailrender.proxyImage`, and "
             "the chart's version as `tailrender.operatorVersion`.",
        "2": "add `suspend: true` to `spec` (Flux), or remove `finalizers` and `automated` (Argo CD)",
        "Back": "With Argo CD, the last command is `argocd app sync operator`."}
KINDS = "proxyclass/without-registry", "connector/router", "proxygroup/out"
OTHERS = "router", "out-0", "out-1"
# The order in which the operator's kinds, its default class and the rest come into a cluster.
PARTS_OF = {"flux": (["clusters/home/flux-system", "clusters/home/operator.yaml", "operator"], ["clusters/home/network.yaml", "network"]),
            "argocd": (["root.yaml", "apps/operator.yaml"], ["apps/network.yaml", "network"])}
TITLES = {"flux": "Flux", "argocd": "Argo CD"}


def commands(text):
    """Returns the lines of its only block."""
    [block] = re.findall(r"^```\n(.*?)^```$", text, re.M | re.S)
    return block.splitlines()


class User:
    """A user in a clone of the repository, on a machine that reaches the cluster."""

    def __init__(self, name, lab, operator, folder, programs):
        self.name, self.lab, self.folder = name, lab, folder
        self.clone = folder / "clone"
        self.is_flux = name == "flux"
        self.home, self.bin = folder / "home", folder / "bin"
        self.home.mkdir()
        (self.home / "tailrender").symlink_to(ROOT)
        self.bin.mkdir()
        for title, path in programs.items():
            (self.bin / title).symlink_to(path)
        self.values = yaml.safe_load(VALUES.read_text(encoding="utf-8"))
        [self.variables] = [line for line in commands(FIRST) if line.endswith("# " + TITLES[name])]
        self.object_file = self.clone / re.search(r"operator=(\S+)", self.variables)[1]
        self.make_repository()
        run("git", "clone", "--quiet", folder / "remote", folder / "engine")
        self.engine = (Flux if self.is_flux else Argo)(lab, operator.chart, folder / "engine")

    def make_repository(self):
        run("git", "init", "--quiet", "--bare", "--initial-branch", "main", self.folder / "remote")
        run("git", "clone", "--quiet", self.folder / "remote", self.clone)
        shutil.copytree(ROOT / "examples" / self.name, self.clone, dirs_exist_ok=True)
        shutil.copytree(ROOT / "testdata/e2e/migration" / self.name, self.clone, dirs_exist_ok=True)
        shutil.rmtree(self.clone / "tailscale")
        for path in [*self.clone.rglob("tailscale.yaml"), self.clone / "README.md"]:
            path.unlink()
        for path in self.clone.rglob("deployment.yaml"):
            path.write_text(path.read_text(encoding="utf-8").replace("nginxinc/nginx-unprivileged:1.27.4", "lab/hello:1"), encoding="utf-8")
        values = {name: value for name, value in self.values.items() if name != "tailrender"}
        self.edit(lambda item: item["spec"].update(values=values) if self.is_flux else item["spec"]["source"].update(helm={"valuesObject": values}))

    def edit(self, change):
        """Edits the object that installs the operator."""
        item = yaml.safe_load(self.object_file.read_text(encoding="utf-8"))
        change(item)
        self.object_file.write_text(yaml.safe_dump(item, sort_keys=False), encoding="utf-8")

    def shell(self, line):
        """Returns the output. A process that enters the lab starts at its root."""
        environment = self.lab.inner | {"PATH": f"{self.bin}:{self.lab.inner['PATH']}", "HOME": str(self.home)} | {
            f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in (("NAME", "a"), ("EMAIL", "a@example.com"))}
        begun = time.monotonic()
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", f"cd {self.clone}\n{self.variables}\n{line}"], env=environment, text=True,
                              preexec_fn=self.lab.enter, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        print(f"{time.monotonic() - begun:5.1f} s $ {line}\n{done.stdout}", flush=True)
        assert done.returncode == 0, f"{line} exits with {done.returncode}:\n{done.stdout}"
        if line.startswith("git push"):
            self.engine.sync()
        return done.stdout

    def push(self, paths):
        for line in ("git add " + " ".join(paths), "git commit --quiet -m more", "git push --quiet origin main"):
            self.shell(line)

    def tell(self, step, line):
        """Does, before a command, what the page describes in words."""
        if step == "1" and line.startswith("tailrender install"):
            (self.clone / "tailscale/values.yaml").write_text(yaml.safe_dump({**self.values, "tailrender": {**self.values["tailrender"], "operatorVersion": "1.96.5"}}),
                                                                  encoding="utf-8")
        if step == "2" and line.startswith("git commit"):
            self.edit(lambda item: item["spec"].update(suspend=True) if self.is_flux else (
                item["metadata"].pop("finalizers"), item["spec"]["syncPolicy"].pop("automated")))

    def follow(self, step):
        """Runs each line and returns its output."""
        assert TOLD.get(step, "") in " ".join(STEPS[step].split())
        said = {}
        for line in commands(STEPS[step]):
            self.tell(step, line)
            if line.startswith("flux reconcile helmrelease "):  # or what the page has for Argo CD
                self.engine.install_again()
            else:
                said[line] = self.shell(line)
        return said


def of(said, words):
    [found] = [result for line, result in said.items() if line.startswith(words)]
    return found


def serves(user, devices, host):
    """Checks that every device is connected and the same as before, none is new, and the page is served."""
    lab = user.lab
    lab.wait("all devices are connected", lambda: {device["name"] for device in lab.tailnet.state()["devices"] if device["connected"]} >=
             {f"{name}.lab.ts.net" for name in (host, *OTHERS)})
    assert lab.wait("the page is served", lambda: page(lab, f"{host}.lab.ts.net")) == "hello from the lab\n"
    assert not devices or devices_of(lab) == devices
    return devices_of(lab)


@pytest.mark.parametrize("engine, host", [("flux", "hello-home"), ("argocd", "hello")])
def test_page(engine, host, short, tools, tailrender, runtime, proxy, tmp_path):
    with lab_with_runtime(runtime) as lab, operator_in(lab) as operator:
        give_proxy_image(lab, tailrender, proxy)
        user = User(engine, lab, operator, tmp_path, {"tailrender": tailrender, "tailrender-runtime": runtime,
                                                            "tailrender-adopt": runtime.with_name("tailrender-adopt")})
        moves(user, operator_serves(user, host), host, user.is_flux or not short)


def operator_serves(user, host):
    lab = user.lab
    kinds, classes = PARTS_OF[user.name]
    user.push(kinds)
    user.push(classes)
    lab.kubectl("wait", "--for=condition=ProxyClassReady", "--timeout=120s", KINDS[0])
    user.push(["."])
    devices = serves(user, {}, host)
    assert devices.keys() == {f"{name}.lab.ts.net" for name in ("client", host, "tailscale-operator", *OTHERS)}
    return devices


def operator_works(lab):
    """Checks that the operator works on its objects: it becomes ready after a change, and again after the change is undone."""
    for routes in ("10.20.0.0/16", "10.21.0.0/16"), ("10.20.0.0/16",):
        lab.kubectl("patch", KINDS[1], "--type", "merge", "--patch", json.dumps({"spec": {"subnetRouter": {"advertiseRoutes": routes}}}))
        lab.kubectl("wait", "--for=condition=ConnectorReady", "--timeout=120s", KINDS[1])


def moves(user, devices, host, and_back):
    lab = user.lab
    before = user.shell("git rev-parse HEAD").strip()
    assert "[operator-live]" in of(user.follow("1"), "tailrender render")
    serves(user, devices, host)
    for goes_back in (True, False) if and_back else (False,):
        user.follow("2")
        names = names_of_the_operator(lab)
        assert not lab.items("pods", "-n", NAMESPACE, "-l", "app=operator")
        said = user.follow("3")
        assert "controller: running" in of(said, "tailrender-runtime status")
        serves(user, devices, host)
        if goes_back:
            user.follow("Back")
            lab.kubectl("rollout", "status", "deployment", "operator", "-n", NAMESPACE)
            serves(user, devices, host)
            assert names_of_the_operator(lab) == names
            operator_works(lab)
    said = user.follow("4")
    assert "operator-live" not in of(said, "tailrender lint")
    serves(user, devices, host)
    assert names_of_the_operator(lab) == set()
    for kind in KINDS:
        assert "deletionTimestamp" not in lab.get(kind)["metadata"]
    assert not [item for item in lab.items("secrets", "-n", NAMESPACE) if item["type"].startswith("helm.sh/")]
    changed = user.shell(f"git diff --name-only {before} HEAD -- . ':!tailscale'").split()
    assert sorted(changed) == sorted(re.findall(r"(?:operator|applies)=(\S+)", user.variables))
