"""tuned: all-MiniLM-L6-v2 fine-tuned on ArgKP; its weights come with rostrum."""

from pathlib import Path

from pipeline.argue.keypoints.matcher import MatcherKind
from pipeline.argue.keypoints.matchers.weights import load_weights, weights_digests

PACKAGED_FILE = Path(__file__).with_name("argkp.safetensors")

MATCHER = MatcherKind(
    "tuned", lambda model: load_weights(PACKAGED_FILE, "tuned"), lambda model: weights_digests(PACKAGED_FILE, "tuned")
)
