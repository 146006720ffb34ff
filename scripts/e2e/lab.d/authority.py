"""The lab's ACME server, as tests use it."""
from harness import Lab


def orders(lab: Lab, name: str) -> int:
    """Returns how many certificates for the name were ordered: each order validates the name once."""
    return lab.run("sh", "-c", 'cat "$LAB/pebble.log"').count(f'Pulled a task from the Tasks queue: &va.vaTask{{Identifier:acme.Identifier{{Type:"dns", Value:"{name}"')


def signed(lab: Lab, name: str) -> list[str]:
    """Makes a certificate and key of the cluster's authority."""
    lab.run("sh", "-c", f"""cd "$LAB" && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout {name}.key -subj /CN={name} \
        -addext subjectAltName=DNS:{name} -days 2 -CA ca.crt -CAkey ca.key -out {name}.crt""")
    return [lab.run("sh", "-c", f'cat "$LAB/{name}.{end}"') for end in ("crt", "key")]


def trusted_page(lab: Lab, name: str, *words: str, path: str = "", on: str | None = "client") -> str:
    """Fetches a page by HTTPS with a certificate that pods would trust; `words` are more arguments for curl."""
    return lab.run("sh", "-c", f'curl -sSf --max-time 20 --cacert "$LAB/trusted.crt" "$@" https://{name}/{path}', "sh", *words, on=on)


def serial(lab: Lab, name: str, on: str | None = "client") -> str:
    """Returns the serial number of the certificate that is served."""
    script = f'openssl s_client -connect {name}:443 -servername {name} </dev/null 2>/dev/null | openssl x509 -noout -serial'
    return lab.run("sh", "-c", script, on=on).strip()
