"""Charts that --allow-network lets the real helm fetch, from servers of the test: they are rendered as charts of --charts are, and neither
the server nor the author of a chart gets data of the machine.
"""
import gzip
import hashlib
import io
import os
import subprocess
import tarfile
import textwrap

import pytest
import yaml

from shared.chart_server import make_authority, serving
from shared.checks import run
from test_charts import CHART, documents
from test_kustomize_builds import tree

COVERS = ["renderer/engines/helm", "renderer/repo/fetch", "renderer/static"]
PROGRAMS = ["helm3", "helm4"]
HOST, OTHER = "charts.test", "other.test"
VALUES = '{annotations: {tailscale.com/expose: "true"}}'


def packed(files, name="web"):
    """Returns a chart as an archive; a value of `files` may be a TarInfo."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for path, content in files.items():
            if isinstance(content, tarfile.TarInfo):
                archive.addfile(content)
                continue
            data = textwrap.dedent(content).encode()
            entry = tarfile.TarInfo(f"{name}/{path}")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return gzip.compress(out.getvalue(), mtime=0)


def chart(version="1.2.0", **more):
    return packed({**CHART, "Chart.yaml": f"apiVersion: v2\nname: web\nversion: {version}\n", **more})


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return make_authority(tmp_path_factory.mktemp("authority") / "ca", HOST, OTHER)


@pytest.fixture
def server(authority):
    with serving(authority) as one:
        one.add_index("/charts", *(("web", version, chart(version)) for version in ("1.2.0", "1.3.0", "2.0.0")))
        one.digest = one.add_image("acme/web", "1.2.0", chart())
        one.add_image("acme/web", "1.3.0", chart("1.3.0"))
        one.repository, one.registry = f"https://{HOST}:{one.port}/charts", f"{HOST}:{one.port}/acme"
        yield one


@pytest.fixture(params=["helm", "helm4"])
def helm(request, tools):
    return tools / request.param


@pytest.fixture
def render(tailrender, tools, authority, tmp_path):
    """The host names of the test resolve to loopback addresses, only for the program."""
    (tmp_path / "hosts").write_text(f"127.0.0.1 {HOST} {OTHER} loop.test\n169.254.169.254 cloud.test\n", encoding="utf-8")
    home = tmp_path / "home"
    (home / ".config/helm/registry").mkdir(parents=True)
    (home / ".docker").mkdir()
    for file in (".netrc", ".docker/config.json", ".config/helm/registry/config.json", ".config/helm/repositories.yaml"):
        (home / file).write_text("p4ssw0rd\n", encoding="utf-8")

    def call(*arguments, network=(f"--allow-network={HOST}",), helm="helm", verb="render", only=True, program=tailrender, **environment):
        inner = [program, verb, "repo", *(("--only", "generated") if only else ()), *network, "--helm", helm if helm == "none" else tools / helm, *arguments]
        done = subprocess.run(["unshare", "--mount", "sh", "-c", 'mount --bind hosts /etc/hosts && exec "$@"', "sh", *inner],
                              cwd=tmp_path, capture_output=True, text=True, timeout=500, check=False,
                              env={"PATH": os.environ["PATH"], "TMPDIR": os.environ.get("TMPDIR", "/tmp"), "HOME": str(home),
                                   "SSL_CERT_FILE": str(authority / "ca.pem"), **environment})
        assert "p4ssw0rd" not in done.stdout + done.stderr
        return done
    return call


def release(url, version="1.2.0", chart_name="web", kind="HelmRepository"):
    return f"""\
        apiVersion: helm.toolkit.fluxcd.io/v2
        kind: HelmRelease
        metadata: {{name: web, namespace: shop}}
        spec:
          interval: 1h
          chart: {{spec: {{chart: {chart_name}, version: "{version}", sourceRef: {{kind: {kind}, name: acme}}}}}}
          values: {VALUES}
        ---
        apiVersion: source.toolkit.fluxcd.io/v1
        kind: {kind}
        metadata: {{name: acme, namespace: shop}}
        spec:
          url: {url}
        """


def oci_release(url, ref):
    return f"""\
        apiVersion: helm.toolkit.fluxcd.io/v2
        kind: HelmRelease
        metadata: {{name: web, namespace: shop}}
        spec:
          interval: 1h
          chartRef: {{kind: OCIRepository, name: web}}
          values: {VALUES}
        ---
        apiVersion: source.toolkit.fluxcd.io/v1
        kind: OCIRepository
        metadata: {{name: web, namespace: shop}}
        spec:
          url: {url}
          ref: {ref}
        """


def application(url, version="1.2.0"):
    return f"""\
        apiVersion: argoproj.io/v1alpha1
        kind: Application
        metadata: {{name: web, namespace: argocd}}
        spec:
          project: default
          source: {{repoURL: "{url}", chart: web, targetRevision: "{version}", helm: {{valuesObject: {VALUES}}}}}
          destination: {{server: https://kubernetes.default.svc, namespace: shop}}
        """


def helm_chart(spec):
    return f"""\
        apiVersion: helm.cattle.io/v1
        kind: HelmChart
        metadata: {{name: web, namespace: kube-system}}
        spec: {{targetNamespace: shop, {spec}, valuesContent: '{VALUES}'}}
        """


def kustomization(repository):
    return f"""\
        namespace: shop
        helmCharts:
        - {{name: web, repo: "{repository}", version: 1.2.0, releaseName: web, valuesInline: {VALUES}}}
        """


WAYS = {
    "HelmRelease of a repository": lambda server: release(server.repository),
    "HelmRelease of a registry": lambda server: release("oci://" + server.registry),
    "HelmRelease of an OCIRepository": lambda server: oci_release(f"oci://{server.registry}/web", "{tag: 1.2.0}"),
    "HelmRelease of a digest": lambda server: oci_release(f"oci://{server.registry}/web", f"{{tag: 1.2.0, digest: '{server.digest}'}}"),
    "HelmRelease of a range of tags": lambda server: oci_release(f"oci://{server.registry}/web", "{semver: '>=1.0.0 <1.3.0'}"),
    "Application of a repository": lambda server: application(server.repository),
    "Application of a registry": lambda server: application(server.registry),
    "HelmChart of a repository": lambda server: helm_chart(f"repo: '{server.repository}', chart: web, version: 1.2.0"),
    "HelmChart of a registry": lambda server: helm_chart(f"chart: 'oci://{server.registry}/web', version: 1.2.0"),
    "HelmChart of an archive": lambda server: helm_chart(f"chart: '{server.repository}/web-1.2.0.tgz'"),
    "kustomization": lambda server: kustomization(server.repository),
    "kustomization of a registry": lambda server: kustomization("oci://" + server.registry),
}


@pytest.mark.parametrize("way", WAYS)
def test_is_rendered_like_a_chart_at_hand(render, server, helm, tmp_path, way):
    file = "kustomization.yaml" if way.startswith("kustomization") else "shop.yaml"
    tree(tmp_path, {f"repo/{file}": WAYS[way](server)})
    (tmp_path / "archives").mkdir()
    (tmp_path / "archives/web-1.2.0.tgz").write_bytes(chart())
    fetched = render(helm=helm.name)
    assert "StatefulSet" in fetched.stdout, fetched.stderr
    at_hand = render("--charts", "archives", network=())
    assert documents(fetched) == documents(at_hand)
    assert "fetched web 1.2.0 from " in fetched.stderr
    assert f"(sha256:{hashlib.sha256(chart()).hexdigest()})\n" in fetched.stderr
    assert "chart-not-fetched" not in fetched.stderr and "hidden-exposure" not in fetched.stderr
    assert all("Authorization" not in headers for _, headers in server.asked)


@pytest.mark.parametrize("version, wanted", [("^1", "1.3.0"), ("1.x", "1.3.0"), ("*", "2.0.0"), ("", "2.0.0"), ("v1.2.0", "1.2.0")])
def test_version(render, server, helm, tmp_path, version, wanted):
    tree(tmp_path, {"repo/shop.yaml": release(server.repository, version)})
    assert f"fetched web {wanted} from {server.repository} (" in render(helm=helm.name).stderr


def test_the_static_program_looks_names_up(render, server, released, tmp_path):
    tree(tmp_path, {"repo/shop.yaml": release(server.repository)})
    assert f"fetched web 1.2.0 from {server.repository} (" in render(program=released).stderr


def test_digest_counts_before_range_and_tag(render, server, helm, tmp_path):
    tree(tmp_path, {"repo/shop.yaml": oci_release(f"oci://{server.registry}/web", f"{{tag: 1.3.0, semver: '*', digest: '{server.digest}'}}")})
    assert f"fetched web 1.2.0 from oci://{server.registry}/web@{server.digest} (" in render(helm=helm.name).stderr


def test_nothing_is_fetched_without_the_flag(render, server, tmp_path):
    tree(tmp_path, {"repo/shop.yaml": release(server.repository)})
    done = render("--allow-empty", network=())
    assert done.returncode == 0 and done.stdout == "" and "[hidden-exposure]" in done.stderr
    assert not server.asked


def test_only_what_is_needed_is_fetched(render, server, tmp_path):
    plain = release(server.repository).replace(VALUES, "{port: 1}")
    tree(tmp_path, {"repo/shop.yaml": plain})
    assert render("--allow-empty").returncode == 0 and not server.asked
    tree(tmp_path, {"repo/shop.yaml": release(server.repository)})
    (tmp_path / "archives").mkdir()
    (tmp_path / "archives/web-1.2.0.tgz").write_bytes(chart())
    assert "StatefulSet" in render("--charts", "archives").stdout and not server.asked


def test_is_fetched_once(render, server, tmp_path):
    twice = textwrap.dedent(release(server.repository))
    tree(tmp_path, {"repo/shop.yaml": twice, "repo/more.yaml": twice.split("---")[0].replace("name: web,", "name: more,")})
    done = render()
    assert done.stdout.count("kind: StatefulSet") == 2, done.stderr
    assert done.stderr.count("fetched web ") == 1 and [path for path, _ in server.asked].count("/charts/index.yaml") == 1


def test_what_a_chart_of_the_tree_depends_on(render, server, helm, tmp_path):
    for repository in (server.repository, "oci://" + server.registry):
        tree(tmp_path, {"repo/charts/shop/Chart.yaml": "apiVersion: v2\nname: shop\nversion: 0.1.0\n"
                                                       f"dependencies: [{{name: web, version: ~1.2, repository: '{repository}'}}]\n",
                        "repo/charts/shop/values.yaml": f"web: {VALUES}\n",
                        "repo/app.yaml": """\
                            apiVersion: argoproj.io/v1alpha1
                            kind: Application
                            metadata: {name: shop, namespace: argocd}
                            spec:
                              project: default
                              source: {repoURL: https://example.com/acme/fleet.git, path: charts/shop}
                              destination: {server: https://kubernetes.default.svc, namespace: shop}
                            """})
        done = render(helm=helm.name)
        assert "name: ts-shop-" in done.stdout, done.stderr
        assert "fetched web 1.2.0 from " in done.stderr


def refused(done, reason):
    assert done.returncode == 1 and done.stdout == "", done.stderr
    assert "[chart-not-fetched]" in done.stderr and "[hidden-exposure]" in done.stderr, done.stderr
    assert reason in done.stderr, done.stderr
    assert "fetched web" not in done.stderr


def token_ways(server):
    user, query = f"https://me:t0ken@{HOST}:{server.port}/charts", f"{server.repository}?token=t0ken"
    oci = f"oci://me:t0ken@{server.registry}"
    for url in (user, query):
        yield release(url)
        yield application(url)
        yield helm_chart(f"repo: '{url}', chart: web")
        yield helm_chart(f"chart: '{url}/web-1.2.0.tgz'")
        yield kustomization(url)
    yield release(oci)
    yield oci_release(oci + "/web", "{tag: 1.2.0}")
    yield kustomization(oci)
    yield application(f"me:t0ken@{server.registry}")


def test_token_in_an_address_is_never_shown(render, server, tmp_path):
    for text in token_ways(server):
        for file in ("shop.yaml", "kustomization.yaml"):
            (tmp_path / "repo" / file).unlink(missing_ok=True)
        tree(tmp_path, {"repo/kustomization.yaml" if "helmCharts" in text else "repo/shop.yaml": text})
        done = render("--all")
        refused(done, "found: an address with a ")
        shown = done.stdout + done.stderr
        for extra in (render("--all", verb="roots", only=False), render("--all", verb="lint"), render("--all", network=())):
            shown += extra.stdout + extra.stderr
        assert "t0ken" not in shown, shown
    assert not server.asked


def test_what_is_not_fetched(render, server, tmp_path):
    for url, reason in (
            (server.repository.replace("https", "http"), "found: http, which is not encrypted"),
            ("file:///etc", "found: an address of file"), (f"git+ssh://{HOST}/x", "found: an address of git+ssh"),
            (f"https://localhost:{server.port}/charts", "found: host localhost, which is this machine"),
            (f"https://127.0.0.1:{server.port}/charts", "found: host 127.0.0.1, which is this machine"),
            (f"https://{OTHER}:{server.port}/charts", f"found: host {OTHER}, which --allow-network does not list"),
            ("https://${HOST}/charts", "found: an address with invalid characters")):
        tree(tmp_path, {"repo/shop.yaml": release(url)})
        refused(render(), reason)
    tree(tmp_path, {"repo/shop.yaml": release("https://example.com/other.git", kind="GitRepository")})
    refused(render(), "found: a chart of a GitRepository")
    tree(tmp_path, {"repo/shop.yaml": release(server.repository).replace("name: acme, namespace", "name: x, namespace")})
    refused(render(), "found: no HelmRepository acme in the tree")
    assert not server.asked


def test_addresses_that_are_not_public_must_be_listed(render, server, tmp_path):
    for host, address in (("loop.test", "127.0.0.1"), ("cloud.test", "169.254.169.254"), ("127.1", "127.0.0.1")):
        tree(tmp_path, {"repo/shop.yaml": release(f"https://{host}:{server.port}/charts")})
        refused(render(network=("--allow-network",)), f"found: host {host} with the address {address}, which is not public")
    assert not server.asked


def test_fails_with_the_reason_of_helm(render, server, helm, tmp_path):
    tree(tmp_path, {"repo/shop.yaml": release(server.repository, "9.9.9")})
    refused(render(helm=helm.name), "not found in")
    tree(tmp_path, {"repo/shop.yaml": release(server.repository)})
    refused(render(helm=helm.name, SSL_CERT_FILE="/nonexistent"), "certificate")
    server.answers["/charts/index.yaml"] = (401, {"WWW-Authenticate": "Basic realm=x"}, b"")
    done = render(helm=helm.name)
    refused(done, "401")
    assert f"run helm pull web --repo {server.repository} --version 1.2.0, with credentials if it needs them, then use --charts DIR" in done.stderr
    server.answers["/v2/acme/web/tags/list"] = server.answers["/v2/acme/web/manifests/1.2.0"] = (401, {"WWW-Authenticate": "Basic realm=x"}, b"")
    tree(tmp_path, {"repo/shop.yaml": release("oci://" + server.registry)})
    refused(render(helm=helm.name), "credential not found")


def test_redirects(render, server, helm, tmp_path, authority):
    tree(tmp_path, {"repo/shop.yaml": release(server.repository)})
    secret = tmp_path / "secret"
    secret.write_text("p4ssw0rd", encoding="utf-8")
    for target, reason in ((f"file://{secret}", "unsupported protocol scheme"),
                           (f"https://{OTHER}:{server.port}/charts/index.yaml", f"host {OTHER}, which --allow-network does not list"),
                           (f"http://{HOST}:{server.port}/charts/index.yaml", "http, which is not encrypted"),
                           (f"https://{HOST}:{server.port}/charts/x?sig=t0ken", "404")):
        server.answers["/charts/index.yaml"] = (302, {"Location": target}, b"")
        done = render(helm=helm.name)
        refused(done, reason)
        assert "t0ken" not in done.stderr
    with serving(authority) as local:
        server.answers["/charts/index.yaml"] = (302, {"Location": f"https://127.0.0.1:{local.port}/charts/index.yaml"}, b"")
        refused(render(helm=helm.name), "127.0.0.1")
        server.add_index("/charts", ("web", "1.2.0", chart()), url=f"https://127.0.0.1:{local.port}/web.tgz")
        refused(render(helm=helm.name), "127.0.0.1")
        assert not local.asked
    server.add_index("/charts", ("web", "1.2.0", chart()), url=f"https://{OTHER}:{server.port}/charts/web-1.2.0.tgz")
    refused(render(helm=helm.name), f"host {OTHER}, which --allow-network does not list")
    both = render(network=(f"--allow-network={HOST},{OTHER.upper()}",), helm=helm.name)
    assert "StatefulSet" in both.stdout, both.stderr


def endless(handler):
    handler.send_response(200)
    handler.send_header("Connection", "close")
    handler.end_headers()
    while True:
        handler.wfile.write(b"# text\n" * 100_000)


def test_endless_answers(render, server, helm, tmp_path):
    tree(tmp_path, {"repo/shop.yaml": release(server.repository)})
    server.answers["/charts/web-1.2.0.tgz"] = endless
    refused(render(helm=helm.name), "found: more than 128 MiB")


def test_large_index(render, server, helm, tmp_path):
    """For an index of 50 MB the program ends, with success or not."""
    entry = "  - {apiVersion: v2, name: web, version: 0.0.%d, urls: [web-0.0.%d.tgz], description: '%s'}\n"
    lines = [entry % (i, i, "x" * 400) for i in range(100_000)]
    server.answers["/charts/index.yaml"] = ("apiVersion: v1\nentries:\n  web:\n" + "".join(lines)).encode()
    tree(tmp_path, {"repo/shop.yaml": release(server.repository, "0.0.7")})
    server.answers["/charts/web-0.0.7.tgz"] = chart("0.0.7")
    done = render(helm=helm.name)
    assert done.returncode in (0, 1)
    assert ("fetched web 0.0.7" if done.returncode == 0 else "[chart-not-fetched]") in done.stderr, done.stderr


def link(name, target):
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname = tarfile.SYMTYPE, target
    return entry


def test_hostile_archives(render, server, helm, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("p4ssw0rd", encoding="utf-8")
    (tmp_path / "out").mkdir()
    template = '{{ .Files.Get "link" }}{{ .Files.Get "dir/secret" }}'
    archives = {
        "links": chart(**{"link": link("web/link", str(secret)), "dir": link("web/dir", str(tmp_path)), "templates/x.yaml": f"# {template}\n"}),
        "paths": packed({**CHART, "../../../../../../../../../.." + str(tmp_path / "out/x"): "text"}),
        "bomb": chart(**{"templates/x.yaml": "# " + " " * 300_000_000}),
        "no chart": packed({"README": "text"}),
        "no archive": b"p4ssw0rd",
        "odd name": packed({**CHART, "Chart.yaml": 'apiVersion: v2\nname: "\\e[31mweb"\nversion: 1.2.0\n'}),
    }
    tree(tmp_path, {"repo/shop.yaml": release(server.repository)})
    for what, archive in archives.items():
        server.add_index("/charts", ("web", "1.2.0", archive))
        done = render(helm=helm.name)
        assert done.returncode in (0, 1) and not list((tmp_path / "out").iterdir()), (what, done.stderr)
        assert "\x1b" not in done.stderr
        if what not in ("links", "odd name"):
            assert done.returncode == 1 and done.stdout == "" and ("[chart-not-fetched]" in done.stderr or "[helm-failed]" in done.stderr), (what, done.stderr)
    assert secret.read_text(encoding="utf-8") == "p4ssw0rd"


def test_needs_helm(render, tmp_path):
    tree(tmp_path, {"repo/shop.yaml": release("https://example.com")})
    done = render(helm="none")
    assert done.returncode != 0 and done.stdout == "" and "--allow-network: error: charts cannot be fetched [usage]" in done.stderr


def test_leaves_no_trace(render, server, tmp_path):
    tree(tmp_path, {"repo/shop.yaml": release(server.repository)})
    (tmp_path / "tmp").mkdir()
    before = {str(path): path.stat().st_mtime_ns for path in (tmp_path / "home").rglob("*")}
    assert "StatefulSet" in render(TMPDIR=str(tmp_path / "tmp")).stdout
    assert not list((tmp_path / "tmp").iterdir())
    assert {str(path): path.stat().st_mtime_ns for path in (tmp_path / "home").rglob("*")} == before


def test_reports_are_the_same_whatever_the_order(render, server, tmp_path):
    server.add_index("/more", ("web", "1.9.0", chart("1.9.0")))
    first = textwrap.dedent(release(server.repository))
    second = textwrap.dedent(release(f"{server.repository[:-len('/charts')]}/more", "1.9.0")).replace("name: acme", "name: more").replace("name: web,", "name: b,")
    tree(tmp_path, {"repo/a.yaml": first, "repo/b.yaml": second})
    done = render()
    lines = [line for line in done.stderr.splitlines() if line.startswith("fetched ")]
    tree(tmp_path, {"repo/a.yaml": second, "repo/b.yaml": first})
    again = [line for line in render("--threads", "1").stderr.splitlines() if line.startswith("fetched ")]
    assert len(lines) == 2 and lines == again == sorted(lines), done.stderr
    assert yaml.safe_load(run("cat", tmp_path / "repo/a.yaml").split("---")[0])["metadata"]["name"] == "b"
