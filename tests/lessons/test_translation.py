"""Lesson 11: its reference against torch, sacrebleu and published figures, its claims, and its explorers."""

import ast
import math
import re

import pytest
import torch

from autograder.authoring.master import read_master
from autograder.lessons import master_path
from helpers import corpora, translation
from helpers.checking.calling.values import tensors
from helpers.models.encoder_decoder import DecoderBlock as HelpersBlock
from helpers.models.encoder_decoder import EncoderDecoder, EncoderDecoderConfig
from helpers.positional import sinusoidal
from helpers.translation import explorers as data
from helpers.translation import figures
from tests.support.proved import COURSE, follows_from
from tests.support.shown import shown_in

pytestmark = follows_from(*COURSE)


@pytest.fixture(scope="module")
def lesson() -> dict:
    """The solved lesson's names: all cells that neither draw nor check."""
    names: dict = {"__name__": "lesson"}
    for cell in read_master(master_path("11_translation"), "master")[0]:
        if cell.is_code and cell.kind not in ("draw", "check"):
            exec(compile(ast.parse(cell.source), "<lesson>", "exec"), names)
    return names


@pytest.fixture(scope="module")
def small(lesson):
    """A translator of random weights that are large enough to say something."""
    torch.manual_seed(0)
    model = lesson["Translator"](40, 16, 2, 32, 2)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return model.eval()


def step_table(*shape: int) -> torch.Tensor:
    return (2 * torch.randn(*shape, generator=torch.Generator().manual_seed(1))).log_softmax(-1)


# -- the model -------------------------------------------------------------------------------------------


def test_the_lessons_block_is_the_helpers_block(lesson):
    torch.manual_seed(0)
    ours, theirs = lesson["DecoderBlock"](12, 3, 20), HelpersBlock(12, 3, 20)
    theirs.load_state_dict(ours.state_dict())
    y, memory = torch.randn(2, 5, 12), torch.randn(2, 7, 12)
    mask = (torch.arange(7) < torch.tensor([[7], [4]]))[:, None, None]
    torch.testing.assert_close(ours(y, memory, mask), theirs(y, memory, mask))


def test_the_lessons_block_is_torchs_decoder_layer(lesson):
    torch.manual_seed(0)
    ours = lesson["DecoderBlock"](12, 3, 20)
    torchs = torch.nn.TransformerDecoderLayer(12, 3, 20, 0.0, "gelu", batch_first=True, norm_first=True)
    own, crossed = ours.attention, ours.cross_attention
    parts = {
        "self_attn.in_proj": own.W_qkv, "self_attn.out_proj.": own.W_o, "multihead_attn.out_proj.": crossed.W_o,
        "linear1.": ours.feed_forward.W_up, "linear2.": ours.feed_forward.W_down,
        "norm1.": ours.norm_1, "norm2.": ours.norm_2, "norm3.": ours.norm_3,
    }  # fmt: skip
    state = {
        f"{name}{'_' if name.endswith('proj') else ''}{kind}": getattr(part, kind)
        for name, part in parts.items()
        for kind in ("weight", "bias")
    }
    for kind in ("weight", "bias"):
        joined = torch.cat([getattr(crossed.W_q, kind), getattr(crossed.W_kv, kind)])
        state[f"multihead_attn.in_proj_{kind}"] = joined
    torchs.load_state_dict(state)
    y, memory = torch.randn(2, 5, 12), torch.randn(2, 7, 12)
    real = torch.arange(7) < torch.tensor([[7], [4]])
    later = torch.ones(5, 5, dtype=torch.bool).triu(1)
    right = torchs(y, memory, tgt_mask=later, memory_key_padding_mask=~real)
    torch.testing.assert_close(ours(y, memory, real[:, None, None]), right, rtol=1e-4, atol=1e-5)


def test_the_lessons_translator_is_the_helpers_encoder_decoder(small):
    theirs = EncoderDecoder(EncoderDecoderConfig(40, 16, 2, 32, 2))
    state = small.state_dict() | {
        f"{name}.weight": small.words.weight for name in ("source_words", "target_words", "head")
    }
    state.pop("words.weight")
    theirs.load_state_dict(state)
    source, target = torch.randint(6, 40, (3, 7)), torch.randint(6, 40, (3, 5))
    real = torch.arange(7) < torch.tensor([[7], [4], [6]])
    ours = small.decode(target, small.encode(source, real), real)
    torch.testing.assert_close(ours, theirs(source, target, real), rtol=1e-4, atol=1e-4)


