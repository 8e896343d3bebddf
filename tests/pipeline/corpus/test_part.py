"""A part of a corpus is read without the rest, and has what the whole corpus has of it."""

from dataclasses import replace
from pathlib import Path

import pytest

from pipeline.corpus import Corpus, open_corpus
from pipeline.run.index import Shard

SPEECHES = 24


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Speeches on four motions with every manifest, and a mistake in some of the rows."""
    (tmp_path / "talk.ctm").write_text("x 1 0.0 0.5 zoos\n")
    (tmp_path / "talk.txt").write_text("Zoos.")
    files = {
        "motions.csv": ["id,text", *(f"m{n},We should ban {n}" for n in range(4))],
        "speeches.csv": [
            "id,motion,stance,transcript,reference,answers,score",
            *(f"s{n},m{n % 4},pro,talk.ctm,talk.txt,{f's{n - 4}' if n > 3 else ''},{n}" for n in range(SPEECHES)),
            "missing,m1,con,nowhere.ctm,,,",
            "stray,m9,con,talk.ctm,,,",
            "",
            "# a comment",
            "alone,,,talk.ctm,,,",
        ],
        "arguments.csv": ["id,motion,stance,title", *(f"a{n},m{n % 4},pro,Because {n}" for n in range(8))],
        "labels.csv": ["speech,argument,mentioned", *(f"s{n},a{n % 8},1" for n in range(SPEECHES))],
        "references.csv": ["motion,text", *(f"m{n},Covers {n}" for n in range(4))],
        "speakers.csv": ["recording,name", *(f"s{n},Person {n}" for n in range(SPEECHES))],
    }
    for name, lines in files.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    return tmp_path


def facts(corpus: Corpus) -> Corpus:
    """What a run uses, without the problems, which each part reports of its own rows."""
    return replace(corpus, problems=(), motions={}, votes=())


@pytest.mark.parametrize("count", [2, 5, 40])
def test_parts_are_what_the_whole_corpus_has_of_them(folder: Path, count: int) -> None:
    whole, seen = open_corpus(folder), []
    for number in range(1, count + 1):
        shard = Shard(number, count)
        part, expected = open_corpus(folder, shard), whole.part(shard)
        assert [entry.speech.id for entry in part.entries] == [entry.speech.id for entry in expected.entries]
        assert part.entries == expected.entries
        assert part.others == expected.others
        assert part.arguments == expected.arguments
        assert part.labels == expected.labels
        for motion in {entry.speech.motion for entry in part.entries} - {None}:
            assert part.speeches_on(motion or "") == whole.speeches_on(motion or "")
            assert part.best_scored(motion or "", "pro") == whole.best_scored(motion or "", "pro")
            assert [each.text for each in part.expected if each.motion == motion] == [f"Covers {motion[1:]}"]
        seen += [entry.speech.id for entry in part.entries]
    assert sorted(seen) == sorted(entry.speech.id for entry in whole.entries)


def test_each_mistake_is_reported_by_one_part(folder: Path) -> None:
    whole = {str(problem) for problem in open_corpus(folder).problems}
    parts = [str(problem) for n in (1, 2, 3) for problem in open_corpus(folder, Shard(n, 3)).problems]
    assert len(parts) == len(whole) == 2
    assert set(parts) == whole


def test_a_folder_without_manifests_has_parts_too(tmp_path: Path) -> None:
    for number in range(12):
        (tmp_path / f"{number}.wav").write_bytes(b"RIFF")
        (tmp_path / f"{number}.txt").write_text("Zoos.")
    whole = open_corpus(tmp_path)
    parts = [open_corpus(tmp_path, Shard(number, 3)) for number in (1, 2, 3)]
    assert sorted(e.speech.id for part in parts for e in part.entries) == sorted(e.speech.id for e in whole.entries)
    assert all(part.entries == whole.part(Shard(number, 3)).entries for number, part in enumerate(parts, 1))
