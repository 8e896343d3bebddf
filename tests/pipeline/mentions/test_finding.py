"""From sentences and arguments to mentions: sides, carriers, counters, bad input, and each text embedded once."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import numpy as np
import pytest

from pipeline.arrays import Matrix
from pipeline.errors import RostrumError
from pipeline.llm.large_model import LargeModel
from pipeline.matching.matchers.words import TokenOverlap
from pipeline.mentions.detector import Detector
from pipeline.mentions.features import LIKENESS
from pipeline.mentions.finding import Finder, LlmOpinion
from pipeline.mentions.passages import PassageReader
from pipeline.mentions.stage import Mention
from pipeline.models.stored import FeatureWeight
from pipeline.records import Argument, Motion, Sentence
from pipeline.sentence_roles import SentenceRole
from pipeline.text.encoders.cross_encoder import CrossEncoder
from tests.llm_server import Response, serving
from tests.pipeline.mentions.counting import CountingEncoder

MOTION = Motion(id="boxing", text="We should ban boxing")
DETECTOR = Detector(
    trained_on="by hand",
    encoder="counting",
    encoder_digest="c0",
    weights={LIKENESS: FeatureWeight(mean=0, deviation=1, weight=2)},
    bias=0.0,
    threshold=0.5,
)
SAID = [
    "Every single blow in boxing harms the brain.",
    "And the brain of a child is harmed most of all.",
    "My opponent said that boxing builds a good character.",
    "Poor families are drawn in by the money.",
]


def roles(sentences: Sequence[str], motion: str) -> list[SentenceRole]:
    """What mentions the opponent quotes her, all else argues."""
    return [SentenceRole("quoting" if "opponent" in text else "argument", 1.0, 1.0) for text in sentences]


def arguing(sentences: Sequence[str], motion: str) -> list[SentenceRole]:
    return [SentenceRole("argument", 1.0, 1.0) for _ in sentences]


def undecided(motion: str, texts: Sequence[str]) -> Matrix:
    """Every text is as probably for the motion as against it."""
    return np.log(np.full((len(texts), 3), 1 / 3))


def against(motion: str, texts: Sequence[str]) -> Matrix:
    return np.log(np.tile([0.1, 0.8, 0.1], (len(texts), 1)))


PASSAGES = PassageReader(TokenOverlap(), 0.2, roles, undecided)


def argument(name: str, title: str, stance: str = "pro", motion: str = "boxing", **more: Any) -> Argument:
    return Argument(id=name, motion=motion, stance=stance, title=title, **more)


ARGUMENTS = [
    argument("brain", "Boxing harms the brain.", counter="helmet"),
    argument("poor", "Boxing exploits poor families.", counter="missing"),
    argument("crime", "Boxing breeds organised crime."),
    argument("character", "Boxing builds character.", "con"),
    argument("helmet", "Helmets protect the head.", "con"),
    argument("chess", "Chess is dull.", motion="chess"),
    argument("chess brain", "Chess trains the brain.", motion="chess"),
]


def spoken(texts: list[str]) -> list[Sentence]:
    return [Sentence(text=text, start=10 * i, end=10 * i + 9, first=i, last=i + 1) for i, text in enumerate(texts)]


def find(arguments: list[Argument] = ARGUMENTS, stance: Any = "pro", **options: Any) -> dict[str, Mention]:
    finder = Finder(CountingEncoder(), DETECTOR, **{"threshold": DETECTOR.threshold, "passages": PASSAGES, **options})
    return {mention.argument: mention for mention in finder.find(MOTION, arguments, stance, spoken(SAID))}


def test_arguments_are_found_where_they_are_made() -> None:
    found = find()
    assert found["brain"].mentioned
    assert not found["crime"].mentioned
    assert found["brain"].probability > found["poor"].probability > found["crime"].probability
    best = found["brain"].carriers[0]
    assert (best.first, best.last) == (0, 1)
    assert (best.said.text, best.said.start, best.said.end) == (SAID[0], 0, 9)
    assert best.entailment is None


def test_a_sentence_that_does_not_argue_carries_nothing() -> None:
    found = find(stance=None)
    assert found["character"].carriers == ()
    assert found["character"].how == "implicit"
    assert find(stance=None, passages=PassageReader(TokenOverlap(), 0.2, arguing, undecided))["character"].carriers


def test_a_sentence_for_the_other_side_carries_nothing() -> None:
    found = find(stance=None, passages=PassageReader(TokenOverlap(), 0.2, arguing, against))
    assert found["brain"].carriers == ()
    assert found["character"].carriers


def test_what_no_sentence_makes_has_no_passage_and_is_decided_as_before() -> None:
    strict = find(passages=PassageReader(TokenOverlap(), 1.1, roles, undecided))
    assert all(mention.carriers == () for mention in strict.values())
    assert {name: each.mentioned for name, each in strict.items()} == {
        name: each.mentioned for name, each in find().items()
    }
    assert find(carriers=0)["brain"].carriers == ()


def test_a_sentence_carries_only_the_argument_that_it_makes_best() -> None:
    own = [argument("money", "Money draws poor families in."), argument("families", "Families watch boxing.")]
    found = find(own, passages=PassageReader(TokenOverlap(), 0.3, roles, undecided))
    assert [each.first for each in found["money"].carriers] == [3]
    assert found["families"].carriers == ()


def test_sides_are_told_apart_and_never_compared_with_each_other() -> None:
    found = find()
    assert {name: mention.side for name, mention in found.items()} == {
        **dict.fromkeys(("brain", "poor", "crime"), "own"),
        **dict.fromkeys(("character", "helmet"), "other"),
        **dict.fromkeys(("chess", "chess brain"), "another motion"),
    }
    # the speech takes the opponent's argument up, and does not make it
    assert found["character"].probability > 0.5
    assert not found["character"].mentioned
    alone = find(ARGUMENTS[:3])
    assert [alone[name].probability for name in alone] == [found[name].probability for name in alone]


def test_without_a_known_stance_no_side_is_named() -> None:
    found = find(stance=None)
    assert found["character"].side is None
    assert found["character"].mentioned
    assert found["chess"].side == "another motion"


def test_the_rebuttal_stands_beside_the_argument() -> None:
    found = find()
    assert (found["brain"].counter, found["brain"].counter_title) == ("helmet", "Helmets protect the head.")
    assert (found["poor"].counter, found["poor"].counter_title) == ("missing", None)
    assert (found["crime"].counter, found["crime"].counter_title) == (None, None)


def test_the_threshold_decides() -> None:
    assert not any(mention.mentioned for mention in find(threshold=1.0).values())
    own = [mention for mention in find(threshold=0.0).values() if mention.side == "own"]
    assert all(mention.mentioned for mention in own)


def test_each_text_is_embedded_once_for_all_speeches() -> None:
    encoder = CountingEncoder()
    finder = Finder(encoder, DETECTOR, DETECTOR.threshold, PASSAGES)
    for _ in range(2):
        finder.find(MOTION, ARGUMENTS, "pro", spoken(SAID))
    finder.find(MOTION, ARGUMENTS, "con", spoken([*SAID[:2], "Let them box."]))
    expected = {*SAID, "Let them box.", *(each.title for each in ARGUMENTS)}
    assert len(encoder.embedded) == len(expected)
    assert set(encoder.embedded) == expected


def test_a_speech_of_one_sentence_and_a_list_of_one() -> None:
    finder = Finder(CountingEncoder(), DETECTOR, DETECTOR.threshold, PASSAGES)
    (mention,) = finder.find(MOTION, ARGUMENTS[:1], "pro", spoken(SAID[:1]))
    assert (mention.likeness, mention.probability) == (0.0, 0.5)
    assert len(mention.carriers) == 1


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([argument("empty", " ")], "'empty' has no title"),
        ([argument("twice", "One."), argument("twice", "Two.")], "2 arguments have the id 'twice'"),
    ],
)
def test_bad_arguments_are_refused_in_one_line(arguments: list[Argument], complaint: str) -> None:
    with pytest.raises(RostrumError, match=complaint) as raised:
        find(arguments)
    assert "\n" not in str(raised.value)


def test_a_text_of_ten_thousand_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.mentions.finding.split", lambda text: text.split(". ") if text else [])
    text = ". ".join(f"Sentence {number} says that boxing harms the brain of those who box" for number in range(850))
    assert len(text.split()) > 10_000
    found = find([argument("long", "Boxing harms.", text=text), *ARGUMENTS[1:]])
    assert found["long"].mentioned


class Reader:
    """Stands in for a model: says that an argument follows from what is said of a child."""

    def __init__(self, labels: dict[str, int]) -> None:
        self.model = SimpleNamespace(config=SimpleNamespace(label2id=labels))
        self.labels = labels
        self.read: list[tuple[str, str]] = []

    def predict(self, pairs: list[tuple[str, str]], **_: Any) -> Any:
        self.read += pairs
        odds = np.array([float("child" in passage) * 4 - 2 for passage, _ in pairs])
        return odds[:, None] if len(self.labels) == 1 else np.stack([np.zeros_like(odds), odds], axis=1)


@pytest.mark.parametrize("labels", [{"LABEL_0": 0}, {"contradiction": 0, "ENTAILMENT": 1}])
def test_a_cross_encoder_chooses_among_the_most_similar_passages(labels: dict[str, int]) -> None:
    reader = Reader(labels)
    found = find(carriers=1, candidates=4, cross_encoder=CrossEncoder("reader", "0", reader))
    (best,) = found["brain"].carriers
    assert "child" in best.said.text
    assert best.entailment == pytest.approx(1 / (1 + np.exp(-2)), abs=1e-4)
    assert len(reader.read) == len(set(reader.read))


def test_a_model_that_says_nothing_of_entailment_is_refused() -> None:
    with pytest.raises(RostrumError, match="none of its outputs"):
        CrossEncoder("sentiment", "0", Reader({"good": 0, "bad": 1}))


def test_what_a_sentence_says_outright_is_told_from_what_is_implied() -> None:
    own = [
        argument("same", SAID[3]),
        argument("near", "A brain is what makes a person."),
        argument("no", "Chess is dull."),
    ]
    found = find(own, threshold=0.3)
    assert (found["same"].how, found["near"].how) == ("explicit", "implicit")
    assert not found["no"].mentioned
    assert found["no"].how is None


def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROSTRUM_MODELS", str(tmp_path))
    monkeypatch.delenv("ROSTRUM_LLM_KEY", raising=False)


def by_length(prompt: str) -> Response:
    """A model that answers with a tenth of the passage's words, the last pair first."""
    found = re.findall(r"Pair (\d+)\nPassage: (.*)\nArgument", prompt)
    answers = [{"pair": int(number), "probability": len(text.split()) / 10} for number, text in found]
    return Response(json.dumps({"answers": answers[::-1]}))


def test_each_pair_has_its_own_answer_whatever_the_batch() -> None:
    pairs = [(" ".join(["word"] * count), "a claim") for count in (1, 5, 2, 9, 3)]
    with serving(by_length) as server:
        fresh = {"batch": 2, "model": uuid4().hex}  # nothing of it is kept yet
        opinion = LlmOpinion(LargeModel(server.settings.model_copy(update=fresh)))
        assert opinion.probabilities(pairs).tolist() == [0.1, 0.5, 0.2, 0.9, 0.3]
        assert len(server.asked) == 3


def test_a_pair_that_is_left_out_is_asked_for() -> None:
    one = Response('{"answers": [{"pair": 1, "probability": 0.5}]}')
    with serving(lambda prompt: one) as server, pytest.raises(RostrumError, match="pair 2 is missing"):
        LlmOpinion(LargeModel(server.settings)).probabilities([("a", "b"), ("c", "d")])
