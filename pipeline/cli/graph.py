"""`rostrum graph`: builds the argument graph from votes on pairs of arguments."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pipeline.cli.console import NEW_FOLDER

if TYPE_CHECKING:
    from pipeline.graph import ArgumentGraph, Gold, PairVotes


@click.command()
@click.argument("votes", type=click.Path(exists=True, path_type=Path))
@click.option("--out", type=NEW_FOLDER, help="Write the graph and its figures here.")
@click.option(
    "--keep",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.95,
    show_default=True,
    help="Share of pairs to keep: those whose label is most certain.",
)
@click.option(
    "--order",
    type=click.Choice(["random", "ascending", "descending"]),
    default="descending",
    show_default=True,
    help="The order of weight in which pairs are added to the graph that is written.",
)
@click.option("--equal/--no-equal", default=True, help="Merge arguments of equal pairs, or leave such pairs out.")
@click.option("--restarts", type=click.IntRange(1), default=50, show_default=True, help="Random starts of MACE.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of MACE and of the random order.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a table.")
def graph(
    votes: Path, out: Path | None, keep: float, order: Any, equal: bool, restarts: int, seed: int, as_json: bool
) -> None:
    """Build the argument graph from VOTES.

    VOTES is a CSV file with the columns argument1, argument2, worker, vote (a1, a2, equal), or a folder with
    UKPConvArg1's XML files. True labels and each worker's competence come from MACE. Prints the graph's statistics for
    every order of building. With --out, writes pairs.csv, ranks.csv, workers.csv, reasons.csv and one figure per topic.
    """
    from pipeline.graph import build_graph, cycle_rows, gold, ordered, statistics

    voted = _voted(votes)
    found = gold(voted, keep=keep, restarts=restarts, seed=seed)
    rows, cycles = statistics(found.pairs, seed), cycle_rows(found.pairs)
    if out:
        chosen = {topic: [p for p in pairs if equal or p.label != "equal"] for topic, pairs in found.pairs.items()}
        _write(out, {topic: build_graph(ordered(pairs, order, seed)) for topic, pairs in chosen.items()}, found, voted)
    if as_json:
        content = {"rows": rows, "cycles": cycles, "undecided": found.undecided}
        click.echo(json.dumps(content, allow_nan=False))
        return
    from pipeline.cli.console import print_rows

    print_rows(f"Argument graphs of {votes.name}, averages over topics", rows)
    print_rows("Elementary cycles if no pair is refused, over all topics", cycles)
    click.echo(f"pairs whose label is too uncertain: {found.undecided}")


def _voted(path: Path) -> "list[PairVotes]":
    """The votes of a CSV file, or of a folder with UKPConvArg1's XML files."""
    from pipeline.graph import read_annotated_pairs, read_votes

    return [pair.votes for pair in read_annotated_pairs(path)] if path.is_dir() else read_votes(path)


def _write(folder: Path, graphs: "dict[str, ArgumentGraph]", found: "Gold", voted: "Sequence[PairVotes]") -> None:
    """Write the tables, and one figure per topic."""
    from pipeline.evaluation.data import write_rows
    from pipeline.graph import ranked, svg, typical_reasons

    folder.mkdir(parents=True, exist_ok=True)
    pairs = [
        (topic, pair.first, pair.second, pair.label, f"{pair.weight:.6f}", kept)
        for topic, built in graphs.items()
        for kept, members in ((1, built.kept), (0, built.refused))
        for pair in members
    ]
    write_rows(folder / "pairs.csv", ["topic", "argument1", "argument2", "label", "weight", "kept"], pairs)
    ranks = [
        (topic, each.argument, f"{each.rank:.5f}", each.place)
        for topic, built in graphs.items()
        for each in ranked(built)
    ]
    write_rows(folder / "ranks.csv", ["topic", "argument", "rank", "place"], ranks)
    workers = sorted(found.competence.items(), key=lambda item: -item[1])
    write_rows(folder / "workers.csv", ["worker", "competence"], [(who, f"{value:.4f}") for who, value in workers])
    reasons = [
        (each.topic, each.argument, each.side, each.reasons, each.typical, " ".join(each.words))
        for each in typical_reasons(voted)
    ]
    write_rows(folder / "reasons.csv", ["topic", "argument", "side", "reasons", "typical", "words"], reasons)
    for number, (topic, built) in enumerate(graphs.items(), 1):
        safe = "".join(c if c.isalnum() or c in "-_" else "-" for c in topic)[:80]
        (folder / (f"graph-{number:02d}-{safe}.svg" if safe else "graph.svg")).write_text(svg(built), encoding="utf-8")
