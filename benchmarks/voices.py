"""The register of voices on real voices: how well two samples of a person are told from samples of two people.

    python benchmarks/voices.py --data DIR [--corpus OUT]

DIR has audio files named `speaker-...`, in any folder, as LibriSpeech has them. Two tables: the equal error rate over
all pairs of files, and names at the default settings if some of the people were named by a few files each. With
`--corpus`, it makes ten recordings of two people each there, with a speakers.csv that names two people in one of them.
"""

from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import click
import numpy as np

from pipeline.arrays import Floats, Samples
from pipeline.cli.console import print_rows
from pipeline.corpus.files import AUDIO_SUFFIXES
from pipeline.diarize.stage import DiarizeSettings, Voice
from pipeline.diarize.voices import voice_of, voice_record
from pipeline.records import SAMPLE_RATE
from pipeline.speakers import KnownVoice, KnownVoices, SpeakersSettings
from pipeline.speakers.stage import recognise

SETTINGS = DiarizeSettings()


@click.command()
@click.option("--data", type=click.Path(exists=True, file_okay=False, path_type=Path), required=True, help="The data.")
@click.option("--corpus", type=click.Path(path_type=Path), help="Write the corpus of ten recordings there instead.")
@click.option(
    "--sound", "sounds", type=click.Choice(["clean", "noise", "telephone"]), multiple=True, help="Only these."
)
def main(data: Path, corpus: Path | None, sounds: tuple[str, ...]) -> None:
    """Print the tables."""
    if corpus:
        write_corpus(data, corpus)
        return
    clean = {name: voice(samples) for name, samples in _files(data)}
    rows, named = [], []
    for sound in sounds or ("clean", "noise", "telephone"):
        change = {"clean": None, "noise": noisy, "telephone": telephone}[sound]
        tested = {name: voice(change(samples)) for name, samples in _files(data)} if change else clean
        rows.append({"test files": sound, **equal_error_rate(clean, tested)})
        named += [{"test files": sound, "named by": count, **names(clean, tested, count)} for count in (1, 3)]
    print_rows("pairs of a clean file and a test file", rows)
    print_rows(f"names at a probability of {SpeakersSettings().voice_threshold:g}", named)


def _files(data: Path) -> Iterator[tuple[str, Samples]]:
    import soundfile

    for path in sorted(data.rglob("*")):
        if path.suffix in AUDIO_SUFFIXES:
            yield path.stem, soundfile.read(path, dtype="float32")[0]


def voice(samples: Samples) -> Floats:
    """What a file sounds like."""
    whole = [(0.0, len(samples) / SAMPLE_RATE)]
    vector = voice_of(
        whole, lambda start, end: samples[round(start * SAMPLE_RATE) : round(end * SAMPLE_RATE)], SETTINGS
    )
    assert vector is not None
    return vector


def noisy(samples: Samples) -> Samples:
    """The samples with white noise, 10 dB weaker."""
    noise = np.random.default_rng(0).normal(0, 1, len(samples))
    return (samples + noise * np.sqrt(np.mean(samples**2) / 10)).astype(np.float32)


def telephone(samples: Samples) -> Samples:
    """The samples without what a telephone leaves out."""
    from scipy.signal import butter, sosfilt

    passed = sosfilt(butter(4, [300, 3400], "bandpass", fs=SAMPLE_RATE, output="sos"), samples)
    return np.asarray(passed, dtype=np.float32)


def speaker(name: str) -> str:
    """The speaker of a file."""
    return name.split("-")[0]


def equal_error_rate(enrolled: dict[str, Floats], tested: dict[str, Floats]) -> dict[str, Any]:
    """Over all pairs of different files: the rate at which as many pairs of one person as of two are taken wrongly."""
    pairs = [(one, other) for one in enrolled for other in tested if one != other]
    cosines = np.array([enrolled[one] @ tested[other] for one, other in pairs])
    same = np.array([speaker(one) == speaker(other) for one, other in pairs])
    rates = [((cosines[same] < limit).mean(), (cosines[~same] >= limit).mean()) for limit in np.unique(cosines)]
    missed, false = min(rates, key=lambda both: abs(both[0] - both[1]))
    return {
        "same": int(same.sum()),
        "different": int((~same).sum()),
        "EER": float((missed + false) / 2),
        "least alike, same": float(cosines[same].min()),
        "most alike, different": float(cosines[~same].max()),
    }


def names(enrolled: dict[str, Floats], tested: dict[str, Floats], count: int) -> dict[str, Any]:
    """What every test file is named if some of the people were named by so many files: all but two of them in turn."""
    by_speaker: dict[str, list[str]] = defaultdict(list)
    for name in enrolled:
        by_speaker[speaker(name)].append(name)
    totals = dict.fromkeys(("people named", "right", "wrong", "not named", "strangers", "strangers named"), 0)
    for strangers in combinations(by_speaker, 2):
        people = [one for one in by_speaker if one not in strangers]
        totals["people named"] = len(people)
        used = {name for one in people for name in by_speaker[one][:count]}
        known = KnownVoices(items=tuple(_known(name, enrolled[name]) for name in sorted(used)))
        for name in tested.keys() - used:
            found = recognise([_record(tested[name])], known, SpeakersSettings().voice_threshold)
            named = found["S1"].name if found else None
            if speaker(name) in strangers:
                totals["strangers"] += 1
                totals["strangers named"] += named is not None
            else:
                totals["right" if named == speaker(name) else "wrong" if named else "not named"] += 1
    return totals


def _record(vector: Floats) -> Voice:
    return voice_record("S1", vector, SETTINGS)


def _known(name: str, vector: Floats) -> KnownVoice:
    record = _record(vector)
    return KnownVoice(name=speaker(name), vector=record.vector, embedding=record.embedding)


def write_corpus(data: Path, folder: Path) -> None:
    """Ten recordings, one of every two speakers, who take turns; two of the people are named in the first."""
    import soundfile

    said: dict[str, list[Samples]] = defaultdict(list)
    for name, samples in _files(data):
        said[speaker(name)].append(samples)
    folder.mkdir(parents=True)
    pause = np.zeros(SAMPLE_RATE // 2, dtype=np.float32)
    pairs = list(combinations(said, 2))
    parts = {one: iter(own) for one, own in said.items()}  # no recording has a turn of another one
    for one, other in pairs:
        turns = [next(parts[each]) for each in (one, other, one, other)]
        joined = np.concatenate([each for turn in turns for each in (turn, pause)])
        soundfile.write(folder / f"{one}_{other}.flac", joined, SAMPLE_RATE)
    one, other = pairs[0]
    second = len(said[one][0]) / SAMPLE_RATE + 1.0
    rows = [f"{one}_{other},Ada Stone,0.5", f"{one}_{other},Ben Hill,{second:.1f}"]
    (folder / "speakers.csv").write_text("recording,name,from\n" + "\n".join(rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
