"""How a lab ends when something goes wrong while it starts, and when it refuses to end. Nothing may be left behind afterwards."""
import collections.abc
import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import time

from shared.checks import attempt
from harness import SCRIPT
from messages import asked
from traces import Traces

SECONDS = 60
TEST = """\
import sys
sys.path[:0] = [".", "lab.d"]
from harness import Lab
with Lab() as lab:
    print(lab.folder, flush=True)
    sys.stdin.read()
"""


def lab(traces: Traces, verb: str) -> tuple[int, str]:
    done = attempt(SCRIPT, verb, env=traces.environment)
    return done.returncode, done.stderr


@contextlib.contextmanager
def coming_up(reached: collections.abc.Callable[[Traces], bool]) -> collections.abc.Iterator[tuple[Traces, subprocess.Popen[str]]]:
    """Runs an `up` until it has reached a point, with its traces; it has ended at the end of the block."""
    with Traces() as traces:
        process = subprocess.Popen([SCRIPT, "up"], env=traces.environment, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        deadline = time.monotonic() + SECONDS
        while not reached(traces):
            assert process.poll() is None and time.monotonic() < deadline, "lab up does not come as far as it should"
            time.sleep(0.001)
        try:
            yield traces, process
            assert process.poll() is not None, "lab up still runs"
        except BaseException:
            process.kill()
            lab(traces, "down")
            raise


def has_folder(traces: Traces) -> bool:
    return traces.folder.exists()


def has_log(traces: Traces) -> bool:
    return (traces.folder / "lab.log").exists()


def has_keeper(traces: Traces) -> bool:
    return traces.keeper() is not None


def end(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Ends the lab and returns the exit code and the output."""
    _, said = process.communicate(timeout=SECONDS)
    return process.returncode, said


def did_not_come_up(process: subprocess.Popen[str]) -> None:
    code, said = end(process)
    assert (code, said.splitlines()[-1:]) == (1, ["lab: it did not come up: its first process has ended"]), "up whose keeper is killed"
    assert "Killed" not in said, f"up shows its own lines: {said}"


def killed_up_is_ended_by_down() -> None:
    for reached, seconds in ((has_folder, 0), (has_log, 0), (has_keeper, 0), (has_keeper, 2)):
        with coming_up(reached) as (traces, process):
            time.sleep(seconds)
            process.kill()
            end(process)
            if reached is has_keeper:
                assert lab(traces, "up") == (1, f'lab: it is up already ("{traces.folder}"); lab down ends it\n'), "up, after an up was killed"
            assert lab(traces, "down") == (0, ""), "down, after an up was killed"


def up_ends_when_its_keeper_is_killed() -> None:
    with coming_up(has_keeper) as (traces, process):
        time.sleep(1)
        assert asked(traces, "status") == (1, "coming up"), "status of a lab that is coming up"
        assert asked(traces, "run", "true") == (1, f'the lab in "{traces.folder}" is coming up'), "run in a lab that is coming up"
        keeper = traces.keeper()
        assert keeper, "a lab that is coming up has a keeper"
        os.kill(keeper, signal.SIGKILL)
        did_not_come_up(process)


def down_ends_an_up() -> None:
    with coming_up(has_keeper) as (traces, process):
        time.sleep(1)
        assert lab(traces, "down") == (0, ""), "down while a lab is coming up"
        did_not_come_up(process)


def terminated_up_ends_all() -> None:
    with coming_up(has_keeper) as (traces, process):
        ours = traces.folder / "not the lab's"
        ours.write_text("mine\n")
        process.terminate()
        assert end(process)[0] == 128 + signal.SIGTERM, "exit code of a terminated up"
        assert [path.name for path in traces.folder.iterdir()] == [ours.name], "what stays in the folder"
        ours.unlink()
        traces.folder.rmdir()


def killed_test_ends_its_lab() -> None:
    with Traces() as traces:
        test = subprocess.Popen([sys.executable, "-c", TEST], cwd=SCRIPT.parent, env=traces.environment, text=True, stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE)
        assert test.stdout
        folder = pathlib.Path(test.stdout.readline().strip())
        assert (folder / "ready").exists(), "the lab of a test"
        test.kill()
        test.wait()
        deadline = time.monotonic() + SECONDS
        while folder.exists():
            assert time.monotonic() < deadline, "a lab goes on without its test"
            time.sleep(0.1)
        folder.parent.rmdir()


def folder_of_others_is_refused() -> None:
    with Traces() as traces:
        traces.folder.mkdir()
        theirs = traces.folder / "precious"
        theirs.write_text("mine\n")
        for verb in ("up", "down"):
            assert lab(traces, verb) == (2, f'lab: "{traces.folder}" is not empty and not a lab\'s; name another folder with TAILRENDER_LAB\n')
        assert [path.read_text() for path in traces.folder.iterdir()] == ["mine\n"], "what is theirs"
        theirs.unlink()
        traces.folder.rmdir()
        assert lab(traces, "down") == (0, ""), "down without a lab"


ALL = (folder_of_others_is_refused, killed_up_is_ended_by_down, up_ends_when_its_keeper_is_killed, down_ends_an_up, terminated_up_ends_all,
       killed_test_ends_its_lab)
