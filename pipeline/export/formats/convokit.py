"""ConvoKit corpus: a conversation per recording, an utterance per turn, and who replies to whom."""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from pipeline.export.formats import FolderFormat, json_lines, json_text, write
from pipeline.export.speech import UNKNOWN, AnnotatedSpeech, annotated_speech
from pipeline.records import Sentence, Speech
from pipeline.run.finished import FinishedRun
from pipeline.speakers import Speakers

_KINDS = ("utterances", "speakers", "conversations", "overall")


def _corpus_files(run: FinishedRun, folder: Path) -> Iterator[Path]:
    """The files of ConvoKit's format: utterances.jsonl, speakers.json, conversations.json, corpus.json, index.json."""
    utterances: list[dict[str, Any]] = []
    speakers: dict[str, Any] = {}
    conversations: dict[str, Any] = {}
    motions = {motion.id: motion.text for motion in run.motions}
    for speech in run.recordings:
        results = run.speech(speech.id)
        annotated, people = annotated_speech(results), results.get(Speakers)
        if annotated is None or not annotated.sentences:
            continue
        turns = _utterances(speech, annotated, people)
        utterances += turns
        about = {"recording": speech.id, "motion": speech.motion, "text": motions.get(speech.motion or "")}
        conversations[turns[0]["id"]] = {"meta": _known(about), "vectors": []}
        for turn in turns:
            speakers.setdefault(turn["speaker"], {"meta": _about(turn["speaker"], speech, people), "vectors": []})
    if not utterances:
        return
    index: dict[str, Any] = {f"{kind}-index": {} for kind in _KINDS}
    for kind, metas in (
        ("utterances", [utterance["meta"] for utterance in utterances]),
        ("speakers", [speaker["meta"] for speaker in speakers.values()]),
        ("conversations", [conversation["meta"] for conversation in conversations.values()]),
    ):
        index[f"{kind}-index"] = {name: [str(type(meta[name]))] for meta in metas for name in meta}
    yield write(folder / "utterances.jsonl", json_lines(utterances))
    for name, content in (
        ("speakers.json", speakers),
        ("conversations.json", conversations),
        ("corpus.json", {"made_by": "rostrum", "run": run.summary.started}),
        ("index.json", {**index, "vectors": [], "version": 1}),
    ):
        yield write(folder / name, json_text(content))


def _utterances(speech: Speech, annotated: AnnotatedSpeech, people: Speakers | None) -> list[dict[str, Any]]:
    """The turns of a recording. One replies to the turn that was found, else to the one before."""
    turns: list[tuple[int, list[Sentence]]] = []
    for _, turn in groupby(annotated.sentences, key=lambda sentence: sentence.speaker):
        before = turns[-1][0] + len(turns[-1][1]) if turns else 0
        turns.append((before, list(turn)))
    starts = [first for first, _ in turns]
    replies = {reply.first: reply.to_first for reply in people.replies} if people else {}
    utterances: list[dict[str, Any]] = []
    for number, (first, own) in enumerate(turns):
        to = replies.get(first)
        replied = starts.index(to) if to in starts[:number] else number - 1
        utterances.append(
            {
                "id": f"{speech.id}#{number}",
                "conversation_id": f"{speech.id}#0",
                "text": " ".join(sentence.text for sentence in own),
                "speaker": own[0].speaker or UNKNOWN,
                "meta": {"start": own[0].start, "end": own[-1].end},
                "reply-to": None if number == 0 else f"{speech.id}#{replied}",
                "timestamp": own[0].start,
                "vectors": [],
            }
        )
    return utterances


def _about(name: str, speech: Speech, people: Speakers | None) -> dict[str, str]:
    """The role and side of a speaker, as far as they are known."""
    person = next((other for other in people.people if other.label == name), None) if people else None
    if person:
        return _known({"role": person.role, "side": person.side})
    return _known({"side": speech.stance if speech.sole_speaker == name else None})


def _known(facts: dict[str, str | None]) -> dict[str, str]:
    return {name: value for name, value in facts.items() if value}


FORMAT = FolderFormat(_corpus_files)
