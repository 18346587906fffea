"""Lesson 08's helpers against torch and lesson 07, what its prose says, its explorer."""

import dataclasses
import itertools
import math

import pytest
import torch
from torch import nn

from autograder import lessons
from autograder.authoring.master import read_master
from helpers import corpora, counting, pretraining, training
from helpers.block import DecoderOnly
from helpers.figures.showing import waiting_for
from helpers.models.transformer import LanguageModel, LanguageModelConfig
from helpers.pretraining import adam, explorers, plays, scaling
from helpers.training import muon
from tests.support.proved import COURSE, follows_from

pytestmark = follows_from(*COURSE)


@pytest.fixture(autouse=True)
def seeded() -> None:
    torch.manual_seed(0)


def small() -> LanguageModel:
    return LanguageModel(dataclasses.replace(pretraining.model_config(), d_model=32, n_heads=2))


# -- batches, loss, perplexity, pairs ------------------------------------------------------------------------


def test_targets_are_the_next_tokens_and_padding_is_none():
    words = corpora.vocabulary()
    inputs, targets = pretraining.inputs_and_targets(words.batch(["it is good .", "it is"]))
    assert words.decode(inputs[0]) == "it is good ."
    assert words.decode(targets[0]) == "it is good ."  # up to <eos>
    assert targets[1].tolist() == [*words.encode("it is"), corpora.EOS, -100, -100]


def test_the_loss_is_torchs_cross_entropy():
    logits, targets = 5 * torch.randn(3, 7, 11), torch.randint(11, (3, 7))
    targets[1, 2:] = -100
    expected = nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())
    torch.testing.assert_close(pretraining.language_model_loss(logits, targets), expected)


def test_perplexity_of_a_uniform_guess_is_the_size_of_the_vocabulary():
    assert pretraining.perplexity(torch.full((3,), math.log(884)), torch.tensor([5, 9, 1])) == pytest.approx(
        884
    )
    by_hand = pretraining.perplexity(torch.tensor([1.0, 2.0]), torch.tensor([30, 10]))
    assert float(by_hand) == pytest.approx(math.exp(1.25))


def test_each_row_of_the_table_of_pairs_sums_to_one():
    inputs, targets = torch.randint(5, (4, 30)), torch.randint(5, (4, 30))
    table = pretraining.bigram_log_probabilities(inputs, targets, 6, 0.5)
    torch.testing.assert_close(table.exp().sum(-1), torch.ones(6))


def test_the_ladder_goes_down_and_ends_above_the_entropy():
    held_out = corpora.vocabulary().batch(review.text for review in corpora.reviews(60, seed=999))
    steps = pretraining.ladder([review.text for review in corpora.reviews(800, seed=1)], held_out)
    assert list(steps) == ["uniform", "unigram", "bigram"]
    assert steps["uniform"] > steps["unigram"] > steps["bigram"] > 2 * corpora.entropy_per_token()


# -- the model -----------------------------------------------------------------------------------------------


def test_the_model_of_lesson_06_has_the_same_numbers_under_other_names():
    theirs = DecoderOnly(50, 8, 2, 2, 12)
    ours = LanguageModel(LanguageModelConfig(50, 8, 2, 2, 12))
    ours.load_state_dict(explorers.as_language_model(theirs.state_dict()))
    ids = torch.randint(50, (3, 9))
    torch.testing.assert_close(theirs(ids), ours(ids), atol=1e-5, rtol=1e-4)
    cache, parts = ours.new_cache(), []
    for piece in ids.split(4, dim=1):
        parts.append(ours(piece, cache))
    torch.testing.assert_close(torch.cat(parts, dim=1), ours(ids), atol=1e-5, rtol=1e-4)


def test_lesson_07_counts_the_model_and_its_price():
    sizes = {"vocabulary": 884, "d_model": 96, "n_heads": 4, "n_layers": 2, "positions": 100}
    parameters = counting.gpt2_parameters(**sizes)
    assert parameters == counting.count(pretraining.new_model())
    operations = 3_470_000 * counting.training_flops_per_token(parameters - 100 * 96, 2, 100, 96)
    assert 3.1e23 / operations == pytest.approx(43e9, rel=0.02)  # GPT-3's, as the lesson says


def test_one_pass_gives_the_logits_of_all_prefixes():
    model, ids = small().eval(), torch.randint(6, 800, (1, 12))
    with torch.no_grad():
        at_once = model(ids)
        one_by_one = torch.cat([model(ids[:, :end])[:, -1:] for end in range(1, 13)], dim=1)
    torch.testing.assert_close(at_once, one_by_one, atol=1e-5, rtol=1e-4)


