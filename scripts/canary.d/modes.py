"""Cases with correct input, in every mode."""
import json

from cases import BASE, CLIENT, IN_SECRET, LOOSE, OAUTH, SECRET, SERVICE, SOPS_SECRET, WORDS, Case, commit_all

IMAGE = ["--set", "tailrender.image.repository=registry.example.com/tailrender-runtime"]
GENERATE = ["--set", "tailrender.secrets=generate"]
STREAM = SERVICE + "---\n" + SECRET


def items(*, package=False, config=None):
    """Returns a ResourceList with the Service and the Secret."""
    listed = [{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "namespace": "shop", "annotations": {"tailscale.com/expose": "true"}},
               "spec": {"ports": [{"port": 80}], "selector": {"app": "web"}}},
              {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "db", "namespace": "shop"},
               "stringData": {"second": WORDS["password in stringData"]}}]
    for number, item in enumerate(listed if package else ()):
        item["metadata"].setdefault("annotations", {}).update({"config.kubernetes.io/path": f"{number}.yaml", "config.kubernetes.io/index": "0"})
    request = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": listed}
    if config is not None:
        request["functionConfig"] = {"apiVersion": "tailrender.dev/v1alpha1", "kind": "TailscaleRender", "metadata": {"name": "x"}, "spec": config}
    return json.dumps(request)


def changed_secret(work):
    """The rendered tree has an older Secret, and so has one of two revisions."""
    path = work / "repo" / "apps" / "db.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("stringData:", "stringData:\n  third: other"), encoding="utf-8")


def in_git(case):
    case.git = True
    return case


def revisions(work):
    changed_secret(work)
    commit_all(work / "repo")


def rendered_with_secret(work):
    (work / "out" / "apps").mkdir(parents=True)
    (work / "out" / "apps" / "db.yaml").write_text(SECRET.replace("third", "fourth"), encoding="utf-8")
    (work / "out" / ".tailrender-inventory").write_text("", encoding="utf-8")


def other_directory(work):
    (work / "new").mkdir()
    (work / "new" / "all.yaml").write_text(STREAM.replace("db,", "other,"), encoding="utf-8")
    (work / "old").mkdir()
    (work / "old" / "all.yaml").write_text(STREAM, encoding="utf-8")


def old_and_new(text, word):
    return {"old/all.yaml": text, "new/all.yaml": text.replace(word, f"new{word}")}


def streams():
    return [
        Case("render", ["render", "repo"], on_stdout=IN_SECRET),
        Case("render, generate", ["render", "repo", *GENERATE], files=BASE, on_stdout=OAUTH),
        Case("render --validate", ["render", "repo", "--validate"], on_stdout=IN_SECRET),
        Case("render --log-file", ["render", "repo", "--log-file", "run.log", *GENERATE], files=BASE, on_stdout=OAUTH),
        in_git(Case("render --rev", ["render", "repo", "--rev", "HEAD"], on_stdout=IN_SECRET)),
        Case("post-render", ["post-render"], files={}, stdin=STREAM, on_stdout=IN_SECRET),
        Case("krm", ["krm"], files={}, stdin=items(), on_stdout=("password in stringData",)),
        Case("krm, package", ["krm"], files={}, stdin=items(package=True), on_stdout=("password in stringData",)),
        Case("krm, generator", ["krm"], stdin=json.dumps({**json.loads(items(config={"repo": "repo"})), "items": []}), on_stdout=IN_SECRET),
        Case("cmp generate", ["cmp", "generate"], codes=(1,), says="[secret-in-cache]", env={"ARGOCD_APP_NAME": "x"}),
        Case("cmp generate without Secrets", ["cmp", "generate"], files=BASE, env={"ARGOCD_APP_NAME": "x"}),
        Case("cmp discover", ["cmp", "discover"]),
        Case("cmp parameters", ["cmp", "parameters"]),
    ]


