"""A minimal Debian, as debootstrap makes it, kept in the cache. Set TAILRENDER_CACHE to keep it elsewhere."""
import os
import pathlib
import tempfile

from shared.checks import run

CACHE = pathlib.Path(os.environ.get("TAILRENDER_CACHE") or pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache", "tailrender"))
RELEASES = {"bookworm": 12, "trixie": 13}


def debian(release: str = "bookworm", architecture: str | None = None) -> pathlib.Path:
    """Returns the tar of a minimal root. Another architecture than that of this machine takes shared/emulation.py."""
    CACHE.mkdir(parents=True, exist_ok=True)
    tar = CACHE / f"debian-{RELEASES[release]}-minimal{f'-{architecture}' if architecture else ''}.tar"
    if not tar.exists():
        with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
            run("debootstrap", "--variant=minbase", *([f"--arch={architecture}"] if architecture else []), release, f"{scratch}/root")
            run("tar", "-C", f"{scratch}/root", "--exclude=./var/cache/apt/*.bin", "--exclude=./var/cache/apt/archives/*.deb", "--exclude=./var/lib/apt/lists/*",
                "--exclude=./dev/*", "--exclude=./proc/*", "--exclude=./sys/*", "-cf", f"{scratch}/tar", ".")
            os.replace(f"{scratch}/tar", tar)
    return tar
