"""Builds the images of plugins/image with buildah and works with them.

The registry cannot be had here, so debian:12-slim is what debootstrap makes of the same packages, kept in the cache. The stages that
compile are left out: the package comes from scripts/package, the runtime is a given one. The other stages are built unchanged. Then, in
the renderer's root, read-only and as its user: a render, `diff` in a repository that belongs to another user, the programs that plugins/ci
takes, and the sidecar of plugins/argocd with its command, user and mounts, asked by Argo CD's own client as scripts/e2e/test_argocd_cmp.py does.
runc runs the runtime's image as the rendered Deployments say: each role starts and says what it lacks. test_lab_controller.py and its
like run the controller from the same image in a cluster. In the proxy's image each program finds its libraries and starts.
"""
import json
import os
import pathlib
import re
import shutil
import tempfile

import pytest
import yaml

from parity_release import NEWEST
from shared.checks import attempt, compare, objects, objects_of, run
from shared.cmp_server import PLUGIN, cluster, started
from shared.debian_root import debian
from shared.fleet import FLEET
from shared.namespaces import mounts_of_our_own
from shared.oci import Bundle
from shared.recipe import ADOPT, PROXY, ROOT, RUNTIME, Store, build_proxy, build_renderer, build_runtime, stages

COVERS = ["examples/fleet", "plugins/argocd", "plugins/image", "runtime/CMakeLists.txt", "scripts/image_root"]
PROGRAMS = ["argocd", "helm3", "kustomize", "tailscale-1.104"]
TAG = "registry.example.com/tailrender:v"
ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/tmp", "TMPDIR": "/tmp"}


@pytest.fixture(scope="module")
def place():
    """A folder that other users may enter, for images and mounts."""
    path = pathlib.Path(tempfile.mkdtemp(prefix="tailrender-image-"))
    path.chmod(0o755)
    with mounts_of_our_own():
        yield path
    shutil.rmtree(path)  # safe, since nothing is mounted there any more


@pytest.fixture(scope="module")
def store(place, tools):
    return Store(place, "overlay")


@pytest.fixture(scope="module")
def version(tailrender):
    return run(tailrender, "--version").split()[1]


def test_sources_of_the_recipe():
    """The first stage copies what the build needs, and all of it exists."""
    recipe = stages()
    assert set(recipe) == {"sources", "build-runtime", "runtime", "stock", "build-proxy", "proxy", "build", "programs", ""}
    copied = {path for sources in re.findall(r"(?m)^COPY (.+) \S+$", recipe["sources"]) for path in sources.split()}
    needed = set(re.findall(r"(?m)^add_subdirectory\((\w+)\)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")))
    absent = {path for path in copied if not (ROOT / path).exists()}
    assert needed <= copied and not absent


@pytest.fixture(scope="module")
def system(store):
    """Adds debian:12-slim to the store."""
    store.add_system(debian())


@pytest.fixture(scope="module")
def renderer(system, store, tools, place, version):
    """Builds the image and returns its tag."""
    tag = TAG + version
    run(ROOT / "scripts" / "package", "--into", place / "build" / "package")
    build_renderer(store, tag, place / "build", tools)
    return tag


class Container:
    """The image's root, read-only except /tmp; no capabilities and no way to get some, as in the sidecar."""

    def __init__(self, root, user, mounts):
        self.root, self.user = root, user
        # The image's own links are followed: its /var/run is /run.
        places = {path: root / run("chroot", root, "realpath", "--canonicalize-missing", path).strip()[1:] for path in mounts}
        for place in places.values():
            place.mkdir(parents=True, exist_ok=True)
        run("mount", "--bind", root, root)
        run("mount", "-o", "remount,bind,ro", root)
        run("mount", "-t", "proc", "proc", root / "proc")
        run("mount", "--bind", "/dev", root / "dev")
        for path, source in mounts.items():
            if source:
                run("mount", "--bind", source, places[path])
                run("mount", "-o", "remount,bind,ro", places[path])
            else:
                run("mount", "-t", "tmpfs", "-o", "mode=1777", "tmpfs", places[path])

    def command(self, *words):
        return ["setpriv", "--no-new-privs", "chroot", f"--userspec={self.user}", self.root, *words]

    def run(self, script):
        return run(*self.command("/bin/sh", "-euc", "cd /work; " + script), env=ENVIRONMENT)


