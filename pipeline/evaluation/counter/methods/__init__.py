"""One file per method that only the published evaluation needs: baselines, and models of the paper that are trained.

A file is as in `pipeline.argue.counter.methods`; it is built from a
`pipeline.evaluation.counter.learning.fitting.Taught`.
"""
