"""Compares the Secrets and ConfigMaps that we generate, names included, with those of the real kustomize.

Kustomizations (--count, 200) with random generators: env files with awkward bytes, literals, files, types, options. Where kustomize refuses, we
must refuse. The same --seed makes the same cases on every machine.
"""
import json
import os
import random
import re
import subprocess

import pytest

from shared.checks import run

COVERS = ["renderer/engines/kustomize", "renderer/tools"]
PROGRAMS = ["kustomize"]
# Keys that YAML does not read as a string (true, 123, null, 2024-01-01) are left out: kustomize writes them without quotes and then fails
# on its own text.
KEYS = ["user", "PASSWORD", "a.b", "x-y", "_under", "k1", "on", "KEY ", "export A", "ключ", "a b", "yes", "#no", "'q'", "\"d\"",
        "a:b", "@", "*", "&x", "!t", "-k"]
BLANKS = ["", " ", "\t", "\u00a0", "\u2028", "\u3000", "\x0b", "\x0c", "\u0085", "  \t "]
VALUES = ["", "plain", "with space ", " lead", "\"quoted\"", "'single'", "a=b=c", "# not a comment", "v # c", "<&>", "\u2028\u2029",
          "käse 猫", "true", "null", "0644", "1e3", "1:30", "{}", "[]", "- x", "a: b", "back\\slash", "tab\tend", "$HOME ${X}",
          "x" * 51, "y" * 52, "z" * 53, "w" * 200, "\r", "%", "`", "|", ">", "?", "&a", "*a"]
# These occur only in Secrets: for a ConfigMap with them kustomize refuses its own text ("control characters are not allowed").
CONTROLS = ["\x7f", "\x01\x02", "nul\x00byte", "\x1b[1m"]
LINE_ENDS = ["\n", "\n", "\n", "\r\n", "\n\n"]


def value(rng, secret):
    return rng.choice(VALUES + CONTROLS if secret else VALUES)


def env_line(rng, secret):
    kind = rng.random()
    if kind < 0.08:
        return rng.choice(BLANKS) + "# comment " + rng.choice(VALUES).replace("\r", "")
    if kind < 0.14:
        return rng.choice(BLANKS)
    if kind < 0.18:
        return rng.choice(KEYS) + str(rng.randrange(100))  # contains no equals sign
    if kind < 0.2:
        return "=" + value(rng, secret)
    key = rng.choice(KEYS) + (str(rng.randrange(1000)) if rng.random() < 0.8 else "")
    return rng.choice(BLANKS) + key + "=" + value(rng, secret) + rng.choice(["", "", "", " ", "\r"])


def env_file(rng, secret):
    lines = [env_line(rng, secret) for _ in range(rng.randrange(0, 9))]
    text = "".join(line.replace("\n", "") + rng.choice(LINE_ENDS) for line in lines)
    if text and rng.random() < 0.3:
        text = text.rstrip("\n")
    data = text.encode()
    if rng.random() < 0.15:
        data = b"\xef\xbb\xbf" + data
    if rng.random() < 0.03:
        data += b"\nbin=" + bytes([0xff, 0xfe]) + b"\n"
    if rng.random() < 0.08:
        size = rng.choice([65530, 65531, 65532, 65533, 65534, 65535, 65536, 70000])
        data += b"\nlong=" + b"x" * (size - 5) + b"\nafter=1\n"
    return data


def literal(rng):
    kind = rng.random()
    if kind < 0.01:
        return rng.choice(["novalue", "=x"])
    text = rng.choice(VALUES)
    if rng.random() < 0.2:
        text = rng.choice(["'%s'", "\"%s\"", "'%s\"", "'%s"]) % text
    return rng.choice(["l", "lit.", "user", "K_"]) + str(rng.randrange(1000)) + "=" + text


