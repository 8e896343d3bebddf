"""tuned: all-MiniLM-L6-v2 fine-tuned on ArgKP; its weights come with rostrum."""

from pathlib import Path

from pipeline.matching.matchers.weights import kind_of

PACKAGED_FILE = Path(__file__).with_name("argkp.safetensors")

MATCHER = kind_of("tuned", PACKAGED_FILE)
