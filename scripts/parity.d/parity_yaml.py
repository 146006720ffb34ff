"""YAML as Kubernetes reads it (sigs.k8s.io/yaml), for comparing.

Strings, ints, floats and bools stay different; there are no dates and no sexagesimal numbers; a duplicate key is an error. There are two
dialects: "1.1" is what the API machinery reads, "1.2" what newer readers do. If the two read a text differently, it has an unquoted word
that one of them takes for a bool or a number.
"""
import functools
import re
import typing

import yaml

_BASE: typing.Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TAG = "tag:yaml.org,2002:"
_BOOL_11 = r"^(?:y|Y|yes|Yes|YES|n|N|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$"
_BOOL_12 = r"^(?:true|True|TRUE|false|False|FALSE)$"
_INT_11 = r"^[-+]?(?:0b[01_]+|0x[0-9a-fA-F_]+|0o?[0-7_]*|[1-9][0-9_]*)$"
_INT_12 = r"^(?:0o[0-7]+|0x[0-9a-fA-F]+|[-+]?[0-9]+)$"
_FLOAT = r"^(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$"
_NULL = r"^(?:~|null|Null|NULL|)$"
_TRUE = {"y", "yes", "true", "on"}


Object = dict[str, typing.Any]  # an object of YAML or JSON


class ParseError(Exception):
    """The text is not YAML that Kubernetes accepts."""


def _number(text: str, legacy_octal: bool) -> int:
    text = text.replace("_", "")
    sign = -1 if text.startswith("-") else 1
    digits = text.lstrip("+-")
    for prefix, base in (("0x", 16), ("0b", 2), ("0o", 8)):
        if digits.startswith(prefix):
            return sign * int(digits[2:], base)
    if legacy_octal and len(digits) > 1 and digits.startswith("0"):
        return sign * int(digits, 8)
    return sign * int(digits)


def _key_text(key: object) -> str:
    if isinstance(key, bool):
        return "true" if key else "false"
    return key if isinstance(key, str) else str(key)


def _make_loader(dialect: str) -> typing.Any:
    class Loader(_BASE):
        yaml_implicit_resolvers: Object = {}

        def construct_mapping(self, node: typing.Any, deep: bool = False) -> Object:
            if isinstance(node, yaml.MappingNode):
                seen = set()
                for key_node, _ in node.value:
                    mark = (key_node.tag, key_node.value if isinstance(key_node.value, str) else id(key_node))
                    if mark in seen and key_node.tag != _TAG + "merge":
                        raise ParseError(f"duplicate key {key_node.value!r} (line {key_node.start_mark.line + 1})")
                    seen.add(mark)
            made = super().construct_mapping(node, deep=True)
            return {_key_text(k): v for k, v in made.items()}

    old = dialect == "1.1"
    Loader.add_implicit_resolver(_TAG + "null", re.compile(_NULL), None)
    Loader.add_implicit_resolver(_TAG + "bool", re.compile(_BOOL_11 if old else _BOOL_12), None)
    Loader.add_implicit_resolver(_TAG + "int", re.compile(_INT_11 if old else _INT_12), None)
    Loader.add_implicit_resolver(_TAG + "float", re.compile(_FLOAT), None)
    Loader.add_implicit_resolver(_TAG + "merge", re.compile(r"^<<$"), None)
    Loader.add_constructor(_TAG + "int", lambda self, node: _number(self.construct_scalar(node), old))
    Loader.add_constructor(_TAG + "bool", lambda self, node: self.construct_scalar(node).lower() in _TRUE)
    Loader.add_constructor(_TAG + "map", lambda self, node: self.construct_mapping(node))
    return Loader


_LOADERS = {dialect: _make_loader(dialect) for dialect in ("1.1", "1.2")}


def load(text: str, dialect: str = "1.1") -> typing.Any:
    try:
        return yaml.load(text, Loader=_LOADERS[dialect])
    except (yaml.YAMLError, ValueError) as error:
        raise ParseError(str(error).replace("\n", " ")) from error


@functools.lru_cache(maxsize=4096)
def loaded(text: str, dialect: str = "1.1") -> typing.Any:
    """Loads a text for reading only: the result is cached and shared, since the same documents occur in many streams."""
    return load(text, dialect)


class Chunk:
    """One document of a stream: its text, and the lines (from 1) that it covers."""

    def __init__(self, text: str, first_line: int, last_line: int) -> None:
        self.text, self.first_line, self.last_line = text, first_line, last_line

    def bare(self) -> str:
        return self.text.strip("\r\n")


def split(text: str) -> list[Chunk]:
    """Returns the documents of a stream, cut at lines that start with --- or ... and have nothing else."""
    chunks: list[Chunk] = []
    lines: list[str] = []
    first = 1
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        if line.startswith(("---", "...")) and re.match(r"(?:---|\.\.\.)(?:\s|$)", line):
            chunks.append(Chunk("".join(lines), first, number - 1))
            rest = line[3:]
            lines, first = ([rest] if rest.strip() else []), (number if rest.strip() else number + 1)
        else:
            lines.append(line)
    chunks.append(Chunk("".join(lines), first, first + len(lines) - 1))
    return [chunk for chunk in chunks if loaded(chunk.text) is not None]
