"""One file per method that a run can use.

Each has `METHOD`, a `pipeline.counter.method.CounterMethod`, and is found by being here; so there are as many
modules as methods. Methods that only the published evaluation needs are in `pipeline.counter.evaluate.methods`.
"""
