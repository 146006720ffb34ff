#!/usr/bin/env python3
"""Writes the lab's container images from programs of this machine, as archives that `ctr images import` takes.

    images.py standard FOLDER PROGRAMS_DIR [RELEASE]
    images.py release FOLDER PROGRAMS_DIR RELEASE
    images.py proxy FOLDER PROGRAMS_DIR TAG PROGRAM [RELEASE]
    images.py program OUTPUT_FILE TAG PROGRAM

"standard" are the lab's own: pause, hello, and a tailscale image with what stock containerboot needs: three programs of the release (the newest), and a shell with
sysctl; it trusts FOLDER/trusted.crt; each is one layer. "release" is that image, FOLDER/tailscale.tar, and FOLDER/k8s-proxy.tar of a release (1.104);
programs of all but 1.96 have its name at their end. "proxy", FOLDER/proxy.tar, has tailscaled and tailscale of the release
(the newest), and PROGRAM in containerboot's place, with its libraries. "program" is the image that plugins/image makes of the runtime, with PROGRAM in its place;
a static one, which needs no libraries, gets a layer with a shell.
"""
import hashlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).resolve()
sys.path[:0] = [str(HERE.parent.parent), str(HERE.parents[2] / "parity.d")]
sys.dont_write_bytecode = True

from parity_release import NEWEST  # noqa: E402
from shared.recipe import Store, build_runtime  # noqa: E402

IMAGE_ROOT = HERE.parents[2] / "image_root"
APPLETS = "cat echo env false grep ip ls mkdir nslookup ping ping6 ps sh sleep sysctl test true vi wc wget".split()
# The user of the pod of the Kubernetes API proxy, as in plugins/image.
USERS = {"root": 0, "tailscaled": 65532, "api-proxy": 65533}
PAGE = b"hello from the lab\n"


def add_file(layer, name, content, mode=0o755):
    info = tarfile.TarInfo(name)
    info.size, info.mode = len(content), mode
    layer.addfile(info, io.BytesIO(content))


def add_folder(layer, name, mode=0o755):
    info = tarfile.TarInfo(name)
    info.type, info.mode = tarfile.DIRTYPE, mode
    layer.addfile(info)


def add_program(layer, name, path):
    with open(path, "rb") as file:
        add_file(layer, name, file.read())


def make_layer(programs, files, root=None):
    """Makes a layer with a shell; programs are by name, and statically linked; files are texts by name. The files of the folder `root` go
    to the root."""
    text = io.BytesIO()
    with tarfile.open(fileobj=text, mode="w") as layer:
        for folder in ("bin", "etc", "root", "usr", "usr/local", "usr/local/bin", "var", "var/run", "var/lib", "www"):
            add_folder(layer, folder)
        add_folder(layer, "tmp", 0o1777)
        add_program(layer, "bin/busybox", shutil.which("busybox"))
        for applet in APPLETS:
            info = tarfile.TarInfo("bin/" + applet)
            info.type, info.linkname = tarfile.SYMTYPE, "busybox"
            layer.addfile(info)
        for name, program in programs.items():
            add_program(layer, "usr/local/bin/" + name, program)
        for path in sorted(root.rglob("*")) if root else ():
            name = str(path.relative_to(root))
            if path.is_symlink():
                info = tarfile.TarInfo(name)
                info.type, info.linkname = tarfile.SYMTYPE, os.readlink(path)
                layer.addfile(info)
            elif path.is_file() and name not in files:
                add_file(layer, name, path.read_bytes(), path.stat().st_mode & 0o777)
        for name, content in files.items():
            add_file(layer, name, content, 0o644)
    return text.getvalue()


def write_image(path, tag, layer, command):
    config = json.dumps({
        "architecture": "amd64", "os": "linux",
        "config": {"Cmd": command, "Env": ["PATH=/usr/local/bin:/bin"]},
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(layer).hexdigest()]},
    }).encode()
    manifest = json.dumps([{"Config": "config.json", "RepoTags": [tag], "Layers": ["layer.tar"]}]).encode()
    with tarfile.open(path, "w") as archive:
        for name, content in (("config.json", config), ("layer.tar", layer), ("manifest.json", manifest)):
            add_file(archive, name, content, 0o644)


