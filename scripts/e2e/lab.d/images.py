#!/usr/bin/env python3
"""Writes the lab's container images from programs of this machine, as archives that `ctr images import` takes.

    images.py standard OUTPUT_DIR PROGRAMS_DIR
    images.py program OUTPUT_FILE TAG PROGRAM

"standard" are the lab's own: pause, hello, and a tailscale image with what stock containerboot needs: three programs, and a shell with
sysctl. "program" is an image whose command is PROGRAM, with the shared libraries that it is linked with. Each image is one layer.
"""
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile

APPLETS = "cat echo env false grep ip ls mkdir nslookup ping ping6 ps sh sleep sysctl test true vi wc wget".split()
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


def libraries(program):
    """Paths of the shared libraries of a program, its loader included; none for a static one."""
    listed = subprocess.run(["ldd", program], text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    return re.findall(r"(/\S+) \(0x", listed)


def make_layer(programs, files):
    """A layer with a shell; files are texts by name."""
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
        needed = set()
        for program in programs:
            add_program(layer, "usr/local/bin/" + os.path.basename(program), program)
            needed.update(libraries(program))
        for library in sorted(needed):
            add_program(layer, library.lstrip("/"), library)
        for name, content in files.items():
            add_file(layer, name, content, 0o644)
    return text.getvalue()


def write_image(path, tag, layer, **command):
    """`command` is Cmd, which a pod's args replace, or Entrypoint, which they follow."""
    config = json.dumps({
        "architecture": "amd64", "os": "linux",
        "config": {**command, "Env": ["PATH=/usr/local/bin:/bin"]},
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(layer).hexdigest()]},
    }).encode()
    manifest = json.dumps([{"Config": "config.json", "RepoTags": [tag], "Layers": ["layer.tar"]}]).encode()
    with tarfile.open(path, "w") as archive:
        for name, content in (("config.json", config), ("layer.tar", layer), ("manifest.json", manifest)):
            add_file(archive, name, content, 0o644)


def write_standard(output, programs):
    stock = [os.path.join(programs, name) for name in ("containerboot", "tailscaled", "tailscale")]
    base = make_layer([], {"www/index.html": PAGE})
    write_image(os.path.join(output, "pause.tar"), "lab/pause:1", base, Cmd=["/bin/busybox", "sleep", "infinity"])
    write_image(os.path.join(output, "hello.tar"), "lab/hello:1", base, Cmd=["/bin/busybox", "httpd", "-f", "-p", "8080", "-h", "/www"])
    write_image(os.path.join(output, "tailscale.tar"), "docker.io/tailscale/tailscale:v1.96.5", make_layer(stock, {}),
                Cmd=["/usr/local/bin/containerboot"])


def main():
    if sys.argv[1] == "standard":
        write_standard(*sys.argv[2:])
    else:
        output, tag, program = sys.argv[2:]
        write_image(output, tag, make_layer([program], {}), Entrypoint=["/usr/local/bin/" + os.path.basename(program)])


main()
