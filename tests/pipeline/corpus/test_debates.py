"""A folder of debates as JSON is a corpus."""

import json
from pathlib import Path

from pipeline.corpus import open_corpus
from pipeline.records import GivenTranscript
from pipeline.segment import segment
from pipeline.speakers import GivenSpeakers, SpeakersSettings, speakers, speeches_of
from pipeline.transcribe import transcribe

DEBATE = {
    "id": "zoos",
    "motion": "Zoos should be closed",
    "for": ["ANN LEE"],
    "against": ["BOB ROE"],
    "moderator": ["CID MAY"],
    "votes_before": {"for": 40, "against": 40, "undecided": 20},
    "votes_after": {"for": 50, "against": 40, "undecided": 10},
    "turns": [
        {"speaker": "CID MAY", "sentences": ["Welcome to our debate.", "Ann Lee."]},
        {"speaker": "ANN LEE", "sentences": ["Cages make animals ill.", "They walk in circles."]},
        {"speaker": "BOB ROE", "sentences": ["Zoos have saved many species."]},
        {"speaker": "UNKNOWN", "sentences": ["My question is for both of you."]},
    ],
}


def test_speeches_sides_and_sentences_of_a_written_debate(tmp_path: Path) -> None:
    (tmp_path / "zoos.json").write_text(json.dumps(DEBATE))
    corpus = open_corpus(tmp_path)
    (entry,) = corpus.entries
    assert corpus.motions["zoos"].text == "Zoos should be closed"
    (votes,) = corpus.votes
    assert (votes.motion, votes.for_before, votes.against_after, votes.gain) == ("zoos", 40, 40, 10)
    given = corpus.given(GivenTranscript, entry)
    transcript = transcribe(None, None, None, given)
    assert transcript.punctuated
    sentences = segment(transcript)
    assert [(one.speaker, one.text) for one in sentences.sentences][2:4] == [
        ("ANN LEE", "Cages make animals ill."),
        ("ANN LEE", "They walk in circles."),
    ]
    people = speakers(
        corpus.motions["zoos"],
        entry.speech,
        sentences,
        corpus.given(GivenSpeakers, entry),
        settings=SpeakersSettings(own_words="rules"),
    )
    assert {speech.id: speech.stance for speech in speeches_of(entry.speech, people)} == {
        "zoos/ann-lee": "pro",
        "zoos/bob-roe": "con",
    }


def test_a_broken_debate_is_a_problem_and_the_others_are_read(tmp_path: Path) -> None:
    (tmp_path / "zoos.json").write_text(json.dumps(DEBATE))
    (tmp_path / "half.json").write_text(json.dumps(DEBATE)[:-40])
    corpus = open_corpus(tmp_path)
    assert [entry.speech.id for entry in corpus.entries] == ["zoos"]
    (problem,) = corpus.problems
    assert str(problem).startswith("half.json: not JSON: ")
