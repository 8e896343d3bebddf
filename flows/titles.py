"""What a run is called in the UI: its folder, and what it is about to do."""

from pipeline.corpus.contents import Corpus
from pipeline.report.formatting import counted
from pipeline.run.plan import RunPlan


def label_of(corpus: Corpus) -> str:
    """The last two parts of the corpus's path, which tell it from another folder of the same name."""
    return "/".join(part for part in corpus.path.resolve().parts[-2:] if part != "/")


def removed(plan: RunPlan) -> list[str]:
    """The speeches of the last run that are not in the corpus any more."""
    scopes = {item.scope for item in plan.items}
    return [
        item.id for item in (plan.last.items if plan.last else ()) if item.scope not in scopes and not item.is_motion
    ]


def what_changes(plan: RunPlan) -> str:
    """What a run is about to do: `12 new, 3 changed, 1 removed`."""
    known = {item.scope for item in plan.last.items} if plan.last else set()
    items = {job.item for job in plan.jobs}
    speeches = [item for item in items if not item.is_motion]
    new = sum(item.scope not in known for item in speeches)
    counts = ((new, "new"), (len(speeches) - new, "changed"), (len(removed(plan)), "removed"))
    parts = [f"{count} {what}" for count, what in counts if count]
    if items and not parts:
        parts = [counted(len(items), "motion")]
    return ", ".join(parts) or "nothing to do"


def title(plan: RunPlan) -> str:
    """The name of a run in the UI: the folder, the shard, and what the run is about to do."""
    shard = "" if plan.shard.is_all else f" {plan.shard}"
    return f"{label_of(plan.corpus)}{shard}: {what_changes(plan)}"
