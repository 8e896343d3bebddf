"""Debates with known answers: IBM's recorded debates, or a corpus folder whose manifest says who answers whom."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path

import numpy as np

from pipeline.argue.counter.debate import Debate
from pipeline.argue.counter.speech_text import SpeechText
from pipeline.corpus.ibm_debates import Kind, answered, find_speeches, read_text
from pipeline.errors import RostrumError
from pipeline.records import Speech

IBM_TRANSCRIPTS = ("trs.txt", "asr.txt")
CORPUS_TRANSCRIPTS = ("reference",)


def transcripts(folder: Path) -> tuple[str, ...]:
    """The kinds of transcript that the folder has."""
    return IBM_TRANSCRIPTS if (folder / "speeches").is_dir() else CORPUS_TRANSCRIPTS


def read_debates(folder: Path, transcript: str) -> list[Debate]:
    """The motions of the folder that have supporting speeches and opposing ones, in the order of their ids."""
    if transcript not in transcripts(folder):
        raise RostrumError(
            f"{folder}: no transcripts called {transcript!r}; there are {', '.join(transcripts(folder))}"
        )
    read = _ibm if transcript in IBM_TRANSCRIPTS else _corpus
    debates = [debate for debate in read(folder, transcript) if debate.supporting and debate.opposing]
    if not any(debate.answers.any() for debate in debates):
        raise RostrumError(f"{folder}: nothing says which speech answers which; this table needs to know")
    return debates


def debates_of(speeches: Iterable[Speech], sentences: Mapping[str, tuple[str, ...]]) -> list[Debate]:
    """Speeches by motion; those without sentences, motion or stance are left out."""
    by_motion: dict[str, list[Speech]] = defaultdict(list)
    for speech in sorted(speeches, key=lambda speech: speech.id):
        if speech.motion and speech.stance and speech.id in sentences:
            by_motion[speech.motion].append(speech)
    return [_debate(motion, found, sentences) for motion, found in sorted(by_motion.items())]


def _debate(motion: str, speeches: list[Speech], sentences: Mapping[str, tuple[str, ...]]) -> Debate:
    supporting, opposing = ([speech for speech in speeches if speech.stance == stance] for stance in ("pro", "con"))
    answers = [[other.answers == one.id for other in opposing] for one in supporting]
    texts = {speech.id: SpeechText(speech.id, sentences[speech.id], speech.speakers) for speech in speeches}
    return Debate(
        motion,
        tuple(texts[speech.id] for speech in supporting),
        tuple(texts[speech.id] for speech in opposing),
        np.array(answers, dtype=np.bool_).reshape(len(supporting), len(opposing)),
        tuple(speech.response for speech in opposing),
    )


def _ibm(folder: Path, transcript: str) -> list[Debate]:
    found = find_speeches(folder)
    kind: Kind = "trs.txt" if transcript == "trs.txt" else "asr.txt"
    speeches = []
    for each in found:
        other = answered(each, found)
        speeches.append(
            Speech(
                id=each.id,
                motion=each.motion,
                stance=each.stance,
                speakers=(each.speaker,),
                answers=other.id if other else None,
            )
        )
    return debates_of(speeches, {each.id: tuple(each.sentences(kind)) for each in found if kind in each.files})


def _corpus(folder: Path, transcript: str) -> list[Debate]:
    from pipeline.corpus import read_corpus

    corpus = read_corpus(folder)
    if corpus.problems:
        raise RostrumError(f"{folder}: {corpus.problems[0]}")
    sentences = {entry.speech.id: _reference_sentences(entry.reference) for entry in corpus.entries if entry.reference}
    return debates_of((entry.speech for entry in corpus.entries), sentences)


def _reference_sentences(path: Path) -> tuple[str, ...]:
    """A line is a sentence; a text of a single line, or of a Transcriber file, is cut by Punkt."""
    from pipeline.formats.transcriber import meant_text, read_transcriber

    if path.suffix == ".trs":
        lines = [" ".join(meant_text(stretch.text) for stretch in read_transcriber(path))]
    else:
        lines = [line.strip() for line in read_text(path).splitlines() if line.strip()]
    return tuple(lines) if len(lines) > 1 else tuple(_cut(*lines))


def _cut(text: str = "") -> list[str]:
    from pipeline.text.sentences.punkt import sentence_ends

    ends = sentence_ends(text)
    return [text[start:end].strip() for start, end in pairwise([0, *ends])]
