"""The course's own corpus, and real text on request."""

import functools
import hashlib
import http.server
import math
import os
import re
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import safetensors.torch
import torch
from torch import nn

from helpers import corpora
from helpers.text import real_text, reviews
from helpers.text.review_words import GENRES

ROOT = Path(__file__).resolve().parents[2]
MIRROR = Path(os.environ.get("HEADSTART_DATA") or ROOT.parent / "shared" / "data").absolute()


@functools.cache
def sample():
    return corpora.reviews(5000, seed=11)


# reviews


def test_the_same_seed_gives_the_same_reviews_and_another_seed_others():
    assert corpora.reviews(20, 3) == corpora.reviews(30, 3)[:20] != corpora.reviews(20, 4)
    digest = hashlib.sha256("\n".join(review.text for review in corpora.reviews(50, 0)).encode()).hexdigest()
    # on every machine: a change of the grammar changes it, and the numbers in the lessons
    assert digest[:12] == "7c85364f497a"


def test_the_vocabulary_has_its_special_tokens_first_and_covers_the_reviews():
    vocabulary = corpora.vocabulary()
    assert len(vocabulary) >= 800
    assert vocabulary.words[:6] == ("<pad>", "<bos>", "<eos>", "<mask>", "[CLS]", "[SEP]")
    used = {word for review in sample() for word in review.text.split()}
    assert used <= set(vocabulary.words)
    assert len(used) > 0.97 * len(reviews.words())


def test_a_vocabulary_writes_and_reads():
    vocabulary = corpora.vocabulary()
    text = sample()[0].text
    assert vocabulary.decode(vocabulary.encode(text)) == text
    batch = vocabulary.batch([text, "the plot is dull ."])
    assert batch.shape == (2, len(text.split()) + 2)
    assert batch[1, 0] == corpora.BOS
    assert batch[1, 6:].tolist() == [corpora.EOS] + [corpora.PAD] * (batch.size(1) - 7)
    assert [vocabulary.decode(row) for row in batch] == [text, "the plot is dull ."]
    with pytest.raises(ValueError, match=rf"'Plot' isn't one of the vocabulary's {len(vocabulary)} words"):
        vocabulary.encode("the Plot")


def test_no_review_has_two_derivations():
    """So the entropy of a review is that of its derivation."""
    for review in sample()[:300]:
        words, _ = reviews.underlying(review.text)
        tree = reviews.grammar().parse(words)
        one = reviews.grammar().derivation_log_probability(tree)
        assert reviews.grammar().log_probability(words) == pytest.approx(one, abs=1e-9)


def test_the_entropy_is_what_samples_show():
    surprises = torch.tensor([-corpora.log_probability(review.text) for review in sample()[:1000]])
    lengths = torch.tensor([float(len(review.text.split())) for review in sample()])
    error = surprises.std().item() / math.sqrt(len(surprises))
    assert abs(surprises.mean().item() - corpora.entropy_per_review()) < 4 * error
    assert lengths.mean().item() == pytest.approx(reviews.expected_length(), rel=0.02)
    assert corpora.entropy_per_token() == corpora.entropy_per_review() / (reviews.expected_length() + 1)


def test_a_review_has_one_author_who_is_as_frequent_as_probable():
    authors = {place: table for place, table in reviews.names().items() if place.startswith("{author}")}
    assert all(math.fsum(table.values()) == pytest.approx(1) for table in authors.values())
    known = set().union(*authors.values())
    found = [name for review in sample() for name in known & set(review.text.split())]
    assert len(found) == len(sample())
    for place, table in authors.items():
        assert reviews.grammar().presence(place) == pytest.approx(1 / len(authors))
        for name, p in table.items():
            assert found.count(name) / len(found) == pytest.approx(p / len(authors), abs=0.012)


