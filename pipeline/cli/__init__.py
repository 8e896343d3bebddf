"""The command `rostrum`: parses, calls, prints; decides nothing."""

import click

from pipeline.cli.lazy import LazyGroup

LAZY = {
    "init": ("pipeline.cli.corpus:init", "Write manifests for a folder of recordings, to be completed."),
    "check": ("pipeline.cli.corpus:check", "Check a corpus: what is wrong, and what each stage lacks."),
    "import": ("pipeline.cli.corpus:import_corpus", "Bring a known data set into the form of a corpus."),
    "show": ("pipeline.cli.show:show", "Show a run, a speech, or what a stage made of it."),
    "report": ("pipeline.cli.report:report", "Write a run as web pages that open from disk."),
    "export": ("pipeline.cli.export:export", "Write a run in other tools' formats."),
    "clean": ("pipeline.cli.operate:clean", "Remove what a run's folder holds and the run does not refer to."),
    "metrics": ("pipeline.cli.operate:metrics", "Print a run's figures as Prometheus text."),
    "settings": ("pipeline.cli.settings:settings", "List every setting, its value and where it came from."),
    "models": ("pipeline.cli.models:models", "List the models that can be used here; fetch more."),
    "evaluate": ("pipeline.cli.evaluate:evaluate", "Compute a published table."),
    "train": ("pipeline.cli.train:train", "Train one of the project's own models."),
    "graph": ("pipeline.cli.graph:graph", "Build the argument graph from a file of votes."),
    "noise": ("pipeline.cli.noise:noise", "Give a text the word errors of a real recogniser."),
}


@click.group(cls=LazyGroup, lazy=LAZY, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="rostrum")
def main_group() -> None:
    """Recorded speeches in, arguments out.

    Results go to stdout, everything else to stderr. Exit codes: 0 all went well, 1 some speeches failed, 2 the call was
    wrong.
    """