def sidecar():
    """Returns the container of plugins/argocd, and its mounts: path to volume."""
    patch = yaml.safe_load((PLUGIN / "sidecar.yaml").read_text(encoding="utf-8"))
    container = patch["spec"]["template"]["spec"]["containers"][0]
    return container, {entry["mountPath"]: entry["name"] for entry in container["volumeMounts"]}


@pytest.fixture(scope="module")
def work(place):
    """A repository that belongs to root, with a commit and a change on top."""
    work = place / "work"
    shutil.copytree(FLEET, work)
    git = ["git", "-C", work, "-c", "user.name=a", "-c", "user.email=a@example.com"]
    for words in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "--message", "first"]):
        run(*git, *words)
    service = work / "apps" / "hello.yaml"
    service.write_text(service.read_text(encoding="utf-8").replace("tailscale.com/hostname: hello", "tailscale.com/hostname: good-day"), encoding="utf-8")
    return work


@pytest.fixture(scope="module")
def container(renderer, store, place, work):
    """A container with the mounts of Argo CD; its init container copies its program into the volume var-files."""
    for name, file in (("var-files", shutil.which("argocd-cmp-server")), ("config", PLUGIN / "plugin.yaml")):
        (place / name).mkdir()
        shutil.copy(file, place / name)
    sources = {"var-files": place / "var-files", "tailrender-plugin": place / "config", "plugins": None, "tailrender-tmp": None}
    return Container(store.open(renderer), "999:999", {**{path: sources[name] for path, name in sidecar()[1].items()}, "/work": work})


def test_stage_of_programs():
    """The stage makes the programs that the tests use, as scripts/e2e/tools does, from pinned modules."""
    stage = stages()["programs"]
    tools = (ROOT / "scripts" / "e2e" / "tools").read_text(encoding="utf-8")
    for module, variable, package in re.findall(r'cd /src/(\w+) .*?-X ([^ =]+)=\$version" \\\n\s+-o /programs/\w+ (\S+)', stage, re.S):
        assert f"-X {variable}=$version" in tools and f" {package}\"" in tools
        assert (ROOT / "scripts" / "e2e" / "modules" / module / "go.sum").exists()
    assert set(re.findall(r"-o /programs/(\w+)", stage)) == {"kustomize", "helm"}


def test_programs_of_the_user(container):
    """A kustomization and a chart that tailrender builds with these programs."""
    container.run("""
        mkdir -p /tmp/tree/app/charts/web/templates && cd /tmp/tree/app
        printf 'namePrefix: prod-\nnamespace: shop\nhelmCharts: [{name: web, releaseName: front}]\n' >kustomization.yaml
        printf 'apiVersion: v2\nname: web\nversion: 1.0.0\n' >charts/web/Chart.yaml
        printf 'apiVersion: v1\nkind: Service\nmetadata: {name: {{ .Release.Name }}, annotations: {tailscale.com/expose: "true"}}\nspec: {ports: [{port: 80}]}\n' \
            >charts/web/templates/service.yaml
        tailrender render /tmp/tree --only generated >/tmp/out.yaml 2>/tmp/report
        grep -q 'name: ts-prod-front-' /tmp/out.yaml
        grep -Eq 'built by kustomize v[0-9]' /tmp/report
    """)


def test_renderers_config(renderer, store):
    patch, config = sidecar()[0], store.config(renderer)
    assert patch["image"] == renderer
    assert config.get("User") == "{runAsUser}:{runAsGroup}".format(**patch["securityContext"])
    assert "Entrypoint" not in config, "with an entrypoint a CI runner cannot start its shell"
    assert config["Cmd"] == ["tailrender", "--help"] and config["WorkingDir"] == "/work"


def test_owner(tailrender, work, place):
    """Outside of the image another user's repository is not trusted, until the user trusts it."""
    home = place / "home"
    home.mkdir()
    os.chown(home, 999, 999)
    other = ["setpriv", "--reuid=999", "--regid=999", "--clear-groups"]
    words, env = [*other, "env", f"--chdir={work}", tailrender, "diff", "--cluster", "ozilab", "HEAD", "."], {"HOME": str(home)}
    done = attempt(*words, env=env)
    hint = re.search(r"hint: if you trust it: (.*)", done.stderr)
    assert done.returncode == 1 and hint
    run(*other, *hint[1].split(), env=env)
    run(*words, env=env)


