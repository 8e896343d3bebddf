"""The key points of a debate."""

from pipeline.records import TRANSLATED, LlmUse, Passage, Record, Stance


class KeyPointMatch(Record):
    """A sentence that makes a key point, with its time. `sentence` is its index in the speech."""

    speech: str
    sentence: int
    speaker: str | None
    said: Passage
    score: float


class KeyPoint(Record):
    """A point that one side makes: in how many speeches, by how many speakers, for how long, and the answers to it.

    The best of `matches` comes first. `answers` are sentences of the other side on the same matter, `concessions` those
    in which it grants the point before it turns to its own, and `quotations` those in which it reports that this side
    makes the point. `case_of` is the id of a more general point of the same side, made by more. `source` is the speech,
    and `sentence` the index of the sentence, from which the point's text was taken. `leaning` is how much better the
    point fits the sentences of its own side than those of the other. Below 0, the point may belong to the other side.
    None: there is no other side.
    """

    id: str
    text: str
    stance: Stance | None
    source: str
    sentence: int
    matches: tuple[KeyPointMatch, ...]
    speeches: int
    speakers: int
    minutes: float
    answers: tuple[KeyPointMatch, ...]
    concessions: tuple[KeyPointMatch, ...] = ()
    quotations: tuple[KeyPointMatch, ...] = ()
    case_of: str | None = None
    leaning: float | None = None

    @property
    def quoted(self) -> str:
        """The text as it is shown to people, with a mark if it was taken from a translation."""
        source = (one.said for one in self.matches if (one.speech, one.sentence) == (self.source, self.sentence))
        return f"{TRANSLATED} {self.text}" if any(said.translated for said in source) else self.text


class KeyPointSide(Record):
    """The numbers of one side of a motion: `argued` of its sentences claim something, `covered` make a key point."""

    stance: Stance | None
    speeches: int
    speakers: int
    minutes: float
    sentences: int
    argued: int
    covered: int


class KeyPoints(Record):
    """The key points of the debate on one motion. The point that most speeches make comes first, followed
    by those that are cases of it.

    `llm` is the use of a large language model, None if none was asked.
    """

    motion: str
    points: tuple[KeyPoint, ...]
    sides: tuple[KeyPointSide, ...]
    matcher: str
    threshold: float
    llm: LlmUse | None = None
