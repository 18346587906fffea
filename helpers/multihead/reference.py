"""Multi-head attention: several look-ups at once, each in channels of its own.

What lesson 02 asks for, for the lessons after it. `B` batch, `T` positions, `C` or `d_model` channels, `H`
heads, `D` = C / H channels per head. A mask is boolean, and True means "may attend".
"""

import math
from collections.abc import Callable

import torch
from torch import nn

from helpers.attention.reference import scaled_dot_product_attention


def split_heads(x: torch.Tensor, n_heads: int) -> torch.Tensor:
    """Give each head its share of the channels: head h gets the h-th run of D neighbouring ones.

    Args:
        x: (..., T, C).
        n_heads: H, a divisor of C.

    Returns:
        (..., H, T, D).

    Raises:
        ValueError: the channels can't be shared out evenly.
    """
    if x.size(-1) % n_heads:
        raise ValueError(f"{x.size(-1)} channels can't be shared among {n_heads} heads")
    return x.unflatten(-1, (n_heads, -1)).transpose(-3, -2)


def merge_heads(z: torch.Tensor) -> torch.Tensor:
    """Put the heads' channels side by side again, (..., H, T, D) to (..., T, H·D): undoes `split_heads`."""
    return z.transpose(-3, -2).flatten(-2)


def attend_by_heads(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, n_heads: int, mask: torch.Tensor | None = None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Attention by several heads at once, each in its own channels.

    Args:
        q: queries, (..., T_q, C).
        k: keys, (..., T_k, C).
        v: values, (..., T_k, C).
        n_heads: H, a divisor of C.
        mask: boolean, broadcastable to (..., H, T_q, T_k). True means "may attend".

    Returns:
        The heads' outputs side by side (..., T_q, C), and the weights of each head (..., H, T_q, T_k).

    Raises:
        ValueError: the channels can't be shared out evenly, or the mask isn't boolean.
    """
    q, k, v = (split_heads(projected, n_heads) for projected in (q, k, v))
    output, weights = scaled_dot_product_attention(q, k, v, mask)
    return merge_heads(output), weights


class MultiHeadAttention(nn.Module):
    """Attention by several heads, in self- and cross-attention, batch first.

    Args:
        d_model: C, channels of everything that goes in and out.
        n_heads: H, a divisor of d_model.
        bias: whether the four projections have one.

    Raises:
        ValueError: the channels can't be shared out evenly.

    Source: Vaswani et al. 2017, section 3.2.2.
    """

    def __init__(self, d_model: int, n_heads: int, bias: bool = True) -> None:
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"{d_model} channels can't be shared among {n_heads} heads")
        self.d_model, self.n_heads = d_model, n_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.Linear(d_model, d_model, bias=bias) for _ in range(4))

    def forward(
        self,
        y: torch.Tensor,
        x: torch.Tensor | None = None,
        mask: torch.Tensor | None = None,
        need_weights: bool = True,
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Let y look things up in x.

        Args:
            y: who asks, (B, T_q, C).
            x: who is asked, (B, T_k, C). None stands for y: self-attention.
            mask: boolean, broadcastable to (B, H, T_q, T_k). True means "may attend". A query that may
                attend to nothing gets NaN where weights are asked for.
            need_weights: False saves the time and the memory of the weights: torch's fused kernel then does
                the work.

        Returns:
            The outputs (B, T_q, C), and the weights (B, H, T_q, T_k) or None.

        Raises:
            ValueError: the mask isn't boolean, or has three axes: is its first the batch or the heads?
        """
        x = y if x is None else x
        check_mask(mask)
        q, k, v = (
            split_heads(projected, self.n_heads) for projected in (self.W_q(y), self.W_k(x), self.W_v(x))
        )
        if not need_weights:
            attended = nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
            return self.W_o(merge_heads(attended)), None
        # The scale goes to q, which has D numbers for each query where the scores have T_k.
        scores = (q / math.sqrt(q.size(-1))) @ k.transpose(-2, -1)  # (B, H, T_q, T_k)
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        weights = scores.softmax(dim=-1)
        return self.W_o(merge_heads(weights @ v)), weights

    @classmethod
    def from_torch(cls, module: nn.MultiheadAttention) -> "MultiHeadAttention":
        """A module of ours with the weights of torch's. Its dropout isn't copied: ours has none.

        Raises:
            ValueError: torch's module has what ours lacks: keys of another width, or added positions.
        """
        if module.in_proj_weight is None or module.bias_k is not None or module.add_zero_attn:
            raise ValueError("no kdim, vdim, add_bias_kv or add_zero_attn: ours has none of these")
        bias = module.in_proj_bias is not None
        ours = cls(module.embed_dim, module.num_heads, bias).to(module.in_proj_weight)
        packed_bias = module.in_proj_bias if bias else torch.empty(3 * module.embed_dim)
        state = unpack_projections(module.in_proj_weight, packed_bias)
        state |= {f"W_o.{name}": tensor for name, tensor in module.out_proj.state_dict().items()}
        ours.load_state_dict({name: tensor for name, tensor in state.items() if bias or "bias" not in name})
        return ours


def check_mask(mask: torch.Tensor | None) -> None:
    """Refuse a mask that doesn't mean what it seems to.

    Raises:
        ValueError: it isn't boolean, or has three axes: is its first the batch or the heads?
    """
    if mask is not None and mask.dtype != torch.bool:
        raise ValueError(f"a mask is boolean, True means may attend, but this one is {mask.dtype}")
    if mask is not None and mask.dim() == 3 and mask.size(0) > 1:
        raise ValueError(
            f"a mask {tuple(mask.shape)} of three axes says nothing about heads: for one mask per sentence, "
            "use mask.unsqueeze(1)"
        )


def unpack_projections(in_proj_weight: torch.Tensor, in_proj_bias: torch.Tensor) -> dict[str, torch.Tensor]:
    """Take apart what torch.nn.MultiheadAttention keeps in one: the projections to queries, keys and values.

    Args:
        in_proj_weight: (3C, C), the three `nn.Linear` weights on top of each other.
        in_proj_bias: (3C,).

    Returns:
        W_q.weight, W_k.weight, W_v.weight, each (C, C), and W_q.bias, W_k.bias, W_v.bias, each (C,).
    """
    names = ("W_q", "W_k", "W_v")
    weights, biases = in_proj_weight.chunk(3), in_proj_bias.chunk(3)
    return {
        **{f"{name}.weight": weight for name, weight in zip(names, weights, strict=True)},
        **{f"{name}.bias": bias for name, bias in zip(names, biases, strict=True)},
    }


def costs(T: int, d_model: int, n_heads: int) -> tuple[int, int, int]:
    """What multi-head self-attention over one sentence costs.

    Args:
        T: positions.
        d_model: channels.
        n_heads: heads of d_model / n_heads channels each.

    Returns:
        The parameters of the four projections with their biases; the multiplications in all matrix products;
        the attention weights that the softmax makes. The number of heads matters to the last alone.
    """
    d_head = d_model // n_heads
    parameters = 4 * (d_model * d_model + d_model)
    projections = 4 * T * d_model * d_model
    per_head = T * T * d_head + T * T * d_head  # the scores; the weighted average of the values
    return parameters, projections + n_heads * per_head, n_heads * T * T


def both_neighbours() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Weights of two heads, by which each of four places round a table gets both of its neighbours' numbers.

    Places have four channels: east, north, number, 0. Head 0 turns the asker's direction clockwise by a
    quarter, head 1 the other way, so that it points at the neighbour, and both fetch the number.

    Returns:
        W_q, W_k, W_v, W_o, each (4, 4), to be used as x @ W.
    """
    sharp = 40.0
    clockwise = torch.tensor([[0.0, -1.0], [1.0, 0.0]])  # (east, north) to (north, -east)
    W_q, W_k, W_v, W_o = torch.zeros(4, 4, 4)
    W_q[:2, :2], W_q[:2, 2:] = sharp * clockwise, sharp * clockwise.T
    W_k[:2, :2] = W_k[:2, 2:] = torch.eye(2)
    W_v[2, 0] = W_v[2, 2] = 1.0  # the number, as each head's first channel
    W_o[0, 0] = W_o[2, 1] = 1.0
    return W_q, W_k, W_v, W_o


def switch_off(weight: torch.Tensor, keep: torch.Tensor) -> torch.Tensor:
    """The output projection without some heads: a head reaches the output through its own columns alone.

    Args:
        weight: of an `nn.Linear`, (C_out, H·D).
        keep: boolean, (H,). False switches a head off.

    Returns:
        A new weight, the columns of the heads that are off set to 0.
    """
    columns = keep.repeat_interleave(weight.size(1) // len(keep))  # (H·D,)
    return weight * columns


def head_importance(loss_with: "Callable[[torch.Tensor], torch.Tensor]", n_heads: int) -> torch.Tensor:
    """How much the loss grows when one head is switched off and all others stay.

    Args:
        loss_with: takes a boolean tensor (H,), True for the heads that are on, and gives the loss.
        n_heads: H.

    Returns:
        (H,): 0 for a head that isn't missed, below 0 for one that does harm.

    Source: Michel, Levy and Neubig 2019, section 3.2, with the loss in place of BLEU and accuracy.
    """
    everybody = torch.ones(n_heads, dtype=torch.bool)
    complete = loss_with(everybody)
    losses = []
    for head in range(n_heads):
        keep = everybody.clone()
        keep[head] = False
        losses.append(loss_with(keep))
    return torch.stack(losses) - complete
