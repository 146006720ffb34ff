"""Faults of the modes besides `render`: post-render, krm, cmp generate, diff and commit."""
import contextlib
import fcntl
import os
import re
import resource
import shutil
import signal
import subprocess
import time

import yaml

from fault_kinds import SIGNALS, break_text, changed_file, read_and_leave, small_disk
from fault_runs import CHANGE, IMAGE, demand, files_of

BRANCH = "rendered"


def names(objects):
    return {(one.get("kind"), one.get("metadata", {}).get("namespace"), one.get("metadata", {}).get("name")) for one in objects}


class Mode:
    """A command line whose stdout is the result, and its result without a fault."""

    def __init__(self, subject, *words, **options):
        self.subject, self.words, self.options = subject, words, options
        self.whole = subject.run(*words, **options).stdout

    def run(self, **options):
        return self.subject.run(*self.words, check=False, **{**self.options, **options})

    def start(self, **options):
        """Starts the program with a stdin that is complete from the first moment."""
        merged = {**self.options, **options}
        text = merged.pop("input", None)
        with contextlib.ExitStack() as open_files:
            if text is not None:
                path = self.subject.scratch / "stdin"
                path.write_bytes(text)
                merged["stdin"] = open_files.enter_context(open(path, "rb"))
            return self.subject.start(*self.words, **merged)

    def is_whole(self, got):
        return got == self.whole

    def check_stream(self, code, got):
        demand(code != 0 or self.is_whole(got), f"{self.words[0]}: exit code 0 with {len(got)} of {len(self.whole)} bytes")
        demand(self.whole.startswith(got) or self.is_whole(got), f"{self.words[0]}: stdout is not a beginning of the output")


class Modes:
    """The modes, made once from the subject."""

    def __init__(self, subject):
        self.subject = subject
        scratch = subject.scratch
        items = [one for one in yaml.safe_load_all(subject.templates) if one]
        self.list = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": items}
        key = scratch / "hash-key"
        key.write_text("0123456789abcdef0123456789abcdef", encoding="utf-8")
        self.krm = Mode(subject, "krm", "--namespace", "tailscale", "--quiet", *IMAGE, input=yaml.safe_dump(self.list, sort_keys=False).encode())
        self.cmp = Mode(subject, "cmp", "generate", "--quiet", cwd=subject.tree, env={**os.environ, "ARGOCD_ENV_TAILRENDER_CLUSTER": "ozilab"})
        self.diff = Mode(subject, "diff", "--format", "markdown", "--hash-key", key, *subject.cluster(), subject.scratch / "old", subject.tree)
        self.changed = Mode(subject, "diff", "--format", "markdown", "--hash-key", key, *subject.cluster(), scratch / "old", scratch / "new")
        self.post_render = Mode(subject, "post-render", "--namespace", "tailscale", "--quiet", *IMAGE, input=subject.templates)
        self.streams = [self.post_render, self.krm, self.cmp, self.changed]
        demand(len(self.changed.whole) > 1000, "the undisturbed modes are not what this test takes them for")
        self.repository = Repository(subject)


class Repository:
    """A repository with the tree and a branch that holds its rendered form; the faults hit copies of it."""

    def __init__(self, subject):
        self.subject = subject
        self.template = subject.scratch / "repository"
        shutil.copytree(subject.tree, self.template)
        for words in (["init", "--quiet"], ["config", "user.name", "a"], ["config", "user.email", "a@example.com"], ["config", "gc.auto", "0"],
                      ["add", "."], ["commit", "--quiet", "--message", "first"]):
            self.git(self.template, *words)
        self.commit(self.template, change=(), check=True)
        self.old = self.git(self.template, "rev-parse", BRANCH)
        copy = self.copy(subject.scratch / "undisturbed")
        self.commit(copy, check=True)
        self.wanted = self.git(copy, "rev-parse", f"{BRANCH}^{{tree}}")
        self.bytes = sum(len(content) + 8192 for content in files_of(copy).values())
        started = time.monotonic()
        self.commit(self.copy(copy), check=True)
        self.seconds = time.monotonic() - started

    @staticmethod
    def git(folder, *words):
        done = subprocess.run(["git", "-C", folder, *words], capture_output=True, text=True, check=False)
        demand(done.returncode == 0, f"git {words}: {done.stdout}{done.stderr}")
        return done.stdout.strip()

    def files(self, folder):
        """Returns the files of the branch."""
        out = self.subject.scratch / "branch"
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        archive = subprocess.run(["git", "-C", folder, "archive", BRANCH], capture_output=True, check=True).stdout
        subprocess.run(["tar", "-x", "-C", out], input=archive, check=True)
        return files_of(out)

    def copy(self, folder):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.template, folder)
        return folder

    def words(self, folder, change=CHANGE):
        return ["commit", folder, "--branch", BRANCH, *self.subject.cluster(), *change]

    def commit(self, folder, change=CHANGE, **options):
        return self.subject.run(*self.words(folder, change), **options)

    def start(self, folder, **options):
        return self.subject.start(*self.words(folder), stdout=subprocess.DEVNULL, **options)

    def check_between(self, folder, code):
        """Checks that the branch is the old one, or the new one with all its files, and that nothing else has changed."""
        self.git(folder, "fsck", "--strict", "--no-dangling")
        tip, tree = self.git(folder, "rev-parse", BRANCH, f"{BRANCH}^{{tree}}").split()
        done = tree == self.wanted and self.git(folder, "rev-parse", f"{BRANCH}^") == self.old
        demand(done or tip == self.old, f"the branch is neither the old one nor the new one: {tip}")
        demand(done or code != 0, "exit code 0, but there is no commit")
        demand(self.git(folder, "status", "--porcelain") == "", "the work tree or the index has changed")

    def check_completed(self, folder):
        self.commit(folder)
        self.check_between(folder, 0)
        locks = [str(path) for path in (folder / ".git").rglob("*.lock")]
        demand(not locks, f"left over: {locks}")


