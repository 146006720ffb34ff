"""What the pytest modules of this folder share. Each is run by scripts/e2e/pytest, which says how."""
import os
import pathlib
import sys

import pytest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "lab.d")]


@pytest.fixture(scope="session")
def tailrender():
    """The program under test."""
    return pathlib.Path(os.environ["TAILRENDER"])


@pytest.fixture(scope="session")
def runtime():
    """The controller, for modules that start a lab."""
    return pathlib.Path(os.environ["TAILRENDER_RUNTIME"])


def pytest_addoption(parser):
    parser.addoption("--accept", action="store_true", help="write what was found into the documentation; not in CI")
    parser.addoption("--seconds", type=int, default=10, help="how long what repeats itself goes on")


@pytest.fixture(scope="session")
def accept(request):
    chosen = request.config.getoption("--accept")
    assert not (chosen and os.environ.get("CI")), "--accept is not taken in CI"
    return chosen
