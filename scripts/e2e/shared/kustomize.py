"""`tailrender krm` as exec function of the real kustomize."""
import pathlib
import yaml

from shared.checks import Object

BUILD = ("kustomize", "build", "--enable-alpha-plugins", "--enable-exec")


def function(tailrender: pathlib.Path, **fields: object) -> Object:
    """Returns a functionConfig that runs tailrender."""
    exec_ = yaml.safe_dump({"exec": {"path": str(tailrender), "args": ["krm", "--quiet"]}})
    return {"metadata": {"name": "tailrender", "annotations": {"config.kubernetes.io/function": exec_}}, **fields}


def own(tailrender: pathlib.Path, **spec: object) -> Object:
    return function(tailrender, apiVersion="tailrender.dev/v1alpha1", kind="TailscaleRender", spec=spec)


def write(directory: pathlib.Path, name: str, value: object) -> None:
    (directory / name).write_text(yaml.safe_dump(value), encoding="utf-8")
