"""What the e2e tests share: running programs, objects of a stream by name, and when two sets of objects are the same."""
import collections.abc
import json
import os
import pathlib
import subprocess
import tempfile
import time
import typing

import yaml


Object = dict[str, typing.Any]  # an object of YAML or JSON


def attempt(*command: object, stdin: str | None = None, env: collections.abc.Mapping[str, str] | None = None,
            cwd: str | pathlib.Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(word) for word in command], input=stdin, capture_output=True, text=True, check=False,
                          env={**os.environ, **(env or {})}, cwd=cwd)


def run(*command: object, stdin: str | None = None, env: collections.abc.Mapping[str, str] | None = None,
        cwd: str | pathlib.Path | None = None) -> str:
    done = attempt(*command, stdin=stdin, env=env, cwd=cwd)
    assert done.returncode == 0, f"{' '.join(map(str, command))} exits with {done.returncode}:\n{done.stdout}{done.stderr}"
    return done.stdout


def wait_for_definitions(kubectl: collections.abc.Callable[..., str], names: collections.abc.Iterable[str], seconds: float = 60) -> None:
    """Waits until the API server has these kinds. `kubectl wait` would fail on a definition that has no status yet."""
    deadline = time.monotonic() + seconds
    path = 'jsonpath={.status.conditions[?(@.type=="Established")].status}'
    for name in names:
        while kubectl("get", "customresourcedefinition", name, "-o", path) != "True":
            assert time.monotonic() < deadline, f"{name} is not established after {seconds} s"
            time.sleep(0.2)


def documents(text: str) -> list[Object]:
    """Returns the documents of a YAML stream, without the empty ones."""
    return [value for value in yaml.safe_load_all(text) if value]


def rendered(tailrender: pathlib.Path, inputs: collections.abc.Iterable[Object], values: Object) -> list[Object]:
    """Returns what is rendered for these objects, with the values of a chart."""
    with tempfile.TemporaryDirectory() as folder:
        tree, file = pathlib.Path(folder, "tree"), pathlib.Path(folder, "values.yaml")
        tree.mkdir()
        (tree / "inputs.yaml").write_text(yaml.safe_dump_all(inputs), encoding="utf-8")
        file.write_text(yaml.safe_dump(values), encoding="utf-8")
        return documents(run(tailrender, "render", tree, "--quiet", "--values", file))


def objects(values: collections.abc.Iterable[Object]) -> dict[str, Object]:
    """Returns the objects by apiVersion, kind, namespace and name; each occurs once. An empty map of annotations is removed, as by
    kustomize."""
    found = {}
    for value in values:
        metadata = value["metadata"]
        name = f"{value['apiVersion']} {value['kind']}/{metadata.get('namespace', '')}/{metadata['name']}"
        assert name not in found, f"{name} is in the output twice"
        if metadata.get("annotations") == {}:
            del metadata["annotations"]
        found[name] = value
    return found


def objects_of(text: str) -> dict[str, Object]:
    return objects(value for value in yaml.safe_load_all(text) if value is not None)


def compare(have: collections.abc.Mapping[str, object], want: collections.abc.Mapping[str, object], what: str) -> None:
    lost, extra = sorted(want.keys() - have.keys()), sorted(have.keys() - want.keys())
    assert not lost and not extra, f"{what}: missing {lost}, too many {extra}"
    for name in want:
        assert have[name] == want[name], (
            f"{what}: {name} differs\n  {json.dumps(have[name], sort_keys=True)}\n  {json.dumps(want[name], sort_keys=True)}")
