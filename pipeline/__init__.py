"""rostrum: recorded speeches in, arguments out.

There are more packages side by side here than elsewhere. Each is one step from a recording to its results, and is named
for it. `docs/architecture.md` lists them in the order in which they import one another.
"""
