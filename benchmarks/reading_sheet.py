"""A sheet of what runs show, for somebody who did not make them to read: key points, and passages of mentions.

python benchmarks/reading_sheet.py RUN... --out FOLDER [--points 40] [--passages 40] [--motion ID]... [--seed 3]

Of several runs the sheet is mixed, and `key.json` says which entry is whose. The rubric is in docs/keypoints.md and
docs/mentions.md, under "Read by people".
"""

import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from pipeline.keypoints.stage import KeyPoints
from pipeline.mentions.stage import Mentions
from pipeline.records import Speech
from pipeline.run.finished import FinishedRun
from pipeline.segment import Sentences

# So many sentences are shown of a key point.
_MOST_SENTENCES = 2
Entry = tuple[str, str]  # (what is printed, the run that it comes from)


def points(run: FinishedRun, name: str, motions: Sequence[str]) -> Iterator[Entry]:
    """Every key point of a run, with the sentences that make it best."""
    for motion in run.motions:
        record = run.of_motion(KeyPoints, motion.id)
        for point in record.points if record and (not motions or motion.id in motions) else ():
            made = "".join(f"\n    made by: {match.said.text}" for match in point.matches[:_MOST_SENTENCES])
            listed = point.stance or "no side"
            yield f"motion: {motion.text} | listed: {listed}\n    key point: {point.text}{made}", name


def passages(run: FinishedRun, name: str, motions: Sequence[str]) -> Iterator[Entry]:
    """The first passage of every mention of a run that has one, with the sentences around it."""
    texts = {motion.id: motion.text for motion in run.motions}
    for speech in run.recordings:
        record, spoken = (run.of_speech(kind, speech.id) for kind in (Mentions, Sentences))
        if isinstance(record, Mentions) and isinstance(spoken, Sentences) and _is_asked(speech, motions):
            said = [sentence.text for sentence in spoken.sentences]
            for mention in record.mentions:
                if mention.mentioned and mention.carriers:
                    one = mention.carriers[0]
                    yield (
                        f"motion: {texts[str(speech.motion)]} | speaker's side: {speech.stance}\n"
                        f"    claim: {mention.title}\n    passage shown: {one.said.text}\n"
                        f"    around it: ... {' '.join(said[max(0, one.first - 2) : one.last + 2])} ...",
                        name,
                    )


def _is_asked(speech: Speech, motions: Sequence[str]) -> bool:
    return not motions or speech.motion in motions


@click.command()
@click.argument("runs", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The folder of sheet.md and key.json.")
@click.option("--points", "most_points", default=40, help="How many key points to draw.")
@click.option("--passages", "most_passages", default=40, help="How many passages to draw.")
@click.option("--motion", "motions", multiple=True, help="Only these motions.")
@click.option("--seed", default=3)
def main(
    runs: Sequence[Path], out: Path, most_points: int, most_passages: int, motions: Sequence[str], seed: int
) -> None:
    """Draw a sheet of RUNS."""
    drawn, lines, key = random.Random(seed), ["# Sheet"], {}
    finished = {str(path): FinishedRun(path) for path in runs}
    for letter, kind, most in (("K", points, most_points), ("M", passages, most_passages)):
        entries = [entry for name, run in finished.items() for entry in kind(run, name, motions)]
        click.echo(f"{len(entries)} {kind.__name__} in {sum(len(run.speeches) for run in finished.values())} speeches")
        drawn.shuffle(entries)
        for number, (text, name) in enumerate(entries[:most], start=1):
            lines.append(f"{letter}{number}. {text}")
            key[f"{letter}{number}"] = name
    out.mkdir(parents=True, exist_ok=True)
    (out / "sheet.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (out / "key.json").write_text(json.dumps(key, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
