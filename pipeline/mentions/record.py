"""Which known arguments a speech mentions."""

from typing import Literal, Self

from pipeline.records import LlmUse, Passage, Record, Stance


class Carrier(Record):
    """Sentences of a speech that carry an argument: `first` up to, not including, `last`.

    `similarity` is how well they make the argument, by the passage matcher's score. `entailment` is the probability
    that the argument follows from what is said; None without a cross-encoder.
    """

    first: int
    last: int
    said: Passage
    similarity: float
    entailment: float | None


class Mention(Record):
    """The probability that people would hear a known argument in a speech, and where.

    `side` says whose argument it is; None if the speech's stance is not known. `mentioned` means that the speech makes
    the argument. An argument of the other side or of another motion is scored, to see what the speech takes up, but is
    never `mentioned`. Arguments are compared within their list, which are those of one stance on one motion. `likeness`
    is in standard deviations of that list. `counter` is the id of the argument that rebuts this one. `counter_title` is
    its title, or the text that rebuts this one. `carriers` is empty if no sentence carries the argument; one that is
    mentioned then follows from the speech as a whole. `how` says whether a sentence says a mentioned argument outright.
    `speaker` is the key of the person who is meant, in a recording of several speeches.
    """

    argument: str
    title: str
    stance: Stance
    side: Literal["own", "other", "another motion"] | None
    likeness: float
    probability: float
    mentioned: bool
    carriers: tuple[Carrier, ...]
    counter: str | None
    counter_title: str | None
    how: Literal["explicit", "implicit"] | None = None
    speaker: str | None = None


class Mentions(Record):
    """Every known argument of a motion, and whether a speech mentions it. The most probable one comes first.

    In a recording of several speeches, there is every argument for each of them.

    `detector` is 'shipped', 'trained' or a file's name, and `trained_on` the data that it learned from. `llm` is the
    use of a large language model for the carriers, None if none was asked.
    """

    motion: str
    mentions: tuple[Mention, ...]
    encoder: str
    detector: str
    trained_on: str
    threshold: float
    llm: LlmUse | None = None

    def of_speaker(self, key: str) -> Self:
        """What one person of a recording with several speeches mentions."""
        return self.model_copy(update={"mentions": tuple(one for one in self.mentions if one.speaker == key)})
