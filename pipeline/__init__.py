"""rostrum: recorded speeches in, arguments out.

There are more packages side by side than elsewhere, because each is a step of the way from a recording to what people
look at, and is guessed by its name. `docs/architecture.md` lists them in the order in which they import one another.
"""
