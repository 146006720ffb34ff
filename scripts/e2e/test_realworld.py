"""scripts/realworld on two checkouts: one that renders, with kustomize's help, and one that does not."""
import pathlib
import subprocess

SCRIPT = pathlib.Path(__file__).resolve().parents[1] / "realworld"
SERVICE = """apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop, annotations: {tailscale.com/expose: "true"}}
spec: {selector: {app: web}, ports: [{port: 80}]}
"""


def checkout(root, kustomization, service=SERVICE):
    (root / "app").mkdir(parents=True)
    (root / "app/kustomization.yaml").write_text(kustomization)
    (root / "app/service.yaml").write_text(service)


def table(tailrender, tools, *roots):
    done = subprocess.run([SCRIPT, "--tailrender", tailrender, "--kustomize", tools / "kustomize", *roots], capture_output=True, text=True)
    rows = [[cell.strip() for cell in line.split("|")[1:-2]] for line in done.stdout.splitlines() if line.startswith("| ")][1:]
    return rows, done.stdout.splitlines()[-1], done.returncode


def test_tells_what_renders_and_why_not(tailrender, tools, tmp_path):
    checkout(tmp_path / "good", "namePrefix: prod-\nresources: [service.yaml]\n")
    checkout(tmp_path / "bad", "namePrefix: prod-\nresources: [service.yaml]\n", SERVICE.replace("namespace: shop, ", ""))
    assert table(tailrender, tools, tmp_path / "good", tmp_path / "bad") == (
        [["good", "1", "", "1", "0", ""], ["bad", "1", "missing-namespace 1", "0", "0", ""]], "1 of 2 render", 0)


def test_names_a_device_that_only_kustomize_has(tailrender, tools, tmp_path):
    """A program that renders nothing loses all."""
    checkout(tmp_path / "good", "namePrefix: prod-\nresources: [service.yaml]\n")
    blind = tmp_path / "blind"
    blind.write_text(f'#!/bin/sh\n[ "$1" = render ] || exec {tailrender} "$@"\n')
    blind.chmod(0o755)
    assert table(blind, tools, tmp_path / "good") == ([["good", "1", "", "0", "0", "svc/shop/prod-web"]], "1 of 1 render", 1)
