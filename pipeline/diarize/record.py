"""The record of `diarize`."""

from pipeline.records import Record, Turn


class Turns(Record):
    """Who spoke when. `turns` may overlap. `exclusive` turns do not; by them, words are assigned to speakers."""

    turns: tuple[Turn, ...]
    exclusive: tuple[Turn, ...]
    speakers: tuple[str, ...]
    method: str
