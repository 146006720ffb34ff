"""Edits of a repository, as people make them. Those of CERTAIN change the meaning of the repository in a known way; those of DOUBTFUL are
mistakes, or have a meaning that cannot be known from the repository: they may remove no device."""
import re

from tree_model import FORMS, NAMESPACE, NESTS, SUSPENDS, Device, Unit, object_path

OTHER_SOURCE = ("apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: other, namespace: flux-system}\n"
                "spec: {url: \"https://example.com/acme/other.git\"}\n")


def pick(random, things):
    things = sorted(things)
    return random.choice(things) if things else None


def device_of(tree, random, is_exposed=None, forms=None):
    """Returns a unit, and one of its devices."""
    return pick(random, [(unit.name, name) for unit in tree.units.values() for name, device in unit.devices.items()
                         if (is_exposed is None or device.is_exposed == is_exposed) and (forms is None or unit.form in forms)]) or (None, None)


def new_device(tree, random, file):
    return Device(file, by_class=tree.has_operator and random.random() < 0.5)


# Each function returns what it has done, or nothing if there was nothing to do.

def add_device(tree, random):
    unit = pick(random, tree.units)
    if unit:
        name = tree.new_name("d")
        files = [device.file for device in tree.units[unit].devices.values()]
        tree.units[unit].devices[name] = new_device(tree, random, random.choice([*files, f"{name}.yaml", f"{name}.yaml"]))
        return f"add {name} to {unit}"


def remove_device(tree, random):
    unit, name = device_of(tree, random)
    if unit:
        del tree.units[unit].devices[name]
        return f"remove {name} of {unit}"


def change_exposure(tree, random):
    unit, name = device_of(tree, random)
    if unit:
        device = tree.units[unit].devices[name]
        device.is_exposed = not device.is_exposed
        return f"{'expose' if device.is_exposed else 'no longer expose'} {name} of {unit}"


def move_file(tree, random):
    unit, name = device_of(tree, random)
    if unit:
        tree.units[unit].devices[name].file = f"{tree.new_name('f')}.yaml"
        return f"move {name} of {unit} to another file"


def move_device(tree, random):
    unit, name = device_of(tree, random, forms=["plain"])
    other = pick(random, [one.name for one in tree.units.values() if one.form == "plain" and one.name != unit])
    if unit and other:
        tree.units[other].devices[name] = tree.units[unit].devices.pop(name)
        tree.units[other].devices[name].file = f"{name}.yaml"
        return f"move {name} of {unit} to {other}"


def add_unit(tree, random, forms=None):
    name = tree.new_name("u")
    above = pick(random, [unit.name for unit in tree.units.values() if unit.form in ("plain", "labelled") and not unit.above])
    above = above if above and tree.engine in NESTS and random.random() < 0.3 else ""
    tree.units[name] = Unit(name, f"media/{name}", above, form=random.choice(forms or FORMS[tree.engine]))
    for _ in range(random.randint(1, 3)):
        add = tree.new_name("d")
        tree.units[name].devices[add] = new_device(tree, random, f"{add}.yaml")
    return f"add {name}{' below ' + above if above else ''}"


def remove_unit(tree, random):
    unit = pick(random, tree.units)
    if unit and len(tree.units) > len(tree.below(unit)):
        for name in tree.below(unit):
            del tree.units[name]
        return f"remove {unit}"


def rename_unit(tree, random):
    unit = pick(random, tree.units)
    if unit and tree.engine in NESTS:
        one = tree.units.pop(unit)
        one.name = tree.new_name("u")
        tree.units[one.name] = one
        for other in tree.units.values():
            other.above = one.name if other.above == unit else other.above
        return f"rename {unit} to {one.name}"


def move_unit(tree, random):
    unit = pick(random, tree.units)
    if unit:
        tree.units[unit].directory = f"moved/{tree.new_name('m')}"
        return f"move the directory of {unit}"


def change_list(tree, random):
    unit = pick(random, tree.units)
    if unit:
        tree.units[unit].is_listed = not tree.units[unit].is_listed
        return f"{'add' if tree.units[unit].is_listed else 'remove'} the kustomization.yaml of {unit}"


