"""Random templates of ApplicationSets, and parameters for them: everything in Go's templates, with functions whose arguments mostly have
the right kind, and errors."""
import collections.abc
import json
import random
import typing

from shared import template_words as words
from shared.checks import Object


Made = typing.TypeVar("Made")


def spelled(text: str) -> str:
    """Returns the value as a template spells it."""
    if "`" not in text and "\x00" not in text and len(text) % 3 == 0:
        return f"`{text}`"
    return json.dumps(text, ensure_ascii=False)


def takes(function: str) -> tuple[str, str]:
    """Returns its name, and the kinds of its arguments."""
    name, _, kinds = function.partition(":")
    return name, kinds


class Data:
    """Parameters like those of generators."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.value = {key: self.of(key) for key in words.KEYS if dice.random() < 0.96}

    def text(self) -> str:
        return self.dice.choice(words.TEXTS)

    def number(self) -> float:
        return self.dice.choice(words.NUMBERS)

    def texts(self, *mostly: str) -> dict[str, str]:
        keys = self.dice.sample(words.WORDS, self.dice.randint(0, 3)) + [key for key in mostly if self.dice.random() < 0.9]
        return {key: self.text() for key in keys}

    def several(self, make: collections.abc.Callable[[], Made], most: int) -> list[Made]:
        return [make() for _ in range(self.dice.randrange(most))]

    def anything(self, depth: int = 0) -> object:
        kind = self.dice.randrange(9 if depth < 2 else 6)
        if kind < 3:
            return self.text()
        if kind < 6:
            return [self.number(), self.dice.random() < 0.5, None][kind - 3]
        if kind == 6:
            return self.several(lambda: self.anything(depth + 1), 4)
        return {key: self.anything(depth + 1) for key in self.dice.sample(words.WORDS, self.dice.randrange(4))}

    def path(self) -> Object:
        whole = self.dice.choice(["apps/home/web", "a", "clusters/eu-west-1/Prod_1", "."])
        base = whole.split("/")[-1]
        return {"path": whole, "basename": base, "basenameNormalized": base.lower().replace("_", "-"), "segments": whole.split("/")}

    def nested(self) -> Object:
        made = {key: self.anything() for key in self.dice.sample(words.WORDS, self.dice.randrange(5))}
        return {**made, **self.dice.choice([{}, {"a": self.text()}, {"a": self.text(), "port": self.number()}, {"b": self.texts("a")}])}

    def of(self, key: str) -> object:
        fixed = {"empty": "", "on": True, "off": False, "nothing": None, "none": [], "blank": {}}
        makers = {"path": self.path, "nested": self.nested, "name": self.text, "text": self.text, "n": self.number, "f": self.number,
                  "big": self.number, "items": lambda: self.several(self.text, 5), "nums": lambda: self.several(self.number, 4),
                  "mixed": lambda: self.several(self.anything, 5), "maps": lambda: self.several(self.texts, 3), "labels": lambda: self.texts("env"),
                  "values": lambda: self.texts("x"), "metadata": lambda: {"labels": self.texts("team"), "annotations": self.texts()}}
        return fixed[key] if key in fixed else makers[key]()


class Maker:
    """Makes one template. With `is_known` it uses only functions that we support."""

    def __init__(self, dice: random.Random, is_known: bool) -> None:
        self.dice, self.is_known = dice, is_known
        self.functions = {kind: names.split() for kind, names in words.FUNCTIONS.items()}
        self.variables: list[str] = []
        self.ranges, self.dots, self.is_small = 0, 0, False

    def chance(self, share: float) -> bool:
        return self.dice.random() < share

    # ---- values

    def field(self, kind: str) -> str:
        dice = self.dice
        if self.chance(0.06) or kind not in words.FIELDS:
            path = "." + ".".join(dice.sample(words.KEYS + words.WORDS[:-1], dice.choice([1, 1, 2])))
        else:
            path = dice.choice(words.FIELDS[kind])
        below = path if path != "." else ""
        if self.variables and not self.is_small and self.chance(0.25):
            name = dice.choice(self.variables)
            return name if self.chance(0.6) else name + below
        if self.chance(0.9 if self.dots else 0.1):
            return "$" + below
        return "." if self.dots and self.chance(0.7) else path

    def literal(self, kind: str) -> str:
        dice = self.dice
        if kind == "s":
            return spelled(dice.choice(words.TEXTS))
        if kind in "ic":
            return dice.choice(words.WHOLE)
        if kind == "n":
            return "3" if self.is_small else dice.choice(words.CONSTANTS)
        if kind == "b":
            return dice.choice(["true", "false"])
        if kind in "lm":
            name, first = ("list", words.TEXTS) if kind == "l" else ("dict", words.WORDS)
            return f"({name})" if self.chance(0.2) else f"({name} {spelled(dice.choice(first))} {spelled(dice.choice(words.TEXTS))})"
        return spelled(dice.choice({"r": words.PATTERNS, "y": words.YAML, "j": words.JSON, "k": words.KINDS, "t": words.TYPES}[kind]))

    def changed(self, kind: str) -> str:
        """Returns a map that a function changes, or what is put into it."""
        if kind == "S":
            return self.dice.choice([self.literal("s"), self.literal("n"), "$.name", "$.n", "true"])
        return self.literal("m") if self.chance(0.1) else self.dice.choice(words.CHANGED)

    def operand(self, kind: str, depth: int) -> str:
        """Returns one argument. Numbers of repetitions are small."""
        if kind == "c":
            return self.dice.choice(["(len $.items)", "(len $.path.segments)", ".name", "$.n"]) if self.chance(0.12) else self.literal("c")
        if kind in "MS":
            return self.changed(kind)
        if self.chance(0.02):
            kind = self.dice.choice("sinblma")
        if kind == "a" and self.chance(0.08):
            return self.dice.choice(["nil", "$.nothing", "$.missing", "."])
        if kind in "rkt" or (kind in "yj" and self.chance(0.95)):
            return self.literal(kind)
        kind = self.dice.choice("ssnblmi") if kind == "a" else "s" if kind in "yj" else kind
        which = self.dice.random()
        if which < 0.35:
            return self.literal(kind)
        if which < 0.65 or depth <= 0:
            return self.field(kind)
        if which < 0.68:
            return f"({self.pipeline('m', depth - 1)}).{self.dice.choice(words.WORDS[:-1])}"
        return f"({self.pipeline(kind, depth - 1)})"

    def call(self, kind: str, depth: int, piped: bool = False) -> tuple[str, str]:
        """Returns a call with its arguments, without the last one if that is piped; and the kind of the last one."""
        name, known = takes(self.dice.choice(self.functions[kind]))
        name = words.TWINS.get(name, name) if self.chance(0.15) else name
        if name == "printf":
            arguments = [self.operand("a", depth) for _ in range(self.dice.randrange(3))]
            return " ".join([name, spelled(self.dice.choice(words.FORMATS)), *arguments]), "a"
        if not self.is_known and self.chance(0.03):
            name = self.dice.choice(words.UNKNOWN)
        kinds = list(known)
        if kinds[-1] == "*":
            kinds = kinds[:-2] + [kinds[-2]] * self.dice.choice([1, 2, 2, 3, 0])
        if self.chance(0.02):
            kinds = kinds[:-1] if self.chance(0.5) else [*kinds, "a"]
        last = kinds.pop() if piped and kinds else "a"
        return " ".join([name, *(self.operand(one, depth) for one in kinds)]), last

    def pipeline(self, kind: str, depth: int) -> str:
        kind = kind if kind in words.FUNCTIONS else self.dice.choice("ssnbmli")
        if self.is_small and kind in "ni":
            return self.literal("n")
        if depth <= 0 or self.chance(0.25):
            return self.operand(kind, 0)
        if self.chance(0.45):
            call, last = self.call(kind, depth, True)
            before = self.operand(last, 0) if last in "MScryjkt" else self.pipeline(last, depth - 1)
            return f"{before} | {call}"
        return self.call(kind, depth)[0]

    # ---- what is between

    def action(self, inner: str) -> str:
        left, right = (self.dice.choice(["", "", "", " ", "- "]) for _ in range(2))
        return "{{" + left + inner + right[::-1] + "}}"

    def scoped(self, depth: int, *variables: str) -> str:
        before = list(self.variables)
        self.variables += variables
        made = "".join(self.piece(depth) for _ in range(self.dice.randint(1, 3)))
        self.variables = before
        return made

    def choice(self, word: str, kind: str, depth: int) -> str:
        out = self.action(f"{word} {self.pipeline(kind, 2)}")
        self.dots += 1 if word == "with" else 0
        out += self.scoped(depth)
        self.dots -= 1 if word == "with" else 0
        while self.chance(0.25):
            out += self.action(f"else {word} {self.pipeline(kind, 1)}") + self.scoped(depth)
        if self.chance(0.5):
            out += self.action("else") + self.scoped(depth)
        return out + self.action("end")

    def range(self, depth: int) -> str:
        """Makes a range, also over a number, but not over a large one: the dot and variables may have any value."""
        self.is_small, dots, self.dots = True, self.dots, 0
        over = self.pipeline(self.dice.choice("lllllmmmsn"), 2)
        self.is_small, self.dots = False, dots
        several: list[list[str]] = [[], ["$x"], ["$i", "$x"], ["$k", "$v"]]
        variables = self.dice.choice(several[:2 if over == "3" else 4])
        out = self.action(f"range {', '.join(variables)}{' := ' if variables else ''}{over}")
        self.ranges += 1
        self.dots += 1
        out += self.scoped(depth, *variables)
        self.dots -= 1
        self.ranges -= 1
        if self.chance(0.3):
            out += self.action("else") + self.scoped(depth)
        return out + self.action("end")

    def assignment(self) -> str:
        name = self.dice.choice(["$x", "$y", "$list", "$v"])
        sign = ":=" if name not in self.variables or self.chance(0.5) else "="
        out = self.action(f"{name} {sign} {self.pipeline(self.dice.choice('sssnblm'), 2)}")
        self.variables.append(name)
        return out

    def piece(self, depth: int) -> str:
        which = self.dice.random()
        if which < 0.3 or depth <= 0:
            return self.action(self.pipeline(self.dice.choice("sssssnblm"), self.dice.randint(0, 3)))
        if which < 0.62:
            return self.dice.choice(words.LITERALS) if which < 0.5 else self.choice("if", self.dice.choice("bbsl"), depth - 1)
        if which < 0.8:
            return self.choice("with", self.dice.choice("smlb"), depth - 1) if which < 0.68 else self.range(depth - 1)
        if which < 0.9:
            return self.assignment()
        if which < 0.95:
            leap = self.action(self.dice.choice(["break", "continue"])) if self.ranges or self.chance(0.02) else ""
            return self.dice.choice(words.COMMENTS) if which < 0.93 else leap
        return self.dice.choice(words.BROKEN if self.chance(0.1) else words.LITERALS)

    def template(self) -> str:
        return "".join(self.piece(2) for _ in range(self.dice.randint(1, 4)))


class Focus:
    """A template of one call, whose arguments are parameters of any spelling."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.data: Object = {}

    def text(self) -> str:
        dice = self.dice
        if dice.random() < 0.25:
            return dice.choice(words.TEXTS)
        characters = dice.choice(words.CHARACTERS[:1] + words.CHARACTERS)
        return "".join(dice.choice(characters) for _ in range(dice.choice([0, 1, 2, 3, 5, 8, 13, 90 if dice.random() < 0.2 else 4])))

    def pattern(self, depth: int = 2) -> str:
        dice, out = self.dice, ""
        for _ in range(dice.randint(1, 3)):
            one = dice.choice(words.PIECES)
            if depth > 0 and dice.random() < 0.4:
                inner = "|".join(self.pattern(depth - 1) for _ in range(dice.randint(1, 2)))
                one = f"({dice.choice(['', '', '?:'])}{inner})"
            out += one + dice.choice(words.REPETITIONS)
        return out

    def format(self) -> str:
        dice, out = self.dice, ""
        for _ in range(dice.randint(1, 2)):
            flags = "".join(dice.sample("-+0 #", dice.choice([0, 0, 1, 2])))
            size = dice.choice(["", "", "3", "12"]) + dice.choice(["", "", ".2", ".0", ".5", "."])
            out += dice.choice(["a", " ", "%"]) + "%" + flags + size + dice.choice("vsdqtfeEgGxXcbovsd")
        return out

    def number(self) -> float:
        dice = self.dice
        makers = [lambda: dice.choice(words.NUMBERS), lambda: dice.randrange(-1000, 1000), lambda: round(dice.uniform(-1e3, 1e3), dice.randrange(9)),
                  lambda: dice.uniform(-1, 1) * 10 ** dice.randint(-12, 24), lambda: 10 ** dice.randrange(23)]
        return dice.choice(makers)()

    def key(self) -> str:
        dice = self.dice
        return self.text() if dice.random() < 0.4 else dice.choice("abcdef12") + dice.choice(["", "1", "02", "10", "-x", "B"])

    def value(self, depth: int = 0) -> object:
        dice = self.dice
        kind = dice.randrange(8 if depth < 3 else 5)
        if kind < 3:
            return self.text()
        if kind < 5:
            return dice.choice([self.number(), self.number(), True, None, [], {}])
        if kind == 5:
            return [self.value(depth + 1) for _ in range(dice.randrange(4))]
        return {self.key(): self.value(depth + 1) for _ in range(dice.randrange(5))}

    def list(self) -> collections.abc.Sequence[object]:
        dice = self.dice
        make = dice.choice([self.text, self.number, lambda: dice.choice("abc")])
        return [make() for _ in range(dice.randrange(6))]

    def map(self, depth: int = 0) -> dict[str, object]:
        dice = self.dice

        def value() -> object:
            if depth < 2 and dice.random() < 0.5:
                return self.map(depth + 1)
            return dice.choice(["", "x", 0, 1, None, [], [1], {}, False])
        return {key: value() for key in dice.sample("abcd", dice.randrange(4))}

    def argument(self, kind: str) -> str:
        dice = self.dice
        if kind in "bc":
            return dice.choice(["true", "false"] if kind == "b" else ["-2", "-1", "0", "1", "2", "3", "5", "8", "20", "60"])
        makers: dict[str, collections.abc.Callable[[], object]] = {
            "s": self.text, "n": self.number, "N": lambda: dice.choice([self.number(), self.text(), None, True]), "r": self.pattern,
            "p": self.format, "a": self.value, "l": self.list, "M": self.map, "w": lambda: "".join(dice.choices(words.NAME_PARTS, k=6)),
            "u": lambda: dice.choice(words.REPLACEMENTS), "y": lambda: dice.choice(words.YAML), "i": lambda: dice.choice(words.SPELLED_NUMBERS)}
        name = f"a{len(self.data)}"
        self.data[name] = makers[kind]()
        return dice.choice([f"(int $.{name})", f"(int64 $.{name})", f"$.{name}", f"$.{name}"]) if kind in "nN" else f"$.{name}"

    def template(self) -> str:
        dice = self.dice
        plain, kinds = takes(dice.choice(words.CALLS))
        name = words.TWINS.get(plain, plain) if dice.random() < 0.2 else plain
        arguments = [self.argument(kind) for kind in kinds]
        if plain in ("merge", "mergeOverwrite", "set", "unset"):
            arguments[0] = f"(deepCopy {arguments[0]})"
        call = " ".join([name, *arguments])
        if name in ("keys", "values", "pluck") and dice.random() < 0.5:
            call += " | sortAlpha"
        over = call if name not in words.COUNTING else "list 1"
        return dice.choice([f"{{{{ {call} }}}}", f"{{{{ printf \"%T %v\" ({call}) ({call}) }}}}", f"{{{{ toJson ({call}) }}}}",
                            f"{{{{ if {call} }}}}1{{{{ else }}}}0{{{{ end }}}}", f"{{{{ $x := {call} }}}}{{{{ $x | toYaml }}}}",
                            f"{{{{ range {over} }}}}[{{{{ . }}}}]{{{{ end }}}}"])


