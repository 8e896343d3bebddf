"""Whether two sentences say the same.

Matchers, covering passages, and the encoder of pairs, which mentions, answers and key points share.
"""

from pipeline.content.rouge import similarities, soft_recall, word_recalls
from pipeline.matching.matcher import (
    Matcher,
    always_shown,
    for_length,
    in_speech,
    load_matcher,
    matcher_digests,
    on_topic,
    standing_out,
)
from pipeline.matching.matchers.encoders import (
    SECOND_ENCODER,
    TUNED_BGE_WEIGHTS,
    TUNED_WEIGHTS,
    BiEncoder,
    Ensemble,
    ensemble,
    load_weights,
    plain_encoder,
    trained_file,
)
from pipeline.matching.matchers.llm import MATCH
from pipeline.matching.weights import MatcherHeader, header_of, save

__all__ = [
    "BiEncoder",
    "Ensemble",
    "MATCH",
    "Matcher",
    "MatcherHeader",
    "SECOND_ENCODER",
    "TUNED_BGE_WEIGHTS",
    "TUNED_WEIGHTS",
    "always_shown",
    "ensemble",
    "for_length",
    "header_of",
    "in_speech",
    "load_matcher",
    "load_weights",
    "matcher_digests",
    "on_topic",
    "plain_encoder",
    "save",
    "similarities",
    "soft_recall",
    "standing_out",
    "trained_file",
    "word_recalls",
]
