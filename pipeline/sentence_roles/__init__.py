"""What each sentence of a speech is there for: an argument, evidence, a question, what others say, or procedure.

Only what argues carries a mention, makes a key point or convinces. What is quoted belongs to the side that it is
quoted from.
"""

from pipeline.sentence_roles.roles import (
    ARGUES_FROM,
    ArgumentClassifier,
    Kind,
    SentenceRole,
    is_cut,
    load_classifier,
    restates,
    roles_by_rule,
    roles_of,
    without_answered_report,
    without_report,
)

__all__ = [
    "ARGUES_FROM",
    "ArgumentClassifier",
    "Kind",
    "SentenceRole",
    "is_cut",
    "load_classifier",
    "restates",
    "roles_by_rule",
    "roles_of",
    "without_answered_report",
    "without_report",
]