def soup(dice: random.Random) -> str:
    """Returns parts of a template in random order, with hardly any structure."""
    out = "".join(dice.choice(words.SOUP) + dice.choice(["", " ", " ", "\n"]) for _ in range(dice.randint(1, 9)))
    return dice.choice(["{{" + out + "}}", "{{ " + out + " }}", out, "{{if .a}}" + out + "{{end}}", "{{range $x := .l}}{{" + out + "}}{{end}}"])


def lines(seed: int | str, count: int) -> collections.abc.Iterator[tuple[bool, Object]]:
    """Yields (whether all functions are supported, {"template", "data", "strict", "typed", "unsure"})."""
    dice = random.Random(seed)
    for _ in range(count):
        typed, which = dice.random() < 0.3, dice.random()
        line = {"strict": dice.random() < 0.2, "typed": typed, "unsure": typed or dice.random() < 0.2}
        is_known = which < 0.92
        if which < 0.08:
            yield is_known, {"template": soup(dice), "data": {"a": "A", "b": {"c": 1}, "l": ["p", "q"]}, **line}
        elif which < 0.45:
            focus = Focus(dice)
            yield is_known, {"template": focus.template(), "data": focus.data, **line}
        else:
            yield is_known, {"template": Maker(dice, is_known).template(), "data": Data(dice).value, **line}
