"""The ids of all diagnostics that the renderer can print, read from its sources.

An id is a string literal where a diagnostic gets its rule: in `.rule = …`, in a constant `k…Rule = …`, and in calls of functions that take a
parameter `std::string rule` or `std::string_view rule`, of the same file or from a header.
"""
import re

NOT_PRODUCT = re.compile(r"_test\.cpp$|_testing\.|test_input\.h|/(fuzz|bench)_|/tools/|/golden_")
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
ASSIGNED = re.compile(r"\b(?:rule|k\w*Rule) = ([^;,}]*)")
CALL = re.compile(r"\b(\w+)\(")
PARAMETER = re.compile(r"\s*std::string(?:_view)? rule\s*")


def arguments(text, start):
    """Returns what is between the parentheses that open before `start`, split at its commas."""
    depth, begin, found, at = 0, start, [], start
    while at < len(text):
        literal = LITERAL.match(text, at) if text[at] == '"' else None
        if text[at] in "([{":
            depth += 1
        elif text[at] in ")]}" and depth == 0:
            return [*found, text[begin:at]]
        elif text[at] in ")]}":
            depth -= 1
        elif text[at] == "," and depth == 0:
            found.append(text[begin:at])
            begin = at + 1
        at = literal.end() if literal else at + 1
    return []


def takers(text):
    """Maps each function to the position of its parameter `rule`."""
    return {call[1]: place for call in CALL.finditer(text) for place, parameter in enumerate(arguments(text, call.end()))
            if PARAMETER.fullmatch(parameter)}


def rule_ids(texts):
    """Maps each id to the first file that has it; `texts` are those of the renderer's files, by path."""
    texts, found = {path: text for path, text in texts.items() if not NOT_PRODUCT.search(path)}, {}
    shared = {name: place for path, text in texts.items() if path.endswith(".h") for name, place in takers(text).items()}
    for path, text in texts.items():
        said = [match[1] for match in ASSIGNED.finditer(text)]
        places = {**shared, **takers(text)}
        for call in CALL.finditer(text):
            if call[1] in places:
                said += arguments(text, call.end())[places[call[1]]:][:1]
        for word in {word for words in said for word in LITERAL.findall(words) if ID.fullmatch(word)}:
            found.setdefault(word, path)
    return found
