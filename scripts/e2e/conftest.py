"""What the pytest modules of this folder share. Each is run by scripts/e2e/pytest, which says how."""
import os
import pathlib
import sys

import pytest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))


@pytest.fixture(scope="session")
def tailrender():
    """The program under test."""
    return pathlib.Path(os.environ["TAILRENDER"])


def pytest_addoption(parser):
    parser.addoption("--accept", action="store_true", help="write what was found into the documentation; not in CI")


@pytest.fixture(scope="session")
def accept(request):
    chosen = request.config.getoption("--accept")
    assert not (chosen and os.environ.get("CI")), "--accept is not taken in CI"
    return chosen
