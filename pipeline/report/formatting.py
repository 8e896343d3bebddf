"""Numbers, times and sides as text for people. Every page and table of a run uses these functions."""

from pipeline.records import Stance

NOTHING = "–"
_SIDES: dict[Stance | None, str] = {"pro": "for", "con": "against", None: "side not known"}


def side(stance: Stance | None) -> str:
    """Which side of the motion: 'for', 'against' or 'side not known'."""
    return _SIDES[stance]


def clock(seconds: float | None) -> str:
    """Minutes and seconds, as on a player.

    >>> clock(75.9)
    '1:15'
    """
    if seconds is None:
        return NOTHING
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02d}"


def duration(seconds: float | None) -> str:
    """A duration in one unit.

    >>> [duration(seconds).replace("\\xa0", " ") for seconds in (3.2, 250, 9000)]
    ['3.2 s', '4 min', '2.5 h']
    """
    if seconds is None:
        return NOTHING
    if seconds < 60:
        return f"{seconds:.1f}\u00a0s"
    return f"{seconds / 60:.0f}\u00a0min" if seconds < 3600 else f"{seconds / 3600:.1f}\u00a0h"


def percent(value: float | None) -> str:
    """An error rate as a percentage with one decimal: '12.3 %'."""
    return NOTHING if value is None else f"{100 * value:.1f}\u00a0%"


def share(value: float | None) -> str:
    """A probability or share as a percentage without decimals: '12 %'."""
    return NOTHING if value is None else f"{100 * value:.0f}\u00a0%"


def interval(low: float | None, high: float | None, decimals: int = 1) -> str:
    """A 95 % interval of a rate; nothing if there is none.

    >>> interval(0.061, 0.148).replace("\\xa0", " ")
    '95 % interval 6.1 to 14.8 %'
    """
    if low is None or high is None:
        return ""
    return f"95\u00a0% interval {100 * low:.{decimals}f} to {100 * high:.{decimals}f}\u00a0%"


def number(value: float | None) -> str:
    """A number with one decimal below 10, none from 10 on, and a thin space every three digits."""
    if value is None:
        return NOTHING
    return f"{value:.1f}" if abs(value) < 10 and value != int(value) else f"{value:,.0f}".replace(",", "\u202f")


def decimal(value: float | None) -> str:
    """A score with two decimals."""
    return NOTHING if value is None else f"{value:z.2f}".replace("-", "\u2212")


def counted(count: int, what: str, many: str = "") -> str:
    """A count with its noun.

    >>> counted(1, "error"), counted(2, "speech", "speeches")
    ('1 error', '2 speeches')
    """
    return f"{number(count)} {what if count == 1 else many or what + 's'}"


def shortened(text: str, longest: int = 80) -> str:
    """The text, cut after 80 characters, or so many."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
