"""BERT agrees with transformers' given its weights; draws keep their shares; the lesson's claims hold."""

import itertools
import math
from collections.abc import Callable

import pytest
import safetensors.torch
import torch
from transformers import BertConfig, BertForPreTraining, GPT2Config, GPT2LMHeadModel

from autograder import exercises
from autograder.sheets import VISIBLE_SEED, make_cases, outcome_of
from exercises.bert.shared import passages
from helpers import bert, corpora, finetuning, pretraining
from helpers.bert import experiments, explorers, figures, published, recipes
from helpers.checking.calling.drivers import judged, run
from helpers.finetuning.experiments import Examples
from helpers.masking import sees
from helpers.models.blocks import BERT, GPT2, PRE_NORM
from helpers.models.transformer import Encoder, EncoderConfig, LanguageModel, LanguageModelConfig
from helpers.text.vocabulary import BOS, CLS, EOS, MASK, ORDINARY, PAD, SEP, SPECIALS
from tests.support.proved import COURSE, follows_from

pytestmark = follows_from(*COURSE)

close = torch.testing.assert_close
V = len(corpora.vocabulary())
SPECS = exercises.load("bert")


class FromSizes(bert.Bert):
    """The helper's, made as students make theirs."""

    def __init__(self, *sizes, **named):
        super().__init__(EncoderConfig(*sizes, **named, segments=2, style=PRE_NORM))


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


@pytest.fixture(scope="module")
def models():
    torch.manual_seed(0)
    return {"bert": experiments.new_bert(FromSizes, 0), "left": pretraining.new_model()}


def rows(*lengths):
    generator = torch.Generator().manual_seed(1)
    words = [torch.randint(6, 30, (n,), generator=generator).tolist() for n in sum(lengths, ())]
    return experiments.filled_up(
        [bert.pack(a, b, 90)[0] for a, b in zip(words[::2], words[1::2], strict=True)]
    )


# -- parity --------------------------------------------------------------------------------------------------


def theirs_for_ours(state, n_layers):
    """The weights of transformers' model under our names."""
    names = {
        "encoder.words": "bert.embeddings.word_embeddings",
        "encoder.positions": "bert.embeddings.position_embeddings",
        "encoder.segments": "bert.embeddings.token_type_embeddings",
        "encoder.first_norm": "bert.embeddings.LayerNorm",
        "pooler": "bert.pooler.dense",
        "follows": "cls.seq_relationship",
        "word_head.transform": "cls.predictions.transform.dense",
        "word_head.norm": "cls.predictions.transform.LayerNorm",
    }
    for n in range(n_layers):
        layer = f"bert.encoder.layer.{n}"
        names |= {
            f"encoder.blocks.{n}.attention.W_o": f"{layer}.attention.output.dense",
            f"encoder.blocks.{n}.norm_1": f"{layer}.attention.output.LayerNorm",
            f"encoder.blocks.{n}.feed_forward.W_up": f"{layer}.intermediate.dense",
            f"encoder.blocks.{n}.feed_forward.W_down": f"{layer}.output.dense",
            f"encoder.blocks.{n}.norm_2": f"{layer}.output.LayerNorm",
        }
    found = {"word_head.bias": state["cls.predictions.bias"]}
    for kind in ("weight", "bias"):
        found |= {f"{a}.{kind}": state[f"{b}.{kind}"] for a, b in names.items() if f"{b}.{kind}" in state}
        for n in range(n_layers):
            parts = [
                state[f"bert.encoder.layer.{n}.attention.self.{x}.{kind}"] for x in ("query", "key", "value")
            ]
            found[f"encoder.blocks.{n}.attention.W_qkv.{kind}"] = torch.cat(parts)
    return found


