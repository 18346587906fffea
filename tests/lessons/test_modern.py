"""Lesson 12's helpers agree with Llama, Qwen3 and Mixtral, and what the lesson claims is so."""

import importlib
import math

import pytest
import torch
from torch import nn

from helpers import corpora, modern
from helpers.block import unembed
from helpers.modern import cheaper, experiments, explorers, figures, rungs
from helpers.positional import rotary
from tests.support.proved import COURSE, follows_from
from tests.support.shown import shown_in

pytestmark = follows_from(*COURSE)


@pytest.fixture(autouse=True)
def seeded() -> None:
    torch.manual_seed(0)


def near(left: torch.Tensor, right: torch.Tensor) -> None:
    torch.testing.assert_close(left, right, atol=1e-5, rtol=1e-4)


class Model(nn.Module):
    """The lesson's model, of the reference's blocks."""

    def __init__(self, V: int, C: int, H: int, G: int, d_ff: int, layers: int) -> None:
        super().__init__()
        self.words = nn.Embedding(V, C)
        self.blocks = nn.ModuleList(modern.Block(C, H, G, d_ff) for _ in range(layers))
        self.norm = nn.Parameter(torch.ones(C))

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        x = math.sqrt(self.words.weight.size(-1)) * self.words(ids)
        for block in self.blocks:
            x = block(x)
        return unembed(modern.rms_norm(x, self.norm), self.words.weight)


# -- the same as others ----------------------------------------------------------------------------------


def test_norm_and_network_are_llama_s() -> None:
    llama = importlib.import_module("transformers.models.llama.modeling_llama")
    config = importlib.import_module("transformers").LlamaConfig(
        hidden_size=6, intermediate_size=11, num_attention_heads=2
    )
    x, norm = torch.randn(2, 3, 6), llama.LlamaRMSNorm(6, eps=1e-3)
    nn.init.normal_(norm.weight)
    near(modern.rms_norm(x, norm.weight, 1e-3), norm(x))
    theirs, ours = llama.LlamaMLP(config), modern.GatedFeedForward(6, 11)
    ours.load_state_dict(
        {f"W_{name}.weight": getattr(theirs, f"{name}_proj").weight for name in ("gate", "up", "down")}
    )
    near(ours(x), theirs(x))


def test_reordered_rows_turned_as_neighbours_give_llama_s_scores() -> None:
    llama = importlib.import_module("transformers.models.llama.modeling_llama")
    H, D, T, C = 3, 8, 5, 7
    x, weights = torch.randn(T, C), torch.randn(2, H * D, C)
    angles = torch.arange(T)[:, None] * 10_000.0 ** (-torch.arange(0, D, 2) / D)
    doubled = torch.cat([angles, angles], dim=-1)[None]
    q, k = ((x @ weight.T).view(1, T, H, D).transpose(1, 2) for weight in weights)
    q, k = llama.apply_rotary_pos_emb(q, k, doubled.cos(), doubled.sin())
    ours = [modern.interleaved(weight, H) for weight in weights]
    mine = [rotary((x @ weight.T).view(T, H, D).transpose(0, 1), torch.arange(T)) for weight in ours]
    near((mine[0] @ mine[1].mT)[None], q @ k.mT)


def test_the_model_with_qwen3_s_weights_is_qwen3() -> None:
    theirs = experiments.small_qwen3(31, 24, 6, 2, 20, 2)
    ours = Model(31, 24, 6, 2, 20, 2)
    ours.load_state_dict(experiments.from_qwen3(theirs.state_dict(), 2, modern.interleaved))
    ids = torch.randint(31, (3, 9))
    near(ours(ids), theirs(ids).logits)


def test_router_and_experts_are_mixtral_s() -> None:
    mixtral = importlib.import_module("transformers.models.mixtral.modeling_mixtral")
    config = importlib.import_module("transformers").MixtralConfig(
        hidden_size=6, intermediate_size=9, num_local_experts=5, num_experts_per_tok=2
    )
    theirs = mixtral.MixtralSparseMoeBlock(config).eval()
    for weight in theirs.parameters():
        nn.init.normal_(weight, std=0.5)
    experts = []
    for number in range(5):
        gate, up = theirs.experts.gate_up_proj[number].chunk(2)
        expert = modern.GatedFeedForward(6, 9)
        down = theirs.experts.down_proj[number]
        expert.load_state_dict({"W_gate.weight": gate, "W_up.weight": up, "W_down.weight": down})
        experts.append(expert)
    x = torch.randn(2, 7, 6)
    tokens = x.flatten(0, 1)
    scores = tokens @ theirs.gate.weight.T
    near(modern.mixture(tokens, modern.gates(scores, 2, torch.zeros(5)), experts).view_as(x), theirs(x))
    # Theirs divides the counts by N, not by N·k.
    near(2 * modern.balance_loss(scores, 2), mixtral.load_balancing_loss_func((scores,), 5, 2))