def file_content(rng, secret):
    kind = rng.random()
    if kind < 0.3:
        return bytes(rng.randrange(256) for _ in range(rng.randrange(0, 300)))
    lines = [value(rng, secret) for _ in range(rng.randrange(0, 6))]
    if not secret:  # block scalars of YAML 1.1 end lines there, those of 1.2 do not
        lines = [line for line in lines if "\u2028" not in line]
    return rng.choice(["\n", "\r\n", "\n\n"]).join(lines).encode() + rng.choice([b"", b"\n", b" \n", b"\n\n"])


def options(rng):
    result = {}
    if rng.random() < 0.4:
        result["labels"] = {rng.choice(["app", "tier", "x/y"]): rng.choice(["a", "true", "1", "b-c"])}
    if rng.random() < 0.4:
        result["annotations"] = {rng.choice(["note", "x/z"]): rng.choice(["text", "on", "1.0", "a: b"])}
    if rng.random() < 0.25:
        result["disableNameSuffixHash"] = rng.random() < 0.7
    if rng.random() < 0.25:
        result["immutable"] = rng.random() < 0.7
    return result


def generator(rng, case, name, secret):
    item = {"name": name}
    if rng.random() < 0.3:
        item["namespace"] = rng.choice(["shop", "db"])
    for field, chance in (("envs", 0.6), ("literals", 0.5), ("files", 0.5)):
        if rng.random() >= chance:
            continue
        entries = []
        for i in range(rng.randrange(1, 4)):
            path = f"{name}-{field}-{i}"
            if field == "literals":
                entries.append(literal(rng))
                continue
            (case / path).write_bytes(env_file(rng, secret) if field == "envs" else file_content(rng, secret))
            if field == "files" and rng.random() < 0.5:
                path = rng.choice(["key", "cert.pem", "a.b-c"] * 12 + ["=", "x=y"]) + str(i) + "=" + path
            entries.append(path)
        item[field] = entries
    if rng.random() < 0.1:
        (case / f"{name}-env").write_bytes(env_file(rng, secret))
        item["env"] = f"{name}-env"
    if secret and rng.random() < 0.4:
        item["type"] = rng.choice(["Opaque", "my-type", "kubernetes.io/tls", "kubernetes.io/<&>"])
    if rng.random() < 0.5:
        item["options"] = options(rng)
    return item


def make_case(rng, case):
    case.mkdir(parents=True)
    kustomization = {"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization"}
    if rng.random() < 0.3:
        kustomization["namespace"] = "tailscale"
    if rng.random() < 0.4:
        kustomization["generatorOptions"] = options(rng)
    for field, secret in (("secretGenerator", True), ("configMapGenerator", False)):
        count = rng.randrange(0, 3) if secret else rng.randrange(1, 3)
        if count:
            kustomization[field] = [generator(rng, case, f"{'s' if secret else 'c'}{i}", secret) for i in range(count)]
    # JSON is valid YAML, and shows exactly which characters are meant.
    (case / "kustomization.yaml").write_text(json.dumps(kustomization, indent=1) + "\n")


@pytest.fixture
def count(request):
    return request.config.getoption("count") or 200


@pytest.fixture
def seed(request):
    return request.config.getoption("seed") or 20250301


def answers(driver, verb, paths):
    text = run(driver, verb, *paths)
    return [[line for line in part.split("\n") if line] for part in re.split(r"(?m)^\.\n", text)][:-1]


def test_same_objects(driver, tools, tmp_path, count, seed):
    dice = random.Random(int(seed))
    cases = [tmp_path / f"case{i:03}" for i in range(count)]
    for case in cases:
        make_case(dice, case)
    built = [subprocess.run(["kustomize", "build", case], capture_output=True, env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)}, check=False)
             for case in cases]
    for case, done in zip(cases, built):
        (case / "expected").write_bytes(b"" if done.returncode else done.stdout)
    ours, theirs = answers(driver, "build", cases), answers(driver, "read", [case / "expected" for case in cases])
    for case, mine, want, done in zip(cases, ours, theirs, built, strict=True):
        assert mine == (["error"] if done.returncode else want), f"{case}: {done.stderr.decode(errors='replace')}"
    print(f"{count} cases, {sum(done.returncode != 0 for done in built)} refused")