@pytest.fixture
def both():
    config = BertConfig(
        vocab_size=40, hidden_size=12, num_hidden_layers=2, num_attention_heads=3, intermediate_size=20,
        max_position_embeddings=16, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, pad_token_id=PAD,
    )  # fmt: skip
    theirs = BertForPreTraining(config).eval()
    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter.normal_(std=0.3)
    ours = bert.Bert(EncoderConfig(40, 12, 3, 20, 2, 16, segments=2))
    missing = ours.load_state_dict(theirs_for_ours(theirs.state_dict(), 2))
    assert not missing.missing_keys
    return ours, theirs


def test_both_heads_and_the_loss_are_those_of_transformers(both):
    ours, theirs = both
    ids = rows((3, 4), (2, 1), (5, 5))
    segments, follows = passages(ids), torch.tensor([1, 0, 1])
    labels = torch.where(ids == ids[0, 1], ids, -100)
    expected = theirs(
        ids, (ids != PAD).long(), segments, labels=labels, next_sentence_label=follows, return_dict=True
    )
    word_logits, follows_logits = ours(ids, segments)
    close(word_logits[ids != PAD], expected.prediction_logits[ids != PAD], rtol=1e-4, atol=1e-4)
    close(follows_logits, expected.seq_relationship_logits, rtol=1e-4, atol=1e-4)
    close(bert.bert_loss(word_logits, follows_logits, labels, follows), expected.loss, rtol=1e-4, atol=1e-4)


def test_the_embedding_and_the_pooler_are_those_of_transformers(both):
    ours, theirs = both
    ids = rows((3, 4), (2, 1))
    segments, inner = passages(ids), theirs.bert
    tables = (ours.encoder.words.weight, ours.encoder.positions.weight, ours.encoder.segments.weight)
    close(ours.encoder.first_norm(bert.embed(ids, segments, *tables)), inner.embeddings(ids, segments))
    expected = inner(ids, (ids != PAD).long(), segments).pooler_output
    pooled = ours.pooler(ours.encoder(ids, ids != PAD, segments)[:, 0]).tanh()
    close(pooled, expected, rtol=1e-4, atol=1e-4)
    assert theirs.cls.predictions.decoder.weight is inner.embeddings.word_embeddings.weight


# -- a published checkpoint --------------------------------------------------------------------------------------


def test_the_published_names_are_those_that_the_exercise_asks_for():
    asked = {ours: [theirs] for ours, theirs in SPECS["bert.published_names"].reference.items()}
    assert asked.items() <= bert.PUBLISHED_NAMES.items()
    encoder = Encoder(EncoderConfig(9, 4, 2, 8, 2, 5, segments=2, style=BERT))
    layers = {name.rpartition(".")[0] for name in encoder.state_dict()}
    assert {ours.format(n) for ours in bert.PUBLISHED_NAMES for n in range(2)} == layers


def test_a_published_bert_in_a_file_has_the_hidden_states_of_transformers(both, tmp_path):
    _, theirs = both
    theirs.bert.save_pretrained(tmp_path)
    state = safetensors.torch.load_file(tmp_path / "model.safetensors")
    encoder = Encoder(EncoderConfig(40, 12, 3, 20, 2, 16, segments=2, style=BERT))
    weights = bert.renamed(state, bert.PUBLISHED_NAMES, 2)
    found = finetuning.match_state_dict(weights, encoder.state_dict(), "")
    assert not found["missing"] + found["other shape"] + found["left over"]
    encoder.load_state_dict(finetuning.transfer(weights, encoder.state_dict(), ""))
    ids = rows((3, 4), (2, 1))
    expected = theirs.bert(ids, (ids != PAD).long()).last_hidden_state
    close(encoder(ids, ids != PAD)[ids != PAD], expected[ids != PAD], rtol=0, atol=1e-5)


