"""The fixtures that the modules of this folder share: the programs under test, and their peers. scripts/e2e/pytest runs the modules."""
import os
import pathlib
import signal
import sys

import pytest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FOLDERS = [HERE, *(HERE / name for name in ("helm.d", "lab.d", "reference.d")), ROOT / "scripts/parity.d", ROOT / "scripts/bench_runtime.d"]
sys.path[:0] = map(str, FOLDERS)
pytest.register_assert_rewrite("shared", *(file.stem for folder in FOLDERS[1:] for file in folder.glob("*.py")))

from harness import Lab  # noqa: E402
from shared.api_server import ApiServer  # noqa: E402
from shared.checks import run  # noqa: E402

UNDER_TEST = {"tailrender": "renderer/tailrender", "runtime": "runtime/tailrender-runtime", "proxy": "runtime/tailrender-proxy",
              "driver": "renderer/tools/kustomize_driver", "templates": "renderer/tools/template_driver"}


def pytest_addoption(parser):
    for name, place in UNDER_TEST.items():
        parser.addoption(f"--{name}", type=lambda path: pathlib.Path(os.environ.get("OLDPWD", ""), path), default=ROOT / "build/dev" / place)
    parser.addoption("--short", action="store_true", help="less of what takes long")
    parser.addoption("--always", action="store_true", help="only what CI always runs")
    parser.addoption("--stock", action="store_true", help="proxies run stock containerboot")
    parser.addoption("--accept", action="store_true", help="write what was found into the documentation or the corpus; not in CI")
    parser.addoption("--kubectl", default="kubectl", help="instead of the one of the tools")
    parser.addoption("--seed", help="of what is made at random")
    parser.addoption("--count", type=int, help="how much of it")
    parser.addoption("--seconds", type=int, default=10, help="how long what repeats itself goes on")


def pytest_configure(config):
    config.addinivalue_line("markers", "whole: left out by --short")
    config.addinivalue_line("markers", "always(*ids): what CI always runs, with these parameters of its own, or all")


def only_always(items):
    """Returns the tests marked `always`. An id that no parameter has is an error, since its test would silently be left out."""
    chosen, wanted, found = [], set(), set()
    for item in items:
        marker = item.get_closest_marker("always")
        if not marker:
            continue
        wanted |= {(item.originalname, one) for one in marker.args}
        if not marker.args or item.callspec.id in marker.args:
            chosen.append(item)
            found |= {(item.originalname, item.callspec.id)} if marker.args else set()
    if wanted != found:
        raise pytest.UsageError(f"marked `always`, but there is no {', '.join(f'{name}[{one}]' for name, one in sorted(wanted - found))}")
    return chosen


def pytest_collection_modifyitems(config, items):
    if config.getoption("always"):
        items[:] = only_always(items)
    if config.getoption("short"):
        items[:] = [item for item in items if not item.get_closest_marker("whole")]


# Files of this machine that a program under test could change by mistake.
FILES = [pathlib.Path("/etc/resolv.conf"), pathlib.Path("/etc/hosts")]


@pytest.fixture(scope="session")
def released():
    """The program as it is released: one static file."""
    run(ROOT / "scripts/build", "release", "tailrender")
    return ROOT / "build/release/renderer/tailrender"


@pytest.fixture(scope="session", autouse=True)
def machine():
    before = [file.read_bytes() for file in FILES]
    yield
    for file, content in zip(FILES, before):
        assert file.read_bytes() == content, f"{file} of this machine is not what it was"


def pytest_sessionstart(session):
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the tests end what they have started when they are ended
    Lab.has_failed = staticmethod(lambda: session.testsfailed > 0)


def program(name):
    @pytest.fixture(scope="session", name=name)
    def found(request):
        path = request.config.getoption(name)
        assert path.is_file(), f"no {name} at {path}: scripts/build dev, or --{name}"
        return path
    return found


tailrender, runtime, proxy, driver, templates = map(program, UNDER_TEST)


@pytest.fixture(scope="session")
def short(request):
    return request.config.getoption("short")


@pytest.fixture(scope="session")
def is_stock(request):
    return request.config.getoption("stock")


@pytest.fixture(scope="session")
def accept(request):
    chosen = request.config.getoption("accept")
    assert not (chosen and os.environ.get("CI")), "--accept is not taken in CI"
    return chosen


@pytest.fixture(scope="session")
def tools(request, tmp_path_factory):
    """A folder with the real programs that the modules name and no others, which is on the PATH; missing ones are built."""
    folder = tmp_path_factory.mktemp("tools")
    names = sorted({name for item in request.session.items for name in item.module.PROGRAMS})
    if names:
        built = pathlib.Path(run(HERE / "tools", *names).splitlines()[-1])
        modules = set(run(HERE / "tools", "--modules", *names).split())
        for link in built.iterdir():
            # The link targets the folder MODULE-KEY of the store.
            if link.readlink().parent.name.rpartition("-")[0] in modules:
                (folder / link.name).symlink_to(link.resolve())
    os.environ["PATH"] = f"{folder}:{os.environ['PATH']}"
    return folder


@pytest.fixture(scope="module")
def cluster(tools, tmp_path_factory):
    """An API server without controllers, for kubectl and all other programs that are started here."""
    with ApiServer(tmp_path_factory.mktemp("cluster")) as server:
        yield server


@pytest.fixture(scope="module")
def lab(tools):
    """An empty cluster and tailnet; the test fails if anything is left of the lab. A module that needs more in it has its own `lab`."""
    with Lab() as found:
        yield found


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    """A folder that the tests of a module share."""
    return tmp_path_factory.mktemp("scratch")


@pytest.fixture
def on_path(tailrender, tmp_path, monkeypatch):
    """A user's machine: `tailrender` can be called by its name, and HOME is empty."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "tailrender").symlink_to(tailrender)
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