def test_every_sentence_of_every_review_is_grammatical():
    assert all(corpora.is_grammatical(review.text) for review in sample()[:60])
    assert all(corpora.is_grammatical(one) for one in corpora.sentences(sample()[0].text))


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("the jokes of this mystery are flat .", "the jokes of this mystery is flat ."),
        ("the plot that dominates the book is dull .", "the plot that dominate the book is dull ."),
        ("the jokes are flat at first , but they are fresh later .", "the jokes are flat at first , but it is fresh later ."),
        ("my sister calls it dull , but she is wrong .", "my sister calls it dull , but he is wrong ."),
        ("when nora loses the map , two pirates betray her .", "when nora loses the map , two pirates betray him ."),
        ("when nora loses the map , two pirates betray her .", "when nora loses the map , two spies betray her ."),
        ("this short utopia by ingrid brandt follows hugo , an old robot on mars .",
         "this short utopia by ingrid brandt follows hugo , a old robot on mars ."),
        ("in her first saga , rosa lambert tells the story of a doctor named daniel who buys a clock .",
         "in his first saga , rosa lambert tells the story of a doctor named daniel who buys a clock ."),
        ("tom hides a map , but he gets lost .", "tom hides a map , but she gets lost ."),
        ("the prose never drags .", "the prose never drag ."),
    ],
)  # fmt: skip
def test_one_word_that_does_not_agree_makes_a_sentence_ungrammatical(right, wrong):
    assert corpora.is_grammatical(right)
    assert not corpora.is_grammatical(wrong)


def test_what_is_no_sentence_is_ungrammatical():
    for text in (
        "",
        ".",
        "plot",
        "the plot is dull",
        "the plot is dull . the",
        "colourless green ideas sleep .",
    ):
        assert not corpora.is_grammatical(text)
        assert corpora.log_probability(text) == -math.inf
        assert corpora.sentiment(text) is None


def test_grammatical_is_not_sensible():
    for sentence in ("luckily , the plot is dull .", "the plot is dull , but the plot is dull ."):
        assert corpora.is_grammatical(sentence)
        assert (
            corpora.sentiment(REVIEW.format(sentence.removesuffix(" .") + " . i will give it away")) is None
        )


REVIEW = "rosa lambert 's first saga is about daniel , an old doctor in brooklyn . daniel buys a clock , but he confesses . {} ."


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (" lambert 's prose", " drummond 's prose"),
        ("her last", "his last"),
        ("sagas", "thrillers"),
        ("around daniel", "around helen"),
    ],
)
def test_a_review_is_about_one_book(old, new):
    text = REVIEW.format(
        "although lambert 's prose is fresh , the scenes around daniel are weak . anyone who likes sagas will hate it"
    )
    text = text if old in text else REVIEW.format("the plot is dull . it is as weak as her last book")
    assert corpora.log_probability(text) > -math.inf
    changed = text.replace(old, new)
    assert corpora.is_grammatical(changed)
    assert corpora.log_probability(changed) == -math.inf


@pytest.mark.parametrize(
    ("opinion", "label"),
    [
        ("the plot is vivid", 1),
        ("the plot is not vivid", 0),
        ("the plot is anything but dull", 1),
        ("the plot is full of wit", 1),
        ("the plot is not without wit", 1),
        ("the plot is free of wit", 0),
        ("the plot is dull , but the prose is vivid", 1),
        ("the plot is vivid , but the prose is dull", 0),
        ("although the plot is vivid , the prose is dull", 0),
        ("the plot is vivid , although the prose is dull", 1),
        ("the plot is vivid , although the prose does not shine", 1),
        ("the plot is vivid at first , but it drags later", 0),
        ("my sister calls it dull , but she is wrong", 1),
        ("the critics call it dull , and they are right", 0),
        ("lambert never writes badly", 1),
        ("i did not enjoy the plot", 0),
    ],
)
def test_the_sentiment_follows_from_how_a_review_is_composed(opinion, label):
    verdict = ("i will give it away", "i will read it again")[label]
    assert corpora.sentiment(REVIEW.format(f"{opinion} . {verdict}")) == label
    # and the verdict must agree
    other = ("i will read it again", "i will give it away")[label]
    assert corpora.sentiment(REVIEW.format(f"{opinion} . {other}")) is None


def test_labels_are_the_parses_sentiment_and_balanced():
    assert all(corpora.sentiment(review.text) == review.label for review in sample()[:200])
    assert sum(review.label for review in sample()) / len(sample()) == pytest.approx(0.5, abs=0.03)


