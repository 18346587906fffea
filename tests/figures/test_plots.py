"""Figures say what they show, are told apart by everybody, and follow their sliders."""

import base64
import itertools
import re
import statistics
import subprocess
import sys
from xml.etree import ElementTree

import pytest
import torch
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb

from helpers.attention import explorers, figures
from helpers.figures import plots, showing
from tests.support.shown import shown_in

TOKENS = ["the", "cat", "sat"]
WEIGHTS = torch.tensor([[0.2, 0.5, 0.3], [1 / 3, 1 / 3, 1 / 3], [0.05, 0.9, 0.05]])

FIGURES = {
    "heatmap": lambda: plots.heatmap(WEIGHTS, TOKENS, TOKENS, title="Who looks"),
    "masked heatmap": lambda: plots.heatmap(WEIGHTS, TOKENS, TOKENS, mask=torch.ones(3, 3).tril().bool()),
    "bars": lambda: plots.bars(TOKENS, {"one": [0.2, 0.5, 0.3], "two": torch.tensor([0.1, 0.1, 0.8])}),
    "lines": lambda: plots.lines([1, 4], {"one": [2.0, 3.0]}, xlabel="$d_k$", ylabel="time", log="xy"),
    "entropy": lambda: figures.attention_with_entropy(WEIGHTS, explorers.entropy_bits(WEIGHTS), TOKENS),
    "saturation": lambda: figures.saturation(torch.arange(9.0), WEIGHTS[0], reach=10, spread=2.7),
}


@pytest.fixture(params=FIGURES)
def figure(request):
    return FIGURES[request.param]()


def test_every_figure_returns_axes_that_describe_themselves_with_numbers(figure):
    assert isinstance(figure, Axes)
    assert re.search(r"\d", showing.description(figure))
    assert "$" not in showing.description(figure)


def test_an_image_carries_the_description_as_its_alternative_text(figure):
    (alt,) = re.findall(r'<img alt="([^"]+)"', showing.image(figure))
    assert alt == showing.html.escape(showing.description(figure))


def panels_of(axes: Axes) -> list[ElementTree.Element]:
    """The pictures that a figure is shown as."""
    page = showing.image(axes, alt="two panels, side by side")
    return [ElementTree.fromstring(base64.b64decode(data)) for data in re.findall(r"base64,([^\"]+)", page)]


def two_maps(*, rows: bool = True) -> list[Axes]:
    axes = plots.panels(2)
    for ax, title in zip(axes, ("left", "right"), strict=True):
        plots.heatmap(torch.eye(2), ["the", "cat"], ["the", "cat"], title=title, ax=ax)
    if not rows:
        axes[1].set_yticks([])
    return axes


def test_panels_that_can_be_read_by_themselves_can_stand_one_below_the_other():
    axes = two_maps()
    left, right = panels_of(axes[0])
    for panel, drawn, missing in ((left, "axes_0", "axes_1"), (right, "axes_1", "axes_0")):
        assert panel.find(f".//*[@id='{drawn}']") is not None
        assert panel.find(f".//*[@id='{missing}']") is None
        shapes = {f"#{each.get('id')}" for each in panel.iter() if each.get("id")}
        used = {each.get("{http://www.w3.org/1999/xlink}href") for each in panel.iter()} - {None}
        assert used and {name for name in used if name.startswith("#")} <= shapes
    (x, _, width, _), (begins, *_) = (
        [float(n) for n in each.get("viewBox").split()] for each in (left, right)
    )
    assert x + width == pytest.approx(begins)
    page = showing.image(axes[0], alt="two panels, side by side")
    assert re.findall('<img alt="([^"]*)"', page) == ["two panels, side by side", ""], "it is said once"


