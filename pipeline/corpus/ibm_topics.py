"""The words that stand for a motion's topic in IBM's general-purpose claims and rebuttals."""

import re
from dataclasses import dataclass, field

# '<ACTION><TOPIC>' becomes 'banning boxing', '<TOPIC>' 'boxing'; of '[is/are]' one is taken.
_SLOT = re.compile(r"<ACTION>\s*<TOPIC>|<TOPIC>")
_CHOICE = re.compile(r"\[([^\]/]*)/([^\]]*)\]")


@dataclass
class Topic:
    """The words of one motion for each slot, learned from claims with and without slots.

    >>> boxing = Topic()
    >>> boxing.learn("<ACTION><TOPIC> is bad.", "banning boxing is bad.")
    >>> boxing.learn("<TOPIC> [is/are] bad.", "boxing is bad.")
    >>> boxing.filled("Policies like <ACTION><TOPIC> [is/are] right.")
    'Policies like banning boxing is right.'
    """

    words: dict[str, str] = field(default_factory=dict)
    singular: bool = True

    def learn(self, template: str, claim: str) -> None:
        """Compare a claim on the motion with its template; a template with two different slots tells nothing."""
        slots = _SLOT.findall(template)
        if len(slots) != 1:
            return
        before, after = (_pattern(part) for part in template.split(slots[0]))
        if found := re.fullmatch(rf"{before}(?P<words>.+?){after}", claim.strip()):
            self.words.setdefault(_name(slots[0]), found["words"])
            if choice := _CHOICE.search(template):
                self.singular = re.search(rf"\b{re.escape(choice[2])}\b", claim) is None

    def filled(self, template: str) -> str | None:
        """The template in the motion's words; None where the words of one of its slots are not known."""
        if any(_name(slot) not in self.words for slot in _SLOT.findall(template)):
            return None
        text = _SLOT.sub(lambda match: self.words[_name(match[0])], template)
        text = _CHOICE.sub(lambda match: match[1] if self.singular else match[2], text).strip()
        return text[:1].upper() + text[1:]


def _name(slot: str) -> str:
    return "".join(slot.split())


def _pattern(part: str) -> str:
    """A pattern of the fixed words beside a slot, with either word of a choice."""
    pieces, end = [], 0
    for choice in _CHOICE.finditer(part):
        pieces += [re.escape(part[end : choice.start()]), f"(?:{re.escape(choice[1])}|{re.escape(choice[2])})"]
        end = choice.end()
    return "".join([*pieces, re.escape(part[end:])]).replace(r"\ ", r"\s+")
