"""BERT's next sentence prediction: does the candidate's beginning follow on the supporting speech's end?"""

import copy
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.arrays import Vector
from pipeline.counter.evaluate.debates import AnsweredDebate, Question, folds, mean_accuracy, questions
from pipeline.counter.texts import SpeechText
from pipeline.errors import RostrumError
from pipeline.progress import Progress, no_progress
from pipeline.text.encoders.cross_encoder import probabilities, tokenised_pairs

WORDS = 100
_BATCH = 16


class NextSentence:
    """The probability that the candidate's first sentences come next after the supporting speech's last ones."""

    def __init__(self, model: Any, tokenizer: Any, *, name: str = "BERT", has_head: bool = True) -> None:
        self.name = name
        self.has_head = has_head
        self.model = model
        self.tokenizer = tokenizer
        self._known: dict[tuple[str, str], float] = {}

    def __call__(self, supporting: SpeechText, candidates: Sequence[SpeechText]) -> Vector:
        pairs = [(ending(supporting), beginning(candidate)) for candidate in candidates]
        new = sorted({pair for pair in pairs if all(pair) and pair not in self._known})
        for start in range(0, len(new), _BATCH):
            batch = new[start : start + _BATCH]
            self._known.update(zip(batch, self._probabilities(batch), strict=True))
        return np.array([self._known.get(pair, 0.0) for pair in pairs], dtype=np.float64)

    def _probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        import torch

        self.model.eval()
        with torch.no_grad():
            outputs = self.model(**tokenised_pairs(self.tokenizer, pairs)).logits.double().numpy()
        # the head's first class is 'comes next'
        return [float(value) for value in probabilities(outputs, 2, self.name)[:, 0]]


def load_next_sentence(path: Path, *, to_be_trained: bool = False) -> NextSentence:
    """A BERT from a folder. Without its head for next sentences it is refused, unless it is to be trained."""
    from pipeline.system.environment import import_torchaudio

    import_torchaudio()  # transformers imports it
    from transformers import AutoConfig, AutoTokenizer, BertForNextSentencePrediction

    try:
        kind = AutoConfig.from_pretrained(path, local_files_only=True, trust_remote_code=False).model_type
        if kind != "bert":
            raise RostrumError(f"{path}: a model of the kind {kind}; predicting next sentences takes a BERT")
        model, info = BertForNextSentencePrediction.from_pretrained(
            path, output_loading_info=True, local_files_only=True, trust_remote_code=False
        )
        tokenizer = AutoTokenizer.from_pretrained(path, local_files_only=True, trust_remote_code=False)
    except (OSError, ValueError) as error:
        raise RostrumError(f"{path}: not a BERT: {str(error).splitlines()[0]}") from error
    has_head = not any(key.startswith("cls.seq_relationship") for key in info["missing_keys"])
    if not has_head and not to_be_trained:
        raise RostrumError(
            f"{path}: has no head for next sentence prediction; take a BERT that has, or train one: "
            "rostrum train counter --data DIR --bert MODEL"
        )
    return NextSentence(model, tokenizer, name=str(path), has_head=has_head)


def ending(speech: SpeechText) -> str:
    """The last sentences, together at most 100 words; where the very last has more, its last 100."""
    sentences = _within(reversed(speech.sentences))
    if not sentences and speech.sentences:
        return " ".join(speech.sentences[-1].split()[-WORDS:])
    return " ".join(reversed(sentences))


def beginning(speech: SpeechText) -> str:
    """The first sentences, together at most 100 words; where the very first has more, its first 100."""
    sentences = _within(speech.sentences)
    if not sentences and speech.sentences:
        return " ".join(speech.sentences[0].split()[:WORDS])
    return " ".join(sentences)


def _within(sentences: Iterable[str]) -> list[str]:
    taken: list[str] = []
    words = 0
    for sentence in sentences:
        words += len(sentence.split())
        if words > WORDS:
            break
        taken.append(sentence)
    return taken


# BERT-T: next sentence prediction fine-tuned on speeches and their answers.

_NEXT, _NOT_NEXT = 0, 1
_TRAINING_BATCH = 8


def save_fine_tuned(
    base: Path,
    debates: Sequence[AnsweredDebate],
    out: Path,
    *,
    epochs: int,
    seed: int,
    progress: Progress = no_progress,
) -> None:
    """Fine-tune the BERT of a folder, a fifth of the motions for validation, and save it to another folder."""
    import torch

    torch.manual_seed(seed)
    parts = folds(debates, seed)
    training = [debate for part in parts[1:] or parts for debate in part]
    method = fine_tuned(
        load_next_sentence(base, to_be_trained=True),
        questions(training),
        questions(parts[0]),
        epochs=epochs,
        seed=seed,
        progress=progress,
    )
    out.mkdir(parents=True, exist_ok=True)
    method.model.save_pretrained(out, safe_serialization=True)
    method.tokenizer.save_pretrained(out)


def fine_tuned(
    base: NextSentence,
    training: Sequence[Question],
    validation: Sequence[Question],
    *,
    epochs: int = 3,
    learning_rate: float = 2e-5,
    seed: int = 0,
    progress: Progress = no_progress,
) -> NextSentence:
    """A copy of `base`, trained with one random wrong candidate for each answer.

    The epoch with the highest accuracy on `validation` is kept; without validation questions, the last one.
    """
    import torch

    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    method = NextSentence(copy.deepcopy(base.model), base.tokenizer)
    optimizer = torch.optim.AdamW(method.model.parameters(), lr=learning_rate)
    best, best_state = -1.0, None
    for epoch in range(1, epochs + 1):
        loss = _epoch(method, optimizer, _examples(training, random))
        progress(epoch / epochs, f"epoch {epoch}, loss {loss:.3f}")
        score = _accuracy(method, validation)
        if score > best or not validation:
            best, best_state = score, copy.deepcopy(method.model.state_dict())
    if best_state is not None:
        method.model.load_state_dict(best_state)
    return NextSentence(method.model, method.tokenizer)


_Example = tuple[tuple[str, str], int]


def _epoch(method: NextSentence, optimizer: Any, examples: Sequence[_Example]) -> float:
    """Learn from each example once; the mean loss."""
    import torch

    losses = []
    method.model.train()
    for start in range(0, len(examples), _TRAINING_BATCH):
        pairs, labels = zip(*examples[start : start + _TRAINING_BATCH], strict=True)
        loss = method.model(**tokenised_pairs(method.tokenizer, pairs), labels=torch.tensor(labels)).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
    return float(np.mean(losses))


def _examples(questions: Sequence[Question], random: np.random.Generator) -> list[_Example]:
    """Every answer, and for each a wrong candidate of the same question where there is one, in random order."""
    examples = []
    for question in questions:
        end = ending(question.supporting)
        wrong = [candidate for candidate, right in zip(question.candidates, question.correct, strict=True) if not right]
        for candidate, right in zip(question.candidates, question.correct, strict=True):
            if right:
                examples.append(((end, beginning(candidate)), _NEXT))
                if wrong:
                    examples.append(((end, beginning(wrong[random.integers(len(wrong))])), _NOT_NEXT))
    return [examples[index] for index in random.permutation(len(examples))]


def _accuracy(method: NextSentence, questions: Sequence[Question]) -> float:
    fresh = NextSentence(method.model, method.tokenizer)
    return mean_accuracy([fresh(question.supporting, question.candidates) for question in questions], questions)