# -- by hand ---------------------------------------------------------------------------------------------


def test_by_hand() -> None:
    near(modern.rms_norm(torch.tensor([1.0, 7.0]), torch.ones(2)), torch.tensor([0.2, 1.4]))
    network = modern.GatedFeedForward(1, 1)
    for weight, value in zip((network.W_gate, network.W_up, network.W_down), (1.0, 2.0, 3.0), strict=True):
        nn.init.constant_(weight.weight, value)
    assert network(torch.ones(1)).item() == pytest.approx(4.386, abs=1e-3)
    attention = modern.GroupedAttention(8, 4, 2)
    assert sum(weight.numel() for name, weight in attention.named_parameters() if "W_" in name) == 192
    assert modern.interleaved(torch.arange(4.0)[:, None], 1).flatten().tolist() == [0, 2, 1, 3]
    assert modern.interleaved(torch.arange(6.0)[:, None], 1).flatten().tolist() == [0, 3, 1, 4, 2, 5]
    scores = torch.tensor([2.0, 1.0, 0.0, 1.5])
    near(modern.gates(scores, 2, torch.zeros(4)), torch.tensor([0.62246, 0, 0, 0.37754]))
    near(modern.gates(scores, 2, torch.tensor([0, 0, 3.0, 0])), torch.tensor([0.88080, 0, 0.11920, 0]))
    experts = [lambda x: 2 * x, lambda x: x * math.nan, lambda x: -x]
    assert modern.mixture(torch.tensor([[3.0]]), torch.tensor([[0.75, 0, 0.25]]), experts).item() == 3.75
    scores = torch.tensor([[0.8, 0.2], [0.8, 0.2]]).log()
    assert modern.balance_loss(scores, 1).item() == pytest.approx(1.6)
    whole, scales = modern.quantized(torch.tensor([[0.5, -1.27, 0.004]]))
    assert whole.tolist() == [[50, -127, 0]] and scales.item() == pytest.approx(0.01)
    row = torch.tensor([[0.7, 0.3, -0.02, 0.014]])
    assert modern.in_groups(row, 2)[0].tolist() == [[7, 3, -7, 5]]
    assert modern.in_groups(row, 4)[0].tolist() == [[7, 3, 0, 0]]
    one, none = torch.ones(1, 1), torch.zeros(1, 1)
    q, k, v = torch.tensor([[1.0], [3.0]]), torch.tensor([[1.0], [2.0]]), torch.tensor([[10.0], [1.0]])
    outputs, state = modern.linear_attention(q, k, v, none)
    assert outputs.flatten().tolist() == [10, 36] and state.item() == 12
    near(modern.linear_attention(q[1:], k[1:], v[1:], 10 * one)[0], outputs[1:])
    target, draft = torch.tensor([0.5, 0.4, 0.1]), torch.tensor([0.1, 0.2, 0.7])
    near(modern.adjusted(target, draft), torch.tensor([2 / 3, 1 / 3, 0]))
    assert cheaper.tokens_per_call(0.8, 4) == pytest.approx(3.3616)


def test_the_example_of_three_drafts_keeps_two() -> None:
    draft = torch.full((3, 2), 0.4)
    target = torch.tensor([[0.2, 0.8], [0.8, 0.2], [0.04, 0.96]])
    assert modern.accepted(target, draft, torch.tensor([0, 0, 0]), torch.tensor([0.4, 0.9, 0.3])) == 2


def test_the_example_of_the_block() -> None:
    x = torch.tensor([1.0, 7.0])
    x = x + 0.5 * modern.rms_norm(x, torch.ones(2))
    near(x + 2 * modern.rms_norm(x, torch.ones(2)), torch.tensor([1.5, 10.5]))


# -- what the lesson claims ------------------------------------------------------------------------------


def test_no_score_is_larger_than_the_root_of_a_head_s_width() -> None:
    D = 16
    q, k = (modern.rms_norm(100 * torch.randn(50, D), torch.ones(D)) for _ in range(2))
    q, k = (rotary(each, torch.arange(50)) for each in (q, k))
    assert (q @ k.T / math.sqrt(D)).abs().max() <= math.sqrt(D) + 1e-4


def test_a_balance_costs_1_and_a_crowd_costs_more() -> None:
    even = torch.eye(4) * 20
    assert modern.balance_loss(even, 1).item() == pytest.approx(1, abs=1e-4)
    assert modern.balance_loss(torch.tensor([[20.0, 0, 0, 0]] * 4), 1).item() == pytest.approx(4, abs=1e-4)


