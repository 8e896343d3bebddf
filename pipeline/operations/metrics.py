"""A run's figures as Prometheus text, for a node exporter's textfile collector or any scraper."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

from pipeline.engine.summary import RunSummary, error_counts
from pipeline.measures.error_rates import word_error_rates


def prometheus(summary: RunSummary) -> str:
    """The figures of the last run: failures, how stages ended, seconds, audio, word error rate."""
    return "".join(f"{line}\n" for line in _lines(summary))


def _lines(summary: RunSummary) -> Iterator[str]:
    corpus = summary.corpus.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    outcomes = [outcome for item in summary.items for outcome in item.outcomes]
    yield from _metric("rostrum_failures", "What went wrong in the last run.", {"": len(summary.failures)}, corpus)
    states = Counter((outcome.stage, outcome.state) for outcome in outcomes)
    labelled = {f'stage="{stage}",state="{state}"': number for (stage, state), number in states.items()}
    yield from _metric("rostrum_stages", "Stages of the last run, by how they ended.", labelled, corpus)
    seconds: defaultdict[str, float] = defaultdict(float)
    for outcome in outcomes:
        seconds[f'stage="{outcome.stage}"'] += outcome.seconds
    yield from _metric("rostrum_stage_seconds", "Seconds that each stage took.", seconds, corpus)
    yield from _metric("rostrum_run_seconds", "Seconds that the last run took.", {"": summary.seconds}, corpus)
    audio = sum(item.figures.get("duration", 0.0) for item in summary.items)
    yield from _metric("rostrum_audio_seconds", "Seconds of audio in the corpus.", {"": audio}, corpus)
    rates = word_error_rates(error_counts(summary))
    if rates["wer"] is not None:
        yield from _metric("rostrum_word_error_rate", "Pooled word error rate.", {"": rates["wer"]}, corpus)


def _metric(name: str, text: str, values: Mapping[str, float], corpus: str) -> Iterator[str]:
    yield f"# HELP {name} {text}"
    yield f"# TYPE {name} gauge"
    for labels, value in values.items():
        yield f'{name}{{corpus="{corpus}"{"," + labels if labels else ""}}} {value}'