def trees():
    with_sops = {**BASE, "repo/apps/db.yaml": SOPS_SECRET}
    return [
        Case("render -o outside of Git", ["render", "repo", "-o", "out"], in_files=IN_SECRET),
        Case("render -o, generate", ["render", "repo", "-o", "out", *GENERATE], files=BASE, codes=(1,), says="[secret-in-files]"),
        in_git(Case("render -o into Git", ["render", "repo", "-o", "repo/out"], codes=(1,), says="[secret-in-git]")),
        in_git(Case("render -o into Git without Secrets", ["render", "repo", "-o", "repo/out"], files=BASE)),
        in_git(Case("render -o into Git, generate", ["render", "repo", "-o", "repo/out", *GENERATE], files=BASE, codes=(1,), says="[secret-in-git]")),
        in_git(Case("commit", ["commit", "repo", "--branch", "out"], codes=(1,), says="[secret-in-git]")),
        in_git(Case("commit, generate", ["commit", "repo", "--branch", "out", *GENERATE], files=BASE, codes=(1,), says="[missing-credential]")),
        in_git(Case("commit of a generated Secret", ["commit", "repo", "--branch", "out"], codes=(1,), says="[secret-in-git]", files={
            **BASE, "repo/apps/kustomization.yaml": "resources: [web.yaml]\nsecretGenerator: [{name: a, namespace: shop, envs: [.made.env]}]\n",
            "repo/apps/.made.env": CLIENT})),
        in_git(Case("commit without Secrets", ["commit", "repo", "--branch", "out"], files=BASE)),
        Case("check of nothing", ["check", "repo", "-o", "out"], codes=(3,)),
        Case("check of an old tree", ["check", "repo", "-o", "out"], codes=(3,), then=rendered_with_secret),
        Case("check of a Secret that is spelled otherwise", ["check", "repo", "-o", "out"], codes=(3,), says="contents not shown",
             files={**BASE, "repo/apps/db.yaml": SECRET.replace("kind: Secret", "kind: &kind Secret"), "out/notes.txt": "mine\n"}),
        in_git(Case("commit of values under a sops key", ["commit", "repo", "--branch", "out"], files=with_sops, codes=(1,), says="[secret-in-git]")),
        in_git(Case("render -o into Git of values under a sops key", ["render", "repo", "-o", "repo/out"], files=with_sops, codes=(1,),
                    says="[secret-in-git]")),
        in_git(Case("lint of values under a sops key", ["lint", "repo"], files=with_sops, codes=(1,), says="plaintext-secret")),
        Case("cmp generate of values under a sops key", ["cmp", "generate"], files=with_sops, codes=(1,), says="[secret-in-cache]",
             env={"ARGOCD_APP_NAME": "x"}),
        Case("check, generate", ["check", "repo", "-o", "out", *GENERATE], files=BASE, codes=(1,), says="[secret-in-files]"),
    ]


def looks():
    cases = [
        Case("explain a Secret", ["explain", "Secret/shop/db", "repo"], codes=(0, 1)),
        Case("explain the OAuth Secret", ["explain", "Secret/tailscale/operator-oauth", "repo", *GENERATE], files=BASE, codes=(0, 1)),
        Case("explain a Service", ["explain", "Service/shop/web", "repo", *GENERATE], files=BASE),
        Case("devices", ["devices", "repo", *GENERATE], files=BASE),
        Case("images", ["images", "repo", *GENERATE], files=BASE),
        Case("lint", ["lint", "repo"], codes=(0, 1)),
        in_git(Case("lint in Git", ["lint", "repo"], codes=(1,), says="plaintext-secret")),
        Case("install", ["install", *IMAGE, "--set", f"operatorConfig.podAnnotations.a={WORDS['password in values']}"], files={},
             on_stdout=("password in values",)),
    ]
    for form in ("terminal", "markdown", "json"):
        flag = ["--format", form]
        cases.append(Case(f"diff of directories, {form}", ["diff", "old", "new", *flag], files={}, then=other_directory))
        cases.append(Case(f"diff of credentials outside of Secrets, {form}", ["diff", "old", "new", *flag], says="hmac:",
                          files=old_and_new(LOOSE, WORDS["password in values"])))
        cases.append(in_git(Case(f"diff of revisions, {form}", ["diff", "HEAD~1", "HEAD", *flag], then=revisions, cwd="repo")))
        cases.append(Case(f"diff of OAuth clients, {form}", ["diff", "old", "repo", *flag, *GENERATE],
                          files={**BASE, **{path.replace("repo/", "old/"): text.replace("client_id=k", "client_id=x") for path, text in BASE.items()}}))
    return cases


def mode_cases():
    return streams() + trees() + looks()