def test_gpt2_in_a_file_has_the_scores_of_transformers_and_writes_what_it_writes(tmp_path):
    tokenizer = corpora.subwords(["the cat sat on the mat"] * 4, 30)
    V, special = tokenizer.get_vocab_size(), {"bos_token_id": None, "eos_token_id": None}
    config = GPT2Config(vocab_size=V, n_positions=20, n_embd=12, n_layer=2, n_head=3, **special)
    theirs = GPT2LMHeadModel(config).eval()
    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter.normal_(std=0.3)
    theirs.transformer.save_pretrained(tmp_path)
    state = safetensors.torch.load_file(tmp_path / "model.safetensors")
    model = LanguageModel(LanguageModelConfig(V, 12, 3, 2, 20, style=GPT2, scale=1.0))
    model.load_state_dict(bert.renamed(state, published.GPT2_NAMES, 2, published.GPT2_TURNED))
    assert model.head.weight is model.words.weight
    ids = torch.randint(V, (2, 9))
    close(model(ids), theirs(ids).logits, rtol=0, atol=1e-5)
    begun = tokenizer.encode("the cat").ids
    best = theirs.generate(torch.tensor([begun]), max_new_tokens=8, do_sample=False)[0].tolist()
    text = published.written(model, tokenizer, "the cat", lambda p: pretraining.nucleus(p, 1e-6), words=8)
    assert text == tokenizer.decode(best)


class Word(torch.nn.Module):
    """An encoder that has learned which word decides."""

    def __init__(self):
        super().__init__()
        self.words = torch.nn.Embedding(40, published.MINILM.d_model)

    def forward(self, ids, real):
        return self.words(ids)


def test_a_head_on_frozen_vectors_learns_what_they_tell_and_guesses_where_they_tell_nothing(monkeypatch):
    monkeypatch.delenv("HEADSTART_QUICK", raising=False)
    labels = torch.randint(2, (500,))
    told = torch.stack([torch.full_like(labels, 7), torch.randint(30, 40, (500,)), 10 + labels], dim=1)
    untold = told[torch.randperm(500)]
    for ids, low, high in ((told, 0.95, 1.0), (untold, 0.3, 0.7)):
        examples = Examples(ids, labels)
        text = published.Sentences(examples.part(slice(0, 200)), examples.part(slice(200, 500)))
        found = published.frozen(Word(), finetuning.mean_real, text, [50, 200], seeds=range(2))
        assert found.keys() == {50, 200} and all(len(shares) == 2 for shares in found.values())
        assert low <= min(found[200]) and max(found[200]) <= high


def test_what_the_lesson_shows_was_measured_with_five_seeds():
    assert all(len(shares) == 5 for of in published.MEASURED.values() for shares in of.values())
    mean = {way: {n: sum(s) / 5 for n, s in of.items()} for way, of in published.MEASURED.items()}
    assert mean[published.TUNED][200] > 0.14 + max(mean["TF-IDF"][200], mean[published.SCRATCH][200])


def test_the_students_own_seeds_are_drawn_beside_the_courses() -> None:
    own = {published.TUNED: {200: [0.7, 0.75]}}
    ax = figures.by_labels(published.MEASURED, title="A", yours=own)
    assert ax.lines[-2].get_xydata().tolist() == [[200, 0.7], [200, 0.75]] or ax.lines[
        -1
    ].get_xydata().tolist() == [[200, 0.7], [200, 0.75]]
    assert ax.get_label().endswith("Yours, fine-tuned: 70.0 % with 200 labels, 75.0 % with 200 labels.")


# -- the helper and the references -----------------------------------------------------------------------------


SAME = {
    "bert.pack": bert.pack,
    "bert.key_mask": bert.key_mask,
    "bert.embed": bert.embed,
    "bert.blank": bert.blank_left_to_right,
    "bert.fill": bert.fill_and_mask_again,
    "bert.mask_tokens": bert.mask_tokens,
    "bert.word_head": bert.WordHead,
    "bert.model": FromSizes,
    "bert.renamed": bert.renamed,
}


@pytest.mark.parametrize("name", SAME)
def test_the_helper_answers_the_exercise(name):
    spec = SPECS[name]
    for case in make_cases(spec, VISIBLE_SEED):
        expected, got = (outcome_of(spec, answer, case) for answer in (spec.reference, SAME[name]))
        assert got.status == "returned", got
        assert str(got.outputs) == str(expected.outputs)


