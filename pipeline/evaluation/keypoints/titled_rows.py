"""The rows of the evaluation as titled tables, for a person."""

from collections.abc import Sequence

from pipeline.evaluation.result import Row, Value


def tables(rows: Sequence[Row]) -> tuple[tuple[str, tuple[Row, ...]], ...]:
    """(title, rows): one table for each score, one of the groups with the methods across, one of what was written."""
    over_all = [row for row in rows if "topic" not in row]
    scorers = dict.fromkeys(row["scorer"] for row in over_all if "scorer" in row)
    found = [(f"matching, {scorer} scorer", _only(over_all, "scorer", scorer)) for scorer in scorers]
    groups: dict[tuple[Value, Value], Row] = {}
    for row in rows:
        if "topic" in row and row.get("scorer") == "leaderboard":
            line = groups.setdefault((row["topic"], row["stance"]), {"topic": row["topic"], "stance": row["stance"]})
            line[str(row["method"])] = "/".join(_figure(row[reading]) for reading in ("strict", "relaxed"))
    if groups:
        found.append(("strict/relaxed by topic and stance, leaderboard scorer", tuple(groups.values())))
    ranking = [row for row in over_all if row.get("scorer") == "leaderboard"]
    if ranking:
        columns = ("method", "strict", "relaxed", "strict_rank", "relaxed_rank", "mean_rank")
        by_rank = sorted(ranking, key=lambda row: row["mean_rank"] or 0)
        found.append(
            ("ranking, by the mean of both ranks", tuple({name: row[name] for name in columns} for row in by_rank))
        )
    written = [row for row in over_all if "scorer" not in row]
    for judge in dict.fromkeys(row["judge"] for row in written):
        found.append((f"generation, counted by {judge}", _only(written, "judge", judge)))
    return tuple(found)


def _figure(value: Value) -> str:
    return "-" if value is None else f"{value:.3f}"


def _only(rows: Sequence[Row], column: str, value: Value) -> tuple[Row, ...]:
    """The rows with this value in a column, without the column."""
    kept = (row for row in rows if row.get(column) == value)
    return tuple({name: each for name, each in row.items() if name != column} for row in kept)
