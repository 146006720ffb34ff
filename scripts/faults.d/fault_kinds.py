"""Each function makes one fault, chosen by `chance`, and checks the output that is left."""
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

from fault_runs import CHANGE, IMAGE, demand, documents, files_of, object_names

GARBAGE = (b"]: [", b"key: \"open", b"{a: b", b"\tkey: value", b"*nowhere : x", b"\xff\xfe: x", b"a: b: c", b"- list\nkey: value", b"%")
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL, signal.SIGQUIT)


@contextlib.contextmanager
def changed_file(path, content):
    before = path.read_bytes()
    path.write_bytes(content)
    try:
        yield
    finally:
        path.write_bytes(before)


@contextlib.contextmanager
def small_disk(folder, size):
    folder.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", folder], check=True)


def break_text(text, chance):
    """Replaces a key of the top level with invalid bytes: only there are they certain not to be text."""
    places = [match.start() for match in re.finditer(rb"(?m)^[A-Za-z]+:", text)] or [0]
    at = chance.choice(places)
    return text[:at] + chance.choice(GARBAGE) + b"\n" + text[at:]


def short_names(stream):
    """Returns the names without the namespace, which a bundle may set."""
    return {(kind, name) for kind, _, name in object_names(stream)}


def refused_or_whole(subject, done, whole):
    """Checks that the fault is refused, or that nothing is missing because no one reads the broken part."""
    if done.returncode == 0:
        lost = object_names(whole) - object_names(done.stdout)
        demand(not lost, f"exit code 0 without {sorted(map(str, lost))}")
    else:
        demand(done.returncode in (1, 2) and done.stdout == b"", f"exit code {done.returncode} with {len(done.stdout)} bytes on stdout")
        demand(b"error:" in done.stderr, "no word of what is wrong")


def bad_yaml(subject, chance):
    path = chance.choice(sorted(path for path in subject.tree.rglob("*") if path.suffix in (".yaml", ".yml")))
    out = subject.scratch / "out"
    subject.fresh(out)
    with changed_file(path, break_text(path.read_bytes(), chance)):
        refused_or_whole(subject, subject.run("render", subject.tree, *subject.cluster(), check=False), subject.stream)
        done = subject.render(out, *CHANGE, check=False)
    if done.returncode != 0:
        subject.check_untouched(out)
    subject.check_completed(out)


def truncated_file(subject, chance):
    """The beginning of a file may be valid YAML: then the run may succeed, but the documents before the cut must be there."""
    path = chance.choice(sorted(subject.tree.rglob("*.yaml")))
    text = path.read_bytes()
    cut = text[:chance.randrange(len(text))]
    out = subject.scratch / "out"
    subject.fresh(out)
    with changed_file(path, cut):
        done = subject.run("render", subject.tree, *subject.cluster(), check=False)
        if done.returncode != 0:
            demand(done.stdout == b"", "an error, and yet output")
            demand(subject.render(out, check=False).returncode != 0, "the same input succeeds with -o")
            subject.check_untouched(out)
        else:
            lost = (short_names(b"---\n".join(documents(cut)[:-1])) & short_names(subject.stream)) - short_names(done.stdout)
            demand(not lost, f"exit code 0 without {sorted(map(str, lost))}")
    subject.check_completed(out)


def lost_target(subject, chance):
    """A file of the tree is a link to a file that does not exist."""
    path = chance.choice(sorted(path for path in subject.tree.rglob("*") if path.is_file() and not path.name.startswith(".")))
    target = path.with_name("." + path.name)  # the renderer does not read hidden files
    out = subject.scratch / "out"
    subject.fresh(out)
    path.rename(target)
    path.symlink_to(target.name)
    try:
        demand(subject.run("render", subject.tree, *subject.cluster()).stdout == subject.stream, f"another output with {path} as a link")
        text = target.read_bytes()
        target.unlink()
        done = [subject.run("render", subject.tree, *subject.cluster(), check=False), subject.render(out, *CHANGE, check=False),
                subject.run("cmp", "generate", "--quiet", check=False, cwd=subject.tree, env={**os.environ, "ARGOCD_ENV_TAILRENDER_CLUSTER": "ozilab"})]
        target.write_bytes(text)
    finally:
        path.unlink()
        target.rename(path)
    for one in done:
        demand(one.returncode == 1 and one.stdout == b"" and b"[broken-link]" in one.stderr, f"exit code {one.returncode} without {path}: {one.stderr}")
    demand(b"note: Argo CD sends" in done[2].stderr, "cmp: no word of files that Argo CD did not send")
    subject.check_untouched(out)
    subject.check_completed(out)


def post_render(subject, **options):
    return subject.run("post-render", "--namespace", "tailscale", "--quiet", *IMAGE, check=False, **options)