def test_a_cache_changes_nothing_but_the_work(small):
    source, target = torch.randint(6, 40, (2, 7)), torch.randint(6, 40, (2, 6))
    real = torch.arange(7) < torch.tensor([[7], [4]])
    memory, cache = small.encode(source, real), small.new_cache()
    steps = [small.decode(target[:, t : t + 1], memory, real, cache) for t in range(6)]
    torch.testing.assert_close(torch.cat(steps, 1), small.decode(target, memory, real), rtol=1e-4, atol=1e-4)


def test_padding_in_the_source_changes_no_translation(small):
    source, target = torch.randint(6, 40, (1, 5)), torch.randint(6, 40, (1, 4))
    longer = torch.cat([source, torch.zeros(1, 3, dtype=torch.long)], dim=1)
    alone, beside = (small.decode(target, small.encode(ids, ids != 0), ids != 0) for ids in (source, longer))
    torch.testing.assert_close(alone, beside, rtol=1e-4, atol=1e-4)


# -- training --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.4])
def test_the_smoothed_loss_is_torchs(epsilon):
    torch.manual_seed(0)
    logits, targets = torch.randn(3, 5, 11), torch.randint(11, (3, 5))
    targets[0, 3:] = -100
    right = torch.nn.functional.cross_entropy(
        logits.flatten(0, 1), targets.flatten(), label_smoothing=epsilon
    )
    torch.testing.assert_close(translation.label_smoothed_loss(logits, targets, epsilon), right)


def test_the_smoothed_loss_by_hand():
    logits, right = torch.tensor([[[0.7, 0.1, 0.1, 0.1]]]).log(), torch.zeros(1, 1, dtype=torch.long)
    assert round(float(translation.label_smoothed_loss(logits, right, 0.1)), 3) == 0.503
    assert round(float(translation.label_smoothed_loss(logits, right, 0.0)), 3) == 0.357


def test_the_papers_rate():
    """512 channels and 4000 steps of warm-up: the peak is 7·10⁻⁴, where both branches meet."""
    rates = [translation.paper_rate(step, 512, 4000) for step in range(1, 9000)]
    assert max(rates) == rates[3999] == pytest.approx(7.0e-4, rel=0.01)
    assert [round(translation.paper_rate(step, 64, 100), 4) for step in (25, 100, 400)] == [
        0.0031,
        0.0125,
        0.0063,
    ]


def test_a_batch_of_both_sides_ends_in_eos_and_padding():
    pairs = [([7, 8], [9]), ([7], [9, 9, 9])]
    source, target = next(data.batches(pairs, 2, seed=0))
    assert sorted(source.tolist()) == [[7, 2, 0], [7, 8, 2]]
    assert sorted(target.tolist()) == [[9, 2, 0, 0], [9, 9, 9, 2]]


def test_no_held_out_sentence_is_trained_on():
    learned, held_out = data.pairs()
    assert len(learned) == data.PAIRS
    assert len(held_out) == data.HELD_OUT
    assert not {pair.source for pair in learned} & {pair.source for pair in held_out}


# -- decoding --------------------------------------------------------------------------------------------


def test_one_beam_is_greedy_decoding():
    table = step_table(6, 9, 9)

    def step(tokens):
        return table[min(tokens.size(1), 6) - 1][tokens[:, -1]]

    greedy = translation.greedy_decode(step, 1, 6)[0].tolist()
    [(_, tokens)] = translation.beam_search(step, 1, 6, 0.6)
    assert tokens == greedy


