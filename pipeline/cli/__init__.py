"""The command `rostrum`: parses, calls, prints; decides nothing."""

import click

from pipeline.cli.lazy import LazyGroup

LAZY = {
    "transcribe": ("pipeline.cli.transcribe:transcribe", "Transcribe recordings, without a corpus."),
    "init": ("pipeline.cli.corpus:init", "Write manifests for a folder of recordings, for you to complete."),
    "check": ("pipeline.cli.corpus:check", "Check a corpus: list problems, and what each stage lacks."),
    "import": ("pipeline.cli.corpus:import_corpus", "Convert a known data set to a corpus."),
    "speakers": ("pipeline.cli.speakers:speakers", "List, add, rename and remove the people whose voices are known."),
    "show": ("pipeline.cli.show:show", "Show a run, a speech, or the result of a stage."),
    "report": ("pipeline.cli.show:report", "Build an offline HTML report."),
    "compare": ("pipeline.cli.show:compare", "Compare runs: errors, words, speakers, decisions."),
    "export": ("pipeline.cli.show:export", "Export a run to the formats of other tools."),
    "correct": ("pipeline.cli.show:correct", "Take over argument maps that people corrected."),
    "clean": ("pipeline.cli.operate:clean", "Delete leftover files that a run no longer uses."),
    "metrics": ("pipeline.cli.operate:metrics", "Print a run's figures as Prometheus text."),
    "settings": ("pipeline.cli.operate:settings", "List every setting, its value and its source."),
    "models": ("pipeline.cli.models:models", "List the models that can be used here; fetch more."),
    "evaluate": ("pipeline.cli.evaluate:evaluate", "Reproduce a paper's evaluation."),
    "train": ("pipeline.cli.evaluate:train", "Train one of rostrum's own models."),
    "annotate": ("pipeline.cli.annotate:annotate", "Ask people: make a study, serve its forms, collect labels."),
    "graph": ("pipeline.cli.graph:graph", "Build the argument graph from a file of votes."),
    "noise": ("pipeline.cli.noise:noise", "Add simulated recognition errors to a text."),
}


@click.group(cls=LazyGroup, lazy=LAZY, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="rostrum")
def main_group() -> None:
    """Recorded speeches in, arguments out.

    Results go to stdout, everything else to stderr. Exit codes: 0 all went well, 1 some speeches failed, 2 the call was
    wrong.
    """
