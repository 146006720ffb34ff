"""Builds the recipe of plugins/image with buildah, without a registry and without compiling.

The stages that compile are left out, and their results come from this machine. The other stages are built unchanged. For arm64 on amd64,
scripts/arm64 has built the programs, and shared/emulation.py lets the kernel run what the stages run.
"""
import collections.abc
import json
import os
import pathlib
import re
import shutil
import tempfile

from shared.checks import Object, run
from shared.fleet import ROOT

MACHINE = run("dpkg", "--print-architecture").strip()
RUNTIME = "tailrender-runtime"
ADOPT = "tailrender-adopt"
PROXY = "tailrender-proxy"


def stages() -> dict[str, str]:
    """Returns the texts of the stages by name; the last has none."""
    text = (ROOT / "plugins" / "image" / "Containerfile").read_text(encoding="utf-8")
    parts = re.split(r"(?m)^(?=FROM )", text)[1:]
    return {"".join(re.findall(r"^FROM \S+ AS (\S+)", part)): part for part in parts}


class Store:
    """Buildah, with a separate store of images. vfs works on every file system, overlay is faster with large images. `time` is that of
    all files and images, in seconds."""

    def __init__(self, folder: pathlib.Path, driver: str, time: int | str = 0, architecture: str = MACHINE) -> None:
        self.folder, self.time, self.architecture = folder, str(time), architecture
        folder.mkdir(exist_ok=True)
        self.words = ["buildah", "--root", folder / "images", "--runroot", folder / "run", "--storage-driver", driver]

    def run(self, *words: object) -> str:
        return run(*self.words, *words).strip()

    def build(self, recipe: str, tag: str, results: collections.abc.Mapping[str, pathlib.Path]) -> None:
        """`results`: maps the name of a stage to the folder that it would have left."""
        file = self.folder / "Containerfile"
        file.write_text(recipe, encoding="utf-8")
        contexts = [word for stage, result in results.items() for word in ("--build-context", f"{stage}={result}")]
        self.run("build", "--arch", self.architecture, "--isolation", "chroot", "--pull=false", "--timestamp", self.time, *contexts, "--file", file, "--tag", tag,
                 next(iter(results.values())))

    def add_system(self, tar: pathlib.Path | None = None) -> None:
        """Adds the image that all stages with a system start from: it is fetched, or made of the root file system in the tar."""
        bases = {stages()[name].split()[1] for name in ("sources", "proxy", "")}
        assert len(bases) == 1, f"the stages start from different images: {bases}"
        name = bases.pop()
        if not tar:
            self.run("pull", "--arch", self.architecture, name)
            return
        container = self.run("from", "--arch", self.architecture, "scratch")
        self.run("add", "--quiet", container, tar, "/")
        self.run("commit", "--quiet", "--rm", "--timestamp", self.time, container, name)

    def config(self, tag: str) -> Object:
        return json.loads(self.run("inspect", "--type", "image", tag))["OCIv1"]["config"]

    def open(self, tag: str) -> pathlib.Path:
        return pathlib.Path(self.run("mount", self.run("from", "--pull=never", tag)))


def build_renderer(store: Store, tag: str, package: pathlib.Path, tools: pathlib.Path) -> None:
    """Builds the renderer's image of the package in package/package, with kustomize and helm from the folder `tools`."""
    programs = store.folder / "result-programs"
    (programs / "programs").mkdir(parents=True)
    for program in ("kustomize", "helm"):
        shutil.copy(tools / program, programs / "programs")
    store.build(stages()[""], tag, {"build": package, "programs": programs})


def build_runtime(store: Store, tag: str, program: str | pathlib.Path, *others: pathlib.Path) -> None:
    """Builds the runtime's image; another program may take the runtime's place, under the runtime's name. `others` are put beside it."""
    result = store.folder / f"result-{len(list(store.folder.glob('result-*')))}"
    if store.architecture == MACHINE:
        run(ROOT / "scripts" / "image_root", program, *others, result / "root-of-runtime")
    else:
        # Its libraries are in another Debian, which sees only the clone.
        with tempfile.TemporaryDirectory(dir=ROOT / "build/arm64") as made:
            run(ROOT / "scripts" / "arm64", "--run", *(os.path.relpath(path, ROOT) for path in (ROOT / "scripts/image_root", program, *others, f"{made}/root")))
            shutil.copytree(f"{made}/root", result / "root-of-runtime", symlinks=True)
    store.build(stages()["runtime"].replace(RUNTIME, pathlib.Path(program).name), tag, {"build-runtime": result})


def build_proxy(store: Store, tag: str, program: pathlib.Path, stock: pathlib.Path) -> None:
    """Builds the proxy's image, with tailscaled and tailscale from the folder `stock`."""
    ours, theirs = store.folder / "result-proxy", store.folder / "result-stock"
    strip = ["--strip"] if store.architecture == MACHINE else []  # scripts/arm64 has done it
    placed: list[tuple[pathlib.Path, pathlib.Path, list[str]]] = [
        (program, ours / "root-of-proxy/usr/local/bin" / PROXY, strip),
        (ROOT / "scripts/package.d/copyright", ours / "root-of-proxy/usr/share/doc/tailrender/copyright", ["--mode=644"])]
    placed += [(stock / name, theirs / "usr/local/bin" / name, []) for name in ("tailscaled", "tailscale")]
    for source, target, options in placed:
        run("install", "-D", *options, source, target)
    store.build(stages()["proxy"], tag, {"build-proxy": ours, "stock": theirs})
