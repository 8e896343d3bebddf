"""tuned-bge: bge-small-en-v1.5-int8 fine-tuned on ArgKP as people say it; its weights come with rostrum."""

from pathlib import Path

from pipeline.argue.keypoints.matcher import MatcherKind
from pipeline.argue.keypoints.matchers.weights import load_weights, weights_digests

PACKAGED_FILE = Path(__file__).with_name("argkp-bge.safetensors")

MATCHER = MatcherKind(
    "tuned-bge",
    lambda model: load_weights(PACKAGED_FILE, "tuned-bge"),
    lambda model: weights_digests(PACKAGED_FILE, "tuned-bge"),
)
