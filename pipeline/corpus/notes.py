"""Remarks on a corpus that is valid, but may not be what its owner meant."""

from collections.abc import Iterator

from pipeline.corpus.contents import Corpus
from pipeline.corpus.files import AUDIO_SUFFIXES, files_below
from pipeline.corpus.manifest import Problem, read_manifest
from pipeline.corpus.names import motion_text


def notes(corpus: Corpus) -> Iterator[Problem]:
    """Recordings that speeches.csv does not list, and texts of motions that `rostrum init` wrote."""
    yield from _unlisted(corpus)
    for motion in corpus.motions.values():
        if motion.text == motion_text(motion.id):
            message = f"{motion.text!r} is not a motion yet; write it out, such as 'We should ban phones in schools.'"
            yield Problem("motions.csv", message, column="text")


def _unlisted(corpus: Corpus) -> Iterator[Problem]:
    listed = read_manifest(corpus.folder, "speeches.csv")
    if listed is None:
        return
    named = {corpus.folder / row["file"] for _, row in listed.rows if row.get("file")}
    for path in files_below(corpus.folder):
        if path.suffix.lower() in AUDIO_SUFFIXES and path not in named:
            yield Problem("speeches.csv", f"{path.relative_to(corpus.folder)} is not listed, so it is left out")
