"""What an answer's code leads to: what an exercise forbids is found there, and nowhere else."""

import pytest

from helpers.checking.calling.outcome import CallStatus, Outcome
from helpers.checking.code.tracing import KERNELS, Tangled, did_not_run, fails_in, forbidden_use, source_of

FORBIDDEN = (
    "torch.softmax",
    "torch.nn.functional.softmax",
    "torch.nn.Softmax",
    "scipy.special.softmax",
    "sacrebleu",
)
SET_UP = """import math
import torch
import torch.nn.functional as F
from torch import nn
from helpers import attention
"""
RIGHT = """def softmax(x, dim=-1):
    e = (x - x.amax(dim, keepdim=True)).exp()
    return e / e.sum(dim, keepdim=True)
"""
CHECK = 'check("attention.softmax", softmax)'


def used(*cells: str, check: str = CHECK) -> str:
    found = forbidden_use([SET_UP, *cells, check], "attention.softmax", FORBIDDEN)
    return found.name if found else ""


FREE = {
    "nothing else": [RIGHT],
    "a self-test": [
        RIGHT + "t = torch.ones(2, 3)\nprint(torch.allclose(softmax(t, 1), torch.softmax(t, dim=1)))"
    ],
    "help": [RIGHT + "help(torch.softmax)"],
    "a version kept": [
        RIGHT + "def old(x):\n    return F.softmax(x, -1)\nassert old(torch.ones(2)) is not None"
    ],
    "a loop that tries": [
        "for t in [torch.ones(3)]:\n    y = t.softmax(-1)",
        RIGHT + "y = torch.softmax(t, -1)",
    ],
    "an older one": ["def softmax(x, dim):\n    return torch.softmax(x, dim)", RIGHT],
    "under __main__": [RIGHT + "if __name__ == '__main__':\n    print(torch.softmax(torch.ones(2), 0))"],
    "a method of theirs": [
        "class Head:\n    def softmax(self, x):\n        return x.exp()\n    def go(self, x):\n"
        "        return self.softmax(x)\ndef softmax(x, dim):\n    return Head().go(x)"
    ],
    "a class of theirs": [
        "class S:\n    @staticmethod\n    def softmax(x):\n        return x.exp()\n"
        "def softmax(x, dim):\n    return S.softmax(x)"
    ],
    "an object of theirs": [
        "class S:\n    def softmax(self, x):\n        return x.exp()\ns = S()\n"
        "def softmax(x, dim):\n    return s.softmax(x)"
    ],
    "a helper": ["from helpers.attention import softmax as s\ndef softmax(x, dim):\n    return s(x, dim)"],
    "a helper's module": ["def softmax(x, dim):\n    return attention.softmax(x, dim)"],
    "a helper, inside": [
        "def softmax(x, dim):\n    from helpers import attention as F\n    return F.softmax(x, dim)"
    ],
    "a local name": [
        "t = torch.softmax(torch.ones(2), -1)\ndef softmax(x, dim):\n    t = x.exp()\n    return t / t.sum()"
    ],
    "a comprehension's name": [
        "r = torch.softmax(torch.ones(2), -1)\ndef softmax(x, dim):\n    return torch.stack([r.exp() for r in x])"
    ],
    "timed": ["%%time\n" + RIGHT + "torch.softmax(torch.ones(2), 0)"],
    "magics beside it": ["!pip install einops\n" + RIGHT + "%timeit torch.softmax(torch.ones(3), 0)"],
    "a library beside it": ["import sacrebleu\n" + RIGHT + "print(sacrebleu.corpus_bleu)"],
    "text": ['def softmax(x, dim):\n    "like torch.softmax"\n    # torch.softmax\n    return x.exp()'],
    "a cell that is no Python": [RIGHT, "torch.softmax(("],
}


@pytest.mark.parametrize("cells", FREE.values(), ids=FREE)
def test_what_stands_beside_an_answer_is_free(cells):
    assert not used(*cells)


