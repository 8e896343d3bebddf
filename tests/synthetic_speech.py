"""What a speech of a made-up run consists of: words, sentences, a recording, its prosody."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pipeline.ingest.stage import Recording
from pipeline.prosody.stage import Measures, Prosody, WordEmphasis
from pipeline.records import SAMPLE_RATE, Attachment, Sentence, Speech, Word
from pipeline.segment.stage import Sentences

_VOCABULARY = re.findall(
    r"\w+",
    "the a we our they school phone bus child teacher city money time law people should must can never always "
    "because however therefore argue claim show prove cost help harm protect teach ride learn pay walk speak",
)
_WORD_SECONDS, _PAUSE_SECONDS, _SENTENCE_WORDS = 0.32, 0.6, 12


def words_of(speech: Speech, seconds: float, random: np.random.Generator) -> Iterator[Word]:
    at, speakers = 0.2, speech.speakers or (None,)
    place = 0
    while at + _WORD_SECONDS < seconds:
        first, last = place % _SENTENCE_WORDS == 0, place % _SENTENCE_WORDS == _SENTENCE_WORDS - 1
        text = str(random.choice(_VOCABULARY))
        text = (text.capitalize() if first else text) + ("." if last else "")
        speaker = speakers[place // _SENTENCE_WORDS % len(speakers)]
        yield Word(
            text=text,
            start=round(at, 2),
            end=round(at + _WORD_SECONDS, 2),
            probability=round(float(random.uniform(0.3, 1)), 3),
            speaker=speaker,
        )
        at += _WORD_SECONDS + (_PAUSE_SECONDS if last else 0.0)
        place += 1


def sentences_of(words: Sequence[Word]) -> Iterator[Sentence]:
    for first in range(0, len(words), _SENTENCE_WORDS):
        own = words[first : first + _SENTENCE_WORDS]
        yield Sentence(
            text=" ".join(word.text for word in own),
            start=own[0].start,
            end=own[-1].end,
            first=first,
            last=first + len(own),
            speaker=own[0].speaker,
        )


def misheard(words: Sequence[Word], random: np.random.Generator) -> str:
    """The reference: the transcript with a few words more, fewer and others."""
    said: list[str] = []
    for word in words:
        kind = random.random()
        if kind > 0.04:
            said.append("other" if kind < 0.08 else word.text)
        if kind > 0.97:
            said.append("missed")
    return " ".join(said)


def recording_of(words: Sequence[Word], seconds: float, folder: Path) -> Recording:
    import soundfile

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "made-up.flac"
    soundfile.write(path, _voice(words, seconds), SAMPLE_RATE, subtype="PCM_16")
    return Recording(
        audio=Attachment.of(path, temporary=True),
        duration=seconds,
        source_sha256="0" * 64,
        source_rate=24_000,
        source_channels=1,
        loudness_lufs=-23.4,
        clipped_share=0.0,
        snr_db=31.0,
    )


def prosody_of(
    words: Sequence[Word], sentences: Sentences, seconds: float, folder: Path, random: np.random.Generator
) -> Prosody:
    path = folder / "made-up.npz"
    time = np.arange(0, seconds, 0.01, dtype=np.float32)
    spoken = np.zeros(len(time), dtype=bool)
    for word in words:
        spoken |= (time >= word.start) & (time < word.end)
    np.savez_compressed(path, time=time, pitch=np.where(spoken, 140 + 10 * np.cos(time), np.nan).astype(np.float32))
    emphasis = random.normal(size=len(words)).round(3)
    return Prosody(
        sentences=tuple(_measures(sentence, random) for sentence in sentences.sentences),
        groups=(),
        words=tuple(
            WordEmphasis(emphasis=float(each), pitch=0.0, energy=float(each), duration=float(each)) for each in emphasis
        ),
        speakers=(),
        contours=Attachment.of(path, temporary=True),
    )


def _measures(sentence: Sentence, random: np.random.Generator) -> Measures:
    values = {"f0_median": round(random.normal(140, 12), 1), "articulation_rate": round(random.normal(4.5, 0.4), 2)}
    return Measures(
        text=sentence.text,
        start=sentence.start,
        end=sentence.end,
        first=sentence.first,
        last=sentence.last,
        speaker=sentence.speaker,
        values=values,
        normalised=dict.fromkeys(values, 0.0),
        reasons={},
    )


def _voice(words: Sequence[Word], seconds: float) -> NDArray[np.float32]:
    """A gliding tone where a word is, silence elsewhere."""
    time = np.arange(round(seconds * SAMPLE_RATE)) / SAMPLE_RATE
    phase = 2 * np.pi * (140 * time + 10 * np.sin(time))
    tone = 0.2 * np.sin(phase) + 0.08 * np.sin(2 * phase)
    loud = np.zeros_like(time)
    for word in words:
        inside = slice(round(word.start * SAMPLE_RATE), round(word.end * SAMPLE_RATE))
        loud[inside] = np.hanning(len(loud[inside]))
    return (tone * loud).astype(np.float32)