# -- training ------------------------------------------------------------------------------------------------


def test_the_learning_rate_goes_up_and_down():
    rates = [pretraining.learning_rate(step, 10, 4, 0.8) for step in range(1, 11)]
    assert rates == pytest.approx([0.2, 0.4, 0.6, 0.8, 0.667, 0.533, 0.4, 0.267, 0.133, 0], abs=1e-3)


def test_adamw_is_torchs_in_float64_and_what_has_one_axis_does_not_decay():
    matrix, bias = (torch.randn(*shape, dtype=torch.float64) for shape in ((5, 3), (4,)))
    theirs = [nn.Parameter(matrix.clone()), nn.Parameter(bias.clone())]
    ours = [nn.Parameter(matrix.clone()), nn.Parameter(bias.clone())]
    settings = {"lr": 0.03, "betas": (0.9, 0.98), "eps": 1e-3}
    groups = [{"params": theirs[:1], "weight_decay": 0.2}, {"params": theirs[1:], "weight_decay": 0.0}]
    torchs = torch.optim.AdamW(groups, **settings)
    by_hand = adam.ByHand(ours, pretraining.adamw, decay=0.2, **settings)
    for number in range(12):
        if number == 6:  # taken up again, as after an interrupt
            state = by_hand.state_dict()
            by_hand = adam.ByHand(ours, pretraining.adamw, decay=0.2, **settings)
            by_hand.load_state_dict(state)
        for one, other in zip(ours, theirs, strict=True):
            one.grad = other.grad = 3 * torch.randn_like(other)
        torchs.step(), by_hand.step()
        for one, other in zip(ours, theirs, strict=True):
            torch.testing.assert_close(one, other, atol=1e-10, rtol=0)


def test_adamw_by_hand():
    w, g, zero = torch.tensor([[2.0]]), torch.tensor([[3.0]]), torch.zeros(1, 1)
    settings = {"step": 1, "lr": 0.1, "betas": (0.9, 0.99), "decay": 0.5}
    found = pretraining.adamw(w, g, zero, zero, **settings)
    assert [float(each) for each in found] == pytest.approx([1.8, 0.3, 0.09])
    assert float(pretraining.adamw(w[0], g[0], zero[0], zero[0], **settings)[0]) == pytest.approx(1.9)


def test_biases_and_norms_do_not_decay_in_the_courses_training():
    model = small()
    _, adamw = pretraining.reference.both_optimizers(model).optimizers
    decays = {id(w): group["weight_decay"] for group in adamw.param_groups for w in group["params"]}
    matrices = {id(matrix) for matrix in muon.matrices_and_rest(model)[0]}
    for weight in model.parameters():
        if id(weight) not in matrices:
            assert decays[id(weight)] == (0.05 if weight.dim() > 1 else 0)


def test_each_piece_of_adamw_does_what_the_lesson_says(monkeypatch):
    monkeypatch.delenv("HEADSTART_QUICK", raising=False)
    monkeypatch.setattr(adam, "SEEDS", (0,))
    runs = adam.measure(pretraining.adamw)
    assert len(adam.pieces(runs).figure.axes) == 3
    first = {name: run.lengths[0] for name, (run, *_) in runs.items()}
    assert first["AdamW"] == pytest.approx(1, abs=0.05)
    assert first["no correction"] == pytest.approx(0.1 / math.sqrt(0.001), rel=0.05)
    assert first["no correction, β₂ = 0.98"] == pytest.approx(0.1 / math.sqrt(0.02), rel=0.05)
    whole, bare, harmless, l2, no_decay, no_momentum = (run for [run] in runs.values())
    assert min(bare.loss, l2.loss) > whole.loss + 0.5
    for other in (harmless, no_decay, no_momentum):
        assert other.loss == pytest.approx(whole.loss, abs=0.06)
    assert l2.rare < 0.1 * whole.rare
    assert 0.9 * no_decay.rare < whole.rare < no_decay.rare


def test_muons_move_is_about_as_long_in_all_directions_as_drawn():
    gradient = torch.randn(20, 8) @ torch.diag(10.0 ** -torch.linspace(0, 1.5, 8))
    before, after = (line.get_ydata() for line in adam.directions(gradient).lines)
    assert max(before) > 20 * min(before)
    assert 0.6 < min(after) <= max(after) < 1.3


