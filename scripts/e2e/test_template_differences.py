"""Compares the results of our templates of ApplicationSets with those of Argo CD's own code: they must be the same, to the byte.

--count templates (10,000, and 100,000 with TAILRENDER_WHOLE=1) are made at random, with parameters: everything in Go's templates, the
functions with arguments of the right kinds and of others (shared/template_grammar.py). Where Argo CD fails, we must have no result. Where
we have none, an ApplicationSet is reported and not expanded; this may happen to a small share of the templates whose functions we support.
--seed makes the same templates; without it the commit is the seed. Differences are printed as lines that both programs read.
"""
import collections
import json
import os
import subprocess

from shared.checks import attempt
from shared.fleet import ROOT
from shared.template_grammar import lines

COVERS = ["renderer/base", "renderer/core", "renderer/engines/templates", "renderer/tools"]
PROGRAMS = ["argocd-templates"]
COUNT, WHOLE_COUNT = 10_000, 100_000
LARGEST_SHARE = 0.08
LEAST_RESULTS = 0.45  # of all templates: others fail in Argo CD
SHOWN = 5
SECONDS = 600


def seed_of(request):
    commit = attempt("git", "-C", ROOT, "rev-parse", "HEAD").stdout.strip()
    return request.config.getoption("--seed") or commit or "1"


def answers(program, made):
    """Returns an answer for each line."""
    text = "".join(json.dumps(line) + "\n" for _, line in made)
    done = subprocess.run([program], input=text, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=SECONDS, check=True)
    found = [json.loads(line) for line in done.stdout.split("\n") if line]
    assert len(found) == len(made)
    return found


def verdict(ours, theirs):
    if "result" in ours:
        return "equal" if ours["result"] == theirs.get("result") else "different"
    return "unresolved" if "result" in theirs else "failed"


def test_every_result_is_that_of_argo_cd(tools, templates, request):
    seed = seed_of(request)
    count = request.config.getoption("--count") or (WHOLE_COUNT if os.environ.get("TAILRENDER_WHOLE") == "1" else COUNT)
    made = list(lines(seed, count))
    verdicts, known, different = collections.Counter(), collections.Counter(), []
    for (is_known, line), ours, theirs in zip(made, answers(templates, made), answers(tools / "argocd-templates", made)):
        one = verdict(ours, theirs)
        verdicts[one] += 1
        known[one] += 1 if is_known else 0
        if one == "different":
            different.append("\n".join(json.dumps(value, ensure_ascii=False) for value in (line, ours, theirs)))
    share = known["unresolved"] / max(known["unresolved"] + known["equal"], 1)
    print(f"seed {seed}: {count} templates, {', '.join(f'{number} {name}' for name, number in sorted(verdicts.items()))}; "
          f"{share:.1%} of the results of known functions unresolved")
    assert not different, "\n\n".join(different[:SHOWN])
    assert share < LARGEST_SHARE
    assert verdicts["equal"] > LEAST_RESULTS * count


def test_a_difference_is_found(tools, templates):
    """Of a line that the programs are told in two ways."""
    line = {"template": "{{ index .values \"a\" }}", "data": {"values": {"b": ""}}, "strict": False, "typed": True, "unsure": False}
    ours, theirs = (answers(program, [(True, line)])[0] for program in (templates, tools / "argocd-templates"))
    assert verdict(ours, theirs) == "different"
