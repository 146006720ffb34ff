"""The messages of a lab when a person requests something that it does not have or cannot do. Usage errors are in scripts/scripts_test."""
import collections.abc
import shutil

from shared.checks import attempt
from explanation import explanation
from harness import SCRIPT, Lab
from traces import Traces

EVERY_VERB = (["up"], ["down"], ["status"], ["run", "true"], ["join", "third"], ["image", "lab/true:1", "/bin/true"])
FROM_PATH = ("bash", "cut", "ip", "readlink", "realpath", "sha256sum")
EXPLAINED_LINES = 200


def asked(traces: Traces, *words: str, before: collections.abc.Iterable[str] = (), **environment: str) -> tuple[int, str]:
    """Returns exit code and output, without the name before each message."""
    done = attempt(*before, SCRIPT, *words, env={**traces.environment, **environment})
    return done.returncode, (done.stdout + done.stderr).removeprefix("lab: ").removesuffix("\n")


def without_a_lab() -> None:
    with Traces() as traces:
        for words in EVERY_VERB:
            assert asked(traces, *words, before=("unshare", "--user")) == (
                1, "only root can make a lab and enter it, for the namespaces and cgroups that pods need")
        for words in EVERY_VERB[3:]:
            assert asked(traces, *words) == (1, f'no lab is up in "{traces.folder}"; lab up starts it'), f"{words[0]} without a lab"
        assert asked(traces, "status") == (1, "down"), "status without a lab"
        assert asked(traces, "image", "lab/none:1", "/nowhere") == (1, 'no program at "/nowhere"'), "image of no program"
        assert asked(traces, "up", "--tailnet-of", "/nowhere") == (1, 'no lab with a tailnet of its own is up in "/nowhere"'), "another's tailnet"
        without_a_program(traces)


def without_a_program(traces: Traces) -> None:
    programs = traces.scratch / "bin"
    programs.mkdir()
    for name in FROM_PATH:
        found = shutil.which(name)
        assert found, f"{name} is not on the PATH"
        (programs / name).symlink_to(found)
    assert asked(traces, "up", PATH=str(programs)) == (1, '"openssl" not found; install the Debian package "openssl"'), "up without openssl"
    shutil.rmtree(programs)


def with_a_lab(lab: Lab) -> None:
    """The lab has the machines client and second."""
    assert asked(lab, "up") == (1, f'it is up already ("{lab.folder}"); lab down ends it'), "a second up"
    assert asked(lab, "run", "sh", "-c", "echo $LAB_DOMAIN", TAILRENDER_LAB_DOMAIN="other.ts.net") == (0, "lab.ts.net"), "domain of a lab that is up"
    for name in ("nosuch", "kubelet", "../client"):
        assert asked(lab, "run", "--on", name, "true") == (1, f'no machine "{name}"; found client second; lab join adds one'), "no such machine"
    assert asked(lab, "join", "second") == (1, 'machine "second" is there already'), "a second machine of a name"
    for name in ("all", "node0", "etcd", "images"):
        assert asked(lab, "join", name) == (1, f'the lab uses the name "{name}" for something else; choose another'), "a name of the lab's"
    assert sorted(line.split()[0] for line in lab.run("ip", "netns").splitlines()) == ["client", "second"], "machines after what was refused"
    for words in EVERY_VERB:
        inside = asked(lab, "run", str(SCRIPT), *words)
        assert inside == (1, f'this is inside the lab in "{lab.folder}"; leave it first'), f"{words[0]} inside the lab"


def with_an_ended_machine(lab: Lab) -> None:
    lab.run("sh", "-c", "kill -KILL $(cat $LAB/second.pid)")
    lab.wait("second has ended", lambda: asked(lab, "run", "--on", "second", "true") == (1, 'machine "second" has ended'))
    code, said = asked(lab, "status")
    assert code == 1 and "second: ended" in said, f"exit code {code} of status, which says {said}"


def without_its_folder(lab: Lab) -> None:
    """The folder was deleted, as when temporary files are cleared; `down` still ends all processes, and removes what the kubelet has
    created there since."""
    shutil.rmtree(lab.folder.rename(lab.scratch / "cleared"))
    (lab.folder / "data" / "kubelet").mkdir(parents=True, exist_ok=True)
    assert asked(lab, "status") == (1, "up, but its folder was cleared; lab down ends it"), "status of a lab whose folder was deleted"
    assert asked(lab, "run", "true") == (1, f'the folder of the lab in "{lab.folder}" was cleared; lab down ends it')
    assert asked(lab, "up") == (1, f'it is up already ("{lab.folder}"); lab down ends it'), "up, after the folder has gone"


def failures_are_explained(lab: Lab) -> None:
    """Explains a machine that has ended, a missing image, and a pod that fails."""
    lab.kubectl("run", "absent", "--image=lab/absent:1", "--image-pull-policy=Never")
    lab.kubectl("run", "failing", "--image=lab/hello:1", "--", "sh", "-c", "echo bad luck; exit 3")
    for what in ("second: ended", "--- end of second.log", "ErrImageNeverPull", "\nbad luck\n", "Back-off restarting failed container"):
        lab.wait(f"{what!r} explains the failures", lambda: what in "\n" + explanation(lab) + "\n")
    lines = len(explanation(lab).splitlines())
    assert lines <= EXPLAINED_LINES, f"{lines} lines explain the failures, wanted no more than {EXPLAINED_LINES}"
    print(f"{lines} lines explain the failures", flush=True)


def end_is_explained(lab: Lab) -> None:
    """Explains a lab whose first process was killed."""
    assert asked(lab, "status") == (1, "down"), "status of a lab that was killed"
    assert explanation(lab).splitlines()[:2] == ["--- what does not run", "lab: down"], "what explains the end of a lab"