USED = {
    "by its name": ["def softmax(x, dim):\n    return torch.softmax(x, dim)"],
    "a module's other name": ["def softmax(x, dim):\n    return F.softmax(x, dim)"],
    "a method": ["def softmax(x, dim):\n    return x.softmax(dim)"],
    "another name": ["s = torch.softmax\ndef softmax(x, dim):\n    return s(x, dim)"],
    "another name for the module": [
        "t = torch.nn.functional\ndef softmax(x, dim):\n    return t.softmax(x, dim)"
    ],
    "an import": ["from torch.nn.functional import softmax as s\ndef softmax(x, dim):\n    return s(x, dim)"],
    "an import inside": ["def softmax(x, dim):\n    from torch import softmax as s\n    return s(x, dim)"],
    "itself": ["softmax = torch.softmax"],
    "itself, imported": ["from torch import softmax"],
    "in a function of theirs": [
        "def weigh(x):\n    return torch.softmax(x, -1)",
        "def softmax(x, dim):\n    return weigh(x)",
    ],
    "getattr": ["def softmax(x, dim):\n    return getattr(torch, 'softmax')(x, dim)"],
    "methodcaller": [
        "import operator\ndef softmax(x, dim):\n    return operator.methodcaller('softmax', dim)(x)"
    ],
    "vars": ["def softmax(x, dim):\n    return vars(torch)['softmax'](x, dim)"],
    "__dict__": ["def softmax(x, dim):\n    return torch.__dict__['softmax'](x, dim)"],
    "a parent": ["class softmax(nn.Softmax):\n    pass"],
    "an object": ["made = nn.Softmax(-1)\ndef softmax(x, dim):\n    return made(x)"],
    "a table": [
        "table = {}\ntable['s'] = torch.softmax\ndef softmax(x, dim):\n    return table['s'](x, dim)"
    ],
    "a list": ["all = []\nall.append(torch.softmax)\ndef softmax(x, dim):\n    return all[0](x, dim)"],
    "the older one": [
        "from torch import softmax\nold = softmax\ndef softmax(x, dim):\n    return old(x, dim)"
    ],
    "an attribute": ["class A: ...\nA.f = torch.softmax\ndef softmax(x, dim):\n    return A.f(x, dim)"],
    "setattr": ["class A: ...\nsetattr(A, 'f', torch.softmax)\ndef softmax(x, dim):\n    return A.f(x, dim)"],
    "all of a module": ["from torch.nn.functional import *\ndef go(x, dim):\n    return softmax(x, dim)"],
    "a default": ["def softmax(x, dim, f=torch.softmax):\n    return f(x, dim)"],
    "a decorator": [
        "def d(f):\n    return lambda x, dim: torch.softmax(x, dim)\n@d\ndef softmax(x, dim):\n    return x"
    ],
    "an if": [
        "if True:\n    def softmax(x, dim):\n        return torch.softmax(x, dim)\nelse:\n    softmax = None"
    ],
    "global": [
        "def make():\n    global s\n    s = torch.softmax\nmake()\ndef softmax(x, dim):\n    return s(x, dim)"
    ],
    "another library": [
        "import scipy.special\ndef softmax(x, dim):\n    return scipy.special.softmax(x, dim)"
    ],
    "a whole library": ["import sacrebleu\ndef softmax(x, dim):\n    return sacrebleu.corpus_bleu(x)"],
    "a whole library, inside": [
        "def softmax(x, dim):\n    from sacrebleu.metrics import BLEU\n    return BLEU(x)"
    ],
    "timed": ["%%time\ndef softmax(x, dim):\n    return torch.softmax(x, dim)"],
    "a comprehension": ["def softmax(x, dim):\n    return torch.stack([torch.softmax(r, 0) for r in x])"],
    "other letters": ["def softmax(x, dim):\n    return torch.ｓoftmax(x, dim)"],
    "a lambda": ["softmax = lambda x, dim: F.softmax(x, dim)"],
    "its code": [
        "call = torch.library.get_kernel('aten::_soft' 'max', 'CPU').call_boxed\n"
        "def softmax(x, dim):\n    return call(torch._C.DispatchKeySet(torch._C.DispatchKey.CPU), x, dim, False)"
    ],
    "functools.partial": ["import functools\nsoftmax = functools.partial(torch.softmax)"],
}


@pytest.mark.parametrize("name", USED)
def test_what_leads_to_a_forbidden_function_is_found(name):
    check = 'check("attention.softmax", go)' if name == "all of a module" else CHECK
    assert used(*USED[name], check=check) in (*FORBIDDEN, *KERNELS)


def test_a_name_in_other_letters_is_the_same_name():
    """Nowhere in these cells does it stand as it is spelled."""
    cells = [SET_UP, "def go(x):\n    return torch.ｅrf(x)", 'check("a.b", go)']
    assert forbidden_use(cells, "a.b", ("torch.erf",)).name == "torch.erf"