def test_rounding_is_at_most_half_a_step() -> None:
    weight = torch.randn(6, 40)
    whole, scales = modern.quantized(weight)
    assert (whole * scales - weight).abs().le(scales / 2 * 1.0001).all()
    for bits in (8, 4, 2):
        most = 2 ** (bits - 1) - 1
        coarse = cheaper.with_fewer_bits(weight, modern.quantized, bits)
        steps = coarse / (weight.abs().amax(dim=1, keepdim=True) / most)
        near(steps, steps.round())
        assert steps.abs().max() <= most + 1e-4


def test_drafting_and_judging_gives_the_large_model_s_distribution() -> None:
    """Exactly: kept with min(p, q), and else drawn from what is missing."""
    p, q = (torch.randn(2, 9).mul(2)).softmax(dim=-1)
    kept = torch.minimum(p, q)
    near(kept + (1 - kept.sum()) * modern.adjusted(p, q), p)
    shares = experiments.drawn_by_drafts(p, q, modern.accepted, modern.adjusted, 20_000, seed=0)
    assert (shares - p).abs().max() < 0.012  # over three standard errors of the most probable


def test_tokens_per_call_is_what_is_counted() -> None:
    generator, share, K = torch.Generator().manual_seed(0), 0.7, 5
    target, draft = torch.tensor([[share, 1 - share]] * K), torch.tensor([[1.0, 0.0]] * K)
    tokens = [
        1
        + modern.accepted(target, draft, torch.zeros(K, dtype=torch.long), torch.rand(K, generator=generator))
        for _ in range(4_000)
    ]
    assert sum(tokens) / len(tokens) == pytest.approx(cheaper.tokens_per_call(share, K), abs=0.1)


def small() -> nn.Module:
    return Model(len(corpora.vocabulary()), 16, 2, 1, 24, 1)


def test_speculation_ends_where_a_review_ends_and_with_no_drafts_calls_once_a_token() -> None:
    model = small()
    opening = len(corpora.vocabulary().batch([experiments.OPENING], eos=False)[0])
    for drafts in (0, 3):
        found = experiments.speculate(model, modern.accepted, modern.adjusted, drafts, 0, longest=20)
        assert opening < len(found.ids) <= 20 + 1
        assert corpora.EOS not in found.ids[:-1]
        assert drafts or found.calls == len(found.ids) - opening