def version_of(program):
    return subprocess.run([program, "version"], stdout=subprocess.PIPE, text=True, check=True).stdout.split()[0]


def authorities(output):
    return {"etc/ssl/certs/ca-certificates.crt": pathlib.Path(output, "trusted.crt").read_bytes()}


def write_stock(output, image, programs, suffix, names):
    """Writes an image like Tailscale's, which starts the first of the programs."""
    stock = {name: os.path.join(programs, name + suffix) for name in names}
    version = version_of(os.path.join(programs, "tailscale" + suffix))
    write_image(os.path.join(output, image + ".tar"), f"docker.io/tailscale/{image}:v{version}", make_layer(stock, authorities(output)),
                ["/usr/local/bin/" + names[0]])


def write_tailscale(output, programs, suffix):
    write_stock(output, "tailscale", programs, suffix, ("containerboot", "tailscaled", "tailscale"))


def suffix_of(programs, release):
    """Returns the suffix of the names of the release's programs."""
    suffix = "-" + release if os.path.exists(os.path.join(programs, "tailscale-" + release)) else ""
    found = version_of(os.path.join(programs, "tailscale" + suffix))
    assert found.startswith(release + "."), f"no programs of release {release}, only of {found}"
    return suffix


def write_release(output, programs, release):
    suffix = suffix_of(programs, release)
    write_tailscale(output, programs, suffix)
    write_stock(output, "k8s-proxy", programs, suffix, ("k8s-proxy",))


def users():
    return {"etc/passwd": "".join(f"{name}:x:{number}:{number}::/tmp:/bin/sh\n" for name, number in USERS.items()).encode(),
            "etc/group": "".join(f"{name}:x:{number}:\n" for name, number in USERS.items()).encode()}


def write_proxy(output, programs, tag, program, release=NEWEST):
    suffix = suffix_of(programs, release)
    stock = {name: os.path.join(programs, name + suffix) for name in ("tailscaled", "tailscale")}
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder, "root")
        subprocess.run([IMAGE_ROOT, program, root], check=True)
        socket = root / "var/run/tailscale/tailscaled.sock"
        socket.parent.mkdir(parents=True)
        socket.symlink_to("/tmp/tailscaled.sock")
        layer = make_layer(stock, authorities(output) | users(), root)
    write_image(os.path.join(output, "proxy.tar"), tag, layer, ["/usr/local/bin/" + os.path.basename(program)])


def write_standard(output, programs, release=NEWEST):
    base = make_layer({}, {"www/index.html": PAGE})
    write_image(os.path.join(output, "pause.tar"), "lab/pause:1", base, ["/bin/busybox", "sleep", "infinity"])
    write_image(os.path.join(output, "hello.tar"), "lab/hello:1", base, ["/bin/busybox", "httpd", "-f", "-p", "8080", "-h", "/www"])
    write_tailscale(output, programs, suffix_of(programs, release))


def is_static(program):
    return subprocess.run(["ldd", program], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode != 0


def write_program(output, tag, program):
    if is_static(program):
        write_image(output, tag, make_layer({os.path.basename(program): program}, {}),
                    ["/usr/local/bin/" + os.path.basename(program)])
        return
    with tempfile.TemporaryDirectory(dir=os.path.dirname(output)) as folder:
        store = Store(pathlib.Path(folder), "vfs")
        build_runtime(store, tag, program)
        store.run("push", tag, f"docker-archive:{output}:{tag}")


def main():
    if sys.argv[1] == "standard":
        write_standard(*sys.argv[2:])
    elif sys.argv[1] == "release":
        write_release(*sys.argv[2:])
    elif sys.argv[1] == "proxy":
        write_proxy(*sys.argv[2:])
    else:
        write_program(*sys.argv[2:])


try:
    main()
except AssertionError as failure:
    sys.exit(f"images: {failure}")