def bad_stdin(subject, chance):
    broken = break_text(subject.templates, chance)
    refused_or_whole(subject, post_render(subject, input=broken), subject.templates)


def truncated_stdin(subject, chance):
    """Every document before the cut is there, or stdout is empty."""
    cut = subject.templates[:chance.randrange(1, len(subject.templates))]
    done = post_render(subject, input=cut)
    whole = b"---\n".join(documents(cut)[:-1])
    refused_or_whole(subject, done, whole)
    list(yaml.safe_load_all(done.stdout))


def unreadable_stdin(subject, chance):
    """stdin is closed, a directory, or only open for writing."""
    way = chance.randrange(3)
    if way == 0:
        done = post_render(subject, preexec_fn=lambda: os.close(0))
    else:
        place, flags = (subject.tree, os.O_RDONLY) if way == 1 else ("/dev/null", os.O_WRONLY)
        fd = os.open(place, flags)
        done = post_render(subject, stdin=fd)
        os.close(fd)
    demand(done.returncode == 1 and done.stdout == b"", f"exit code {done.returncode} although stdin cannot be read")


def read_and_leave(reader, wanted):
    got = b""
    while len(got) < wanted:
        piece = os.read(reader, wanted - len(got))
        if not piece:
            break
        got += piece
    os.close(reader)
    return got


def closed_pipe(subject, chance):
    """The reader closes the pipe before it has everything."""
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    process = subject.start("render", subject.tree, *subject.cluster(), stdout=writer)
    os.close(writer)
    got = read_and_leave(reader, chance.randrange(len(subject.stream) - 8192))
    errors = process.communicate()[1]
    demand(process.returncode == -signal.SIGPIPE and b"write-failed" not in errors, f"exit code {process.returncode} although the reader has closed: {errors}")
    demand(subject.stream.startswith(got), "stdout is not a beginning of the output")


def full_device(subject, chance):
    """stdout, or the log, is on a full disk; or stdout is closed."""
    way = chance.randrange(3)
    words = ["render", subject.tree, *subject.cluster()]
    if way == 0:
        with open("/dev/full", "wb") as full:
            done = subject.run(*words, check=False, capture_output=False, stdout=full, stderr=subprocess.PIPE)
    elif way == 1:
        done = post_render(subject, input=subject.templates, env={**os.environ, "TAILRENDER_LOG": "/dev/full"})
    else:
        done = subject.run(*words, check=False, capture_output=False, stderr=subprocess.PIPE, preexec_fn=lambda: os.close(1))
    demand(done.returncode == 1 and b"error:" in done.stderr, f"exit code {done.returncode}: {done.stderr}")


