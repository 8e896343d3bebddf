"""Pairs of sentences that support or attack each other: what is read, what is kept apart, and the figures by hand."""

from pathlib import Path

import numpy as np
import pytest

from pipeline.errors import RostrumError
from pipeline.matching import evaluate_relations
from pipeline.matching.evaluate_relations import (
    KINDS,
    Relation,
    evaluate,
    groups_of,
    predicted,
    read_relations,
    splits,
    words,
)
from tests.pipeline.mentions.counting import CountingEncoder


def write(folder: Path, rows: list[tuple[int, str]]) -> Path:
    folder.mkdir(exist_ok=True)
    lines = ["link_type\tlinked\tmerged_sent", *(f"{kind}\t1\t{text}" for kind, text in rows)]
    (folder / "relations.tsv").write_text("\n".join(lines), encoding="utf-8")
    return folder


def planted(count: int = 60) -> list[tuple[int, str]]:
    """An attack has 'but' in its second sentence, a support 'because'."""
    ends = ("because it helps", "but it harms", "and the sun shone")
    return [(i % 3, f"We want thing{i}. {ends[i % 3].capitalize()} case{i}") for i in range(count)]


def test_both_sentences_and_their_relation_are_read(tmp_path: Path) -> None:
    assert read_relations(write(tmp_path, [(1, 'I said "no". But they came')])) == [
        Relation('I said "no".', "But they came", "attack")
    ]
    with pytest.raises(RostrumError, match=r"relations\.tsv:2: link_type is '3'; it can be 0, 1 or 2"):
        read_relations(write(tmp_path, [(3, "A. B")]))


def test_pairs_that_share_a_sentence_are_never_learned_from_and_judged() -> None:
    chain = [Relation("a", "b", "none"), Relation("c", "d", "none"), Relation("b", "c", "none")]
    relations = [*chain, *(Relation(f"x{i}", f"y{i}", "none") for i in range(9))]
    groups = groups_of(relations)
    assert groups[0] == groups[1] == groups[2]
    assert len(set(groups.tolist())) == 10
    parts = splits(groups, None)
    assert sorted(np.concatenate([part.test for part in parts])) == list(range(12))
    assert all(set(groups[part.train]).isdisjoint(groups[part.test]) for part in parts)


def test_planted_words_are_learned() -> None:
    relations = [Relation(*text.split(". "), KINDS[kind]) for kind, text in planted()]  # type: ignore[call-arg]
    labels = np.array([KINDS.index(relation.kind) for relation in relations])
    groups = groups_of(relations)
    found = predicted(words(relations), labels, groups, splits(groups, None)).argmax(axis=1)
    assert (found == labels).mean() > 0.9


class PlantedStances:
    """A model of sides that finds 'because' to be for the other sentence, and 'but' against it."""

    digest = "planted"

    def logarithms(self, motion: str, texts: list[str]) -> np.ndarray:
        return np.array(
            [[-1.0 - 4 * (word not in text.lower()) for word in ("because", "but", "and")] for text in texts]
        )


def test_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluate_relations, "load_encoder", lambda name: CountingEncoder())
    data, test = write(tmp_path / "data", planted()), write(tmp_path / "test", planted(30))
    monkeypatch.setattr(evaluate_relations, "load_stance_model", PlantedStances)
    none = tmp_path / "none.safetensors"
    monkeypatch.setattr(evaluate_relations, "trained_file", lambda: none)
    found = evaluate(data, test, encoders=("counting",))
    rows = {str(row["method"]): row for row in found.rows}
    assert list(rows) == ["majority", "words", "similarity, counting", "counting", "sides", "counting and sides"]
    # the model of sides is told what 'but' and 'because' do, and a regression over it tells all three kinds
    assert rows["sides"]["macro_f1"] == 1.0
    assert rows["counting and sides"]["macro_f1"] > 0.9
    # one of three kinds is always given: a third is right, F1 of it 2 * 10 / 40, of the others 0
    assert rows["majority"]["accuracy"] == pytest.approx(1 / 3)
    assert rows["majority"]["macro_f1"] == pytest.approx(0.5 / 3)
    assert rows["majority"]["support_or_attack"] == 0.5
    assert rows["words"]["pairs"] == 30
    assert rows["words"]["macro_f1"] > 0.9
    assert any("model of pairs is not asked" in note for note in found.notes)