def change_form(tree, random):
    unit = pick(random, tree.units)
    if unit:
        one = tree.units[unit]
        forms = [form for form in FORMS[tree.engine] if form != one.form and (form != "chart" or tree.below(unit) == [unit])]
        if forms:
            one.form = random.choice(forms)
            return f"make {unit} {one.form}"


def suspend(tree, random):
    unit = pick(random, tree.units)
    if unit and tree.engine in SUSPENDS:
        tree.units[unit].is_suspended = not tree.units[unit].is_suspended
        return f"{'suspend' if tree.units[unit].is_suspended else 'resume'} {unit}"


def comment(tree, random):
    unit = pick(random, tree.units)
    if unit:
        tree.units[unit].note += 1
        return f"edit the notes of {unit}"


CERTAIN = [add_device, remove_device, remove_device, change_exposure, move_file, move_device, add_unit, remove_unit, rename_unit, move_unit, change_list,
           change_form, suspend, comment]


def replaced(files, path, old, new):
    """Returns whether something was replaced."""
    text = files.get(path, "")
    files[path] = text.replace(old, new)
    return files[path] != text


def object_of(tree, random):
    unit = pick(random, tree.units)
    return (tree.units[unit], object_path(tree, tree.units[unit])) if unit and tree.engine in NESTS else (None, None)


def wrong_path(tree, random, files):
    unit, path = object_of(tree, random)
    return unit and replaced(files, path, unit.directory, unit.directory + "x") and f"{unit.name}: a typo in its path"


def unknown_variable(tree, random, files):
    unit, path = object_of(tree, random)
    return unit and tree.engine == "flux" and replaced(files, path, f"path: ./{unit.directory}", "path: ./media/${elsewhere}") and f"{unit.name}: a variable in its path"


def wrong_kind(tree, random, files):
    unit, path = object_of(tree, random)
    return unit and (replaced(files, path, "kind: Kustomization", "kind: Kustomisation") or replaced(files, path, "kind: Application", "kind: Aplication")) \
        and f"{unit.name}: a typo in its kind"


def typo(tree, random, files):
    """Swaps two letters, or drops or doubles one, in an object that applies a unit. In a HelmRelease the typo is in a key, since another
    name or value would be valid."""
    unit, path = object_of(tree, random)
    text, words = files.get(path, ""), r"([A-Za-z])(?!\1)[A-Za-z]"
    if unit and unit.form == "chart" and random.random() < 0.5:
        path = f"{unit.directory}/release.yaml"
        above, key, _ = files[path].partition("  values:")
        text, words = above + key, r"([A-Za-z])(?!\1)[A-Za-z](?=[A-Za-z]*:)"
    places = [match.start() for match in re.finditer(words, text)]
    if places:
        at = random.choice(places)
        first, second = text[at:at + 2]
        typed = random.choice([second + first, second, first + first + second])
        files[path] = files[path][:at] + typed + files[path][at + 2:]
        return f"{unit.name}: \"{first}{second}\" is \"{typed}\" in line {text.count(chr(10), 0, at) + 1} of {path}"


def conflict(tree, random, files):
    path = pick(random, [path for path in files if path.endswith(".yaml")])
    lines = files[path].splitlines(keepends=True)
    at = random.randrange(len(lines) + 1)
    files[path] = "".join([*lines[:at], "<<<<<<< HEAD\n", *lines[at:at + 1], "=======\n", *lines[at + 1:]])
    return f"a merge conflict in {path}"


def cut_off(tree, random, files):
    """Cuts the file off in the middle of a flow map, so that it cannot be read."""
    path = pick(random, [path for path, text in files.items() if path.endswith(".yaml") and "{" in text])
    files[path] = files[path][:files[path].rindex("{") + 1] + "\n"
    return f"{path} is cut off"


def wrong_kind_of_service(tree, random, files):
    path = pick(random, [path for path, text in files.items() if "kind: Service\n" in text and not path.startswith("charts/")])
    return path and replaced(files, path, "kind: Service\n", "kind: Sevice\n") and f"{path}: a typo in a kind"


