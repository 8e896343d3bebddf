"""The stage on the sample debates: what people labelled is found near the top of each speech's own list."""

import json
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest

from pipeline.corpus import open_corpus
from pipeline.corpus.contents import Corpus, Entry
from pipeline.errors import RostrumError
from pipeline.mentions.stage import Carrier, Mention, Mentions, MentionsSettings, mentions
from pipeline.records import Argument, Arguments, Motion, Passage, Speech
from pipeline.report.markdown import page
from pipeline.segment.stage import Sentences
from pipeline.stage import Skip
from tests.llm_server import Response, serving
from tests.talk import spoken

SAMPLES = Path(__file__).parents[3] / "audio_samples"
SETTINGS = MentionsSettings(detector="shipped")


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    try:
        from pipeline import models

        for name in (SETTINGS.encoder, "all-MiniLM-L6-v2", "punkt"):
            models.find(name)
    except RostrumError as error:
        pytest.skip(str(error))
    corpus = open_corpus(SAMPLES)
    # The speeches of the debate in one recording have tests of their own.
    entries = tuple(entry for entry in corpus.entries if not entry.speakers)
    known = {entry.speech.id for entry in entries}
    return replace(corpus, entries=entries, labels=tuple(label for label in corpus.labels if label.speech in known))


def of_speech(corpus: Corpus, entry: Entry, settings: MentionsSettings = SETTINGS) -> Mentions:
    assert entry.reference
    assert entry.speech.motion
    arguments = corpus.arguments_on(entry.speech.motion)
    assert arguments
    said = spoken(entry.reference.read_text().splitlines())
    return mentions(corpus.motions[entry.speech.motion], arguments, entry.speech, said, settings=settings)


@pytest.mark.slow
def test_every_labelled_mention_of_the_samples_is_in_the_top_two(corpus: Corpus) -> None:
    """Of its speech's own list, where the speech's other labelled mentions do not count as standing above it."""
    labelled = {(label.speech, label.argument) for label in corpus.labels if label.mentioned}
    missed = []
    for entry in corpus.entries:
        own = [each for each in of_speech(corpus, entry).mentions if each.side == "own"]
        wrong_above = 0
        for mention in own:
            if (entry.speech.id, mention.argument) not in labelled:
                wrong_above += 1
            elif wrong_above > 1:
                missed.append((entry.speech.id, mention.argument))
    assert len(labelled) == 27
    assert missed == []


def test_decisions_on_the_samples_are_better_than_always_no(corpus: Corpus) -> None:
    labels = {(label.speech, label.argument): label.mentioned for label in corpus.labels}
    found = {
        (entry.speech.id, mention.argument): mention.mentioned
        for entry in corpus.entries
        for mention in of_speech(corpus, entry).mentions
        if mention.side == "own"
    }
    assert found.keys() == labels.keys()
    accuracy = sum(found[pair] == labels[pair] for pair in labels) / len(labels)
    assert accuracy > 1 - sum(labels.values()) / len(labels) + 0.2


def test_most_mentions_of_the_samples_are_found_and_few_others(corpus: Corpus) -> None:
    """On the reference texts, as docs/mentions.md says."""
    labels = {(label.speech, label.argument): label.mentioned for label in corpus.labels}
    found = [
        labels[entry.speech.id, mention.argument]
        for entry in corpus.entries
        for mention in of_speech(corpus, entry).mentions
        if mention.mentioned and (entry.speech.id, mention.argument) in labels
    ]
    assert sum(found) >= 24
    assert len(found) - sum(found) <= 4


def test_an_exchange_without_a_stance_is_scored_for_both_sides(corpus: Corpus) -> None:
    (exchange,) = (entry for entry in corpus.entries if entry.speech.id == "schools_exchange")
    found = of_speech(corpus, exchange)
    assert {mention.side for mention in found.mentions} == {None}
    assert {mention.stance for mention in found.mentions} == {"pro", "con"}


def test_the_same_input_gives_the_same_record(corpus: Corpus) -> None:
    entry = corpus.entries[0]
    assert of_speech(corpus, entry).digest() == of_speech(corpus, entry).digest()


def test_weights_are_named_in_the_fingerprint(corpus: Corpus) -> None:
    assert mentions.model
    named = mentions.model(SETTINGS)
    expected = {SETTINGS.encoder, "detector shipped", "punkt", "tuned", "tuned-bge", "all-MiniLM-L6-v2", "sides"}
    assert set(named) == {*expected, "sentence roles", "bge-small-en-v1.5-int8"}


