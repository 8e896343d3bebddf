"""What a stage made, as an artifact in the Prefect UI."""

import hashlib
import re
from typing import Any

from pipeline.job import Job
from pipeline.pages import page
from pipeline.store import MOTIONS, Store

MOST_CHARACTERS = 200


def key_of(stage: str, scope: str) -> str:
    """`transcribe-<speech>` in lower-case letters, digits and dashes, which is all that Prefect takes.

    An underscore becomes a dash, and a dash two; ids with anything else in them get a mark, so that no two are alike.
    """
    name = scope.removeprefix(f"{MOTIONS}/")
    plain = re.fullmatch(r"[a-z0-9]+([-_][a-z0-9]+)*", name) and len(name) <= MOST_CHARACTERS
    if plain:
        return f"{stage}-" + name.replace("-", "--").replace("_", "-")
    mark = hashlib.sha256(scope.encode()).hexdigest()[:8]
    return f"{stage}-" + re.sub(r"[^a-z0-9]+", "-", name.lower())[:MOST_CHARACTERS].strip("-") + f"-{mark}"


def publish(job: Job, store: Store, logger: Any) -> None:
    """Publish the stage's page. That this fails is worth a warning and never a run."""
    artifact = store.artifact(job.scope, job.stage.name)
    if artifact is None or artifact.skipped is not None:
        return
    try:
        text = page(job.stage.name, store.record(job.stage.output, job.scope, artifact))
        create(key_of(job.stage.name, job.scope), f"# {job.stage.name}: {job.scope}\n\n{text}", job.stage.summary)
    except Exception as error:  # whatever it is, the artifact itself is stored
        logger.warning("the page of %s could not be published: %s", job.stage.name, error)


def create(key: str, markdown: str, description: str) -> None:
    from prefect.artifacts import create_markdown_artifact

    create_markdown_artifact(markdown=markdown, key=key, description=description)