# Modes that print their result.

def closed_pipe_of_a_mode(modes, chance):
    """The reader closes the pipe before it has everything; if the pipe holds the whole output, before the first byte."""
    mode = chance.choice(modes.streams)
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    process = mode.start(stdout=writer)
    os.close(writer)
    got = read_and_leave(reader, chance.randrange(max(len(mode.whole) - 8192, 1)))
    errors = process.communicate()[1]
    demand(process.returncode == -signal.SIGPIPE and b"write-failed" not in errors, f"{mode.words[0]}: exit code {process.returncode} although the reader has closed: {errors}")
    demand(mode.whole.startswith(got), f"{mode.words[0]}: stdout is not a beginning of the output")


def no_stdout(modes, chance):
    """stdout is on a full disk, or closed."""
    mode = chance.choice(modes.streams)
    options = {"capture_output": False, "stderr": subprocess.PIPE}
    if chance.random() < 0.5:
        with open("/dev/full", "wb") as full:
            done = mode.run(stdout=full, **options)
    else:
        done = mode.run(preexec_fn=lambda: os.close(1), **options)
    demand(done.returncode == 1 and b"error:" in done.stderr, f"{mode.words[0]}: exit code {done.returncode} without stdout: {done.stderr}")


def closed_stdout_and_log(modes, chance):
    """With stdout or stderr closed, the log and other files must not get their file descriptors."""
    mode = chance.choice(modes.streams)
    log = modes.subject.scratch / "log"
    log.unlink(missing_ok=True)
    env = {**mode.options.get("env", os.environ), "TAILRENDER_LOG": str(log)}
    closed = chance.choice((1, 2))
    done = mode.run(env=env, preexec_fn=lambda: os.close(closed))
    if closed == 1:
        demand(done.returncode == 1, f"{mode.words[0]}: exit code {done.returncode} without stdout")
        demand(not log.exists() or len(log.read_bytes()) < 2000, f"{mode.words[0]}: the output is in the log")
    else:
        mode.check_stream(done.returncode, done.stdout)
        demand(done.returncode == 0, f"{mode.words[0]}: exit code {done.returncode} without stderr")


def full_log(modes, chance):
    mode = chance.choice([*modes.streams, None])
    if mode is None:
        folder = modes.repository.copy(modes.subject.scratch / "copy")
        done = modes.repository.commit(folder, check=False, env={**os.environ, "TAILRENDER_LOG": "/dev/full"})
        modes.repository.check_between(folder, done.returncode)
    else:
        done = mode.run(env={**mode.options.get("env", os.environ), "TAILRENDER_LOG": "/dev/full"})
        mode.check_stream(done.returncode, done.stdout)
    # A run without messages needs no log.
    demand(done.returncode == 0 or b"error:" in done.stderr, f"exit code {done.returncode} without an error: {done.stderr}")


def signalled_mode(modes, chance):
    """The mode gets a signal while it writes to a slow reader."""
    mode, number = chance.choice(modes.streams), chance.choice(SIGNALS)
    process = mode.start(stdout=subprocess.PIPE)
    got = process.stdout.read(chance.randrange(1, len(mode.whole)))
    process.send_signal(number)
    got += process.stdout.read()
    process.communicate()
    mode.check_stream(process.returncode, got)