def test_panels_that_need_each_other_stay_together():
    assert len(panels_of(two_maps(rows=False)[0])) == 1, "the left one names the rows"
    with_bar = plots.panels(1)
    with_bar[0].figure.colorbar(with_bar[0].imshow([[0, 1]]), ax=with_bar[0])
    assert len(panels_of(with_bar[0])) == 1
    with_legend = two_maps()
    with_legend[0].figure.legend(["one"])
    assert len(panels_of(with_legend[0])) == 1


def test_the_same_figure_gives_the_same_bytes():
    assert showing.image(FIGURES["heatmap"]()) == showing.image(FIGURES["heatmap"]())


def test_a_heat_map_says_where_each_query_looks():
    said = showing.description(FIGURES["heatmap"]())
    assert "the most at cat (0.50); cat looks at all alike; sat most at cat (0.90)" in said


def test_alternative_text_of_ones_own_is_escaped_and_replaces_the_other():
    image = showing.image(FIGURES["heatmap"](), alt='a "<b>" & more')
    assert 'alt="a &quot;&lt;b&gt;&quot; &amp; more"' in image


def test_a_figure_without_any_text_is_refused():
    with pytest.raises(ValueError, match="alternative text"):
        showing.image(plots.panels()[0])


def test_hidden_cells_show_no_number():
    texts = [text.get_text() for text in FIGURES["masked heatmap"]().texts]
    assert texts == ["0.20", "–", "–", "0.33", "0.33", "–", "0.05", "0.90", "0.05"]


# -- colours ---------------------------------------------------------------------------------------------

# Machado, Oliveira and Fernandes 2009, full severity, for linear RGB.
COLOR_BLIND = {
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
    "full sight": torch.eye(3).tolist(),
}


def linear(color) -> torch.Tensor:
    rgb = torch.tensor(to_rgb(color), dtype=torch.float64)
    return torch.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def contrast(a, b) -> float:
    """As WCAG 2 defines it: 1 for the same luminance, 21 for black on white."""
    share = torch.tensor([0.2126, 0.7152, 0.0722], dtype=torch.float64)
    darker, lighter = sorted(float(linear(color) @ share) for color in (a, b))
    return (lighter + 0.05) / (darker + 0.05)


