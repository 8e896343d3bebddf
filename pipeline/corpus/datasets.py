"""Data sets as they were released, as corpora: IBM's recorded debates, and debates written down as JSON."""

import csv
import io
import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.corpus.contents import Corpus, Entry
from pipeline.corpus.files import files_below
from pipeline.corpus.manifest import Problem
from pipeline.errors import RostrumError
from pipeline.formats import DEBATE_SUFFIX, DebateTranscript, is_debate, read_debate
from pipeline.records import Argument, Label, Motion, ResponseKind, Speech, Stance, Votes
from pipeline.speakers import GivenSpeaker
from pipeline.system.files import read_text

# '<ACTION><TOPIC>' becomes 'banning boxing', '<TOPIC>' 'boxing'; of '[is/are]' one is taken.
_SLOT = re.compile(r"<ACTION>\s*<TOPIC>|<TOPIC>")
_CHOICE = re.compile(r"\[([^\[\]/]*)/([^\[\]]*)\]")
# A claim is a sentence. No longer text is compared with a template.
_LONGEST = 2_000


@dataclass
class Topic:
    """The words of one motion for each slot, learned from claims with and without slots.

    >>> boxing = Topic()
    >>> boxing.learn("<ACTION><TOPIC> is bad.", "banning boxing is bad.")
    >>> boxing.learn("<TOPIC> [is/are] bad.", "boxing is bad.")
    >>> boxing.filled("Policies like <ACTION><TOPIC> [is/are] right.")
    'Policies like banning boxing is right.'
    """

    words: dict[str, str] = field(default_factory=dict)
    singular: bool = True

    def learn(self, template: str, claim: str) -> None:
        """Compare a claim on the motion with its template; a template with two different slots tells nothing."""
        slots = _SLOT.findall(template)
        if len(slots) != 1 or max(len(template), len(claim)) > _LONGEST:
            return
        before, after = (_pattern(part) for part in template.split(slots[0]))
        if found := re.fullmatch(rf"{before}(?P<words>.+?){after}", claim.strip()):
            self.words.setdefault(_name(slots[0]), found["words"])
            if choice := _CHOICE.search(template):
                self.singular = re.search(rf"\b{re.escape(choice[2])}\b", claim) is None

    def filled(self, template: str) -> str | None:
        """The template in the motion's words; None where the words of one of its slots are not known."""
        if any(_name(slot) not in self.words for slot in _SLOT.findall(template)):
            return None
        text = _SLOT.sub(lambda match: self.words[_name(match[0])], template)
        text = _CHOICE.sub(lambda match: match[1] if self.singular else match[2], text).strip()
        return text[:1].upper() + text[1:]


def _name(slot: str) -> str:
    return "".join(slot.split())


def _pattern(part: str) -> str:
    """A pattern of the fixed words beside a slot, with either word of a choice."""
    pieces, end = [], 0
    for choice in _CHOICE.finditer(part):
        pieces += [re.escape(part[end : choice.start()]), f"(?:{re.escape(choice[1])}|{re.escape(choice[2])})"]
        end = choice.end()
    return "".join([*pieces, re.escape(part[end:])]).replace(r"\ ", r"\s+")


# IBM's Recorded Debating Dataset as a corpus, in the layout of its release.
#
# The names of the files below `speeches` say who speaks on what, for which side and to whom. `GPR-KB-55`, which may be
# missing, has the general-purpose claims, and says which of them people heard in which speech. A claim becomes an
# argument of every motion and side for whose speeches it has labels.

SPEECHES = "speeches"
CLAIMS = "GPR-KB-55"
LABELS = "GP-claims-mentioned-in-speeches.csv"
KNOWLEDGE_BASE = "GPR-KB-55.csv"

_NAME = re.compile(
    r"(?P<speaker>[^_]+)_(?P<motion>\d+)_(?P<topic>[^_]+)_(?P<stance>pro|con)_(?P<kind>[^_.]+)(?:_(?P<opponent>[^_.]+))?"
)
# How an opposing speech answers, by the word in its name. ('opening' says nothing: supporting speeches have it, too.)
_RESPONSES: dict[str, ResponseKind] = {"explicit": "explicit", "rebuttal": "explicit", "implicit": "implicit"}
# The files of a speech: a recogniser's words (asr) and a person's transcript (trs), each also as text; the recording.
_KINDS = ("asr.txt", "trs.txt", "asr", "trs", "wav")


