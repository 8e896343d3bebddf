"""One file per method that only the published evaluation needs: baselines, and models of the paper that are trained.

A file is as in `pipeline.counter.methods`; it is built from a
`pipeline.counter.evaluate.fitting.Taught`.
"""

from pipeline.family import Family

PAPER_METHODS = Family(__name__, "counter method")