# Broken input.

def items_of(text):
    """Returns the items of a ResourceList. What follows the last complete item may be invalid YAML, as in the input."""
    try:
        return yaml.safe_load(text)["items"] or []
    except yaml.YAMLError:
        starts = [match.start() for match in re.finditer(rb"(?m)^- ", text)]
        return yaml.safe_load(text[:starts[-1]])["items"] if len(starts) > 1 else []


def check_list(done, before):
    """Checks that stdout is a ResourceList in any case: with exit code 0 it has all items of the input, otherwise the errors."""
    if done.returncode == 0:
        lost = names(before) - names(yaml.safe_load(done.stdout)["items"])
        demand(not lost, f"krm: exit code 0 without {lost}")
    else:
        answer = yaml.safe_load(done.stdout)
        errors = [result for result in answer["results"] if result["severity"] == "error"]
        demand(answer["kind"] == "ResourceList" and errors, f"krm prints no reason: {done.stdout[-500:]}")
        demand(done.returncode == 1 and b"error:" in done.stderr, f"krm: exit code {done.returncode} without a reason: {done.stderr}")


def krm_bad_stdin(modes, chance):
    text = modes.krm.options["input"]
    places = [match.start() for match in re.finditer(rb"(?m)^(- )?[A-Za-z]+:", text)]
    at = chance.choice(places)
    broken = text[:at] + chance.choice((b"]: [\n", b"key: \"open\n", b"{a: b\n", b"a: b: c\n", b"\xff\xfe: x\n")) + text[at:]
    done = modes.krm.run(input=broken)
    demand(done.returncode != 0, "krm: exit code 0 with bad YAML")
    check_list(done, modes.list["items"])


def krm_truncated_stdin(modes, chance):
    """If the cut is between two items, the rest is a valid list, which cannot be distinguished from a complete one: then all its items are
    there."""
    text = modes.krm.options["input"]
    cut = text[:chance.randrange(len(text))]
    done = modes.krm.run(input=cut)
    starts = [match.start() for match in re.finditer(rb"(?m)^- ", cut)]
    check_list(done, items_of(cut[:starts[-1]]) if len(starts) > 1 else [])


def krm_bad_item(modes, chance):
    """The input is valid YAML that is refused: the items are returned unchanged."""
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "annotations": {"tailscale.com/expose": "true", "tailscale.com/hostname": "my_shop"}},
               "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]}}
    items = list(modes.list["items"])
    items.insert(chance.randrange(len(items) + 1), service)
    done = modes.krm.run(input=yaml.safe_dump({**modes.list, "items": items}, sort_keys=False).encode())
    demand(done.returncode == 1, "krm: exit code 0 with an item that is refused")
    demand(yaml.safe_load(done.stdout)["items"] == items, "krm: the items of a failed run are not what they were")
    check_list(done, items)


def broken_tree(modes, chance, mode, is_said=lambda stdout: stdout == b""):
    """The mode behaves as render does: it refuses the tree with nothing on stdout but the errors, or the fault is harmless."""
    subject = modes.subject
    path = chance.choice(sorted(path for path in subject.tree.rglob("*.yaml") if path.is_file()))
    text = path.read_bytes()
    broken = break_text(text, chance) if chance.random() < 0.5 else text[:chance.randrange(len(text))]
    with changed_file(path, broken):
        render = subject.run("render", subject.tree, *subject.cluster(), check=False)
        done = mode.run()
    demand((done.returncode == 0) == (render.returncode == 0), f"{mode.words[0]}: exit code {done.returncode}, of render {render.returncode}: {done.stderr}")
    demand(done.returncode == 0 or (is_said(done.stdout) and b"error:" in done.stderr), f"{mode.words[0]}: {len(done.stdout)} bytes and {done.stderr}")
    return render, done


def cmp_broken_tree(modes, chance):
    render, done = broken_tree(modes, chance, modes.cmp)
    demand(done.stdout == render.stdout, "cmp generate: another output than that of render")


def diff_broken_tree(modes, chance):
    broken_tree(modes, chance, modes.diff, lambda stdout: stdout == b"" or b"cannot be rendered, so nothing is compared" in stdout)


# The mode commit.

def limited(size, action):
    """Returns a preexec_fn that limits the size of files; a larger file kills the run, or the write fails."""
    def limit():
        signal.signal(signal.SIGXFSZ, action)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return limit


