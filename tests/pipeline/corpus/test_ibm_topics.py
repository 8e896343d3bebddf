import os
from pathlib import Path

import pytest

from pipeline.corpus import open_corpus
from pipeline.corpus.ibm import Topic, read_table


def test_plural_topics_take_the_other_word() -> None:
    topic = Topic()
    topic.learn("<TOPIC> [has/have] many benefits.", "zoos have many benefits.")
    assert (
        topic.filled("While <TOPIC> [has/have] some benefits, they end.") == "While zoos have some benefits, they end."
    )


def test_a_slot_that_no_claim_tells_of_gives_no_text() -> None:
    assert Topic().filled("Policies like <ACTION><TOPIC> are right.") is None
    assert Topic().filled("There are alternatives.") == "There are alternatives."


@pytest.mark.skipif("ROSTRUM_DATA" not in os.environ, reason="ROSTRUM_DATA does not say where the public data sets are")
def test_rebuttals_are_those_that_the_release_itself_has_for_its_motions() -> None:
    corpus = open_corpus(Path(os.environ["ROSTRUM_DATA"], "ibm-debates"))
    released = {
        (row["motion-id"], row["GPR-KB-id"]): row["rebuttal-text-for-motion"].strip().lower()
        for _, row in read_table(corpus.folder, "rebuttal-to-speech-matching.csv")
    }
    made = {
        (argument.motion, corpus.claims[argument.id]): argument.rebuttal.lower()
        for argument in corpus.arguments
        if argument.rebuttal
    }
    assert released.items() <= made.items()
