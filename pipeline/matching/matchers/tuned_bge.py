"""tuned-bge: bge-small-en-v1.5-int8 fine-tuned on ArgKP as people say it; its weights come with rostrum."""

from pathlib import Path

from pipeline.matching.matchers.weights import kind_of

PACKAGED_FILE = Path(__file__).with_name("argkp-bge.safetensors")

MATCHER = kind_of("tuned-bge", PACKAGED_FILE)
