"""What runs tell other programs: figures for Prometheus, and spans of OpenTelemetry if its endpoint is set."""

import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from pipeline.errors import RostrumError
from pipeline.measures import word_error_rates
from pipeline.run.job import Job, Outcome
from pipeline.run.plan import RunPlan
from pipeline.run.summary import RunSummary, error_counts

# Figures of a run that goes on, at /metrics.

# Where a run serves its figures: a port of this machine, or HOST:PORT.
VARIABLE = "ROSTRUM_METRICS"


@contextmanager
def figures_served(plan: RunPlan) -> Iterator[Callable[[Job, Outcome], None]]:
    """Serve the figures of a run at /metrics, if the environment wants that. Yields what counts an ended job."""
    address = os.environ.get(VARIABLE)
    if not address:
        yield lambda job, outcome: None
        return
    figures = _Figures(plan)
    server = _server(address, figures.registry)
    try:
        yield figures.ended
    finally:
        server.shutdown()
        server.server_close()


def _server(address: str, registry: Any) -> Any:
    from prometheus_client import start_http_server

    host, _, port = address.rpartition(":")
    try:
        return start_http_server(int(port), host or "127.0.0.1", registry)[0]
    except (ValueError, OverflowError, OSError) as error:
        why = getattr(error, "strerror", None) or "write it as PORT or HOST:PORT"
        raise RostrumError(f"${VARIABLE}={address}: cannot serve the figures there: {why}") from error


class _Figures:
    """The figures of a run that goes on."""

    def __init__(self, plan: RunPlan) -> None:
        from prometheus_client import CollectorRegistry, Gauge
        from prometheus_client import Counter as Total

        self.registry = registry = CollectorRegistry()
        self._stages = Total("rostrum_stages", "Stages that ended, by how.", ["stage", "state"], registry=registry)
        self._seconds = Total("rostrum_stage_seconds", "Seconds that stages took.", ["stage"], registry=registry)
        self._audio = Total("rostrum_audio_seconds", "Seconds of audio that were read.", registry=registry)
        self._failures = Total("rostrum_failures", "Stages that failed.", registry=registry)
        self._backlog = Gauge("rostrum_backlog", "Stages that have not ended.", ["stage"], registry=registry)
        for stage, number in Counter(job.stage.name for job in plan.jobs).items():
            self._backlog.labels(stage).set(number)

    def ended(self, job: Job, outcome: Outcome) -> None:
        """Count a job that has ended."""
        self._stages.labels(outcome.stage, outcome.state).inc()
        self._seconds.labels(outcome.stage).inc(outcome.seconds)
        self._backlog.labels(outcome.stage).dec()
        self._audio.inc(outcome.figures.get("duration", 0.0) if outcome.state == "run" else 0.0)
        self._failures.inc(outcome.state == "failed")


# Spans of OpenTelemetry: one for each stage, in whatever process does it.

ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")


@contextmanager
def span_of(job: Job) -> Iterator[None]:
    """A span around a stage, if the environment names an endpoint for spans."""
    if not any(os.environ.get(name) for name in ENDPOINTS):
        yield
        return
    about = {"rostrum.stage": job.stage.name, "rostrum.item": job.item.id, "rostrum.motion": job.item.motion or ""}
    with _tracer().start_as_current_span(job.stage.name, attributes=about):
        yield


@cache
def _tracer() -> Any:
    """The tracer of this process. The standard variables of OpenTelemetry say where spans go, and how."""
    from opentelemetry import trace

    if isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        provider = TracerProvider(resource=Resource.create({"service.name": "rostrum"}))
        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        trace.set_tracer_provider(provider)
    return trace.get_tracer("rostrum")


# The figures of the last run as text, for a node exporter's textfile collector: `rostrum metrics`.


def prometheus(summary: RunSummary) -> str:
    """The figures of the last run: failures, how stages ended, seconds, audio, word error rate."""
    from prometheus_client import CollectorRegistry, Gauge, generate_latest

    registry = CollectorRegistry()

    def gauge(name: str, text: str, *labels: str) -> Any:
        return Gauge(f"rostrum_{name}", text, ["corpus", *labels], registry=registry)

    corpus, rate = summary.corpus, word_error_rates(error_counts(summary))["wer"]
    gauge("failures", "What went wrong in the last run.").labels(corpus).set(len(summary.failures))
    stages = gauge("stages", "Stages of the last run, by how they ended.", "stage", "state")
    seconds = gauge("stage_seconds", "Seconds that each stage took.", "stage")
    for outcome in (outcome for item in summary.items for outcome in item.outcomes):
        stages.labels(corpus, outcome.stage, outcome.state).inc()
        seconds.labels(corpus, outcome.stage).inc(outcome.seconds)
    gauge("run_seconds", "Seconds that the last run took.").labels(corpus).set(summary.seconds)
    audio = sum(item.figures.get("duration", 0.0) for item in summary.items)
    gauge("audio_seconds", "Seconds of audio in the corpus.").labels(corpus).set(audio)
    if rate is not None:
        gauge("word_error_rate", "Pooled word error rate.").labels(corpus).set(rate)
    return generate_latest(registry).decode()