def test_use(tailrender, container, work):
    """Tests the output of render, diff in a foreign repository, git, jq and curl, with a read-only root."""
    assert container.run("tailrender render . --cluster ozilab --quiet") == run(tailrender, "render", work, "--cluster", "ozilab", "--quiet")
    assert "good-day" in container.run("tailrender diff --format markdown --cluster ozilab HEAD .")
    container.run("git status --short; jq --version; curl --version; test -s /etc/ssl/certs/ca-certificates.crt; ! touch /etc/written")


def test_sidecar(tailrender, container, place):
    """Runs the sidecar as plugins/argocd starts it. The path of a socket may have 107 bytes."""
    sockets = place / "sockets"
    sockets.mkdir()
    run("mount", "--bind", container.root / "home/argocd/cmp-server/plugins", sockets)
    with started(container.command(*sidecar()[0]["command"]), ENVIRONMENT | {"HOME": "/home/argocd"}, sockets, place / "server.log") as cmp:
        assert cmp.ask("match", FLEET) is True
        for name in ("ozilab", "lab"):
            want = objects_of(run(tailrender, "render", FLEET, "--cluster", name, "--quiet"))
            compare(objects(map(json.loads, cmp.ask("generate", FLEET, plugin=cluster(name)))), want, f"cluster {name}")


@pytest.fixture(scope="module")
def deployed(tailrender, version):
    """Returns the containers that run the runtime, by their role, and the name of its image."""
    found = {}
    for item in yaml.safe_load_all(run(tailrender, "render", FLEET, "--cluster", "ozilab", "--quiet")):
        for container in item["spec"]["template"]["spec"]["containers"] if item and item["kind"] == "Deployment" else []:
            if RUNTIME in container["image"]:
                found[container["args"][0]] = container
    assert set(found) == {"controller", "nameserver"}
    images = {container["image"] for container in found.values()}
    assert images == {f"registry.example.com/{RUNTIME}:v{version}"}
    return found, images.pop()


@pytest.fixture(scope="module")
def image(deployed, store, runtime):
    """Builds the runtime's image: root and configuration."""
    tag = deployed[1]
    build_runtime(store, tag, runtime, runtime.with_name(ADOPT))
    return store.open(tag), store.config(tag)


def test_runtime_is_built_the_same(image, deployed, store, runtime):
    tag = deployed[1]
    build_runtime(store, tag + "-again", runtime, runtime.with_name(ADOPT))
    assert len({store.run("inspect", "--type", "image", "--format", "{{.FromImageID}}", name) for name in (tag, tag + "-again")}) == 1


def test_runtimes_files(image):
    """The image has only what is needed and what a scanner reads, and no file that another user than root may change."""
    root = image[0]
    files = [path for path in root.rglob("*") if not path.is_symlink()]
    open_to_all = {str(path.relative_to(root)) for path in files if path.stat().st_mode & 0o6022 or path.stat().st_uid}
    assert open_to_all == {"tmp"}
    others = {path.name for path in files if path.is_file() and path.stat().st_mode & 0o111 and ".so" not in path.name}
    assert others == {RUNTIME, ADOPT}
    assert (root / "etc/ssl/certs/ca-certificates.crt").read_text(encoding="utf-8").count("BEGIN CERTIFICATE") > 50
    packages = {path.name for path in (root / "var/lib/dpkg/status.d").iterdir()}
    assert {"ca-certificates", "libc6", "libcurl4", "libssl3"} <= packages
    assert "yaml-cpp" in (root / "usr/share/doc/tailrender/copyright").read_text(encoding="utf-8")
    for name in packages:
        text = (root / "var/lib/dpkg/status.d" / name).read_text(encoding="utf-8")
        assert text.startswith(f"Package: {name}\n") and "\nVersion: " in text
        assert (root / "usr/share/doc" / name / "copyright").stat().st_size
    print(f"{sum(path.stat().st_size for path in files if path.is_file()) / 1e6:.0f} MB, of {len(packages)} packages")