def lab(rgb: torch.Tensor) -> torch.Tensor:
    """CIELAB of linear sRGB, white D65."""
    to_xyz = torch.tensor(
        [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]], dtype=torch.float64
    )
    xyz = to_xyz @ rgb.clamp(0, 1) / torch.tensor([0.9505, 1.0, 1.089], dtype=torch.float64)
    f = torch.where(xyz > 0.008856, xyz ** (1 / 3), 7.787 * xyz + 16 / 116)
    return torch.stack([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("sight", COLOR_BLIND)
def test_line_colours_stay_apart_for_every_sight(sight):
    matrix = torch.tensor(COLOR_BLIND[sight], dtype=torch.float64)
    seen = [lab(matrix @ linear(color)) for color in plots.PALETTE]
    # A difference of about 2 is just visible (Sharma 2003); legends need much more.
    assert min(float((a - b).norm()) for a, b in itertools.combinations(seen, 2)) > 15


def test_lines_stand_out_on_the_card_and_differ_in_marker():
    assert min(contrast(color, "white") for color in plots.PALETTE) >= 3  # WCAG 2.1, 1.4.11
    assert len(set(plots.MARKERS)) == len(plots.PALETTE)


def test_the_number_in_a_cell_can_be_read_whatever_the_weight():
    weights = torch.linspace(0, 1, 12).expand(12, 12)
    ax = plots.heatmap(weights, list("abcdefghijkl"), list("abcdefghijkl"))
    cividis = colormaps["cividis"]
    worst = min(
        contrast(t.get_color(), cividis(float(weights[0, int(t.get_position()[0])]))[:3]) for t in ax.texts
    )
    assert worst >= 4.5  # WCAG 2.1, 1.4.3


def test_importing_figures_and_explorers_loads_neither_matplotlib_nor_ipywidgets():
    code = (
        "import sys; from helpers.attention import explorers; from helpers.figures import plots, showing; "
        "print({'matplotlib', 'ipywidgets'} & set(sys.modules))"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "set()"


# -- waiting for the student -----------------------------------------------------------------------------


@pytest.fixture
def displayed(monkeypatch):
    found = []
    monkeypatch.setattr(showing, "put", lambda page, text: found.append((page, text)))
    return found


def test_show_gives_an_image_and_its_text(displayed):
    showing.show(FIGURES["bars"]())
    ((page, text),) = displayed
    assert '<img alt="Bars of weight. one: the: 0.2' in page
    assert text.startswith("[picture] Bars of weight. one: the: 0.2")


def test_letters_stay_legible_where_a_page_is_narrow():
    ax = plots.panels(1, width=5)[0]
    ax.set_label("Twenty-eight letters.")
    ax.set_title("small", fontsize=9)  # points: 12 pixels
    page = showing.image(ax)
    assert 'width="480"' in page and "min-width:360px" in page and "overflow-x:auto" in page
    ax.set_title("smaller than legible", fontsize=6)
    assert "min-width:480px" in showing.image(ax)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (NotImplementedError(), "This needs Exercise 1.4, not written yet"),
        (TypeError("cannot unpack\nNoneType"), "stops with TypeError: cannot unpack."),
        (NameError("name 'trained' is not defined", name="trained"), "A cell above makes `trained`"),
    ],
)
def test_an_unfinished_answer_delays_a_picture_kindly(displayed, error, said):
    with showing.waiting_for("Exercise 1.4"):
        raise error
    assert said in displayed[0][1]


def test_waiting_does_not_swallow_an_interrupt(displayed):
    with pytest.raises(KeyboardInterrupt), showing.waiting_for("Exercise 1.4"):
        raise KeyboardInterrupt


# -- explorers -------------------------------------------------------------------------------------------


def attention(q, k, v, mask=None):
    scores = q @ k.mT / q.size(-1) ** 0.5
    weights = (scores if mask is None else scores.where(mask, -torch.inf)).softmax(-1)
    return weights @ v, weights


def saturation(q, k, scaled):
    scores = (q[:, None] * k).sum(-1) / (q.size(-1) ** 0.5 if scaled else 1)
    weights = scores.softmax(-1)
    return weights.amax(-1).mean(), (1 - weights.amax(-1)).mean()


def controls(explorer) -> dict:
    return {
        getattr(child, "description", "") or f"html {n}": child for n, child in enumerate(explorer.children)
    }


def alt(page: str) -> str:
    return re.search(r'alt="([^"]+)"', page)[1]


@pytest.fixture
def explorer():
    return controls(explorers.attention_explorer(attention))


def weights_in(explorer) -> dict[str, dict[str, float | None]]:
    """What each word looks at, of the numbers that the page shows; None where it is hidden."""
    found = shown_in(explorer["html 4"].value)
    return {
        word: dict(zip(found["words"], row, strict=True))
        for word, row in zip(found["words"], found["weights"], strict=True)
    }


def test_entropy_is_0_for_one_key_and_log2_of_their_number_for_all_alike():
    rows = torch.tensor([[1.0, 0, 0, 0], [0.25] * 4, [0.5, 0.5, 0, 0], [0.5, 0.25, 0.125, 0.125]])
    assert explorers.entropy_bits(rows).tolist() == pytest.approx([0, 2, 1, 1.75])


def test_it_looks_at_cat(explorer):
    assert weights_in(explorer)["it"]["cat"] == pytest.approx(0.9, abs=0.05)


def test_cold_sharpens_and_heat_spreads(explorer):
    bits = []
    for temperature in (0.1, 1, 10):
        explorer["temperature"].value = temperature
        bits.append(statistics.mean(shown_in(explorer["html 4"].value)["bits"]))
    assert bits[0] < bits[1] < bits[2] < torch.tensor(7.0).log2()


def test_the_causal_mask_leaves_the_first_word_itself(explorer):
    explorer["mask"].value = explorers.MASKS[1]
    first, *later = weights_in(explorer)["the"].values()
    assert first == 1 and later == [None] * 6


def test_a_hidden_word_is_looked_at_by_nobody(explorer):
    assert explorer["hidden word"].layout.display == "none"
    explorer["mask"].value = explorers.MASKS[2]
    explorer["hidden word"].value = 1
    assert explorer["hidden word"].layout.display != "none"
    for looks in weights_in(explorer).values():
        assert looks["cat"] is None and sum(filter(None, looks.values())) == pytest.approx(1)


def test_unknown_words_are_named(explorer):
    assert "Not in its list" not in explorer["html 4"].value
    explorer["sentence"].value = "the wug sat because it was tired"
    assert "Not in its list of words: wug." in explorer["html 4"].value


def test_a_new_sentence_brings_its_words(explorer):
    explorer["mask"].value = explorers.MASKS[2]
    explorer["hidden word"].value = 6
    explorer["sentence"].value = "Dogs don't bark!"
    assert [label for label, _ in explorer["hidden word"].options] == ["0: dogs", "1: don't", "2: bark"]
    assert list(weights_in(explorer)) == ["dogs", "don't", "bark"]


@pytest.mark.parametrize("sentence", ["", "cat", "?!"])
def test_too_short_a_sentence_is_asked_for_again(explorer, sentence):
    explorer["sentence"].value = sentence
    assert "at least two words" in explorer["html 4"].value
    explorer["sentence"].value = "a cat"
    assert list(weights_in(explorer)) == ["a", "cat"]


def test_its_still_picture_shows_what_it_shows_first():
    said = alt(explorers.attention_explorer(attention).still)
    assert "it most at cat (0.9" in said and "Mean entropy 1.8" in said


def test_a_long_sentence_is_cut_and_says_so(explorer):
    explorer["sentence"].value = "word " * 20
    assert "the first 10 words" in explorer["html 4"].value


def test_unknown_words_have_the_same_vector_on_every_machine():
    assert explorers.embed(["zebra"])[0].tolist() == pytest.approx([0.2173, 0.2278, 0.3861, 0.1688], abs=1e-4)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda *_: (_ for _ in ()).throw(NotImplementedError), "needs Exercise 1.5, not written"),
        (lambda *_: None, "stops with TypeError"),
        (lambda q, k, v, mask: (v, torch.full((7, 7), torch.nan)), "have NaN"),
    ],
)
def test_an_explorer_waits_kindly_for_its_function(answer, said):
    page = controls(explorers.attention_explorer(answer))["html 4"].value
    assert said in page and "Exercise 1.5" in page and "Traceback" not in page


def test_scores_spread_with_d_k_until_they_are_scaled():
    explorer = controls(explorers.saturation_explorer(saturation))
    spreads = []
    for d_k, scaled in ((4, False), (256, False), (256, True)):
        explorer["d_k"].value, explorer["divide by √d_k"].value = d_k, scaled
        spreads.append(float(re.search(r"standard deviation ([\d.]+)", alt(explorer["html 2"].value))[1]))
    assert spreads == pytest.approx([2, 16, 1], rel=0.05)


def test_the_gradient_comes_from_the_students_function():
    explorer = controls(
        explorers.saturation_explorer(lambda q, k, scaled: (torch.tensor(0.25), torch.tensor(0.125)))
    )
    assert "<b>0.25</b>" in explorer["html 3"].value and "<b>0.125</b>" in explorer["html 3"].value
    unwritten = controls(explorers.saturation_explorer(lambda *_: (_ for _ in ()).throw(NotImplementedError)))
    assert "needs Exercise 1.9" in unwritten["html 3"].value and "<img" in unwritten["html 2"].value
