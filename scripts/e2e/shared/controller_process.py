"""Runs the controller as a process beside the cluster, with an account's token and the environment of its Deployment."""
import collections.abc
import pathlib

import yaml

from shared.checks import documents, run
from shared.images import OWN_IMAGES

NAMESPACE = "tailscale"


def install(tailrender: pathlib.Path, *flags: str) -> None:
    """Applies the namespace, the account and its rights, as they are rendered."""
    objects = documents(run(tailrender, "install", "--quiet", *OWN_IMAGES, *flags))
    kinds = ("Namespace", "ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding")
    for chosen in (kinds[:1], kinds[1:]):
        run("kubectl", "apply", "--server-side", "-f", "-", stdin=yaml.safe_dump_all([item for item in objects if item["kind"] in chosen]))


def api_server() -> list[str]:
    """Returns the URL of the API server that kubectl uses, and the file with its authority's certificate."""
    return run("kubectl", "config", "view", "--raw", "-o",
               "jsonpath={.clusters[0].cluster.server} {.clusters[0].cluster.certificate-authority}").split()


def access(client: tuple[str, str]) -> tuple[list[str], dict[str, str]]:
    """Returns server and files for `environment`, of the cluster that kubectl uses. `client`: id and secret for the tailnet."""
    server, ca = api_server()
    files = {"ca.crt": pathlib.Path(ca).read_text(encoding="utf-8"),
             "token": run("kubectl", "create", "token", "operator", "-n", NAMESPACE, "--duration=10h"),
             "client_id": client[0], "client_secret": client[1]}
    return host_and_port(server), files


def host_and_port(url: str) -> list[str]:
    return url.removeprefix("https://").rsplit(":", 1)


def environment(folder: str | pathlib.Path, server: collections.abc.Iterable[str], tailnet_url: str, files: dict[str, str],
                **more: str) -> dict[str, str]:
    """Returns the environment of the process. `server`: host and port of the API server; `files`: ca.crt, token, client_id and
    client_secret, written to `folder`."""
    for name, text in files.items():
        (pathlib.Path(folder) / name).write_text(text, encoding="utf-8")
    host, port = server
    return {"KUBERNETES_SERVICE_HOST": host, "KUBERNETES_SERVICE_PORT": port, "SERVICE_ACCOUNT_DIR": str(folder),
            "OPERATOR_NAMESPACE": NAMESPACE, "OPERATOR_LOGIN_SERVER": tailnet_url,
            "CLIENT_ID_FILE": f"{folder}/client_id", "CLIENT_SECRET_FILE": f"{folder}/client_secret", **more}
