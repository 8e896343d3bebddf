"""Speaker turns: fitted to a recording, and without overlap."""

from collections.abc import Iterable, Sequence

from pipeline.records import Turn, Turns


def turns_record(turns: Iterable[Turn], duration: float, method: str, exclusive: Sequence[Turn] | None = None) -> Turns:
    """The record of these turns, in order and cut to the recording; speakers in order of their first word."""
    fitted = _fitted(turns, duration)
    return Turns(
        turns=fitted,
        exclusive=exclusive_turns(fitted) if exclusive is None else _fitted(exclusive, duration),
        speakers=tuple(dict.fromkeys(turn.speaker for turn in fitted if turn.speaker is not None)),
        method=method,
    )


def exclusive_turns(turns: Iterable[Turn]) -> tuple[Turn, ...]:
    """The turns without overlap: who has the floor keeps it to the end of their turn."""
    exclusive: list[Turn] = []
    taken_until = 0.0
    for turn in sorted(turns, key=lambda turn: (turn.start, -turn.end)):
        start = max(turn.start, taken_until)
        if turn.end > start:
            exclusive.append(turn.model_copy(update={"start": start}))
            taken_until = turn.end
    return tuple(exclusive)


def _fitted(turns: Iterable[Turn], duration: float) -> tuple[Turn, ...]:
    ordered = sorted(turns, key=lambda turn: (turn.start, turn.end, turn.speaker or ""))
    cut = (turn.model_copy(update={"end": min(turn.end, duration)}) for turn in ordered)
    return tuple(turn for turn in cut if turn.end > turn.start)
