"""The data of a transformer: frozen parts with names."""

from weightsmith.model import heads
from weightsmith.model.block import Attention, Block, FeedForward, Head
from weightsmith.model.by_name import Neuron, feed_forward, matrix
from weightsmith.model.chain import Answer, Chain
from weightsmith.model.checks import lane_index
from weightsmith.model.digest import digest
from weightsmith.model.distances import Alibi, Relative, Rotary
from weightsmith.model.edit import Edit
from weightsmith.model.family import Family
from weightsmith.model.folds import named_arrays
from weightsmith.model.norms import LayerNorm, Norm, RMSNorm
from weightsmith.model.positions import (
    AddedPositions,
    AttentionPositions,
    Positions,
    PositionTable,
    Sinusoidal,
    added,
    attending,
    position_table,
)
from weightsmith.model.random import random_transformer
from weightsmith.model.readout import Readout, Value, needs_classes, value_text
from weightsmith.model.story import Story, StoryStep
from weightsmith.model.tokens import (
    read_tokens,
    readable_text,
    separator,
    text_tokens,
    token_ids,
    tokens_text,
)
from weightsmith.model.transformer import Transformer, check_length
from weightsmith.model.weightings import AverageHard, LeftmostHard, RightmostHard, Softmax, Weighting

__all__ = [
    "AddedPositions",
    "Alibi",
    "Answer",
    "Attention",
    "AttentionPositions",
    "AverageHard",
    "Block",
    "Chain",
    "Edit",
    "Family",
    "FeedForward",
    "Head",
    "LayerNorm",
    "LeftmostHard",
    "Neuron",
    "Norm",
    "PositionTable",
    "Positions",
    "RMSNorm",
    "Readout",
    "Relative",
    "RightmostHard",
    "Rotary",
    "Sinusoidal",
    "Softmax",
    "Story",
    "StoryStep",
    "Transformer",
    "Value",
    "Weighting",
    "added",
    "attending",
    "check_length",
    "digest",
    "feed_forward",
    "heads",
    "lane_index",
    "matrix",
    "named_arrays",
    "needs_classes",
    "position_table",
    "random_transformer",
    "read_tokens",
    "readable_text",
    "separator",
    "text_tokens",
    "token_ids",
    "tokens_text",
    "value_text",
]
