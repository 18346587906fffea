"""Published names and ours."""

from headstart import Entry

_FIRST = "embeddings.LayerNorm"
_OUT, _OUT_NORM = "encoder.layer.{}.attention.output.dense", "encoder.layer.{}.attention.output.LayerNorm"
_WIDE, _BACK = "encoder.layer.{}.intermediate.dense", "encoder.layer.{}.output.dense"
_LAST_NORM = "encoder.layer.{}.output.LayerNorm"
PUBLISHED = {
    "first_norm": _FIRST,
    "blocks.{}.attention.W_o": _OUT,
    "blocks.{}.norm_1": _OUT_NORM,
    "blocks.{}.feed_forward.W_up": _WIDE,
    "blocks.{}.feed_forward.W_down": _BACK,
    "blocks.{}.norm_2": _LAST_NORM,
}
_W_O, _W_UP, _W_DOWN = (
    "blocks.{}.attention.W_o",
    "blocks.{}.feed_forward.W_up",
    "blocks.{}.feed_forward.W_down",
)
_NORM_1, _NORM_2 = "blocks.{}.norm_1", "blocks.{}.norm_2"
_NOT_PUBLISHED = {
    (
        "first_norm",
        _OUT_NORM,
    ): "There is one first norm for the whole model, so its name has no block's number.",
    (
        "first_norm",
        _LAST_NORM,
    ): "The first norm comes before all blocks, beside the embeddings that it normalises.",
    (_W_O, _WIDE): "Intermediate is the wide layer of the feed-forward network, with (1536, 384) numbers.",
    (_W_O, _BACK): (
        "Two layers are called output.dense, and this one leads back from the wide layer: attention's own "
        "is under attention."
    ),
    (_NORM_1, _FIRST): "The embeddings have a norm of their own, once, and each block has two more.",
    (_NORM_1, _LAST_NORM): "BERT's norm follows each sum, so the one after attention is called after "
    "attention's output.",
    (_W_UP, _OUT): "This is attention's output map, (384, 384): W_up leads to the wide layer.",
    (_W_UP, _BACK): "Intermediate is the wide layer and W_up leads to it: this one, (384, 1536), leads back.",
    (_W_DOWN, _OUT): "Two layers are called output.dense, and the one under attention is attention's output "
    "map, (384, 384).",
    (_W_DOWN, _WIDE): "This leads to the wide layer, (1536, 384): W_down leads back from it.",
    (_NORM_2, _FIRST): "The embeddings have a norm of their own, once: a block's second one follows its "
    "feed-forward network.",
    (_NORM_2, _OUT_NORM): "This is the norm after attention: the second one follows the sum with the "
    "feed-forward network's output.",
}
PUBLISHED_OPTIONS = {
    slot: sorted([right, *(option for name, option in _NOT_PUBLISHED if name == slot)])
    for slot, right in PUBLISHED.items()
}


exercise = Entry(
    id="bert.published_names",
    title="Published names and ours",
    points=2,
    difficulty=2,
    minutes=6,
    reference=PUBLISHED,
    options=PUBLISHED_OPTIONS,
)


for number, ((slot, option), sentence) in enumerate(_NOT_PUBLISHED.items(), 1):
    exercise.choice(f"wrong_{number}", {slot: option}).says(sentence)