def full_disk(subject, chance):
    """The output directory is on a disk that is too small for the new files."""
    disk = subject.scratch / "disk"
    page = 4096
    need = sum(-(-len(content) // page) * page for content in subject.old.values())
    with small_disk(disk, 4 * need + (1 << 20)):
        out = disk / "out"
        shutil.copytree(subject.scratch / "old", out)
        filler = disk / "filler"
        left = os.statvfs(disk).f_bavail * page
        with open(filler, "wb") as file:
            file.write(b"x" * (left - chance.randrange(0, 6) * page))
        done = subject.render(out, *CHANGE, check=False)
        if done.returncode == 0:
            demand(files_of(out) == subject.new, "exit code 0, but files are missing")
        else:
            demand(b"No space left" in done.stderr, f"not a word of the full disk: {done.stderr}")
        subject.check_between(out)
        filler.unlink()
        subject.check_completed(out)


def new_directory_on_full_disk(subject, chance):
    disk = subject.scratch / "disk"
    need = sum(-(-len(content) // 4096) * 4096 for content in subject.new.values())
    with small_disk(disk, chance.randrange(1, need // 4096) * 4096):
        out = disk / "out"
        done = subject.render(out, *CHANGE, check=False)
        demand(done.returncode == 1, f"exit code {done.returncode} on a disk that cannot hold the output")
        subject.check_between(out) if out.exists() else None
        subprocess.run(["mount", "-o", f"remount,size={4 * need + (1 << 20)}", disk], check=True)
        subject.check_completed(out)


def read_only(subject, chance):
    """The output directory is on a read-only file system, with or without old files; nothing may change."""
    disk = subject.scratch / "disk"
    with small_disk(disk, 64 << 20):
        out = disk / "out"
        filled = chance.random() < 0.7
        if filled:
            shutil.copytree(subject.scratch / "old", out)
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        done = subject.render(out, *CHANGE, check=False)
        demand(done.returncode == 1 and b"Read-only" in done.stderr, f"exit code {done.returncode}: {done.stderr}")
        subprocess.run(["mount", "-o", "remount,rw", disk], check=True)
        if filled:
            subject.check_untouched(out)
        subject.check_completed(out)


def in_the_way(subject, chance):
    """Something foreign is at the path of an output file: the run is refused before anything is written, for any cluster."""
    out = subject.scratch / "out"
    all_clusters = chance.random() < 0.5
    subject.fresh(out, "old-all" if all_clusters else "old")
    new = subject.new_all if all_clusters else subject.new
    path = out / chance.choice(sorted(name for name in new if not name.endswith("-inventory")))
    before = path.read_bytes() if path.exists() else None
    path.unlink(missing_ok=True)
    way = chance.randrange(3)
    path.parent.mkdir(parents=True, exist_ok=True)
    if way == 0:
        path.mkdir()
        (path / "precious").write_text("kept", encoding="utf-8")
    elif way == 1:
        path.symlink_to("/etc/hostname")
    else:
        os.mkfifo(path)
    kept = files_of(out)
    done = subject.render(out, *CHANGE, all_clusters=all_clusters, check=False)
    demand(done.returncode == 1 and b"error:" in done.stderr, f"exit code {done.returncode} with something in the way of {path}")
    demand(files_of(out) == kept, "a refused run has changed the output directory")
    shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    if before is not None:
        path.write_bytes(before)
    subject.check_completed(out, all_clusters)


def size_limit(subject, chance, action):
    """No file may become larger than some size; a larger one kills the run in the middle of the file, or the write fails."""
    def limit():
        signal.signal(signal.SIGXFSZ, action)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    out = subject.scratch / "out"
    subject.fresh(out)
    changed = [content for path, content in subject.new.items() if content != subject.old.get(path)]
    size = chance.randrange(max(map(len, changed)))
    done = subject.render(out, *CHANGE, check=False, preexec_fn=limit)
    expected = (-signal.SIGXFSZ,) if action == signal.SIG_DFL else (1,)
    demand(done.returncode in expected, f"exit code {done.returncode} with files of at most {size} bytes: {done.stderr}")
    subject.check_between(out)
    subject.check_completed(out)


def killed_mid_write(subject, chance):
    size_limit(subject, chance, signal.SIG_DFL)


def file_too_large(subject, chance):
    size_limit(subject, chance, signal.SIG_IGN)


def signalled(subject, chance):
    """The run gets a signal while it writes a directory."""
    out = subject.scratch / "out"
    subject.fresh(out)
    number = chance.choice(SIGNALS)
    process = subject.start("render", subject.tree, *subject.cluster(), "-o", out, *CHANGE, stdout=subprocess.DEVNULL,
                            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))
    time.sleep(chance.random() * 1.2 * subject.seconds)
    process.send_signal(number)
    process.communicate()
    if process.returncode == 0:
        demand(files_of(out) == subject.new, "exit code 0, but the directory is not complete")
    else:
        demand(process.returncode == -number, f"exit code {process.returncode} after signal {number}")
    subject.check_between(out)
    subject.check_completed(out)


def signalled_stream(subject, chance):
    """The run gets a signal while it writes the stream to a slow reader."""
    process = subject.start("render", subject.tree, *subject.cluster(), stdout=subprocess.PIPE)
    number = chance.choice(SIGNALS)
    got = process.stdout.read(chance.randrange(1, len(subject.stream)))
    process.send_signal(number)
    got += process.stdout.read()
    process.communicate()
    subject.check_stream(process.returncode, got)


def two_at_once(subject, chance):
    """Two runs write into one directory: one may be refused, but neither may damage it."""
    out = subject.scratch / "out"
    subject.fresh(out)
    words = ["render", subject.tree, *subject.cluster(), "-o", out, *CHANGE]
    first = subject.start(*words, stdout=subprocess.DEVNULL)
    time.sleep(chance.random() * subject.seconds)
    second = subject.start(*words, stdout=subprocess.DEVNULL)
    results = [(one.communicate()[1], one.returncode) for one in (first, second)]
    demand(any(code == 0 for _, code in results), f"neither run succeeds: {results}")
    demand(all(code == 0 or b"output-busy" in errors for errors, code in results), f"a run fails for another reason: {results}")
    demand(files_of(out) == subject.new, "a run succeeded, but the directory is not complete")


KINDS = {function.__name__.replace("_", " "): function
         for function in (bad_yaml, truncated_file, lost_target, bad_stdin, truncated_stdin, unreadable_stdin, closed_pipe, full_device, full_disk,
                          new_directory_on_full_disk, read_only, in_the_way, killed_mid_write, file_too_large, signalled,
                          signalled_stream, two_at_once)}
