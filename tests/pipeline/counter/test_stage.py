"""The stage on the sample debates, which have an explicit and an implicit answer on each of two motions."""

import re
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import rankdata

from pipeline.corpus import open_corpus
from pipeline.corpus.contents import Corpus
from pipeline.counter.judge import judge
from pipeline.counter.stage import CounterScores, CounterSettings, counter
from pipeline.counter.texts import SpeechText
from pipeline.errors import RostrumError
from pipeline.records import Motion, Speech, Speeches
from pipeline.report.markdown import page
from pipeline.segment.stage import Sentences
from pipeline.stage import Skip
from tests.talk import spoken

SAMPLES = Path(__file__).parents[3] / "audio_samples"
BY_WORDS = CounterSettings(encoder=None)


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return open_corpus(SAMPLES)


def scores(corpus: Corpus, motion: str, settings: CounterSettings = BY_WORDS) -> CounterScores:
    entries = [entry for entry in corpus.speeches_on(motion) if entry.reference]
    texts = {entry.speech.id: entry.reference.read_text() for entry in entries if entry.reference}
    sentences = {name: spoken(text.splitlines()) for name, text in texts.items()}
    speeches = Speeches(items=tuple(entry.speech for entry in entries))
    return counter(corpus.motions[motion], speeches, sentences, settings=settings)


def predicted(found: CounterScores) -> dict[str, str]:
    return {pair.supporting: pair.opposing for pair in found.pairs if pair.rank == 1}


@pytest.mark.parametrize("motion", ["schools", "transport"])
@pytest.mark.parametrize("assignment", ["one answer", "several answers", "off"])
def test_every_answer_of_the_samples_is_found(corpus: Corpus, motion: str, assignment: str) -> None:
    found = scores(corpus, motion, BY_WORDS.model_copy(update={"assignment": assignment}))
    known = {
        entry.speech.answers: entry.speech.id
        for entry in corpus.speeches_on(motion)
        if entry.speech.answers is not None
    }
    assert predicted(found) == known


@pytest.mark.parametrize("name", ["Cos", "JS", "MI", "c-MI", "ngrs", "SD-e", "quotes"])
def test_a_method_by_its_name_ranks_the_candidates(corpus: Corpus, name: str) -> None:
    settings = BY_WORDS.model_copy(update={"ranker": name, "assignment": "off"})
    found = scores(corpus, "schools", settings)
    entries = {entry.speech.id: entry for entry in corpus.speeches_on("schools") if entry.reference}
    texts = {
        id: SpeechText(id, tuple(entry.reference.read_text().splitlines()), entry.speech.speakers)
        for id, entry in entries.items()
        if entry.reference
    }
    method = judge(settings, list(texts.values())).methods[name]
    for supporting in {pair.supporting for pair in found.pairs}:
        pairs = sorted((pair for pair in found.pairs if pair.supporting == supporting), key=lambda pair: pair.opposing)
        values = method(texts[supporting], [texts[pair.opposing] for pair in pairs])
        # the same order, and equal where equal: a score is only standardised
        assert rankdata(values).tolist() == rankdata(np.round([pair.score for pair in pairs], 9)).tolist()
    assert found.ranker == name


def test_what_is_no_method_is_refused_with_the_nearest(corpus: Corpus) -> None:
    with pytest.raises(RostrumError, match=r"counter\.ranker: c-M is neither a file nor a method; did you mean c-MI\?"):
        scores(corpus, "schools", BY_WORDS.model_copy(update={"ranker": "c-M"}))


@pytest.mark.parametrize("motion", ["schools", "transport"])
def test_js_ngrs_or_c_mi_alone_find_the_explicit_answers(corpus: Corpus, motion: str) -> None:
    found = scores(corpus, motion)
    for entry in corpus.speeches_on(motion):
        if entry.speech.response == "explicit":
            pairs = [pair for pair in found.pairs if pair.supporting == entry.speech.answers]
            for name in ("JS", "content ngrs", "c-MI"):
                best = max(pairs, key=lambda pair: next(each.score for each in pair.reasons if each.name == name))
                assert best.opposing == entry.speech.id, name


