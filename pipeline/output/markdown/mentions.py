"""The known arguments that a speech mentions, where, and what rebuts them."""

from collections.abc import Iterable

from pipeline.output.formatting import clock, counted
from pipeline.output.markdown.text import escaped, table
from pipeline.records import Mention, Mentions

HOW = {"explicit": "said outright", "implicit": "implied"}


def headline(record: Mentions) -> str:
    """How many of the known arguments are mentioned."""
    own = [mention for mention in record.mentions if mention.side in ("own", None)]
    return f"{sum(mention.mentioned for mention in own)} of {counted(len(own), 'argument')} mentioned"


def page(record: Mentions) -> str:
    """The mentioned arguments with their words and rebuttals, then all others by probability."""
    own = [mention for mention in record.mentions if mention.side in ("own", None)]
    made = [mention for mention in own if mention.mentioned]
    parts = [
        f"{len(made)} of {len(own)} arguments are mentioned: from probability {record.threshold:.2f} on, by the "
        f"{escaped(record.detector)} detector ({escaped(record.trained_on)}) over {escaped(record.encoder)}."
    ]
    parts += [_made(mention) for mention in made]
    parts += _rest("Not mentioned", (mention for mention in own if not mention.mentioned))
    parts += _rest("Of the other side", (mention for mention in record.mentions if mention.side == "other"))
    parts += _rest("Of other motions", (mention for mention in record.mentions if mention.side == "another motion"))
    parts += [f"Asked: {escaped(record.llm.report_line())}."] if record.llm else []
    return "\n\n".join(parts)


def _made(mention: Mention) -> str:
    how = f", {HOW[mention.how]}" if mention.how else ""
    lines = [f"**{escaped(mention.title)}** ({mention.probability:.2f}{how})"]
    lines += [f"- {clock(each.said.start)} “{escaped(each.said.text)}”" for each in mention.carriers]
    if rebuttal := mention.counter_title or mention.counter:
        lines.append(f"- rebutted by: {escaped(rebuttal)}")
    return "\n".join(lines)


def _rest(title: str, mentions: Iterable[Mention]) -> list[str]:
    rows = [
        (
            mention.probability,
            mention.title,
            clock(mention.carriers[0].said.start) if mention.carriers else None,
            mention.carriers[0].said.text if mention.carriers else None,
        )
        for mention in mentions
    ]
    return [f"### {title}", table(["probability", "argument", "time", "nearest words"], rows)] if rows else []