def test_special_tokens_have_the_numbers_that_the_text_names():
    assert (PAD, BOS, EOS, MASK, CLS, SEP) == (0, 1, 2, 3, 4, 5)
    assert ORDINARY == len(SPECIALS) == 6


# -- chance ----------------------------------------------------------------------------------------------------


def test_a_right_masking_is_never_refused():
    cases = make_cases(SPECS["bert.mask_tokens"], VISIBLE_SEED)
    for case, offset in itertools.product((cases[0], cases[-1]), range(8)):

        def shifted(ids, vocabulary, generator, share=0.15, offset=offset):
            torch.rand(offset, generator=generator)
            return bert.mask_tokens(ids, vocabulary, generator, share)

        found = judged("draws", case, run("draws", shifted, case)).outputs
        assert all(value in (True, "yes") for value in found.values()), (case.title, offset)


def _so_many_of_each_row(number: Callable[[float], int], more: int = 0) -> Callable:
    """A masking that chooses a number of each row's words, as BERT's own code does."""

    def answer(ids, vocabulary, generator, share=0.15):
        read, labels = ids.clone(), torch.full_like(ids, -100)
        for row, words in enumerate(ids >= ORDINARY):
            places = words.nonzero().flatten()
            places = places[torch.randperm(len(places), generator=generator)]
            places = places[: number(share * (len(places) + more))]
            labels[row, places] = ids[row, places]
            fate = torch.rand(len(places), generator=generator)
            others = torch.randint(ORDINARY, vocabulary, fate.shape, generator=generator)
            read[row, places[fate < 0.9]] = others[fate < 0.9]
            read[row, places[fate < 0.8]] = MASK
        return read, labels

    return answer


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("number", [int, round, math.ceil])
def test_a_number_of_each_row_may_be_chosen_however_it_is_made_whole(number, seed):
    for case in itertools.compress(make_cases(SPECS["bert.mask_tokens"], seed), (1, 0, 0, 1)):
        found = judged("draws", case, run("draws", _so_many_of_each_row(number), case)).outputs
        assert all(value in (True, "yes") for value in found.values()), case.title


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("number", [int, round, math.ceil])
def test_a_number_that_counts_special_tokens_is_wrong_in_each_draw(number, seed):
    case = make_cases(SPECS["bert.mask_tokens"], seed)[-1]
    found = judged("draws", case, run("draws", _so_many_of_each_row(number, more=3), case)).outputs
    assert not found["as many words are chosen as they should"]


@pytest.mark.parametrize(("first", "last"), [(1, 0), (0, 1)])
def test_a_word_that_is_never_drawn_is_noticed(first, last):
    case = make_cases(SPECS["bert.mask_tokens"], VISIBLE_SEED)[-1]

    def answer(ids, vocabulary, generator, share=0.15):
        chosen = (torch.rand(ids.shape, generator=generator) < share) & (ids >= ORDINARY)
        fate = torch.rand(ids.shape, generator=generator)
        others = torch.randint(ORDINARY + first, vocabulary - last, ids.shape, generator=generator)
        read = torch.where(chosen & (fate < 0.8), MASK, ids)
        return torch.where(chosen & (fate >= 0.9), others, read), torch.where(chosen, ids, -100)

    found = judged("draws", case, run("draws", answer, case)).outputs
    assert [name for name, value in found.items() if value not in (True, "yes")] == [
        "the first word and the last can be the other word"
    ]


def test_half_of_the_pairs_are_true_and_no_stranger_is_the_document_itself():
    documents, generator = [([n], [10 + n]) for n in range(5)], torch.Generator().manual_seed(0)
    found = [pair for _ in range(400) for pair in experiments.next_sentence_pairs(documents, generator)]
    assert all((second[0] == 10 + first[0]) == label for first, second, label in found)
    assert len({(first[0], second[0]) for first, second, _ in found}) == 25  # any other document gives it
    assert abs(sum(label for _, _, label in found) / len(found) - 0.5) < 0.05
    assert experiments.next_sentence_pairs(documents, generator.manual_seed(0)) == found[:5]


