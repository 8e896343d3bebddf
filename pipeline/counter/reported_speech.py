"""Words by which a speaker reports the other side or turns against it, and the sentences that do so."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from pipeline.arrays import Vector
from pipeline.counter.texts import SpeechText
from pipeline.text.terms import stop_words

# Every speech is compared with every other one of its motion: of so many sentences it is known what was found in them.
_REMEMBERED = 50_000

# Words by which a speaker reports the other side, weighs an issue, or turns against something.

# Who is reported. 'They' and 'the government' may be anybody: what they do must be speaking to us.
_OTHER_SIDE = (
    r"(?:side government|government speaker|other side|opponents?|opposing side|(?:previous|last|first|second) speaker|"
    r"my (?:opponent|friend|colleague)s?)"
)
_ANYBODY = r"(?:they|he|she|government|prime minister|proposition)"
_SAYS = (
    r"(?:says?|said|saying|tells?|told|claim(?:s|ed)?|argue[sd]?|mention(?:s|ed)?|talk(?:s|ed)? about|"
    r"point(?:s|ed)? out|assum(?:es?|ed|ing)|suggest(?:s|ed)?|assert(?:s|ed)?|acknowledge[sd]?|br(?:ings?|ought) up|"
    r"define[sd]?|propose[sd]?|raise[sd]?|"
    r"(?:want|tr(?:y|ies|ied)) (?:you )?to (?:tell|say|claim|argue|believe|convince))"
)
# 'They gave children food', 'they speak English', 'he said exactly what he needed to' report nobody.
_SAYS_TO_US = (
    r"(?:(?:tells?|told|tr(?:y|ies|ied) to tell) (?:us|you)|"
    r"(?:says?|said|claim(?:s|ed)?|argue[sd]?|assert(?:s|ed)?|suggest(?:s|ed)?|seems? to assume|assume[sd]?) that|"
    r"mention(?:s|ed)|talk(?:s|ed)? about|point(?:s|ed)? out|brought up|define[sd]? (?:this|the) (?:debate|motion)|"
    r"(?:gave|give[sn]?|brought|used?|uses) (?:us |you )?(?:the|this|that|an?) "
    r"(?:example|reason|argument|analogy|case) of|"
    r"raise[sd]? (?:the|this|a) (?:issue|point|question|concern))"
)
_MATTER = r"(?:things?|points?|arguments?|claims?|issues?|reasons?|examples?|harms?|questions?)"
_HEARD = (
    rf"we(?: are|'re| were|'ve| have)? (?:just )?(?:being |been )?told|we(?:'ve| have)? (?:just )?heard|"
    rf"{_MATTER} (?:that )?(?:was|were|is|are|has been|have been|they|he|she) "
    rf"(?:just )?(?:brought up|raised|mentioned|presented|made|bring up|raise[sd]?|claim|talk about)"
)
_RESPONSE = (
    rf"(?:respond|response|responses|rebut|rebuttal|answers?) to (?:this|that|these|those|the|her|his|their|what)"
    rf"(?: \w+)? (?:{_MATTER}|speech|case|was|said)|"
    rf"(?:two|three|four|first|second|third|another|couple of|few) (?:answers|responses|rebuttals|points of rebuttal)|"
    rf"(?:first|second|third|final) (?:answer|response|rebuttal) (?:here|to|is)|"
    rf"(?:some|our|my) (?:points of )?rebuttals?"
)
# Whoever names the other side's speech or case refers to it, whatever the verb.
_THEIR_CASE = (
    r"(?:previous|last) speaker|my opponents?|(?:other|government|opposing|proposition) side|"
    r"(?:government|proposition|opposition)(?:'s) (?:case|arguments?|points?|claims?)|in (?:his|her) (?:\w+ )?speech"
)
_REPORT = re.compile(
    rf"\b(?:{_OTHER_SIDE}(?: \w+){{0,2}} {_SAYS}|"
    rf"{_ANYBODY}(?: (?:also|then|just|even|first|only)){{0,2}} {_SAYS_TO_US}|{_HEARD}|{_RESPONSE}|{_THEIR_CASE})\b",
    re.IGNORECASE,
)

_WEIGHT = re.compile(
    r"\b(?:most (?:important|importantly|significant|crucial)|main|primary|core|key|crucial|fundamental\w*|"
    r"central|ultimately|above all|at the end of the day|the (?:biggest|real|whole) (?:reason|problem|point|issue)|"
    r"principle|in conclusion)\b",
    re.IGNORECASE,
)
# An ordinal announces a point where it opens the sentence, or counts reasons; 'a second later' does not.
_ORDINAL = re.compile(
    r"^(?:so |and |now |but |then )*(?:first(?:ly)?|second(?:ly)?|third(?:ly)?|finally|lastly)\b"
    r"(?! (?:of|time|day|year)\b)|"
    r"\b(?:first|second|third|last|final) (?:and \w+ (?:\w+ )?)?"
    r"(?:thing|reason|point|argument|issue|claim|problem|harm)s?\b",
    re.IGNORECASE,
)
_TURN = re.compile(
    r"^(?:so |and |now |well )?(?:but|however|yet|no|nevertheless|on the contrary|instead|rather|still)\b|"
    r"\b(?:disagree|isn't true|not true|wrong|false|mistaken|flawed|fails? to|doesn't follow|even if|in fact)\b",
    re.IGNORECASE,
)


def names_spoken(names: Iterable[str]) -> re.Pattern[str] | None:
    """Finds a reference to any of these speakers; None where there is no name to look for.

    A name counts where it has its capital, unless it is also a common word ('Will'). Such a name, or one without its
    capital, counts where the speaker says, claims, argues ...

    >>> bool(names_spoken(["will"]).search("Will says that it helps.")), bool(names_spoken(["will"]).search("Will it?"))
    (True, False)
    """
    parts = sorted({part for name in names for part in name.split() if len(part) > 2})
    if not parts:
        return None
    any_name = "|".join(map(re.escape, parts))
    patterns = [rf"(?i:\b(?:{any_name})(?:'s (?:speech|case|{_MATTER})|(?: also)? (?:{_SAYS}|makes|made|spoke)))\b"]
    if capital := [part[0].upper() + part[1:] for part in parts if part.lower() not in stop_words()]:
        patterns.append(r"\b(?:" + "|".join(map(re.escape, capital)) + r")\b")
    return re.compile("|".join(patterns))


def attributes(sentence: str, names: re.Pattern[str] | None = None) -> bool:
    """Whether the sentence reports what the other side said, or refers to its speech or speakers."""
    return _reports(sentence) or bool(names and names.search(sentence))


@lru_cache(maxsize=_REMEMBERED)
def _reports(sentence: str) -> bool:
    return bool(_REPORT.search(sentence))


def reported(sentence: str) -> str:
    """The reported part of a sentence: the words after the cue, or the whole sentence if it has no cue.

    >>> reported("They told us that phones distract pupils.")
    'that phones distract pupils.'
    """
    match = _REPORT.search(sentence)
    return sentence[match.end() :].strip() if match else sentence


def emphasises(sentence: str) -> bool:
    """Whether the speaker says that this is a main point."""
    return bool(_WEIGHT.search(sentence) or _ORDINAL.search(sentence))


@lru_cache(maxsize=_REMEMBERED)
def turns_against(sentence: str) -> bool:
    """Whether the sentence begins with, or contains, a word of contradiction."""
    return bool(_TURN.search(sentence))


# Sentences that report the other side, and whether they make an opposing speech an explicit response.
#
# An explicit response opens by restating the other side ('the first thing that was brought up ...', 'Anna told us that
# ...') and goes on doing so; an implicit one was recorded after hearing the speech, and never refers to it.

OPENING = 1 / 3
_FEWEST_WORDS = 5
# Chosen by thought, not fitted: one report in the opening is an aside, two are a method; later reports count half.
_REPORT_WEIGHT, _LATER, _BIAS = 2.0, 1.0, -3.0


@dataclass(frozen=True)
class ResponseJudgement:
    """How probable it is that a speech is an explicit response, and which sentences say so."""

    probability: float
    reports: tuple[int, ...]

    @property
    def is_explicit(self) -> bool:
        return self.probability >= 0.5


def judge_response(opposing: SpeechText, opponents: Sequence[str] = ()) -> ResponseJudgement:
    """Judge an opposing speech by its sentences that report the other side, or name one of its speakers."""
    names = names_spoken(opponents)
    reports = [index for index, text in enumerate(opposing.sentences) if attributes(text, names)]
    opening = sum(index < OPENING * len(opposing.sentences) for index in reports)
    logit = _BIAS + _REPORT_WEIGHT * opening + _LATER * (len(reports) - opening)
    return ResponseJudgement(float(1 / (1 + np.exp(-logit))), tuple(reports))


def report_weights(candidate: SpeechText, speakers: Sequence[str]) -> Vector:
    """1 for a sentence that reports what the other side said, or names its speaker; 0.5 for the sentence after it."""
    names = names_spoken(speakers)
    reports = np.array([attributes(text, names) for text in candidate.sentences], dtype=np.float64)
    return np.asarray(np.maximum(reports, np.concatenate([np.zeros(1), reports[:-1]])[: len(reports)] / 2))


@lru_cache(maxsize=10_000)
def reported_issues(candidate: SpeechText, speakers: tuple[str, ...]) -> tuple[SpeechText, tuple[int, ...]]:
    """The issues that a candidate attributes to these speakers or their side, as sentences, and where it reports them.

    A report that says hardly anything itself ('Here are two answers.') is read with the next sentence.
    """
    names = names_spoken(speakers)
    indices = [index for index, text in enumerate(candidate.sentences) if attributes(text, names)]
    issues = []
    for index in indices:
        issue = reported(candidate.sentences[index])
        if len(issue.split()) < _FEWEST_WORDS:
            issue = " ".join(candidate.sentences[index : index + 2])
        issues.append(issue)
    return SpeechText(f"{candidate.id}: reports", tuple(issues)), tuple(indices)
