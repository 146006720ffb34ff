"""The runs that faults disturb, and what must be true afterwards."""
import pathlib
import re
import shutil
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TEMPORARY = ".tailrender-temporary"
# This flag changes the objects of every proxy, so that the second render of a directory has much to do.
CHANGE = ("--set", "tailrender.hostnameSuffix=b")
IMAGE = ("--set", "tailrender.image.repository=registry.example.com/tailrender-runtime")  # of the controller, which has no default


class Broken(Exception):
    """A guarantee that was broken."""


def demand(condition, message):
    if not condition:
        raise Broken(message)


def files_of(folder):
    """Maps the path of each file below the folder to its bytes."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


class Subject:
    """The binary, the tree that it renders, and its output without a fault."""

    def __init__(self, tailrender, scratch):
        self.tailrender, self.scratch = str(tailrender), scratch
        self.tree = scratch / "tree"
        shutil.copytree(ROOT / "examples" / "fleet", self.tree)
        self.stream = self.run("render", self.tree, *self.cluster()).stdout
        self.documents = documents(self.stream)
        self.old, self.new = self.undisturbed("old"), self.undisturbed("new", *CHANGE)
        self.undisturbed("old-all", all_clusters=True)
        self.new_all = self.undisturbed("new-all", *CHANGE, all_clusters=True)
        changed = [path for path in self.new if self.new[path] != self.old.get(path)]
        demand(len(self.documents) > 50 and len(changed) > 15, "the example is too small for this test")
        started = time.monotonic()
        self.render(scratch / "timed")
        self.seconds = time.monotonic() - started
        self.templates = (ROOT / "testdata" / "chart-streams" / "with-crds.yaml").read_bytes()

    @staticmethod
    def cluster():
        return ["--cluster", "ozilab", "--quiet"]

    def run(self, *words, check=True, **options):
        done = subprocess.run([self.tailrender, *map(str, words)], check=False, **{"capture_output": True, **options})
        demand(not check or done.returncode == 0, f"{words} exits with {done.returncode}: {done.stderr}")
        return done

    def render(self, out, *words, all_clusters=False, check=True, **options):
        which = ["--quiet"] if all_clusters else self.cluster()
        return self.run("render", self.tree, *which, "-o", out, *words, check=check, **options)

    def start(self, *words, **options):
        return subprocess.Popen([self.tailrender, *map(str, words)], stderr=subprocess.PIPE, **options)

    def undisturbed(self, name, *words, **options):
        self.render(self.scratch / name, *words, **options)
        return files_of(self.scratch / name)

    def fresh(self, folder, name="old"):
        """Restores the folder as an undisturbed run left it."""
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.scratch / name, folder)

    def check_between(self, folder):
        """Checks that each file is the old or the new one, and complete."""
        for path, content in files_of(folder).items():
            if pathlib.Path(path).name == TEMPORARY or path.endswith(".tailrender-inventory"):
                continue
            demand(content in (self.old.get(path), self.new.get(path)), f"{path} is neither the old file nor the new one")

    def check_untouched(self, folder):
        demand(files_of(folder) == self.old, "a run that failed has touched the output directory")

    def check_completed(self, folder, all_clusters=False):
        """Checks that the next run completes the directory."""
        self.render(folder, *CHANGE, all_clusters=all_clusters)
        have, new = files_of(folder), self.new_all if all_clusters else self.new
        strange = sorted(path for path in have.keys() | new.keys() if have.get(path) != new.get(path))
        demand(not strange, f"the next run does not complete {strange}")

    def check_stream(self, code, got, whole=None):
        """Checks a render to stdout: it has printed everything, or has failed."""
        whole = self.stream if whole is None else whole
        demand(whole.startswith(got), "stdout is not a beginning of the output")
        demand(code != 0 or got == whole, f"exit code 0 with {len(got)} of {len(whole)} bytes")


def documents(stream):
    return [part for part in re.split(rb"(?m)^---[^\n]*\n", stream) if part.strip()]


def object_names(stream):
    """Returns the kind and names of each document, as written."""
    names = set()
    for part in documents(stream):
        kind = re.search(rb"(?m)^kind: *(\S+)", part)
        name = re.search(rb"(?m)^metadata:(?:.*\n)*?  name: *(\S+)", part)
        space = re.search(rb"(?m)^metadata:(?:.*\n)*?  namespace: *(\S+)", part)
        if kind:  # otherwise it is a comment
            names.add((kind[1], space and space[1], name and name[1]))
    return names
