"""The score of a spoken answer, and what it rests on."""

from pipeline.grade.stage import Grade
from pipeline.report.markdown import escaped, table

_MOST_REASONS = 12


def headline(record: Grade) -> str:
    """The score, and the interval that contains nine of ten scores of people."""
    return f"{record.score:.2f} of {record.highest:g} ({record.low:.2f} to {record.high:.2f})"


def page(record: Grade) -> str:
    """The score with its interval, how well such scores agree with those of people, and which features counted most."""
    agreement = f"Trained on {record.responses} scored answers ({escaped(record.trained_on)})."
    if record.kappa is not None:
        agreement += f" On prompts it had not seen its quadratic weighted kappa with people was {record.kappa:.2f}"
        if record.second_person_kappa is not None:
            agreement += f"; that of two people was {record.second_person_kappa:.2f}"
        agreement += "."
    rows = [(reason.name, reason.kind, reason.value, reason.points, f"{reason.share:.0%}") for reason in record.reasons]
    return "\n\n".join(
        [
            f"**{record.score:.2f}** of {record.highest:g}, the scores of people going from {record.lowest:g}. Nine of "
            f"ten people's scores lie between {record.low:.2f} and {record.high:.2f}.",
            agreement,
            f"The average answer has {record.average:.2f}; to that each feature adds points, or takes them.",
            table(["feature", "of", "value", "points", "share"], rows[:_MOST_REASONS]),
        ]
    )
