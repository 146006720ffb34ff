"""What each e2e test covers and needs. A module scripts/e2e/test_NAME.py declares it at its head, with COVERS, the files or folders whose
change chooses it, and PROGRAMS, names that scripts/e2e/tools builds. Both are read without importing the module."""
import ast
import dataclasses
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
E2E = "scripts/e2e"
HELPERS = [E2E, *(f"{E2E}/{name}" for name in ("helm.d", "lab.d", "reference.d")), "scripts/parity.d", "scripts/bench_runtime.d"]
# A change of these files chooses every test that covers something in the given top folder; "*" means the files of a folder without its
# subfolders. The files that configure the build (CMakeLists.txt, CMakePresets.json, scripts/CMakeLists.txt, scripts/build,
# scripts/common.sh) choose no test: the lanes that always run build everything with them.
COMMON = {"renderer/base": "", "renderer/contract": "", "renderer/core": "", "renderer/kube": "",
          **dict.fromkeys(("renderer/classify", "renderer/emit/*", "renderer/engines/*", "renderer/load/*", "renderer/main.cpp", "renderer/pipeline.cpp",
                           "renderer/pipeline.h"), "renderer"),
          f"{E2E}/conftest.py": "scripts", f"{E2E}/pytest": "scripts",
          "runtime/base": "runtime", "runtime/kube": "runtime", "runtime/main.cpp": "runtime"}
# The files that these names of scripts/e2e/tools depend on.
SETS = {"apiserver": [f"{E2E}/apiserver", f"{E2E}/cluster.sh", f"{E2E}/shared/api_server.py"],
        "lab": [f"{E2E}/lab", f"{E2E}/cluster.sh", *(f"{E2E}/lab.d/{name}" for name in ("node.sh", "tailnet.sh", "images.py", "harness.py"))]}
SETS["lab-of-one-release"] = SETS["lab"]
# Approximate seconds in which scripts/e2e/tools builds a module on two cores; all others take 60 s.
BUILD_SECONDS = {"kubernetes": 600, "argocd": 240, "tailscale": 150, "helm4": 150, "flux": 150, "fleet": 150, "helm3": 120, "operator": 120,
                 "tailscale-1.104": 120, "conftest": 240}
# Tests without a module, or with another name than their module: what they cover and need; "module" refers to the module of another test.
OTHERS = {
    "api_proxy_contract_whole": {"covers": ["runtime/api_proxy", "runtime/localapi", "runtime/recording", "scripts/api_proxy_contract",
                                            "scripts/api_proxy_contract.d"], "programs": []},
    "controller_kills": {"covers": ["runtime/controller", "runtime/kube", "runtime/tailnet", f"{E2E}/controller_kills", f"{E2E}/lab.d/fake_tailnet.py",
                                    *(f"{E2E}/shared/{name}.py" for name in ("checks", "controller_process", "kube_api"))],
                         "programs": ["apiserver", "testnet"]},
    "hostile_trees_whole": {"covers": ["renderer/base", "renderer/cli", "renderer/diff", "renderer/emit", "renderer/engines", "renderer/git", "renderer/graph",
                                       "renderer/load", "renderer/repo", "scripts/hostile_trees", "scripts/hostile_trees.d"], "programs": ["kustomize"]},
    "kernel": {"covers": ["runtime/nft", *(f"runtime/nft/{name}" for name in ("forwarding_testing.h", "kernel_test.cpp", "namespaces_testing.h",
                                                                              "node_test.cpp", "packets_test.cpp", "sockets_testing.h"))],
               "programs": []},
    "lab_headline_stock": {"module": "lab_headline"},
    "proxy_contract_whole": {"covers": ["runtime/localapi", "runtime/proxy", "scripts/proxy_contract", "scripts/proxy_contract.d"], "programs": []},
    "recorder_kills": {"covers": ["runtime/api_proxy", "runtime/recording", "scripts/recorder_kills", "scripts/api_proxy_contract.d"], "programs": []},
    "reference_cases": {"covers": ["renderer/generate", "renderer/plan", "scripts/parity.d", f"{E2E}/reference.d", f"{E2E}/reference_cases"],
                        "programs": ["apiserver", "operator", "operator-1.104", "testnet"]},
    "valid_outputs_whole": {"covers": ["examples/fleet", "renderer/generate", "renderer/plan", "renderer/schema", "renderer/validate", "scripts/parity.d",
                                       "scripts/valid_outputs", "testdata"], "programs": []},
}
# What those parts of the soak cover that are neither tests nor fuzz targets.
SOAK = {
    "controller_kills": OTHERS["controller_kills"]["covers"], "recorder_kills": OTHERS["recorder_kills"]["covers"],
    "rule_changes": ["runtime/nft"], "operators": OTHERS["reference_cases"]["covers"], "old_kubectl": ["runtime/api_proxy", "runtime/recording"],
    "includes": ["renderer", "runtime"], "odr": ["renderer", "runtime"], "patches": ["docs/patches", "renderer", "runtime"],
}
# No program contains these files, and a list of sources changes together with the sources.
UNTESTED = re.compile(r"_test\.cpp$|_testing\.(h|cpp)$|/fuzz_[^/]*$|/testing/|^(renderer|runtime)/(.*\.md|(.*/)?CMakeLists\.txt)$")


