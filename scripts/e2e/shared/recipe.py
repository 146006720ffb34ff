"""Builds the recipe of plugins/image with buildah, without a registry and without compiling.

The stages that compile are left out, and their results come from this machine. The other stages are built unchanged.
"""
import json
import pathlib
import re

from shared.checks import run
from shared.fleet import ROOT

RUNTIME = "tailrender-runtime"
PROXY = "tailrender-proxy"


def stages():
    """Returns the texts of the stages by name; the last has none."""
    text = (ROOT / "plugins" / "image" / "Containerfile").read_text(encoding="utf-8")
    parts = re.split(r"(?m)^(?=FROM )", text)[1:]
    return {"".join(re.findall(r"^FROM \S+ AS (\S+)", part)): part for part in parts}


class Store:
    """Buildah, with a separate store of images. vfs works on every file system, overlay is faster with large images."""

    def __init__(self, folder, driver):
        self.folder = folder
        self.words = ["buildah", "--root", folder / "images", "--runroot", folder / "run", "--storage-driver", driver]

    def run(self, *words):
        return run(*self.words, *words).strip()

    def build(self, recipe, tag, results):
        """`results`: maps the name of a stage to the folder that it would have left."""
        file = self.folder / "Containerfile"
        file.write_text(recipe, encoding="utf-8")
        contexts = [word for stage, result in results.items() for word in ("--build-context", f"{stage}={result}")]
        self.run("build", "--isolation", "chroot", "--pull=false", "--timestamp", "0", *contexts, "--file", file, "--tag", tag,
                 next(iter(results.values())))

    def config(self, tag):
        return json.loads(self.run("inspect", "--type", "image", tag))["OCIv1"]["config"]

    def open(self, tag):
        return pathlib.Path(self.run("mount", self.run("from", "--pull=never", tag)))


def build_runtime(store, tag, program):
    """Builds the runtime's image; another program may take the runtime's place, under the runtime's name."""
    result = store.folder / f"result-{len(list(store.folder.glob('result-*')))}"
    run(ROOT / "scripts" / "image_root", program, result / "root-of-runtime")
    store.build(stages()["runtime"].replace(RUNTIME, pathlib.Path(program).name), tag, {"build-runtime": result})


def build_proxy(store, tag, program, stock):
    """Builds the proxy's image, with tailscaled and tailscale from the folder `stock`."""
    ours, theirs = store.folder / "result-proxy", store.folder / "result-stock"
    for source, target, strip in ((program, ours / "root-of-proxy/usr/local/bin" / PROXY, ["--strip"]),
                                  (ROOT / "scripts/package.d/copyright", ours / "root-of-proxy/usr/share/doc/tailrender/copyright", ["--mode=644"]),
                                  *((stock / name, theirs / "usr/local/bin" / name, []) for name in ("tailscaled", "tailscale"))):
        run("install", "-D", *strip, source, target)
    store.build(stages()["proxy"], tag, {"build-proxy": ours, "stock": theirs})