def test_two_steps_are_torchs_two_steps():
    x, y = torch.randn(2, 5, 3), torch.randn(2, 5, 1)

    def loss(model, x, y):
        return (model(x) - y).square().mean()

    one = nn.Linear(3, 1)
    other = nn.Linear(3, 1)
    other.load_state_dict(one.state_dict())
    ours, torchs = (torch.optim.SGD(model.parameters(), lr=0.1) for model in (one, other))
    for batch in zip(x, y, strict=True):
        pretraining.training_step(one, ours, loss, batch, max_norm=0.5)
        torchs.zero_grad()
        loss(other, *batch).backward()
        nn.utils.clip_grad_norm_(other.parameters(), 0.5)
        torchs.step()
    assert torch.equal(one.weight, other.weight)


def test_muon_moves_a_matrix_alike_in_all_directions():
    matrix = nn.Parameter(torch.randn(6, 10))
    before = matrix.detach().clone()
    matrix.grad = torch.randn(6, 10) @ torch.diag(10.0 ** -torch.linspace(0, 1, 10))
    muon.Muon([matrix], lr=0.1).step()
    moved = torch.linalg.svdvals((before - matrix.detach()) / 0.1)
    assert 0.6 < moved.min() <= moved.max() < 1.3


def test_all_optimizers_together_leave_no_parameter_out():
    model = small()
    matrices, rest = muon.matrices_and_rest(model)
    assert len(matrices) == 2 * 4
    assert sum(p.numel() for p in [*matrices, *rest]) == counting.count(model)


def test_a_short_training_learns(monkeypatch, tmp_path):
    monkeypatch.setenv("HEADSTART_PROGRESS", str(tmp_path / "progress.json"))
    model = small()
    monkeypatch.setattr(pretraining.reference, "BATCH", 8)
    live = pretraining.pretrain(model, 24)
    first, last = live.lines["held out"][0][1], live.lines["held out"][-1][1]
    assert last < first < 7
    training.keep(pretraining.KEPT, model)
    other = small()
    assert training.recall(pretraining.KEPT, other)
    assert torch.equal(other.words.weight, model.words.weight)


def test_a_model_kept_in_another_size_is_left_alone_and_one_that_fits_is_trained(monkeypatch, tmp_path):
    monkeypatch.setenv("HEADSTART_PROGRESS", str(tmp_path / "progress.json"))
    wider = LanguageModel(dataclasses.replace(pretraining.model_config(), d_model=128))
    kept = training.keep(pretraining.KEPT, wider)
    before, trained = kept.read_bytes(), []
    monkeypatch.setattr(pretraining.reference, "pretrain", lambda model, steps: trained.append(model))
    model = pretraining.pretrained()
    assert trained == [model] and model.config == pretraining.model_config()
    assert kept.read_bytes() == before


# -- writing -------------------------------------------------------------------------------------------------


def test_temperature_goes_from_greedy_to_uniform():
    logits = torch.randn(4, 9)
    assert torch.equal(pretraining.with_temperature(logits, 0).argmax(-1), logits.argmax(-1))
    torch.testing.assert_close(pretraining.with_temperature(logits, 1), logits.softmax(-1))
    torch.testing.assert_close(
        pretraining.with_temperature(logits, 1e5), torch.full((4, 9), 1 / 9), atol=1e-4, rtol=0
    )


def test_cuts_keep_what_they_should_and_sum_to_one():
    p = torch.randn(20, 30).softmax(-1)
    few = pretraining.top_k(p, 5)
    assert ((few > 0).sum(-1) == 5).all()
    kept = pretraining.nucleus(p, 0.6)
    share = (p * (kept > 0)).sum(-1)
    least = torch.where(kept > 0, p, 1).amin(-1)
    assert (share >= 0.6).all()
    assert (share - least < 0.6).all()  # without the last one, p isn't reached
    for cut in (few, kept):
        torch.testing.assert_close(cut.sum(-1), torch.ones(20))


def test_tokens_are_drawn_as_often_as_they_are_probable():
    p = torch.tensor([0.2, 0.0, 0.5, 0.3]).expand(20_000, 4)
    found = pretraining.draw(p, torch.rand(20_000, generator=torch.Generator().manual_seed(0)))
    share = torch.bincount(found, minlength=4) / 20_000
    torch.testing.assert_close(share, p[0], atol=0.015, rtol=0)
    assert share[1] == 0


def test_generating_with_the_cache_is_generating_without():
    model = small().eval()
    prompts = torch.full((3, 1), corpora.BOS)
    ids = pretraining.generate(
        model, prompts, torch.Generator(), rule=lambda logits: pretraining.with_temperature(logits, 0)
    )
    with torch.no_grad():
        again = model(ids[:, :20]).argmax(-1)
    assert torch.equal(again[:, :19], ids[:, 1:20])