def has_ibm_layout(folder: Path) -> bool:
    """Whether the folder has the layout of the release: its claims, or a speech with such a name."""
    if (folder / CLAIMS).is_dir():
        return True
    speeches = folder / SPEECHES
    return speeches.is_dir() and any(_named(path) for path in files_below(speeches))


def read_ibm(folder: Path) -> Corpus:
    """The release as a corpus: `.trs` files are the references, `.asr` files the given transcripts."""
    speeches = _speeches(folder)
    spoken_by = {(speech.motion, speech.stance, speech.speaker): speech.name for speech in reversed(speeches)}
    problems: list[Problem] = []
    labelled = _Labelled({speech.name: speech for speech in speeches}, problems)
    if (folder / CLAIMS).is_dir():
        labelled.read(folder)
    motions = {speech.motion: speech.topic.replace("-", " ") for speech in speeches} | labelled.motions
    return Corpus(
        folder,
        tuple(_entry(speech, spoken_by) for speech in speeches),
        {id: Motion(id=id, text=text) for id, text in sorted(motions.items(), key=lambda pair: int(pair[0]))},
        tuple(labelled.arguments.values()),
        tuple(labelled.labels),
        problems=tuple(problems),
        claims=labelled.claims,
    )


@dataclass(frozen=True)
class _Speech:
    """A speech of the release: the facts in its name, and its files by kind."""

    name: str
    speaker: str
    motion: str
    topic: str
    stance: Stance
    response: ResponseKind | None
    opponent: str | None
    files: Mapping[str, Path]


def _speeches(folder: Path) -> list[_Speech]:
    """Every speech of the release. Some files' names also contain the name of the transcriber, which is left out."""
    files: dict[str, dict[str, Path]] = {}
    for path in files_below(folder / SPEECHES):
        if found := _named(path):
            match, kind = found
            files.setdefault(match[0], {})[kind] = path
    if not files:
        raise RostrumError(f"{folder}: no speeches named <speaker>_<motion>_<topic>_<pro|con>_... below {SPEECHES}/")
    return [_speech(name, found) for name, found in files.items()]


def _named(path: Path) -> tuple[re.Match[str], str] | None:
    match = _NAME.match(path.name)
    kind = next((kind for kind in _KINDS if path.name.endswith(f".{kind}")), None)
    return (match, kind) if match and kind else None


def _speech(name: str, files: dict[str, Path]) -> _Speech:
    match = _NAME.fullmatch(name)
    assert match is not None
    stance: Stance = "pro" if match["stance"] == "pro" else "con"
    return _Speech(
        name,
        match["speaker"],
        match["motion"],
        match["topic"],
        stance,
        _RESPONSES.get(match["kind"]),
        match["opponent"],
        files,
    )


def _entry(speech: _Speech, spoken_by: Mapping[tuple[str, Stance, str], str]) -> Entry:
    other_side: Stance = "con" if speech.stance == "pro" else "pro"
    return Entry(
        Speech(
            id=speech.name,
            motion=speech.motion,
            stance=speech.stance,
            speakers=(speech.speaker,),
            # One opponent that is named has no speech in the data.
            answers=spoken_by.get((speech.motion, other_side, speech.opponent or "")),
            response=speech.response,
        ),
        audio=speech.files.get("wav"),
        reference=speech.files.get("trs") or speech.files.get("trs.txt"),
        transcript=speech.files.get("asr"),
        named={kind: path for kind, path in speech.files.items() if kind != "wav"},
    )


