"""Checks that a picture of `tailrender graph` is nothing but nodes, edges and their texts."""
import json
import re
import xml.etree.ElementTree

ELEMENTS = {"svg", "title", "style", "rect", "text", "g", "path"}
ATTRIBUTES = {"class", "d", "height", "role", "rx", "text-anchor", "viewBox", "width", "x", "y"}
TEXT = r"(?:[A-Za-z0-9 /.,_()-]|#\d+;|<br/>)*"
MERMAID = re.compile("|".join((
    r"flowchart LR", r"  end", rf'  subgraph cluster \["{TEXT}"\]', rf'  n\d+ (?:==>|-\.->|-->)(?:\|"{TEXT}"\|)? n\d+',
    rf'(?:  |    )n\d+(?:\{{\{{|\(\[|\(|\[/|\[\[|\[)"{TEXT}"(?:\}}\}}|\]\)|\)|/\]|\]\]|\])',
    r"  classDef (?:public|added|removed|changed) [a-z0-9#:, -]+", r"  class n\d+(?:,n\d+)* (?:public|added|removed|changed)")))
STRING = r'"(?:[^"\\]|\\.)*"'
DOT = re.compile("|".join((
    r"digraph tailrender \{", r"  rankdir=LR;", r'  (?:node|edge) \[fontname="sans-serif"\];', r"  subgraph cluster_\d+ \{", r" *\}",
    rf"    label={STRING};", rf" +n\d+_\d+(?: -> n\d+_\d+)? \[label={STRING}(?:, [a-z]+=[a-z0-9]+)*\];")))


def mermaid(text):
    for block in re.findall(r"^```mermaid\n(.*?)^```$", text, re.M | re.S):
        yield from (f"line {line!r}" for line in block.splitlines() if not MERMAID.fullmatch(line))
    rest = re.sub(r"^```mermaid\n.*?^```$", "", text, flags=re.M | re.S)
    yield from (f"line {line!r}" for line in rest.splitlines() if not re.fullmatch(r"|no devices|## (?:[\w ,-]|&#\d+;|[^\x00-\x7f])+", line))


def svg(text):
    try:
        root = xml.etree.ElementTree.fromstring(text)
    except xml.etree.ElementTree.ParseError as error:
        yield f"no XML: {error}"
        return
    for element in root.iter():
        name = element.tag.removeprefix("{http://www.w3.org/2000/svg}")
        if name not in ELEMENTS:
            yield f"element {name}"
        yield from (f"attribute {attribute}" for attribute in element.attrib if attribute not in ATTRIBUTES)
    if text.count("<style") != 1:
        yield "more than one style"


def dot(text):
    yield from (f"line {line!r}" for line in text.splitlines() if not DOT.fullmatch(line))


def graph_json(text):
    if json.loads(text)["report"] != "graph":
        yield "another report"


PICTURES = {"mermaid": mermaid, "svg": svg, "dot": dot, "json": graph_json}