def test_an_encoder_without_a_detector_is_refused_in_one_line(corpus: Corpus, tmp_path: Path) -> None:
    (tmp_path / "encoder").mkdir()
    (tmp_path / "encoder" / "model.safetensors").write_bytes(b"weights")
    assert mentions.model
    with pytest.raises(RostrumError, match="train one: rostrum train mentions --encoder"):
        mentions.model(SETTINGS.model_copy(update={"encoder": str(tmp_path / "encoder")}))


def test_what_cannot_be_compared_is_skipped_with_its_reason() -> None:
    motion, nothing = Motion(id="m", text="We should."), Sentences(sentences=(), method="lines")
    known = Arguments(items=(Argument(id="a", motion="m", stance="pro", title="It helps."),))
    with pytest.raises(Skip, match="no sentences"):
        mentions(motion, known, Speech(id="s"), nothing, settings=SETTINGS)
    with pytest.raises(Skip, match="no arguments"):
        mentions(motion, Arguments(items=()), Speech(id="s"), spoken(["It helps."]), settings=SETTINGS)


def mention(name: str, probability: float, **more: object) -> Mention:
    said = Passage(text=f"Words | of {name}", start=61, end=65)
    return Mention.model_validate(
        {
            "argument": name,
            "title": f"Title of {name}",
            "stance": "pro",
            "side": "own",
            "likeness": 0.0,
            "probability": probability,
            "mentioned": probability >= 0.5,
            "carriers": (Carrier(first=0, last=1, said=said, similarity=0.7, entailment=None),),
            "counter": None,
            "counter_title": None,
        }
        | more
    )


def test_the_page_has_what_is_made_first_and_the_sides_apart() -> None:
    record = Mentions(
        motion="m",
        mentions=(
            mention("made", 0.9, counter="c", counter_title="Title of the rebuttal", how="explicit"),
            mention("theirs", 0.8, side="other", stance="con", mentioned=False),
            mention("meant", 0.7, how="implicit", carriers=()),
            mention("missed", 0.2, carriers=()),
        ),
        encoder="bge",
        detector="shipped",
        trained_on="ArgKP",
        threshold=0.5,
    )
    text = page("mentions", record)
    assert text.startswith("2 of 3 arguments are mentioned: from probability 0.50 on, by the shipped detector")
    assert "**Title of made** (0.90, said outright)" in text
    assert "1:01 “Words \\| of made”" in text
    assert "rebutted by: Title of the rebuttal" in text
    assert "**Title of meant** (0.70)\n- suggested by the speech as a whole: no sentence carries it" in text
    assert text.index("Title of made") < text.index("### Not mentioned") < text.index("Title of missed")
    assert text.index("### Of the other side") < text.index("Title of theirs")
    assert "### Of other motions" not in text


def test_a_large_language_model_reads_the_passages_of_all_arguments_at_once(corpus: Corpus) -> None:
    def answer(prompt: str) -> Response:
        count = prompt.count("\nPassage: ")
        return Response(json.dumps({"answers": [{"pair": n, "probability": n / 100} for n in range(1, count + 1)]}))

    entry = next(each for each in corpus.entries if each.reference and each.speech.motion)
    with serving(answer) as server:
        asked = server.settings.model_copy(update={"batch": 100, "model": uuid4().hex})  # nothing of it is kept yet
        settings = SETTINGS.model_copy(update={"cross_encoder": "llm", "llm": asked, "candidates": 3})
        found = of_speech(corpus, entry, settings)
        plain = of_speech(corpus, entry)
    assert found.llm is not None
    assert found.llm.answers == len(server.asked) < len(found.mentions)
    for with_opinion, without in zip(found.mentions, plain.mentions, strict=True):
        scores = [each.entailment for each in with_opinion.carriers]
        assert scores == sorted(scores, reverse=True)
        assert with_opinion.probability == without.probability  # what is a mention is the detector's to say
    assert plain.llm is None


def test_the_passages_of_the_samples_are_where_people_would_look(corpus: Corpus) -> None:
    """A passage is shown of most labelled mentions; no question, greeting or bare motion is one."""
    labelled = {(label.speech, label.argument) for label in corpus.labels if label.mentioned}
    shown = [
        mention.carriers
        for entry in corpus.entries
        for mention in of_speech(corpus, entry).mentions
        if mention.mentioned and (entry.speech.id, mention.argument) in labelled
    ]
    assert sum(map(bool, shown)) > len(shown) / 2
    assert not any(carrier.said.text.endswith("?") for carriers in shown for carrier in carriers)
    assert all(carrier.last == carrier.first + 1 for carriers in shown for carrier in carriers)