def commit_bad_yaml(modes, chance):
    repository, folder = modes.repository, modes.repository.copy(modes.subject.scratch / "copy")
    path = chance.choice(sorted(path for path in folder.rglob("*.yaml") if ".git" not in path.parts))
    path.write_bytes(break_text(path.read_bytes(), chance))
    repository.git(folder, "commit", "--all", "--quiet", "--message", "broken")
    done = repository.commit(folder, check=False)
    if done.returncode != 0:
        demand(repository.git(folder, "rev-parse", BRANCH) == repository.old, "commit: an error, and yet a commit")
        demand(b"error:" in done.stderr, "commit: no word of what is wrong")
    else:
        rendered = modes.subject.scratch / "rendered"
        shutil.rmtree(rendered, ignore_errors=True)
        modes.subject.run("render", folder, *modes.subject.cluster(), "-o", rendered, *CHANGE)
        demand(repository.files(folder) == files_of(rendered), "commit: the branch does not hold what render writes")
    repository.git(folder, "revert", "--no-edit", "HEAD")
    repository.commit(folder)
    demand(repository.git(folder, "rev-parse", f"{BRANCH}^{{tree}}") == repository.wanted, "commit: the next run does not complete the branch")


def commit_on_bad_disk(modes, chance):
    repository, disk = modes.repository, modes.subject.scratch / "disk"
    full = chance.random() < 0.7
    with small_disk(disk, 4 * repository.bytes + (8 << 20)):
        folder = repository.copy(disk / "copy")
        if full:
            left = os.statvfs(disk).f_bavail * 4096
            (disk / "filler").write_bytes(b"x" * max(0, left - chance.randrange(40) * 4096))
        else:
            subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        done = repository.commit(folder, check=False)
        demand(done.returncode == 0 or (done.returncode == 1 and b"error:" in done.stderr), f"commit: exit code {done.returncode}: {done.stderr}")
        demand(full or done.returncode == 1, "commit: exit code 0 on a read-only disk")
        if not full:
            subprocess.run(["mount", "-o", "remount,rw", disk], check=True)
        (disk / "filler").unlink(missing_ok=True)
        repository.check_between(folder, done.returncode)
        repository.check_completed(folder)


def commit_cut_short(modes, chance):
    """commit is killed in the middle of a file, or a file is too large."""
    repository, folder = modes.repository, modes.repository.copy(modes.subject.scratch / "copy")
    action = chance.choice((signal.SIG_DFL, signal.SIG_IGN))
    done = repository.commit(folder, check=False, preexec_fn=limited(chance.randrange(3000), action))
    demand(done.returncode in (0, 1, -signal.SIGXFSZ), f"commit: exit code {done.returncode}: {done.stderr}")
    repository.check_between(folder, done.returncode)
    repository.check_completed(folder)


def commit_signalled(modes, chance):
    repository, folder = modes.repository, modes.repository.copy(modes.subject.scratch / "copy")
    number = chance.choice(SIGNALS)
    process = repository.start(folder, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))
    time.sleep(chance.random() * 1.2 * repository.seconds)
    process.send_signal(number)
    process.communicate()
    demand(process.returncode in (0, -number), f"commit: exit code {process.returncode} after signal {number}")
    repository.check_between(folder, process.returncode)
    repository.check_completed(folder)


def two_commits_at_once(modes, chance):
    repository, folder = modes.repository, modes.repository.copy(modes.subject.scratch / "copy")
    first = repository.start(folder)
    time.sleep(chance.random() * repository.seconds)
    second = repository.start(folder)
    results = [(one.communicate()[1], one.returncode) for one in (first, second)]
    demand(any(code == 0 for _, code in results), f"commit: neither run succeeds: {results}")
    demand(all(code == 0 or b"error:" in errors for errors, code in results), f"commit: a run fails without an error: {results}")
    repository.check_between(folder, 0)
    repository.check_completed(folder)


def kind(function):
    def fault(subject, chance):
        if not hasattr(subject, "modes"):
            subject.modes = Modes(subject)
        function(subject.modes, chance)
    return fault


MODE_KINDS = {function.__name__.replace("_", " "): kind(function)
              for function in (closed_pipe_of_a_mode, no_stdout, closed_stdout_and_log, full_log, signalled_mode, krm_bad_stdin, krm_truncated_stdin,
                               krm_bad_item, cmp_broken_tree, diff_broken_tree,
                               commit_bad_yaml, commit_on_bad_disk, commit_cut_short, commit_signalled, two_commits_at_once)}
