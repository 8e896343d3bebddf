"""Pairs of arguments of which one is more convincing: UKPConvArg1, IBM-ArgQ, IBM-EviConv, and own files in their form.

UKPConvArg1 and IBM-ArgQ have a tab-separated file a topic (`id, label, a1, a2`), IBM-EviConv a CSV for all topics
(`topic, evidence_1, evidence_2, label`). Beside the first two lie files that rank single arguments.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import numpy as np

from pipeline.arrays import Floats, Integers, Mask
from pipeline.errors import RostrumError
from pipeline.evaluation.data import read_ranks, read_rows, read_tab_separated
from pipeline.system.files import read_text
from pipeline.text.terms import composed


@dataclass(frozen=True)
class Layout:
    """Where a release keeps its pairs and its ranks. UKP's rank is a PageRank: the lowest is the most convincing.

    IBM's files quote texts that have line breaks; in UKP's a quotation mark is part of the text.
    """

    name: str
    pairs: str
    ranks: str
    lowest_is_best: bool
    quoted: bool


LAYOUTS = (
    Layout("UKPConvArg1", "UKPConvArg1Strict-CSV", "UKPConvArg1-Ranking-CSV", lowest_is_best=True, quoted=False),
    Layout("IBM-ArgQ-9.1k", "IBM-ArgQ-9.1kPairs", "IBM-ArgQ-5.3kArgs", lowest_is_best=False, quoted=True),
    Layout("IBM-ArgQ-14k", "IBM-ArgQ-14kPairs", "IBM-ArgQ-6.3kArgs", lowest_is_best=False, quoted=True),
)
_EVIDENCE_COLUMNS = ("topic", "evidence_1", "evidence_2", "label")
_STANCE_COLUMNS = ("evidence_1_stance", "evidence_2_stance")
_FIRST_WINS = {"a1": True, "a2": False, "1": True, "2": False}


@dataclass(frozen=True)
class ArgumentPairs:
    """One set of pairs. Texts and topics are kept once and named by number.

    `first`, `second` and `first_wins` have one entry per pair; `ranked_text` and `rank` have one per ranked argument;
    a higher rank is more convincing. Every text belongs to one topic, `topic_of`. `stances` has one per text: None
    where the set does not say.
    """

    name: str
    texts: tuple[str, ...]
    topics: tuple[str, ...]
    topic_of: Integers
    first: Integers
    second: Integers
    first_wins: Mask
    ranked_text: Integers
    rank: Floats
    stances: tuple[str | None, ...]

    @property
    def both(self) -> Integers:
        """One row per pair: its two texts."""
        return np.stack([self.first, self.second], axis=1)

    @property
    def pair_topic(self) -> Integers:
        return np.asarray(self.topic_of[self.first])

    @property
    def winner(self) -> Integers:
        return np.where(self.first_wins, self.first, self.second)

    @property
    def across_stances(self) -> Mask:
        """The pairs whose texts are known to be of opposite stances."""
        stances = np.array([stance or "" for stance in self.stances])
        first, second = stances[self.first], stances[self.second]
        return np.asarray((first != "") & (second != "") & (first != second))

    @property
    def loser(self) -> Integers:
        return np.where(self.first_wins, self.second, self.first)


def joined(sets: Sequence[ArgumentPairs]) -> ArgumentPairs:
    """Several sets as one. A topic stays a topic of its set. Ranks are left out: each set has a unit of its own."""
    texts = np.cumsum([0, *(len(one.texts) for one in sets)])
    topics = np.cumsum([0, *(len(one.topics) for one in sets)])
    return ArgumentPairs(
        name=" + ".join(one.name for one in sets),
        texts=tuple(text for one in sets for text in one.texts),
        topics=tuple(f"{one.name}: {topic}" for one in sets for topic in one.topics),
        topic_of=np.concatenate([one.topic_of + start for one, start in zip(sets, topics, strict=False)]),
        first=np.concatenate([one.first + start for one, start in zip(sets, texts, strict=False)]),
        second=np.concatenate([one.second + start for one, start in zip(sets, texts, strict=False)]),
        first_wins=np.concatenate([one.first_wins for one in sets]),
        ranked_text=np.zeros(0, dtype=np.int64),
        rank=np.zeros(0),
        stances=tuple(stance for one in sets for stance in one.stances),
    )


def different_sets(folders: Sequence[Path]) -> list[ArgumentPairs]:
    """The first, cleanest set of each folder. The same set twice is an error: one would be judged by the other."""
    by_name: dict[str, ArgumentPairs] = {}
    for folder in folders:
        pairs = read_pairs(folder)[0]
        if pairs.name in by_name:
            raise RostrumError(f"{folder}: this is {pairs.name}, which was given before; give another collection")
        by_name[pairs.name] = pairs
    return list(by_name.values())


@dataclass(frozen=True)
class _Pair:
    topic: str
    first: str
    second: str
    first_wins: bool


def read_pairs(folder: Path) -> list[ArgumentPairs]:
    """Every set of pairs in this folder, the cleanest of a release first."""
    sets = [pairs for layout in LAYOUTS for pairs in _of_layout(folder, layout)]
    sets += [_of_evidence(path) for path in sorted(folder.glob("*.csv")) if _is_evidence(path)]
    if not sets and (own := _tab_separated_pairs(_tables(folder), quoted=False)):
        sets = [_assembled(folder.name, own, [], lowest_is_best=False)]
    if not sets:
        raise RostrumError(
            f"{folder}: no pairs of arguments; it needs UKPConvArg1's or IBM-ArgQ's folders, a CSV with the columns "
            f"{', '.join(_EVIDENCE_COLUMNS)}, or tab-separated files with id, label, a1, a2"
        )
    return sets


def _of_layout(folder: Path, layout: Layout) -> Iterator[ArgumentPairs]:
    for pairs in sorted(path for path in folder.rglob(layout.pairs) if path.is_dir()):
        ranks = pairs.parent / layout.ranks
        ranked = [row for path in _tables(ranks) for row in read_ranks(path, "argument", quoted=layout.quoted)]
        read = _tab_separated_pairs(_tables(pairs), layout.quoted)
        yield _assembled(layout.name, read, ranked, layout.lowest_is_best)


def topics_of_ids(folder: Path) -> dict[str, str]:
    """The topic of each pair by its id, for the first set of pairs in this folder."""
    sets = [
        (pairs, layout.quoted)
        for layout in LAYOUTS
        for pairs in sorted(path for path in folder.rglob(layout.pairs) if path.is_dir())
    ]
    pairs, quoted = sets[0] if sets else (folder, False)
    return {
        row["id"]: path.stem
        for path in _tables(pairs)
        for _, row in read_tab_separated(path, ("id", "label", "a1", "a2"), quoted=quoted)
    }


def _tables(folder: Path) -> list[Path]:
    return sorted([*folder.glob("*.csv"), *folder.glob("*.tsv")])


def _tab_separated_pairs(paths: Iterable[Path], quoted: bool) -> list[_Pair]:
    pairs = []
    for path in paths:
        for line, row in read_tab_separated(path, ("label", "a1", "a2"), quoted=quoted):
            if row["label"] not in _FIRST_WINS:
                raise RostrumError(f"{path}: line {line}: the label is {row['label']!r}; it can be a1 or a2")
            pairs.append(_Pair(path.stem, _clean(row["a1"]), _clean(row["a2"]), _FIRST_WINS[row["label"]]))
    return pairs


def _is_evidence(path: Path) -> bool:
    header = read_text(path).partition("\n")[0].strip().split(",")
    return set(_EVIDENCE_COLUMNS) <= set(header)


def _of_evidence(path: Path) -> ArgumentPairs:
    pairs = []
    stances: dict[tuple[str, str], str] = {}
    for line, row in read_rows(path, _EVIDENCE_COLUMNS, _STANCE_COLUMNS):
        if row["label"] not in _FIRST_WINS:
            raise RostrumError(f"{path}:{line}: the label is {row['label']!r}; it can be 1 or 2")
        first, second = _clean(row["evidence_1"]), _clean(row["evidence_2"])
        pairs.append(_Pair(row["topic"], first, second, _FIRST_WINS[row["label"]]))
        for text, column in zip((first, second), _STANCE_COLUMNS, strict=True):
            if row[column]:
                stances[row["topic"], text] = row[column].casefold()
    return _assembled(f"IBM-EviConv {path.stem}", pairs, [], lowest_is_best=False, stances=stances)


def _clean(text: str) -> str:
    return re.sub(r"(?:(?<!\s)\s+)?<br/>\s*", "\n", composed(text)).strip()


def _key(text: str) -> str:
    """The key that finds a text in another file of its release, which may have other capitals and spaces."""
    return " ".join(text.casefold().split())


def _assembled(
    name: str,
    pairs: Sequence[_Pair],
    ranked: Sequence[tuple[str, float]],
    lowest_is_best: bool,
    stances: Mapping[tuple[str, str], str] = MappingProxyType({}),
) -> ArgumentPairs:
    """Texts and topics by number. A text that two topics have is a text of each."""
    topics = sorted({pair.topic for pair in pairs})
    keys = sorted({(pair.topic, text) for pair in pairs for text in (pair.first, pair.second)})
    number = {key: i for i, key in enumerate(keys)}
    by_text = {_key(text): i for (_, text), i in number.items()}
    known = [(by_text[key], rank) for text, rank in ranked if (key := _key(_clean(text))) in by_text]
    return ArgumentPairs(
        name=name,
        texts=tuple(text for _, text in keys),
        topics=tuple(topics),
        topic_of=np.array([topics.index(topic) for topic, _ in keys], dtype=np.int64),
        first=np.array([number[pair.topic, pair.first] for pair in pairs], dtype=np.int64),
        second=np.array([number[pair.topic, pair.second] for pair in pairs], dtype=np.int64),
        first_wins=np.array([pair.first_wins for pair in pairs], dtype=bool),
        ranked_text=np.array([text for text, _ in known], dtype=np.int64),
        rank=np.array([-rank if lowest_is_best else rank for _, rank in known], dtype=np.float64),
        stances=tuple(stances.get(key) for key in keys),
    )
