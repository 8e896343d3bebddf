"""random sentences: candidates drawn by chance, several times."""

from pipeline.keypoints.candidates import candidates
from pipeline.keypoints.evaluate.writing import Generator, Side

_DRAWS = 20


def _write(side: Side) -> list[list[str]]:
    texts = [each.text for each in candidates(side.texts, side.topic, style="written")]
    count = min(side.count, len(texts))
    draws = (side.random.choice(len(texts), size=count, replace=False) for _ in range(_DRAWS))
    return [[texts[place] for place in draw] for draw in draws] if count else [[]]


GENERATOR = Generator("random sentences", place=40, write=_write)
