"""How the tests with the lab say that something is not as it should be."""


class Failure(Exception):
    """A test failed; the message says what was found and what was wanted."""


def demand(holds, message):
    if not holds:
        raise Failure(message)


def expect(found, wanted, what):
    demand(found == wanted, f"{what}: found {found!r}, wanted {wanted!r}")