@pytest.mark.parametrize("result", [None, torch.zeros(2), (torch.zeros(5, 64), torch.zeros(5, 64))])
def test_what_is_no_masking_gets_a_reason(result):
    ids = torch.full((5, 64), 9)
    with pytest.raises(ValueError, match=r"expected|should be"):
        recipes.masking(40)([result, result], ids)


# -- what the lesson says -------------------------------------------------------------------------------------


def test_bert_sees_both_sides_and_no_padding():
    model = FromSizes(30, 8, 2, 8, 2, 20).double()
    ids = rows((2, 3), (1, 1))
    segments = passages(ids)
    real = ids[1] != PAD

    def layer(x):
        backbone = model.encoder
        mask = bert.key_mask(ids[1:])
        x = x[None]
        for block in backbone.blocks:
            x = block(x, mask)
        return x[0]

    table = sees(layer, torch.randn(ids.size(1), 8, dtype=torch.float64))
    assert table[real][:, real].all()
    assert not (table & ~torch.eye(len(real)).bool())[:, ~real].any()
    padded = torch.nn.functional.pad(ids, (0, 4))
    for one, other in zip(model(ids, segments), model(padded, passages(padded)), strict=True):
        close(one[0], other[0][: one.size(1)] if one.dim() == 3 else other[0])


def test_the_tied_embedding_saves_23_million_numbers():
    assert 30_522 * 768 == 23_440_896
    names = [name for name, _ in FromSizes(30, 8, 2, 8, 1, 20).named_parameters()]
    assert not any("decoder" in name for name in names)


def test_the_loss_by_hand():
    p = torch.tensor([1.0, 2.0, 6.0]).neg().exp()
    word_logits = torch.stack([p.log(), (1 - p).log()], dim=-1)[:, None]
    pairs = torch.tensor([0.5, 0.9, 0.7]).neg().exp()
    follows_logits = torch.stack([(1 - pairs).log(), pairs.log()], dim=-1)
    labels, follows = torch.zeros(3, 1).long(), torch.ones(3).long()
    close(bert.bert_loss(word_logits, follows_logits, labels, follows), torch.tensor(3.7))


def test_a_blank_by_hand():
    after = torch.tensor([[0.4, 0.2, 0.4], [0.001, 0.006, 0.993]]).log()

    def model(ids):
        blank, rest = after[0], after[1]
        following = torch.stack([torch.full_like(rest, rest[int(i)]) for i in ids[:, 1]])
        return torch.stack([blank.expand(len(ids), 3), torch.log_softmax(following, -1)], dim=1)

    left, _ = bert.blank_left_to_right(model, torch.tensor([0, 0, 2]), 1, torch.tensor([0, 1]))
    close(left, torch.tensor([2 / 3, 1 / 3]))


def test_packed_rows_by_hand():
    packed = [4, 11, 12, 13, 5, 21, 22, 5], [0, 0, 0, 0, 0, 1, 1, 1]
    assert bert.pack([11, 12, 13, 14], [21, 22], 8) == packed
    [ids, segments, labels] = next(
        experiments.batches([(packed, 1), (([4, 9, 5, 5], [0, 0, 0, 1]), 0)], 2, 0)
    )
    assert sorted(segments.tolist()) == [packed[1], [0, 0, 0, 1, 0, 0, 0, 0]]
    assert ids.shape == segments.shape == (2, 8) and sorted(labels.tolist()) == [0, 1]


def test_mask_predict_by_hand():
    ids = torch.tensor([[4, 3, 9, 3, 3, 5]])
    logits = torch.zeros(1, 6, 20)
    for place, (word, score) in {1: (7, 9.0), 3: (8, 8.0), 4: (10, 0.1)}.items():
        logits[0, place, word] = score
    assert bert.fill_and_mask_again(ids, logits, 1).tolist() == [[4, 7, 9, 8, 3, 5]]


