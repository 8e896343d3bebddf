"""A folder of debates that were written down, one JSON file each, as a corpus: texts without recordings."""

from pathlib import Path

from pipeline.corpus.contents import Corpus, Entry
from pipeline.corpus.manifest import Problem
from pipeline.errors import RostrumError
from pipeline.formats import DEBATE_SUFFIX, DebateTranscript, is_debate, read_debate
from pipeline.records import Motion, Speech, Votes
from pipeline.speakers import GivenSpeaker


def has_debates(folder: Path) -> bool:
    """Whether the folder has debates: JSON files that begin like one."""
    return any(map(is_debate, folder.glob(f"*{DEBATE_SUFFIX}")))


def read_debates(folder: Path) -> Corpus:
    """The corpus of all debates in a folder. Each has a motion of its own, with the name of the file."""
    entries, motions, votes, problems = [], {}, [], []
    for path in sorted(folder.glob(f"*{DEBATE_SUFFIX}")):
        try:
            debate = read_debate(path)
        except RostrumError as error:
            problems.append(Problem(path.name, str(error).removeprefix(f"{path}: ")))
            continue
        motions[path.stem] = Motion(id=path.stem, text=debate.motion)
        if cast := _votes(path.stem, debate):
            votes.append(cast)
        speech = Speech(id=path.stem, motion=path.stem)
        entries.append(Entry(speech, transcript=path, speakers=_people(debate)))
    return Corpus(folder, tuple(entries), motions, votes=tuple(votes), problems=tuple(problems))


def _votes(motion: str, debate: DebateTranscript) -> Votes | None:
    before, after = debate.votes_before, debate.votes_after
    if not before or not after:
        return None
    return Votes(
        motion=motion,
        for_before=before["for"],
        against_before=before["against"],
        for_after=after["for"],
        against_after=after["against"],
    )


def _people(debate: DebateTranscript) -> tuple[GivenSpeaker, ...]:
    """The debaters with their sides, and the moderators."""
    return (
        *(GivenSpeaker(name=name, role="debater", side="pro") for name in debate.pro),
        *(GivenSpeaker(name=name, role="debater", side="con") for name in debate.con),
        *(GivenSpeaker(name=name, role="moderator") for name in debate.moderators),
    )