def test_what_the_corpus_says_is_grammatical():
    texts = [review.text for review in corpora.reviews(10, seed=4)]
    assert pretraining.grammatical_share(texts) == 1
    assert pretraining.grammatical_share(["book the is dull ."]) == 0


# -- figures and the explorer --------------------------------------------------------------------------------

RULES = (pretraining.with_temperature, pretraining.top_k, pretraining.nucleus, pretraining.draw)


def test_the_explorer_follows_its_sliders_and_writes():
    explorer = explorers.next_word_explorer(small().eval(), *RULES)
    temperature, _, p, _, _, picture, text = explorer.children
    before = picture.value
    assert "<img" in before
    assert "<b>" in text.value
    temperature.value = 2.0
    assert picture.value != before
    p.value = 0.05
    assert "words left" in picture.value


def test_the_explorer_has_a_stand_in_and_waits_kindly():
    explorer = explorers.next_word_explorer(None, *RULES)
    assert any(explorers.NO_MODEL[:20] in str(getattr(child, "value", "")) for child in explorer.children)
    assert "<img" in explorer.children[-2].value

    def unwritten(*_):
        raise NotImplementedError

    explorer = explorers.next_word_explorer(None, unwritten, *RULES[1:])
    assert "not written yet" in explorer.children[-2].value


def test_a_model_that_is_not_trained_is_waited_for(capsys):
    with waiting_for("the training in 8.11"):
        explorers.trained(None)
    assert "This needs the training in 8.11" in capsys.readouterr().out


def test_figures_say_what_is_to_be_seen():
    ax = explorers.four_runs(1.175)
    assert len(ax.figure.axes) == 4
    assert "run A" in ax.figure.axes[0].get_label()
    ax = explorers.ladder({"uniform": 6.78, "bigram": 2.7}, 1.175)
    assert "bigram 2.70" in ax.get_label()


def test_the_four_runs_are_what_the_exercise_says():
    entropy, ends = (
        corpora.entropy_per_token(),
        {n: points[-1] for n, points in explorers.RUNS.items()},
    )
    assert ends["run A"][2] < entropy  # a leak
    assert ends["run B"][1] < entropy < 6 < ends["run B"][2]  # by heart
    assert entropy < ends["run C"][1] < ends["run C"][2] < 1.25 * entropy
    assert ends["run D"][1] == pytest.approx(math.log(884), abs=0.05)  # nothing


# -- sizes and budgets -----------------------------------------------------------------------------------


def test_the_kept_runs_are_four_models_for_each_of_four_budgets() -> None:
    runs = scaling.kept()
    assert len(runs) == 16
    for flops, widths in scaling.WIDTHS.items():
        mine = [run for run in runs if run.flops == flops]
        assert len(mine) == len(widths) == 4
        for run in mine:
            assert 6 * run.weights * run.tokens == pytest.approx(flops, rel=0.03)


def test_each_budget_has_a_best_size_that_grows_with_it() -> None:
    best = {}
    for flops in scaling.WIDTHS:
        mine = [run for run in scaling.kept() if run.flops == flops]
        sizes, gaps = (
            torch.tensor(column).double() for column in zip(*(run[1::2] for run in mine), strict=True)
        )
        best[flops] = pretraining.best_size(sizes, gaps)
        assert sizes.min() < best[flops] < sizes.max()
    assert sorted(best.values()) == list(best.values())
    assert "best" in scaling.valleys(scaling.kept(), best).get_label()


def test_a_run_spends_its_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEADSTART_QUICK", raising=False)
    monkeypatch.setitem(scaling.WIDTHS, 2e9, (8,))
    [run] = scaling.measure([2e9], seed=1, keep="own budget")
    assert 6 * run.weights * run.tokens == pytest.approx(2e9, rel=0.1)
    assert 1 < run.gap < 6
    monkeypatch.setattr(scaling, "_learn", lambda *_: pytest.fail("a kept model is trained again"))
    [again] = scaling.measure([2e9], seed=1, keep="own budget")
    assert again.gap == run.gap
    with pytest.raises(pytest.fail.Exception):
        scaling.measure([2e9], seed=2, keep="own budget")  # another seed is another run