def words_alone(texts, labels, train):
    """Test accuracy of logistic regression on TF-IDF features: words without their order."""
    ids = corpora.vocabulary().batch(texts)
    counts = torch.zeros(len(ids), len(corpora.vocabulary())).scatter_add_(1, ids, torch.ones(ids.shape))
    counts[:, :6] = 0
    features = counts.log1p() * (len(ids) / (counts > 0).sum(0).clamp(min=1)).log()
    features = features / features.norm(dim=1, keepdim=True)
    weights = torch.zeros(features.size(1), requires_grad=True)
    optimizer = torch.optim.LBFGS([weights], max_iter=100)

    def closure():
        optimizer.zero_grad()
        logits = features[:train] @ weights
        loss = nn.functional.binary_cross_entropy_with_logits(logits, labels[:train])
        loss = loss + 1e-4 * weights.square().sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    return ((features[train:] @ weights > 0) == labels[train:].bool()).float().mean().item()


def words_in_order(texts, labels, train):
    """Test accuracy of a small convolution, which sees five words at a time."""
    torch.manual_seed(0)
    ids = corpora.vocabulary().batch(texts)
    embedding, window = nn.Embedding(len(corpora.vocabulary()), 48), nn.Conv1d(48, 96, 5, padding=2)
    out = nn.Linear(96, 1)
    parameters = [*embedding.parameters(), *window.parameters(), *out.parameters()]
    optimizer = torch.optim.AdamW(parameters, lr=4e-3)

    def logits(ids):
        return out(window(embedding(ids).transpose(1, 2)).relu().sum(-1) / 3).squeeze(-1)

    for _ in range(5):
        for rows in torch.randperm(train).split(50):
            loss = nn.functional.binary_cross_entropy_with_logits(logits(ids[rows]), labels[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    with torch.no_grad():
        return ((logits(ids[train:]) > 0) == labels[train:].bool()).float().mean().item()


def test_a_bag_of_words_stays_well_below_a_model_that_reads_order():
    texts, labels = [review.text for review in sample()], torch.tensor([float(r.label) for r in sample()])
    unordered, ordered = (model(texts, labels, 4400) for model in (words_alone, words_in_order))
    assert unordered < 0.83
    assert ordered > unordered + 0.1


def test_parts_of_one_review_share_their_names_and_parts_of_two_seldom_do():
    drawn = corpora.sentence_pairs(400, seed=0)
    assert corpora.sentence_pairs(40, seed=0) == drawn[:40]
    assert sum(pair.label for pair in drawn) / len(drawn) == pytest.approx(0.5, abs=0.08)
    strange = [0, 0]
    for pair in drawn:
        for kind in ("{author}", "{hero}"):
            known = {name for place, table in reviews.names().items() if kind in place for name in table}
            strange[pair.label] += len(known & set(f"{pair.first} {pair.second}".split())) > 1
    assert strange[1] == 0
    assert strange[0] > 100


def test_each_genre_has_words_of_its_own():
    words = {}
    for symbol, bodies in reviews.grammar().bodies.items():
        if found := re.match(rf"(Role|Thing|Kind|Place)\[({'|'.join(GENRES)})", symbol):
            for body in bodies:
                words.setdefault(" ".join(body), set()).add(found[2])
    assert {len(genres) for genres in words.values()} == {1}


# pairs


def test_pairs_follow_from_their_english_side():
    drawn = corpora.pairs(300, seed=5)
    assert corpora.pairs(30, seed=5) == drawn[:30]
    assert all(corpora.translate(pair.source) == pair.target for pair in drawn)
    assert corpora.translate("the the king") is None


def test_pair_vocabularies_cover_the_pairs_and_have_a_few_hundred_words():
    english, other = corpora.pair_vocabularies()
    assert 150 < len(english) < len(other) < 500
    for pair in corpora.pairs(2000, seed=6):
        english.encode(pair.source)
        other.encode(pair.target)


def test_the_other_language_has_its_own_order_cases_and_agreement():
    def words(text):
        return corpora.translate(text).split()

    king, girl, sees, _ = words("the king sees the girl .")
    assert words("the girl sees the king .") == [girl[:-1], king + "k", sees, "."]
    assert words("does the king see the girl ?") == [king, girl, sees, "ka", "."]
    assert words("the king does not see the girl .") == [king, girl, sees, "ne", "."]
    old_king = words("the old king sees the girl .")
    old_kings = words("the old kings see the girl .")
    assert old_king[0] == king
    assert old_kings[1] != old_king[1] and old_kings[1].startswith(old_king[1])
    assert words("the old book was old .")[1] != old_king[1]
    for_girl = words("the king gives the girl the book .")[1]
    assert for_girl.startswith(girl[:-1]) and for_girl != girl


# real text


def remote(content=b"some text", **changes):
    return real_text.Remote(
        "a.txt", "owner/name", "0" * 40, "a.txt", hashlib.sha256(content).hexdigest()
    )._replace(**changes)


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """No mirror, an empty cache, and a server of files in a folder."""
    published = tmp_path / "published" / "owner" / "name" / ("0" * 40)
    published.mkdir(parents=True)
    (published / "a.txt").write_bytes(b"some text")

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    handler = functools.partial(Quiet, directory=tmp_path / "published")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.delenv("HEADSTART_DATA", raising=False)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        at = f"http://127.0.0.1:{server.server_port}/{{repository}}/{{commit}}/{{path}}"
        monkeypatch.setitem(real_text.ADDRESSES, "GitHub", at)
        monkeypatch.setattr(real_text, "cache_folder", lambda: tmp_path / "cache")
        yield published
        server.shutdown()


def test_a_file_is_fetched_once_and_kept(elsewhere, capfd):
    path = real_text.fetch(remote())
    assert path.read_bytes() == b"some text"
    assert "100%" in capfd.readouterr().err
    (elsewhere / "a.txt").unlink()
    assert real_text.fetch(remote()) == path


def test_a_file_with_a_wrong_checksum_is_refused_and_not_kept(elsewhere):
    with pytest.raises(ValueError, match=r"a\.txt sent isn't a\.txt: its SHA-256 is wrong, it isn't kept$"):
        real_text.fetch(remote(sha256="0" * 64))
    assert not (real_text.cache_folder() / "a.txt").exists()


def test_a_file_that_changed_in_the_cache_is_refused(elsewhere):
    real_text.fetch(remote()).write_bytes(b"other text")
    with pytest.raises(ValueError, match=r"isn't the file that was published: .* delete it"):
        real_text.fetch(remote())


def test_what_is_not_there_is_said_in_one_line(elsewhere):
    with pytest.raises(ConnectionError, match=r"b\.txt can't be fetched \(HTTPError\); .* HEADSTART_DATA$"):
        real_text.fetch(remote(name="b.txt", path="b.txt"))


def test_a_published_model_is_its_weights_and_its_tokenizer(tmp_path, monkeypatch):
    tokenizer = corpora.subwords(["the cat sat on the mat"] * 4, 30)
    weights = {"wte.weight": torch.arange(6.0).view(3, 2), "h.0.bias": torch.tensor([1.5])}
    safetensors.torch.save_file(weights, tmp_path / "gpt2-model.safetensors")
    tokenizer.save(str(tmp_path / "gpt2-tokenizer.json"))
    monkeypatch.setenv("HEADSTART_DATA", str(tmp_path))
    assert corpora.is_here("gpt2") and not corpora.is_here("all-minilm-l6-v2")
    with pytest.raises(ValueError, match="isn't the file that was published"):
        corpora.load("gpt2")
    pinned = (
        file._replace(sha256=hashlib.sha256((tmp_path / file.name).read_bytes()).hexdigest())
        for file in real_text.SETS["gpt2"]
    )
    monkeypatch.setitem(real_text.SETS, "gpt2", tuple(pinned))
    found = corpora.load("gpt2")
    assert found.weights.keys() == weights.keys()
    assert all(torch.equal(found.weights[name], weights[name]) for name in weights)
    assert found.tokenizer.encode("the mat").ids == tokenizer.encode("the mat").ids


def test_published_models_come_from_pinned_revisions():
    for name in ("gpt2", "all-minilm-l6-v2"):
        for file in real_text.SETS[name]:
            assert re.fullmatch(
                rf"https://huggingface\.co/[\w-]+/[\w-]+/resolve/[0-9a-f]{{40}}/{file.path}", file.url, re.I
            )


def test_without_a_network_one_line_says_what_to_do(elsewhere, monkeypatch):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))  # bound, not listening: refused at once
        monkeypatch.setitem(
            real_text.ADDRESSES, "GitHub", f"http://127.0.0.1:{unused.getsockname()[1]}/{{path}}"
        )
        with pytest.raises(
            ConnectionError, match=r"without a network, put tinyshakespeare\.txt into"
        ) as raised:
            corpora.load("tinyshakespeare")
    assert "\n" not in str(raised.value)
    assert raised.value.__suppress_context__