def test_the_reasons_point_at_the_sentences_that_answer_each_other(corpus: Corpus) -> None:
    pair = next(
        pair for pair in scores(corpus, "schools").pairs if pair.opposing == "schools_con_ruth" and pair.rank == 1
    )
    matched = {each.supporting.text: each for each in pair.sentences}
    bully = matched["Today the bully sits in your pocket."]
    assert bully.opposing.text == "Then she told us that today the bully sits in your pocket."
    assert bully.quotes
    assert bully.opposing.start > 0
    assert "phone built picked" in {each.text for each in pair.ngrams}
    assert pair.sentences[0].similarity == max(each.similarity for each in pair.sentences)
    shares = [each.share for each in pair.reasons]
    assert shares == sorted(shares, reverse=True)
    assert {"tf-idf", "JS", "quotes"} <= {each.name for each in pair.reasons}


@pytest.mark.parametrize("motion", ["schools", "transport"])
def test_explicit_and_implicit_responses_are_told_apart(corpus: Corpus, motion: str) -> None:
    known = {entry.speech.id: entry.speech.response for entry in corpus.speeches_on(motion)}
    found = {response.opposing: response.kind for response in scores(corpus, motion).responses}
    assert found == {name: known[name] or "implicit" for name in found}


def test_the_order_of_the_speeches_does_not_matter(corpus: Corpus) -> None:
    entries = list(corpus.speeches_on("schools"))
    shuffled = Corpus(corpus.folder, tuple(reversed(entries)), corpus.motions)
    assert scores(shuffled, "schools") == scores(corpus, "schools")


def test_the_page_says_who_answers_whom_and_why(corpus: Corpus) -> None:
    text = page("counter", scores(corpus, "schools"))
    assert re.search(r"\| schools_pro_anna \| schools_con_ruth \(\d\.\d\d\) \| explicit \|", text)
    assert "Then she told us that today the bully sits in your pocket." in text
    assert "```" in text


def debate(**texts: str) -> tuple[Motion, Speeches, dict[str, Sentences]]:
    """Speeches called pro... and con..., each by the speaker that its name ends in."""
    items = tuple(
        Speech(id=name, motion="m", stance="pro" if name.startswith("pro") else "con", speakers=(name[3:],))
        for name in texts
    )
    sentences = {name: spoken(text.split("/") if text else []) for name, text in texts.items()}
    return Motion(id="m", text="We should."), Speeches(items=items), sentences


def test_nobody_answers_a_speech_of_their_own() -> None:
    motion = debate(proAnna="Cats sleep/Dogs bark", conAnna="Cats sleep/Dogs bark", conBea="Fish swim")
    found = counter(*motion, settings=BY_WORDS)
    assert predicted(found) == {"proAnna": "conBea"}
    allowed = counter(*motion, settings=BY_WORDS.model_copy(update={"same_speaker": True}))
    assert predicted(allowed) == {"proAnna": "conAnna"}


def test_identical_and_empty_speeches_have_a_defined_result() -> None:
    found = counter(*debate(proA="Cats sleep", conC="Cats sleep", conB="Cats sleep", conD=""), settings=BY_WORDS)
    assert [pair.opposing for pair in found.pairs] == ["conB", "conC", "conD"]
    assert counter(*debate(proA="", conB=""), settings=BY_WORDS).pairs[0].score == 0.0


def test_only_ones_own_speech_leaves_no_candidate() -> None:
    found = counter(*debate(proAnna="Cats sleep", conAnna="Cats sleep"), settings=BY_WORDS)
    assert found.pairs == ()
    assert "Who answers whom" in page("counter", found)


def test_without_an_opposing_speech_the_stage_is_skipped() -> None:
    with pytest.raises(Skip, match="no opposing speech on this motion"):
        counter(*debate(proA="Cats sleep"), settings=BY_WORDS)


def test_with_an_encoder_the_answers_are_found_too(corpus: Corpus) -> None:
    from pipeline import models

    settings = CounterSettings()
    assert settings.encoder is not None
    try:
        models.find(settings.encoder)
    except RostrumError as error:
        pytest.skip(str(error))
    for motion in ("schools", "transport"):
        found = scores(corpus, motion, settings)
        explicit = {
            e.speech.answers: e.speech.id for e in corpus.speeches_on(motion) if e.speech.response == "explicit"
        }
        assert explicit.items() <= predicted(found).items()