def test_enough_beams_find_the_best_of_all():
    """Against a search through everything: all sentences of three tokens over six."""
    table = step_table(3, 6, 6)

    def step(tokens):
        return table[tokens.size(1) - 1][tokens[:, -1]]

    def all_of(tokens, log_p):
        if len(tokens) == 4 or tokens[-1] == 2:
            yield log_p / ((5 + len(tokens) - 1) / 6) ** 0.6, tokens[1:]
            return
        for token, gain in enumerate(step(torch.tensor([tokens]))[0].tolist()):
            yield from all_of([*tokens, token], log_p + gain)

    score, best = max(all_of([1], 0.0))
    found = translation.beam_search(step, 300, 3, 0.6)
    assert found[0][1] == best
    assert found[0][0] == pytest.approx(score)


def test_the_toy_of_the_lesson_is_a_trap_for_greedy_decoding(lesson):
    letters = lesson["LETTERS"]
    one, two = (lesson["beam_search"](lesson["toy"], beams, 4, 0.0)[0] for beams in (1, 2))
    assert letters[one[1][0]] == "A"
    assert [letters[token] for token in two[1]] == ["B", "C", "<eos>"]
    assert two[0] > one[0]


@pytest.mark.parametrize("length", [1, 3, 20])
def test_the_work_is_that_of_a_loop(lesson, length):
    plain, kept, plain_scores, kept_scores = translation.decoder_work(length)
    past, scores, positions = None, 0, 0
    for _ in range(length):
        q = torch.randn(1, 4)
        _, *past = lesson["cached_attention"](q, q, q, past)
        scores, positions = scores + past[0].size(0), positions + 1
    assert (positions, scores) == (kept, kept_scores)
    assert plain == length * (length + 1) // 2
    assert plain_scores == length * (length + 1) * (2 * length + 1) // 6


def test_cached_attention_is_torchs_causal_attention(lesson):
    q, k, v = torch.randn(3, 2, 7, 4)
    whole = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    first, keys, values = lesson["cached_attention"](q[:, :4], k[:, :4], v[:, :4])
    rest, *_ = lesson["cached_attention"](q[:, 4:], k[:, 4:], v[:, 4:], (keys, values))
    torch.testing.assert_close(torch.cat([first, rest], dim=1), whole)


# -- BLEU ------------------------------------------------------------------------------------------------


def test_papinenis_example_of_clipping():
    """Section 2.1: seven times "the" against a reference that has it twice."""
    assert translation.clipped_matches(["the"] * 7, ["the", "cat", "is", "on", "the", "mat"], 1) == (2, 7)


def test_bleu_by_hand():
    reference = "kine zokur vezese lavok gebel zupot ."
    ending = reference.replace(".", "?")
    swapped = "kine zokur vezese gebel lavok zupot ."
    assert translation.bleu([ending], [reference]) == pytest.approx(100 * (3 / 7) ** 0.25)
    assert translation.bleu([swapped], [reference]) == 0
    assert round(translation.bleu([ending, swapped], [reference] * 2), 1) == 58.4


def test_bleu_is_sacrebleus():
    import sacrebleu

    references = [pair.target for pair in corpora.pairs(60, seed=3)]
    words = sorted({word for text in references for word in text.split()})
    generator = torch.Generator().manual_seed(0)
    for wrong, cut in ((0.0, 0), (0.1, 0), (0.3, 1), (0.2, -1), (0.9, 0)):
        spoilt = []
        for text in references:
            dice = torch.rand(20, generator=generator).tolist()
            said = [
                words[int(999 * d) % len(words)] if d < wrong else w
                for w, d in zip(text.split(), dice, strict=False)
            ]
            spoilt.append(" ".join(said[: len(said) - cut] if cut >= 0 else [*said, "ne"]))
        theirs = sacrebleu.corpus_bleu(
            spoilt, [references], tokenize="none", smooth_method="none", force=True
        )
        assert translation.bleu(spoilt, references) == pytest.approx(theirs.score, abs=1e-6)


def test_exchanging_two_words_costs_less_than_half_of_bleu():
    references = [pair.target for pair in data.pairs()[1]]
    exchanged = [" ".join([*(words := text.split())[1::-1], *words[2:]]) for text in references]
    assert 50 < translation.bleu(exchanged, references) < 100
    ordered = [" ".join(sorted(text.split())) for text in references]
    assert 0 < translation.bleu(ordered, references) < 50


# -- alignments ------------------------------------------------------------------------------------------


