"""BERT-T: next sentence prediction fine-tuned on speeches and their answers."""

import copy
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.evaluation.counter.debates import AnsweredDebate, Question, questions
from pipeline.evaluation.counter.learning.fitting import folds
from pipeline.evaluation.counter.metrics import mean_accuracy
from pipeline.evaluation.counter.next_sentence import NextSentence, beginning, ending, load_next_sentence
from pipeline.progress import Progress, no_progress
from pipeline.text.encoders.text_pairs import tokenised_pairs

_NEXT, _NOT_NEXT = 0, 1


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
    batch: int = 8,
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
        loss = _epoch(method, optimizer, _examples(training, random), batch)
        progress(epoch / epochs, f"epoch {epoch}, loss {loss:.3f}")
        score = _accuracy(method, validation)
        if score > best or not validation:
            best, best_state = score, copy.deepcopy(method.model.state_dict())
    if best_state is not None:
        method.model.load_state_dict(best_state)
    return NextSentence(method.model, method.tokenizer)


_Example = tuple[tuple[str, str], int]


def _epoch(method: NextSentence, optimizer: Any, examples: Sequence[_Example], batch: int) -> float:
    """Learn from each example once; the mean loss."""
    import torch

    losses = []
    method.model.train()
    for start in range(0, len(examples), batch):
        pairs, labels = zip(*examples[start : start + batch], strict=True)
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
        wrong = [each for each, right in zip(question.candidates, question.correct, strict=True) if not right]
        for candidate, right in zip(question.candidates, question.correct, strict=True):
            if right:
                examples.append(((end, beginning(candidate)), _NEXT))
                if wrong:
                    examples.append(((end, beginning(wrong[random.integers(len(wrong))])), _NOT_NEXT))
    return [examples[index] for index in random.permutation(len(examples))]


def _accuracy(method: NextSentence, questions: Sequence[Question]) -> float:
    fresh = NextSentence(method.model, method.tokenizer)
    return mean_accuracy([fresh(each.supporting, each.candidates) for each in questions], questions)