def test_controller(image, deployed, place, version):
    """runc runs it as the Deployment says: it starts, and reports what is missing. So do the commands."""
    (root, config), container = image, deployed[0]["controller"]
    assert config["User"] == "{runAsUser}:{runAsGroup}".format(**container["securityContext"])
    bundle = Bundle(place / "controller", root, config, container)
    code, output = bundle.ended(*config["Cmd"])
    assert code == 0 and output.startswith(f"usage: {RUNTIME} controller")
    assert bundle.ended("--version") == (0, f"{RUNTIME} {version}\n")
    for args, lack in ((["controller"], 'environment variable "KUBERNETES_SERVICE_HOST" is not set'), (["cleanup"], "no cluster given"),
                       (["status"], "no cluster given")):
        code, output = bundle.ended(*args)
        assert code == 1 and lack in output, f"{args} exits {code}: {output}"
    adopt = Bundle(place / "adopt", root, {**config, "Entrypoint": [f"/usr/local/bin/{ADOPT}"]}, container)
    code, output = adopt.ended("--dry-run")
    assert (code, output.splitlines()[0]) == (1, f"{ADOPT}: no cluster given")
    code, output = bundle.terminated("controller", KUBERNETES_SERVICE_HOST="127.0.0.1", KUBERNETES_SERVICE_PORT="1", OPERATOR_NAMESPACE="tailscale",
                                     CLIENT_ID_FILE="/oauth/client_id", CLIENT_SECRET_FILE="/oauth/client_secret", OPERATOR_LOGGING="banana",
                                     until=lambda: bundle.inside("curl", "-s", "http://127.0.0.1:9002/healthz") == "ok\n")
    assert code == 0 and "cannot read the lease" in output
    assert "invalid OPERATOR_LOGGING (want info, debug, dev); using info" in output


def test_nameserver(image, deployed, place):
    (root, config), container = image, deployed[0]["nameserver"]
    assert config["User"] == "{runAsUser}:{runAsGroup}".format(**container["securityContext"])
    bundle = Bundle(place / "nameserver", root, config, container)
    code, output = bundle.terminated("nameserver", until=lambda: bundle.inside("curl", "-s", "http://127.0.0.1:9002/readyz") == "no records\n" and
                                     "status: SERVFAIL" in bundle.inside("dig", "+tries=1", "-p", "1053", "@127.0.0.1", "db.tail1a2b3.ts.net"))
    assert code == 0 and "/config/records.json" in output


def test_proxy(system, store, tools, tailrender, proxy, place):
    """Each program finds its libraries; the scripts of the rendered init container find their shell; the API proxy's pods find their users."""
    stock = place / "stock"
    stock.mkdir()
    for name in ("tailscaled", "tailscale"):
        shutil.copy(tools / f"{name}-{NEWEST}", stock / name)
    build_proxy(store, PROXY, proxy, stock)
    root = store.open(PROXY)
    assert store.config(PROXY)["Entrypoint"] == [f"/usr/local/bin/{PROXY}"]
    version = re.search(r"tailscale/tailscale:v(\S+)", stages()["stock"])[1]
    text = run(tailrender, "render", FLEET, "--cluster", "ozilab", "--quiet")
    assert re.findall(rf"image: registry\.example\.com/{PROXY}:v[\d.]+-(\S+)", text)[:1] == [version], "tailscaled that the renderer's default names"
    for name in ("tailscaled", "tailscale"):
        assert run("chroot", root, name, "--version", env=ENVIRONMENT).split()[0] == version
    assert "not found" not in run("chroot", root, "ldd", f"/usr/local/bin/{PROXY}", env=ENVIRONMENT)
    done = attempt("chroot", root, PROXY, "--help", env=ENVIRONMENT)
    assert (done.returncode, done.stderr.split()[:2]) == (2, ["usage:", PROXY])
    assert run("chroot", root, "readlink", "/var/run/tailscale/tailscaled.sock", env=ENVIRONMENT).strip() == "/tmp/tailscaled.sock"
    run("chroot", root, "/bin/sh", "-c", "echo 1 >/dev/null && test -s /etc/ssl/certs/ca-certificates.crt", env=ENVIRONMENT)
    passwd = {line.split(":")[0]: line.split(":")[2:4] for line in (root / "etc/passwd").read_text(encoding="utf-8").splitlines()}
    assert passwd["tailscaled"] == ["65532", "65532"] and passwd["api-proxy"] == ["65533", "65533"]
    print(f"{sum(path.stat().st_size for path in root.rglob('*') if path.is_file() and not path.is_symlink()) / 1e6:.0f} MB")