def test_every_word_has_a_true_alignment():
    for pair in data.pairs()[1]:
        places = data.true_alignment(pair.source)
        assert len(places) == len(pair.target.split())
        assert all(0 <= place < len(pair.source.split()) for place in places)
    assert data.true_alignment("the king the king .") is None


def test_the_true_alignment_of_a_sentence():
    text = "the old king gives the sailor the red lamp ."
    words = text.split()
    assert [words[place] for place in data.true_alignment(text)] == [
        "king",
        "old",
        "sailor",
        "lamp",
        "red",
        "gives",
        ".",
    ]


def test_watching_shows_what_attention_does_and_changes_nothing(small):
    source, target = torch.randint(6, 40, (1, 7)), torch.randint(6, 40, (1, 5))
    real = torch.ones(1, 7, dtype=torch.bool)
    memory = small.encode(source, real)
    with data.watching([block.cross_attention for block in small.decoder]) as seen:
        watched = small.decode(target, memory, real)
    torch.testing.assert_close(watched, small.decode(target, memory, real), rtol=1e-4, atol=1e-4)
    assert [weights.shape for weights in seen] == [(1, 2, 5, 7)] * 2
    for weights in tensors(seen):
        torch.testing.assert_close(weights.sum(-1), torch.ones(1, 2, 5))


# -- explorers and figures -------------------------------------------------------------------------------


def written_for(text):
    words = [*corpora.translate(text).split(), "<eos>"]
    return words, torch.eye(len(words), len(text.split()) + 1).repeat(2, 1, 1)


def test_the_translation_explorer_grows_word_by_word():
    box = data.translation_explorer(written_for)
    step, _, typed, picture, words = box.children
    before = picture.value
    assert shown_in(before)["shown"] == 4
    step.value += 1
    assert shown_in(picture.value) == shown_in(before) | {"shown": 5}
    typed.value = "the dragon sleeps in the garden ."
    assert "dragon" in picture.value
    assert "data-numbers" not in picture.value and words.value == ""
    typed.value = "my king loves my queen ."
    assert not step.disabled
    step.value = step.max
    assert "the two agree" in words.value


def test_the_translation_explorer_shows_a_model_that_stops_at_once():
    box = data.translation_explorer(lambda text: (["<eos>"], torch.eye(1, len(text.split()) + 1)[None]))
    assert box.data["first"] == shown_in(box.children[3].value)["shown"] == 1
    assert "1 of 1 words written" in box.still
    assert (box.children[0].max, box.children[0].disabled) == (1, True)


def test_the_beam_explorer_draws_what_stays_alive(lesson):
    box = data.beam_explorer(translation.beam_search, lambda text: lesson["toy"], lesson["LETTERS"])
    beams, _, _, picture = box.children
    before = picture.value
    beams.value = 1
    assert "<img" in before
    assert picture.value != before


def test_explorers_wait_for_what_is_not_written():
    def missing(*_):
        raise NotImplementedError

    for box, place in (
        (data.translation_explorer(missing, "Exercise 11.8"), 3),
        (data.beam_explorer(missing, lambda text: None, []), 3),
    ):
        assert "not written yet" in box.children[place].value


def test_the_tree_says_what_is_best(lesson):
    recorder = data.Recorder(lesson["toy"])
    found = translation.beam_search(recorder, 2, 4, 0.0)
    ax = figures.tree(recorder.chances, found, lesson["LETTERS"])
    assert "Best: B C <eos>" in ax.get_label()
    texts = [text.get_text() for text in ax.texts]
    assert f"−{-math.log(0.9):.2f}" in texts


def test_positions_are_the_papers(small):
    torch.testing.assert_close(small.table, sinusoidal(128, 16))


def test_no_measured_share_stands_above_the_prediction_of_it() -> None:
    cells = read_master(master_path("11_translation"), "master")[0]
    at = next(n for n, cell in enumerate(cells) if (cell.kind, cell.id) == ("predict", "translation.exactly"))
    above = [cell.source for cell in cells[:at] if not cell.is_code]
    assert "## 11.9 Train it" in "\n".join(above)
    assert not [text for text in above if "{measured." in text or re.search(r"\d %", text)]
