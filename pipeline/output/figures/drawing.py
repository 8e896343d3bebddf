"""Draws a figure into files, and as part of a page in the page's own colours."""

import io
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import Any

from markupsafe import Markup

from pipeline.records import Stance

# The colours in a file. In a page, the variables of its style replace them, which are light or dark.
INK, GRID, ACCENT = "#1c1d21", "#d8d5ce", "#3347b8"
COLOURS: dict[Stance | None, str] = {"pro": "#0b6b64", "con": "#9a3f13", None: "#5f6168"}
_VARIABLES = {
    INK: "currentColor",
    GRID: "var(--line)",
    ACCENT: "var(--accent)",
    "#0b6b64": "var(--pro)",
    "#9a3f13": "var(--con)",
    "#5f6168": "var(--soft)",
}
_STYLE = {
    "svg.fonttype": "none",
    "text.parse_math": False,
    "font.family": "sans-serif",
    "font.size": 10,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": GRID,
    "xtick.color": INK,
    "ytick.color": INK,
    "grid.color": GRID,
    "axes.grid": True,
    "axes.grid.axis": "x",
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "ytick.left": False,
}


@dataclass(frozen=True)
class Figure:
    """A figure that is not drawn yet. `draw` draws it on matplotlib's axes."""

    name: str
    alt: str
    caption: str
    rows: int
    draw: Callable[[Any], None]


def files(figure: Figure) -> tuple[bytes, bytes]:
    """The figure as SVG and as PNG."""
    import matplotlib

    matplotlib.use("agg", force=False)
    from matplotlib.figure import Figure as Canvas

    with matplotlib.rc_context({**_STYLE, "svg.hashsalt": figure.name}), warnings.catch_warnings():
        # A browser has fonts for letters that matplotlib's own font lacks.
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        canvas = Canvas(figsize=(6.4, 1.1 + 0.28 * max(figure.rows, 2)), layout="constrained")
        figure.draw(canvas.add_subplot())
        svg, png = io.BytesIO(), io.BytesIO()
        canvas.savefig(svg, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
        canvas.savefig(png, format="png", dpi=160, facecolor="white", metadata={"Software": None})
    return svg.getvalue(), png.getvalue()


def inline(figure: Figure, svg: str) -> Markup:
    """The figure's SVG as part of a page: in the page's colours, with its text, without metadata and styles."""
    body = svg[svg.index("<svg") :]
    body = re.sub(r"<(metadata|style)\b.*?</\1>", "", body, flags=re.DOTALL)
    view = re.search(r'viewBox="[^"]*"', body)
    assert view
    body = re.sub(r"^<svg[^>]*>", f'<svg {view[0]} role="img" aria-label="{escape(figure.alt)}">', body)
    for colour, variable in _VARIABLES.items():
        body = body.replace(colour, variable)
    return Markup(body)  # nosec B704: matplotlib's SVG, which escapes what it shows