def test_the_line_is_named():
    cell = "# mine\ndef softmax(x, dim):\n    return F.softmax(x, dim)"
    found = forbidden_use([SET_UP, cell, CHECK], "attention.softmax", FORBIDDEN)
    assert found.where == "line 3: return F.softmax(x, dim)"


def test_of_several_checks_the_last_decides():
    cell = "def softmax(x, dim):\n    return torch.softmax(x, dim)"
    assert used(cell, CHECK, RIGHT) == "" != used(RIGHT, CHECK, cell)


def test_an_answer_by_another_name_is_judged_by_what_is_given():
    cell = RIGHT + "def mine(x, dim):\n    return torch.softmax(x, dim)"
    assert used(cell, check='check("attention.softmax", mine)')
    assert not used(cell, check='check("attention.softmax", answer=softmax)')


def test_a_call_that_isn_t_shown_is_judged_by_the_name_of_its_object():
    cells = [SET_UP, "def softmax(x, dim):\n    return torch.softmax(x, dim)", "for f in [softmax]: test(f)"]
    assert forbidden_use(cells, "attention.softmax", FORBIDDEN, "softmax")
    assert not forbidden_use(cells, "attention.softmax", FORBIDDEN, "other")


STUB = "def softmax(x, dim):\n    raise NotImplementedError"
BROKEN = "def softmax(x, dim):\n    return x.exp("


def test_a_last_version_that_is_no_python_did_not_run():
    assert "line 2" in did_not_run([SET_UP, STUB, BROKEN, CHECK], "attention.softmax")
    assert "line 2" in did_not_run([RIGHT, CHECK, BROKEN, CHECK], "attention.softmax")
    assert did_not_run(["kinds = {'a': ...}", "kinds = {'a': 1", 'check("a.b", kinds)'], "a.b")
    assert did_not_run([BROKEN, "for f in [softmax]: test(f)"], "attention.softmax", "softmax")
    assert did_not_run([STUB, "def softmax(x, dim):\n    return x\nreturn", CHECK], "attention.softmax")


def test_a_mistake_that_was_mended_or_is_elsewhere_is_no_matter():
    assert not did_not_run([BROKEN, RIGHT, CHECK], "attention.softmax")
    assert not did_not_run([RIGHT, "def other(x:", "print(softmax(", CHECK], "attention.softmax")
    assert not did_not_run([RIGHT, "await softmax(1, 2)", "%time softmax(1, 2)", CHECK], "attention.softmax")
    assert not did_not_run([], "attention.softmax")


@pytest.mark.promise(15)
def test_code_whose_names_lead_everywhere_is_not_followed_to_its_end():
    """Each statement leads to all before it: there are limits of time for what runs, and none for reading."""
    cells = [RIGHT + "softmax.torch.softmax\n" + "softmax.append(softmax)\n" * 5_000, CHECK]
    with pytest.raises(Tangled, match="too tangled"):
        forbidden_use(cells, "attention.softmax", FORBIDDEN)
    assert source_of(cells, "attention.softmax", "softmax") == ""


def test_whose_answer_fails_for_want_of_a_name_is_said_for_each_that_calls_it():
    softmax = "def softmax(x, dim):\n    x = torhc.exp(x)\n    return x"
    other = "def scores(q):\n    return softmax(q, 0) + nothing"
    cells = [
        SET_UP,
        softmax,
        'check("attention.softmax", softmax)',
        other,
        'check("attention.scores", scores)',
    ]
    line, own = "line 2: x = torhc.exp(x)", "line 2: return softmax(q, 0) + nothing"

    def found(where: str, error: str = "NameError", failing: tuple[str, ...] = ("attention.softmax",)) -> str:
        message = "name 'torhc' is not defined" if error == "NameError" else "x"
        right = Outcome(CallStatus.RETURNED, 1.0)
        wrong = Outcome(CallStatus.RAISED, error=error, message=message, where=where)
        return fails_in([right, wrong], cells, failing)

    assert found(line) == "attention.softmax"
    assert not found(own) and not found("") and not found("line 1: def scores(q):")
    assert not found(line, error="ValueError")  # what it was called with may be wrong
    assert not found(line, failing=("attention.other",)) and not found(line, failing=())
