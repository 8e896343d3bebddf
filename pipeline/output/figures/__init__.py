"""Figures of a run, drawn by matplotlib: as SVG and PNG files, and inline in a page in the page's own colours."""