def test_blanks_are_what_they_are_called():
    words = corpora.vocabulary().words
    for blank in experiments.blanks(4, 17):
        true = blank.words[blank.place]
        assert true in experiments.candidates()[blank.kind].tolist(), words[true]
        earlier = true in blank.words[: blank.place]
        assert earlier if blank.kind == experiments.AGAIN else True
        assert not earlier if blank.kind == experiments.BOOK else True


def test_two_books_have_two_authors_and_half_of_the_time_one_genre():
    words = corpora.vocabulary().words
    kinds = {"crime": {"mystery", "thriller", "whodunit"}, "sea": {"travelogue"}}  # whose names are one word
    drawn = experiments.same_genre(300, 3)
    assert sum(label for _, _, label in drawn) == 150
    told = 0
    for first, second, label in drawn:
        assert first != second
        found = [
            {g for g, those in kinds.items() if those & {words[i] for i in side}} for side in (first, second)
        ]
        if all(found):
            told += 1
            assert (found[0] == found[1]) == label
    assert told > 10


def test_writing_fills_every_blank_and_touches_nothing_else(models):
    empty, segments = experiments.empty_rows(3, 1)
    assert torch.equal(segments, passages(empty) * (empty != PAD))

    def words(ids):
        return models["bert"](ids, segments)[0].detach()

    def seeded():
        return torch.Generator().manual_seed(0)

    given = empty != MASK
    for written in (
        experiments.all_at_once(words, empty, seeded()),
        experiments.one_by_one(words, empty, seeded()),
        experiments.one_by_one(words, empty, seeded(), shuffled=True),
        experiments.drawn_again(words, experiments.all_at_once(words, empty, seeded()), ~given, 1, seeded()),
    ):
        assert torch.equal(written[given], empty[given])
        assert (written[~given] >= ORDINARY).all()
    assert experiments.grammatical([review.text for review in corpora.reviews(5, 0)]) == (1, 1, 1)
    share, low, high = experiments.grammatical(["the plot is dull . dull is is plot .", "the plot is dull ."])
    assert share == 0.75 and low < 0.75 < high <= 1  # over texts: one is half right, one whole


def test_an_interval_is_wilson_s():
    share, low, high = experiments.interval(90, 100)
    assert share == 0.9
    assert (round(low, 3), round(high, 3)) == (0.826, 0.945)


# -- explorers -------------------------------------------------------------------------------------------------


def test_the_blanks_explorer_draws_and_waits(models):
    box = explorers.blanks_explorer(models, "Section 10.8")
    before = box.children[-1].value
    assert "<img alt=" in before
    box.children[0].value += 1
    assert "<img alt=" in box.children[-1].value
    assert box.children[-1].value != before
    box.children[3].value = "the plot is quixotic ."
    assert "quixotic" in box.children[-1].value
    assert "Section 10.8" in explorers.blanks_explorer({}, "Section 10.8").children[-1].value


def test_the_filling_explorer_draws_and_waits(models):
    box = explorers.filling_explorer(models, bert.fill_and_mask_again, "Exercise 10.12a", "Section 10.8")
    box.children[0].value = 5
    assert "?" not in box.children[-1].value.split('"')[1]

    def unwritten(ids, logits, again):
        raise NotImplementedError

    box = explorers.filling_explorer(models, unwritten, "Exercise 10.12a", "Section 10.8")
    box.children[0].value = 1
    assert "Exercise 10.12a" in box.children[-1].value


def test_left_and_both_sides_are_probabilities_of_words(models):
    ids = corpora.vocabulary().encode("sadly , the plot is dull .")
    for p in (
        explorers.left_side(models["left"], ids, 3),
        explorers.both_sides(models["bert"], ids, 3, 2),
    ):
        close(p.sum(), torch.tensor(1.0))
        assert not p[:ORDINARY].any()
    changed = (
        [*ids[:4], *corpora.vocabulary().encode("was bad .")]
        if "was" in corpora.vocabulary().ids
        else ids[:4]
    )
    close(explorers.left_side(models["left"], changed, 3), explorers.left_side(models["left"], ids, 3))
