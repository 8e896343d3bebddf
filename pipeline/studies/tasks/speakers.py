"""Who is who in a recording of several people: the role and the side of each voice."""

from collections.abc import Sequence

from pipeline.corpus import Entry
from pipeline.corpus.manifest import write_manifest
from pipeline.diarize import Turns
from pipeline.formats import read_turns, rttm
from pipeline.records import Turn
from pipeline.report.formatting import clock
from pipeline.speakers import GivenSpeaker
from pipeline.studies.collect import Collected
from pipeline.studies.items import Answer, Answers, Item, Option, Question, letters, options
from pipeline.studies.making import shuffled
from pipeline.studies.output import Output, write_corpus
from pipeline.studies.source import Source
from pipeline.studies.tasks import Options

TITLE = "Who is who?"
OPTIONS = ()
NOTHING = "no recording has the turns of two voices; give a run, or .rttm files beside the recordings"
ROLES = options([("debater", "Debates"), ("moderator", "Moderates"), ("questioner", "Asks"), ("audience", "Audience")])
NEITHER = "none"
SIDES = options([("pro", "For"), ("con", "Against"), (NEITHER, "Neither")])
# A voice that is heard for less than so many seconds is not asked about.
_SHORTEST, _TIMES = 2.0, 3


def draw(source: Source, asked: Options) -> list[Item]:
    """One item per recording in which two voices or more are told apart."""
    entries = [entry for entry in source.corpus.entries if entry.audio]
    items = (_item(source, entry) for entry in shuffled(entries, asked.random))
    return [item for item in items if item]


def _turns(source: Source, entry: Entry) -> Sequence[Turn]:
    """Who speaks when: as the corpus says, else as the run found it."""
    if entry.turns:
        return read_turns(entry.turns)
    record = source.run.of_speech(Turns, entry.speech.id) if source.run else None
    return record.turns if record else ()


def _item(source: Source, entry: Entry) -> Item | None:
    turns: dict[str, list[Turn]] = {}
    for turn in _turns(source, entry):
        turns.setdefault(turn.speaker or "", []).append(turn)
    heard = {voice: own for voice, own in turns.items() if voice and sum(t.end - t.start for t in own) >= _SHORTEST}
    if len(heard) < 2:
        return None
    names = dict(zip(letters(len(heard)), heard, strict=True))
    rows = tuple(
        Option(value=letter, text=f"Voice {number}, heard at {_times(heard[voice])}")
        for number, (letter, voice) in enumerate(names.items(), 1)
    )
    return source.item(
        "speakers",
        entry,
        side="",
        title=source.motion_text(entry.speech.motion) or "A debate",
        lead="Several people speak. Who of them does what, and on which side?",
        shown=(source.shown(entry, "recording", as_audio=True),),
        questions=(
            Question(id="role", text="What does each of them do?", kind="rows", options=ROLES, rows=rows),
            Question(id="side", text="Which side is each of them on?", kind="rows", options=SIDES, rows=rows),
        ),
        about=names,
        known=_known(entry, names, heard),
    )


def _times(turns: Sequence[Turn]) -> str:
    """The beginnings of the longest turns of a voice."""
    longest = sorted(turns, key=lambda turn: turn.start - turn.end)[:_TIMES]
    return ", ".join(clock(start) for start in sorted(round(turn.start) for turn in longest))


def _known(entry: Entry, names: dict[str, str], heard: dict[str, list[Turn]]) -> Answers:
    """The answers by speakers.csv, if it says the role of every voice."""
    given = {letter: _given(entry.speakers, voice, heard[voice]) for letter, voice in names.items()}
    if not all(one and one.role for one in given.values()):
        return {}
    roles: Answer = {letter: str(one.role) for letter, one in given.items() if one}
    sides: Answer = {letter: one.side or NEITHER for letter, one in given.items() if one}
    return {"role": roles, "side": sides}


def _given(given: Sequence[GivenSpeaker], voice: str, turns: Sequence[Turn]) -> GivenSpeaker | None:
    """What the corpus says of a voice: by its label, or of whom is heard where it speaks."""
    for one in given:
        if one.voice == voice or (
            one.voice is None
            and one.start is not None
            and any(turn.start - 0.5 <= one.start < turn.end for turn in turns)
        ):
            return one
    return None


def write(collected: Collected, output: Output) -> None:
    """Write speakers.csv with the role and the side of each voice, and a corpus that has it, with sound and turns."""
    rows = []
    source, recordings = collected.source, {item.subject for item, _ in collected.labelled()}
    for item, _ in collected.labelled():
        for letter, voice in item.about.items():
            role, side = (collected.label_of(item, question, letter) for question in ("role", "side"))
            if role and side:
                decided = side.best if role.best == "debater" and side.best != NEITHER else ""
                rows.append({"recording": item.subject, "voice": voice, "role": role.best, "side": decided})
    write_manifest(output.new("speakers.csv"), rows)
    turns = {
        entry.speech.id: rttm({"recording": _turns(source, entry)})
        for entry in source.corpus.entries
        if entry.speech.id in recordings
    }
    named = [{**row, "voice": "_".join(row["voice"].split())} for row in rows]  # as RTTM has it
    write_corpus(output, source, recordings, speakers=named, turns=turns)