def test_a_mirror_is_checked_too(tmp_path, monkeypatch):
    monkeypatch.setenv("HEADSTART_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"which has no a\.txt; it is at https://raw"):
        real_text.fetch(remote())
    (tmp_path / "a.txt").write_bytes(b"other text")
    with pytest.raises(ValueError, match="isn't the file that was published"):
        real_text.fetch(remote())
    (tmp_path / "a.txt").write_bytes(b"some text")
    assert real_text.fetch(remote()) == tmp_path / "a.txt"


def test_an_unknown_set_is_refused_with_what_there_is():
    with pytest.raises(
        LookupError, match="no data set 'imdb'; there are: tinyshakespeare, rt-polarity, multi30k"
    ):
        corpora.load("imdb")


@pytest.mark.skipif(not MIRROR.is_dir(), reason="needs a mirror of the data sets in ../shared/data")
def test_the_real_sets_load(monkeypatch):
    monkeypatch.setenv("HEADSTART_DATA", str(MIRROR))
    assert corpora.load("tinyshakespeare").startswith("First Citizen:\nBefore we proceed")
    labels = [label for _, label in corpora.load("rt-polarity")]
    assert (len(labels), sum(labels)) == (10_662, 5_331)
    multi30k = corpora.load("multi30k")
    assert {part: len(lines) for part, lines in multi30k.items()} == {
        "train": 29_000,
        "val": 1014,
        "test": 1000,
    }
    assert multi30k["train"][0][0] == "Two young, White males are outside near many bushes."
    assert "Büsche" in multi30k["train"][0][1]
    assert [len(text.split()) > 200_000 for text in corpora.load("wikitext-2").values()] == [True, True]


@pytest.mark.skipif(not (MIRROR / "cmudict.dict").is_file(), reason="needs the dictionary in the mirror")
def test_the_real_dictionary_loads(monkeypatch):
    monkeypatch.setenv("HEADSTART_DATA", str(MIRROR))
    spoken = corpora.load("cmudict")
    assert (len(spoken), sum(map(len, spoken.values()))) == (126_052, 135_166)
    assert spoken["either"] == ["IY1 DH ER0", "AY1 DH ER0"]
    assert spoken["taoiseach"] == ["T IY1 SH AH0 K"]  # its line ends in a comment


def test_subwords_know_every_text_and_the_special_tokens():
    tokenizer = corpora.subwords(["the plot of the plot thickens"] * 20, size=300)
    text = "The plot, ¿naïvement? 本"
    assert tokenizer.decode(tokenizer.encode(text).ids) == text
    assert tokenizer.encode("<mask>").ids == [corpora.MASK]
    assert len(tokenizer.encode(" the plot").ids) < len(tokenizer.encode(" zqx vwk").ids)


def test_importing_costs_no_grammar_and_no_downloader():
    code = (
        "import sys; from helpers import corpora; from helpers.text import reviews;"
        "assert not {'pooch', 'tokenizers', 'requests'} & sys.modules.keys();"
        "assert not reviews.grammar.cache_info().currsize"
    )
    subprocess.run(
        [sys.executable, "-c", code], check=True, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}
    )
