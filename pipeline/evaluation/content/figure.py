"""The curve of the scoring study."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.output.figures.drawing import Figure, files


def draw_curve(curve: Sequence[Mapping[str, Any]], folder: Path) -> Path:
    """Draw the correlation by the number of references. Returns the image's path."""

    def draw(axes: Any) -> None:
        for method, transcript in dict.fromkeys((row["method"], row["transcript"]) for row in curve):
            line = [row for row in curve if (row["method"], row["transcript"]) == (method, transcript)]
            axes.plot(
                [row["references"] for row in line],
                [np.nan if row["pearson"] is None else row["pearson"] for row in line],
                "-o" if transcript == "manual" else "--s",
                label=f"{method}, {transcript}",
            )
        axes.set_xlabel("references")
        axes.set_ylabel("Pearson r with the human score")
        axes.legend(fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))

    caption = "Correlation with human scores by the number of references"
    figure = Figure("content-references", caption, caption, rows=12, draw=draw)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{figure.name}.svg"
    path.write_bytes(files(figure)[0])
    return path