def test_the_models_learn_and_fewer_bits_hurt(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    monkeypatch.setenv("HEADSTART_PROGRESS", str(tmp_path / "progress.json"))
    monkeypatch.delenv("HEADSTART_QUICK", raising=False)
    model = small()
    experiments.draw_weights(model)
    before = experiments.held_out({"one": model})["one"]
    experiments.learn({"one": model}, 200)
    after = experiments.held_out({"one": model})["one"]
    assert after < before - 1
    monkeypatch.setattr(experiments, "_learn", None)
    experiments.learn({"one": (again := small())}, 200)
    assert experiments.held_out({"one": again})["one"] == after, "it is found again"
    losses = cheaper.losses_by_bits(model, modern.quantized, (8, 2))
    assert abs(losses[8] - losses[32]) < 0.02 < losses[2] - losses[32]


def test_crowds_are_shares_of_all_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(experiments, "ROUTED_STEPS", 4)
    found = experiments.crowded(modern.gates, modern.mixture, modern.balance_loss, chosen=2)
    for crowd in found.values():
        assert all(sum(shares) == pytest.approx(1) for shares in crowd.shares)
    figure = figures.crowds(found)
    assert "nothing" in figure.get_label()


def test_a_balance_loss_and_biases_spread_the_tokens() -> None:
    found = experiments.crowded(modern.gates, modern.mixture, modern.balance_loss)
    spread = [
        float(last.max() - last.min())
        for last in (torch.tensor(crowd.shares[-10:]).mean(dim=0) for crowd in found.values())
    ]
    assert max(spread[1:]) < spread[0]


def test_latents_are_read_as_keys_and_values_are_and_none_is_made() -> None:
    found = cheaper.newest(modern.latent_attention, heads=8)
    assert found.apart < 1e-5
    assert found.yours < found.with_keys / 4


def test_linear_attention_is_a_masked_product_and_goes_on_where_it_stopped() -> None:
    q, k, v = torch.randn(3, 2, 9, 4)
    outputs, state = modern.linear_attention(q, k, v, torch.zeros(2, 4, 4))
    near(outputs, (q @ k.mT).tril() @ v)
    first, between = modern.linear_attention(q[:, :5], k[:, :5], v[:, :5], torch.zeros(2, 4, 4))
    rest, last = modern.linear_attention(q[:, 5:], k[:, 5:], v[:, 5:], between)
    near(torch.cat([first, rest], dim=1), outputs)
    near(last, state)


def test_a_state_forgets_and_a_softmax_doesn_t() -> None:
    state, softmax = cheaper.recalled(modern.linear_attention, (4, 64)).values()
    assert state[0] == softmax[0] == 1
    assert state[1] < 0.5 < 0.95 < softmax[1]


def test_groups_are_closer_than_rows_where_there_are_outliers() -> None:
    weight = torch.randn(6, 64)
    weight[:, 3] *= 20
    whole, scales = modern.in_groups(weight, 8)
    coarse = modern.in_groups(weight, 64)
    near_by = (whole * scales.repeat_interleave(8, dim=-1) - weight).square().sum()
    by_row = (coarse[0] * coarse[1] - weight).square().sum()
    assert near_by < by_row / 3
    found = cheaper.losses_in_groups(small(), modern.quantized, modern.in_groups, (8,))
    assert found["4 bits, a scale for each 8"].bytes > found["4 bits, a scale for each row"].bytes > 0.5


def test_windows_reach_so_far_and_one_full_layer_lifts_the_limit() -> None:
    full, mixed, windows = figures.windows_table(layers=12, length=64, window=4).rows
    assert full[1] == mixed[1] == "64 of 64" and windows[1] == "37 of 64"  # 12 · 3, and itself
    assert [int(row[2]) for row in (full, mixed, windows)] == [12 * 64, 3 * 64 + 9 * 4, 12 * 4]


def test_turns_are_those_of_rotary() -> None:
    for row in figures.turns_table(channels=8, bases=(100, 10_000)).rows:
        base = int(row[0].replace(",", ""))
        turned = rotary(torch.tensor([[0.0] * 6 + [1.0, 0.0]]), torch.tensor([1]), base)[0, -2:]
        degrees = math.degrees(math.atan2(turned[1], turned[0])) * 4_096
        assert float(row[-1].rstrip("°").replace(",", "")) == pytest.approx(degrees, abs=0.1)


def test_the_table_of_published_models_agrees_with_the_library_that_has_them() -> None:
    """By default a configuration has what the checkpoint named in it has, but for DeepSeek-V4's layers."""
    transformers = importlib.import_module("transformers")
    rows = {row[0]: row[1:] for row in figures.published().rows}
    oss, _, qwen, glm, deepseek = (
        getattr(transformers, f"{name}Config")()
        for name in ("GptOss", "Gemma4Text", "Qwen3_5MoeText", "GlmMoeDsa", "DeepseekV4")
    )
    experts = rows["experts"]
    assert experts[0] == f"{oss.num_experts_per_tok} of {oss.num_local_experts}"
    assert experts[2] == f"{qwen.num_experts_per_tok} of {qwen.num_experts}, 1 shared, with a gate"
    assert experts[3].startswith(f"{glm.num_experts_per_tok} of {glm.n_routed_experts}, 1 shared; 3 layers")
    assert experts[4].startswith(
        f"{deepseek.num_experts_per_tok} of {deepseek.n_routed_experts}, 1 shared; in 3"
    )
    assert (glm.n_shared_experts, glm.first_k_dense_replace, deepseek.n_shared_experts) == (1, 3, 1)
    cached = rows["cached per token"]
    assert cached[0].startswith(f"{2 * oss.num_key_value_heads * oss.head_dim:,} numbers")
    assert cached[2].startswith(f"{2 * qwen.num_key_value_heads * qwen.head_dim:,} numbers in every 4th")
    state = qwen.linear_num_value_heads * qwen.linear_key_head_dim * qwen.linear_value_head_dim
    assert f"a state of {state:,}" in cached[2]
    assert cached[3].startswith(f"{glm.kv_lora_rank + glm.qk_rope_head_dim} numbers")
    assert cached[4].startswith(f"{deepseek.head_dim} numbers for 4 tokens")
    assert set(deepseek.compress_rates.values()) == {4, 128} and deepseek.sliding_window == 128
    assert qwen.layer_types[:4] == ["linear_attention"] * 3 + ["full_attention"]
    assert oss.layer_types[:2] == ["sliding_attention", "full_attention"] and oss.sliding_window == 128
    assert f"{glm.index_topk:,}" in rows["attention"][3] and deepseek.hc_mult == 4
    # The default is V4-Pro's, which compresses in every layer; this is in V4-Flash's config.json.
    flash = transformers.DeepseekV4Config(compress_ratios=[0, 0, 4, *[128, 4] * 20])
    windows = flash.layer_types.count("sliding_attention")
    assert f"the first {windows} layers see a window of {flash.sliding_window}" in rows["attention"][4]
    assert f"{flash.index_topk} of them at most" in rows["attention"][4]
    assert f"in all but {windows} layers" in cached[4]
    with torch.device("meta"):
        module = importlib.import_module("transformers.models.qwen3_5_moe.modeling_qwen3_5_moe")
        attention = module.Qwen3_5MoeAttention(qwen, 3)
    read = qwen.num_attention_heads * qwen.head_dim
    gated = attention.q_proj.out_features == 2 * read  # queries, and a gate for each number that is read
    assert gated == ("a gate on what is read" in rows["attention"][2])


# -- figures and explorers -------------------------------------------------------------------------------


def test_the_ladder_has_three_seeds_a_rung_and_says_what_it_shows() -> None:
    rungs = figures.measured()["ladder"]
    assert len(rungs) == 10
    assert all(len(rung[kind]) == 3 for rung in rungs for kind in ("equal steps", "equal time"))
    assert all(min(rung["equal steps"]) > figures.measured()["floor"] for rung in rungs)
    equal = [rung["weights"] for rung in rungs[:-1]]
    assert max(equal) < 1.01 * min(equal)
    assert "gate (SwiGLU): 0.131 (0.125 to 0.134)" in figures.ladder().get_label()
    assert len(figures.ladder_table().rows) == 10


def test_a_rung_of_the_students_own_is_one_more_run_of_its_row(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = {rung["rung"]: rung for rung in figures.measured()["ladder"]}
    model = Model(len(corpora.vocabulary()), *rungs.SIZES.values())
    assert sum(weight.numel() for weight in model.parameters()) == rows[rungs.RUNG]["weights"]
    assert figures.measured()["steps"] == rungs.STEPS
    experiments.draw_weights(model)
    before = rungs.held_out(model)
    monkeypatch.setenv("HEADSTART_QUICK", "60")
    rungs.learn(model, seed=3)
    assert figures.measured()["floor"] < rungs.held_out(model) < before - 0.5
    ax = figures.ladder(yours=1.3)
    [[x, y]] = ax.lines[-1].get_xydata().tolist()
    assert x == pytest.approx(1.3 - figures.measured()["floor"])
    assert round(y) == list(rows).index(rungs.RUNG)
    assert ax.get_label().endswith(f"Yours, {rungs.RUNG}, equal steps: {x:.3f}.")


def test_the_ladders_rate_goes_up_and_comes_down() -> None:
    shares = [rungs.share_of_rate(step, 100) for step in range(1, 101)]
    assert shares[4] > 0.99 > shares[0] and shares.index(max(shares)) == 4
    assert shares[5:] == sorted(shares[5:], reverse=True) and shares[-1] < 0.001


def test_tables_and_figures_of_drafts() -> None:
    model = small()
    found = {
        drafts: [experiments.speculate(model, modern.accepted, modern.adjusted, drafts, 0, 12)]
        for drafts in (0, 2)
    }
    table = figures.written_table(found, 6)
    assert [row[0] for row in table.rows] == ["none: the model alone", "2"]
    target, draft = experiments.next_words(model, experiments.OPENING)
    assert target.sum().item() == pytest.approx(1, abs=1e-4) == draft.sum().item()
    assert figures.judged(target, draft, target, 10).get_label()
    assert "32" not in figures.bits({32: 1.0, 8: 1.1, 4: 1.2}).get_label()


def test_explorers_follow_their_sliders_and_wait_for_the_student() -> None:
    found = explorers.bits_explorer(modern.quantized, "Exercise 12.11")
    bits, outlier, shared, picture = found.children
    seen = {picture.value}
    for control, value in ((bits, 3), (outlier, 30.0), (shared, True)):
        control.value = value
        seen.add(picture.value)
    assert len(seen) == 4
    found = explorers.draft_explorer(modern.adjusted, "Exercise 12.16")
    alike, drafts, picture = found.children
    seen = {picture.value}
    alike.value, drafts.value = 0.8, 7
    assert shown_in(picture.value)["drafts"] == 7 and picture.value not in seen
    assert "With 4 drafts at once: 2.68 tokens per call" in found.still

    def missing(*_: object) -> None:
        raise NotImplementedError

    assert "not written yet" in explorers.bits_explorer(missing, "Exercise 12.11").children[-1].value
    assert "not written yet" in explorers.draft_explorer(missing, "Exercise 12.16").children[-1].value
