"""The methods that a run can use: each module lists its own in `METHODS`, and every module of this folder is read.

A method is a `pipeline.counter.method.CounterMethod`. Methods that only the published evaluation needs are in
`pipeline.counter.evaluate.methods`.
"""