def missing_file(tree, random, files):
    path = pick(random, [path for path in files if path.endswith("/kustomization.yaml")])
    return path and replaced(files, path, "resources:\n", "resources:\n- missing.yaml\n") and f"{path} lists a file that is not there"


def lost_directory(tree, random, files):
    unit = pick(random, tree.units)
    if unit and tree.engine in NESTS and tree.devices([unit]):
        for path in [path for path in files if path.startswith(tree.units[unit].directory + "/")]:
            del files[path]
        return f"the directory of {unit} is deleted"


def other_source(tree, random, files):
    unit, path = object_of(tree, random)
    if unit and tree.engine == "flux" and replaced(files, path, "name: flux-system, namespace", "name: other, namespace"):
        files["clusters/den/other.yaml"] = OTHER_SOURCE
        return f"{unit.name} is of another repository"
    return unit and replaced(files, path, "acme/den.git", "acme/other.git") and f"{unit.name} is of another repository"


def remote_cluster(tree, random, files):
    unit, path = object_of(tree, random)
    if unit and tree.engine == "argo":
        return replaced(files, path, "https://kubernetes.default.svc", "https://10.0.0.9:6443") and f"{unit.name} goes to another cluster"
    return unit and replaced(files, path, "  prune: true\n", "  prune: true\n  kubeConfig: {secretRef: {name: away}}\n") and f"{unit.name} goes to another cluster"


def ignored_source(tree, random, files):
    unit = pick(random, tree.units)
    if unit and tree.engine == "flux":
        files[".sourceignore"] = f"/{tree.units[unit].directory}/\n"
        return f".sourceignore has the directory of {unit}"


def no_root(tree, random, files):
    for path in ("clusters/den/flux-system/sync.yaml", "root.yaml"):
        if files.pop(path, None):
            return f"{path} is deleted"


def chart_elsewhere(tree, random, files):
    unit = pick(random, [unit.name for unit in tree.units.values() if unit.form == "chart"])
    return unit and replaced(files, f"{tree.units[unit].directory}/release.yaml", "chart: ./charts/web", "chart: web, version: 1.0.0") and \
        replaced(files, f"{tree.units[unit].directory}/release.yaml", "kind: GitRepository, name: flux-system", "kind: HelmRepository, name: acme") and \
        f"the chart of {unit} is elsewhere"


def secret_values(tree, random, files):
    unit = pick(random, [unit.name for unit in tree.units.values() if unit.form == "chart"])
    if unit:
        path = f"{tree.units[unit].directory}/release.yaml"
        files[path] = files[path][:files[path].index("  values:")] + "  valuesFrom: [{kind: Secret, name: values}]\n"
        return f"the values of {unit} are in a Secret"


def broken_chart(tree, random, files):
    return "charts/web/templates/service.yaml" in files and replaced(files, "charts/web/templates/service.yaml", "range .Values", "ragne .Values") and "a typo in the chart"


def set_of_units(tree, random, files):
    unit, path = object_of(tree, random)
    if unit and tree.engine == "argo":
        files[path] = (f"apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {{name: {unit.name}, namespace: argocd}}\n"
                       "spec: {generators: [{plugin: {configMapRef: {name: p}}}], template: {metadata: {}, spec: {project: default, destination: {}}}}\n")
        return f"{unit.name} becomes a set that is not known"
    if unit:
        files[path] = ("apiVersion: fluxcd.controlplane.io/v1\nkind: ResourceSet\nmetadata: {name: all, namespace: flux-system}\nspec:\n"
                       "  inputsFrom: [{kind: ResourceSetInputProvider, name: pulls}]\n  resources:\n"
                       "  - {apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization, metadata: {name: << inputs.id >>}}\n")
        return f"{unit.name} becomes a set that is not known"


def lost_inputs(tree, random, files):
    """Makes inputs of a ResourceSet unknown: their provider is not there, of another type, or misspelled."""
    unit = pick(random, [unit.name for unit in tree.units.values() if unit.form == "set" and f"{unit.directory}/inputs.yaml" in files])
    if unit:
        edit = random.choice([("name: d", "name: x"), ("type: Static", "type: GitHubPullRequest"), ("defaultValues", "defaultValue"), ("InputProvider", "InputProvidr")])
        replaced(files, f"{tree.units[unit].directory}/inputs.yaml", *edit)
        return f"\"{edit[0]}\" is \"{edit[1]}\" in the inputs of {unit}"