def test_a_run_of_the_students_own_is_drawn_where_it_belongs() -> None:
    runs = plays.kept()
    for merges, place in ((0, 0), (256, 1), (500, 1.5)):
        ax = plays.bits_by_merges(runs, (merges, 2.25))
        assert ax.lines[-1].get_xydata().tolist() == [[place + 0.25, 2.25]]
        assert ax.get_label().endswith(f" Yours, {merges} merges: 2.25 bits.")


def test_sizes_and_budgets_by_hand() -> None:
    sizes, gaps = torch.tensor([0.0, 1, 2]).double().exp(), torch.tensor([2.0, 0, 2]).double().exp()
    assert pretraining.best_size(sizes, gaps) == pytest.approx(math.e)
    found = pretraining.compute_optimal(
        torch.tensor([10.0, 1000]).double(), torch.tensor([3.0, 30]).double(), 1e5
    )
    assert found == pytest.approx((300, 55.5556), rel=1e-4)


# -- Shakespeare ---------------------------------------------------------------------------------------------

SPEECH = (
    "First Citizen:\nWe are accounted poor citizens, the patricians good.\n\n  'Tis so, is't not? Ay -- O!\n"
)


def test_any_text_is_its_bytes_and_their_merges_again() -> None:
    text = "the plot is όμορφη 🙂 naïve"
    tokens, merges = text.encode().hex(" "), ["f0 9f", "f09f 99", "74 68", "7468 65", "cf 86"]
    for pair in merges:
        tokens = pretraining.merge_pair(tokens, pair)
    assert "746865" in tokens.split() and "f09f99" in tokens.split()
    assert pretraining.decode_bytes(tokens) == text
    assert pretraining.decode_bytes("61 f09f99") == "a\ufffd"  # half a character


def test_a_text_is_its_words_and_its_tokens_again() -> None:
    assert plays.text_of(plays.words(SPEECH)) == SPEECH
    assert plays.words("to be, or\nnot") == ["to", "▁be", ",", "▁or", "¶", "not"]
    merges = corpora.library_merges([" ".join(plays.words(9 * SPEECH))], 30)

    def encode(word: str) -> str:
        tokens = " ".join(word)
        for pair in merges:
            tokens = pretraining.merge_pair(tokens, pair)
        return tokens

    tokens = plays.encoded(SPEECH, encode)
    assert plays.text_of(tokens) == SPEECH
    assert len(tokens) < len(plays.encoded(SPEECH, " ".join)) == len(SPEECH)


def test_plays_are_learned_with_tokens_of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plays, "STEPS", 80)
    monkeypatch.setattr(corpora, "load", {"tinyshakespeare": 60 * SPEECH}.get)
    letters, tokens = plays.measure((0, 40))
    assert (letters.vocabulary, tokens.vocabulary) == (len(set(SPEECH)), len(set(SPEECH)) + 40)
    assert letters.characters == 1 < tokens.characters
    for run in (letters, tokens):
        assert 0 < run.nats < math.log(run.vocabulary) + 0.5
        assert run.bits == pytest.approx(run.nats / math.log(2) / run.characters)


def test_the_held_out_loss_is_that_of_all_windows() -> None:
    scores = torch.randn(7, generator=torch.Generator().manual_seed(0))

    class Same(nn.Module):
        def forward(self, ids: torch.Tensor) -> torch.Tensor:
            return scores.expand(*ids.shape, 7)

    ids = torch.randint(7, (64 * 130 + 1,), generator=torch.Generator().manual_seed(1))
    expected = -scores.log_softmax(0)[ids[1:]].mean()
    assert plays.held_out_loss(Same(), ids, pretraining.loss_of) == pytest.approx(float(expected), rel=1e-5)


def test_a_larger_vocabulary_was_measured_to_buy_shorter_texts() -> None:
    """What is kept is of the sizes that the lesson shows, and what it says of them is so."""
    runs = plays.kept()
    assert tuple(run.merges for run in runs) == plays.MERGES
    for fewer, more in itertools.pairwise(runs):
        assert fewer.characters < more.characters and fewer.nats < more.nats
        assert fewer.parameters < more.parameters


# -- predictions ---------------------------------------------------------------------------------------------


def test_where_the_loss_ends_is_predicted_before_the_training_shows_it():
    cells, _ = read_master(lessons.ROOT / "notebooks/08_pretraining.py", "08_pretraining")
    [asked] = [
        at for at, cell in enumerate(cells) if (cell.kind, cell.id) == ("predict", "pretraining.limit")
    ]
    [trained] = [at for at, cell in enumerate(cells) if 'keep("reviews", fresh, pretrain(' in cell.source]
    assert asked < trained
    assert 'after_predicting("pretraining.limit")' in cells[trained].source
