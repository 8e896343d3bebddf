"""llm: a large language model writes; only where one is asked."""

from pipeline.keypoints.evaluate.writing import Generator, Side
from pipeline.keypoints.llm_writer import LlmWriter


def _write(side: Side) -> list[list[str]]:
    if side.asked is None:
        return []
    return [[each.text for each in LlmWriter(side.asked).written(side.topic, side.texts, most=max(side.count, 1))]]


GENERATOR = Generator("large language model", place=15, write=_write)
