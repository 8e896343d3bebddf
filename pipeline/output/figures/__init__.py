"""Figures of a run, drawn by matplotlib: as SVG and PNG files, and in a page, in the page's own colours."""
