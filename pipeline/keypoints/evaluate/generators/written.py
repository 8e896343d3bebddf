"""written key points: what rostrum writes."""

from pipeline.keypoints.evaluate.writing import Generator, Side
from pipeline.keypoints.generation import generate


def _write(side: Side) -> list[list[str]]:
    made = generate(side.topic, side.texts, side.matcher, others=side.others)
    return [[each.text for each in made.key_points]]


GENERATOR = Generator("written key points", place=10, write=_write)