def operator_mistake(tree, random, files):
    """Makes the operator's settings unknown: its release is broken, elsewhere or not recognized, or its values cannot be read."""
    if not tree.has_operator:
        return None
    path = {"flux": "ops/operator.yaml", "argo": "apps/ops.yaml"}[tree.engine]
    values = files[path][re.search(r"^ *values(Object)?:", files[path], re.M).start():].splitlines()[0]
    edits = [(path, "tailscale-operator", "tailscale-oprator"), (path, "kind: HelmRelease", "kind: HelmReleas"), (path, "kind: Application", "kind: Aplication"),
             (path, "chart: {spec:", "chrat: {spec:"), (path, "    chart: tailscale-operator", "    path: ops"), (path, "tailscale-operator", "mirror/ts"),
             (path, values, "  valuesFrom: [{kind: Secret, name: settings}]" if tree.engine == "flux" else "      valueFiles: [$elsewhere/ts.yaml]"),
             (path, values, values[:-1]), (path, "kubernetes.default.svc", "10.0.0.9:6443"), (path, "\nspec:\n", "\nspec:\n  kubeConfig: {secretRef: {name: away}}\n"),
             ("clusters/den/ops.yaml", "path: ./ops", "path: ./opps"), ("clusters/den/ops.yaml", "name: flux-system, namespace", "name: other, namespace"),
             ("clusters/den/ops.yaml", "path: ./ops", "path: ./${elsewhere}"), ("clusters/den/ops.yaml", "kind: Kustomization", "kind: Kustomisation")]
    edit = random.choice([one for one in edits if one[1] in files.get(one[0], "")])
    replaced(files, *edit)
    return f"\"{edit[1]}\" is \"{edit[2]}\" in {edit[0]}"


DOUBTFUL = [wrong_path, unknown_variable, wrong_kind, typo, conflict, cut_off, wrong_kind_of_service, missing_file, lost_directory, other_source, remote_cluster,
            ignored_source, no_root, chart_elsewhere, secret_values, broken_chart, set_of_units, lost_inputs,
            lost_inputs, operator_mistake, operator_mistake]
ELSEWHERE = [other_source, remote_cluster]


def more_charts(tree, random, files):
    unit = pick(random, [unit.name for unit in tree.units.values() if not unit.is_listed and unit.form != "labelled"])
    if unit and tree.engine == "flux":
        files[f"{tree.units[unit].directory}/database.yaml"] = (
            f"apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: database, namespace: {NAMESPACE}}}\nspec:\n  interval: 1h\n"
            "  chart: {spec: {chart: postgres, version: 1.0.0, sourceRef: {kind: HelmRepository, name: acme}}}\n  values: {size: 1}\n")
        return f"{unit} has a chart that is not at hand"


def stray_file(tree, random, files):
    files["docs/example.yaml"] = random.choice(["a: [\n", "kind: Thing\napiVersion: example.com/v1\nmetadata: {name: a}\n", "{{ .Values.a }}\n"])
    return tree.engine in NESTS and "a file that nothing applies"


def more_crds(tree, random, files):
    unit = pick(random, [unit.name for unit in tree.units.values() if not unit.is_listed and unit.form != "labelled"])
    if unit:
        files[f"{tree.units[unit].directory}/thing.yaml"] = f"apiVersion: example.com/v1\nkind: Thing\nmetadata: {{name: a, namespace: {NAMESPACE}}}\nspec: {{size: 1}}\n"
        return f"{unit} has an object of another's"


def script(tree, random, files):
    lines = ["helm upgrade operator tailscale/tailscale-operator --set oauth.clientId=$ID", "# proxyConfig.defaultTags=tag:a of tailscale", "kubectl get pods -n tailscale"]
    files[random.choice(["deploy.sh", "Makefile", ".github/workflows/operator.yaml"])] = random.choice(lines) + "\n"
    return "a script without settings of the operator"


HARMLESS = [more_charts, stray_file, more_crds, script]