@dataclasses.dataclass(frozen=True)
class Entry:
    covers: tuple
    programs: tuple
    is_always: bool = False  # the whole test runs in a lane of its own


def build_seconds(module):
    return BUILD_SECONDS.get(module, 60)


def constant(tree, name):
    for node in tree.body:
        if isinstance(node, ast.Assign) and [getattr(target, "id", None) for target in node.targets] == [name]:
            return ast.literal_eval(node.value) if name != "pytestmark" else ast.unparse(node.value)
    return None


def imports(tree):
    """Yields the names of all modules that the file may import, also in functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def helpers(path, root=ROOT):
    """Returns the files in HELPERS that a module imports, directly or not."""
    found, left = set(), [path]
    while left:
        tree = ast.parse((root / left.pop()).read_text(encoding="utf-8"))
        for name in imports(tree):
            for folder in HELPERS:
                file = f"{folder}/{name.replace('.', '/')}.py"
                if file not in found and (root / file).is_file():
                    found.add(file)
                    left.append(file)
    return found


def module_entry(path, root=ROOT):
    tree = ast.parse((root / path).read_text(encoding="utf-8"))
    covers, programs = constant(tree, "COVERS"), constant(tree, "PROGRAMS")
    if not covers or programs is None:
        raise AssertionError(f"{path} has no COVERS or no PROGRAMS at its head")
    return Entry((*covers, path, *sorted(helpers(path, root))), tuple(programs), "mark.always" in (constant(tree, "pytestmark") or ""))


def module_of(name):
    return f"{E2E}/test_{OTHERS.get(name, {}).get('module', name)}.py"


def entry(name, root=ROOT):
    """Returns the entry of a test by its name in ctest, without the label."""
    known = OTHERS.get(name, {})
    if "covers" in known:
        return Entry(tuple(known["covers"]), tuple(known["programs"]))
    if not (root / module_of(name)).is_file():
        raise AssertionError(f'nothing says what the test "{name}" covers: scripts/lanes.d/entries.py')
    return module_entry(module_of(name), root)


def covered(found, modules=()):
    """Returns all files and folders of an entry; `modules` are those of its programs."""
    tops = {path.partition("/")[0] for path in found.covers}
    shared = [path for path, top in COMMON.items() if not top or top in tops]
    return [*found.covers, *shared, *(path for name in found.programs for path in SETS.get(name, ())),
            *(f"{E2E}/modules/{module}" for module in modules)]


def is_within(path, folders):
    here = path.rpartition("/")[0] + "/*"
    return any(folder in (path, here) or path.startswith(folder + "/") for folder in folders)


def is_changed(folders, changed):
    """`changed` are files, or None if everything counts as changed. A file that is in no program counts only if `folders` has its path."""
    return changed is None or any(path in folders or is_within(path, folders) and not UNTESTED.search(path) for path in changed)