@dataclass
class _Labelled:
    """The content of the tables of claims: the texts of the motions, the arguments and the labels."""

    speeches: Mapping[str, _Speech]
    problems: list[Problem]
    motions: dict[str, str] = field(default_factory=dict)
    arguments: dict[str, Argument] = field(default_factory=dict)
    labels: list[Label] = field(default_factory=list)
    claims: dict[str, str] = field(default_factory=dict)

    def read(self, folder: Path) -> None:
        known = {row["id"]: row for _, row in read_table(folder, KNOWLEDGE_BASE, "id", "claim", "rebuttal")}
        seen: set[tuple[str, str]] = set()
        for line, row in read_table(folder, LABELS, *_LABEL_COLUMNS):
            try:
                label = self._label(row, known, seen)
            except ValueError as error:
                self.problems.append(Problem(f"{CLAIMS}/{LABELS}", str(error), line))
                continue
            self.labels.append(label)
            self.claims[label.argument] = row["GPR-KB-id"]
        self._add_rebuttals(known)

    def _add_rebuttals(self, known: Mapping[str, Mapping[str, str]]) -> None:
        """Give each argument the knowledge base's rebuttal of its claim, in the words of its motion."""
        topics: dict[str, Topic] = {}
        for id, argument in self.arguments.items():
            topic = topics.setdefault(argument.motion, Topic())
            topic.learn(known[self.claims[id]]["claim"], argument.title)
        for id, argument in self.arguments.items():
            rebuttal = topics[argument.motion].filled(known[self.claims[id]]["rebuttal"])
            self.arguments[id] = argument.model_copy(update={"rebuttal": rebuttal})

    def _label(self, row: Mapping[str, str], known: Container[str], seen: set[tuple[str, str]]) -> Label:
        """The label of a row; its motion and argument are added to this, too. Raises ValueError if the row is wrong."""
        claim, name, title = row["GPR-KB-id"], row["speech-id"], row["GP-claim-text-for-motion"].strip()
        if name not in self.speeches:
            raise ValueError(f"there is no speech {name!r} below {SPEECHES}/")
        if (name, claim) in seen:
            raise ValueError(f"{claim} has a label for {name} already")
        if claim not in known:
            raise ValueError(f"there is no claim {claim!r} in {KNOWLEDGE_BASE}")
        if not title:
            raise ValueError(f"the claim {claim} has no text")
        mentioned = {"true": True, "false": False}.get(row["is-claim-mentioned-in-speech"].lower())
        how = row["label"].lower()
        counts = [row[column] for column in ("explicit-count", "implicit-count", "reject-count")]
        if mentioned is None or not all(count.isdecimal() for count in counts):
            raise ValueError("its counts are not whole numbers, or it does not say true or false")
        seen.add((name, claim))
        speech = self.speeches[name]
        self.motions[speech.motion] = row["motion-text"]
        argument = f"{claim}-{speech.motion}-{speech.stance}"
        self.arguments[argument] = Argument(id=argument, motion=speech.motion, stance=speech.stance, title=title)
        explicit, implicit, rejected = map(int, counts)
        return Label(
            speech=name,
            argument=argument,
            mentioned=mentioned,
            how=how if mentioned and how in ("explicit", "implicit") else None,
            votes_yes=explicit + implicit,
            votes_no=rejected,
        )


_LABEL_COLUMNS = (
    *("motion-text", "speech-id", "GPR-KB-id", "GP-claim-text-for-motion", "is-claim-mentioned-in-speech", "label"),
    *("explicit-count", "implicit-count", "reject-count"),
)


def read_table(folder: Path, name: str, *columns: str) -> Iterator[tuple[int, dict[str, str]]]:
    """(line, row) for each row of one of the release's tables. A cell that a row lacks is empty."""
    path = folder / CLAIMS / name
    if not path.exists():
        raise RostrumError(f"{path}: missing; this needs the claims of the data set")
    reader = csv.DictReader(io.StringIO(read_text(path), newline=""), restval="")
    missing = [column for column in columns if column not in (reader.fieldnames or ())]
    if missing:
        raise RostrumError(f"{path}:1: no column {missing[0]!r}; copy the file of the release again")
    try:
        for row in reader:
            yield reader.line_num, row
    except csv.Error as error:
        raise RostrumError(f"{path}:{reader.line_num}: not valid CSV: {error}") from error


# A folder of debates that were written down, one JSON file each, as a corpus: texts without recordings.


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
