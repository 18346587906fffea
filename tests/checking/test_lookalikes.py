"""Characters that a reader can't tell from others cost nothing, and code that can be read stays as it is."""

import ast

import pytest

from helpers.checking.code.lookalikes import TURNING, as_it_looks
from helpers.checking.code.tracing import forbidden_use

READ = {
    "\xa0def f(x):\n    return x": "def f(x):\n    return x",
    "\xa0\xa0x = 1\n\xa0\xa0y = 2": "x = 1\ny = 2",
    "def f(x):\n\xa0\xa0\xa0\xa0return x": "def f(x):\n    return x",
    "x\u2003=\u30001": "x = 1",
    "\ufeffx = 1": "x = 1",
    "\u200bx\u200d = \u2060\xad1": "x = 1",
    "f（x，1）": "f(x,1)",
    "print(“a – ‘b’”)": 'print("a – ‘b’")',
    'print(‘it is "so"’)': "print('it is \"so\"')",
    "print(„so“)": 'print("so")',
    "x = a − b – c": "x = a - b - c",
    "x = t[…, 0]": "x = t[..., 0]",
    "x = 1\u2028y = 2": "x = 1\ny = 2",
    's = \'\xa0“\'  # \xa0\nt\xa0= """\xa0"""': 's = \'\xa0“\'  # \xa0\nt = """\xa0"""',
}
KEPT = [
    "s = '\xa0'", "# “x”\nx = 1", "'''\u200b'''", "é = 1", "x² = 3", "x\xa0= 1 1", "x\xa0=\xa0", "x = “1",
    "x ≤ 2", *(f"x {turning}= 1" for turning in TURNING),
]  # fmt: skip


@pytest.mark.parametrize("written", READ, ids=ascii)
def test_code_is_read_as_it_looks(written):
    reading = as_it_looks(written)
    assert ast.dump(ast.parse(reading.source)) == ast.dump(ast.parse(READ[written]))
    assert "U+" in reading.remark
    with pytest.raises(SyntaxError):
        ast.parse(written)


@pytest.mark.parametrize("written", KEPT, ids=ascii)
def test_what_can_be_read_or_cant_be_either_way_stays(written):
    reading = as_it_looks(written)
    assert (reading.source, reading.remark) == (written, "")


def test_what_is_forbidden_is_found_behind_them():
    cells = ["def f(x):\n\xa0\xa0\xa0\xa0return torch.softmax(x, -1)", "check('topic.f', f)"]
    use = forbidden_use(cells, "topic.f", ("torch.softmax",))
    assert use and use.name == "torch.softmax"
