"""random: what chance gets right."""

from pipeline.counter.method import CounterMethod, by_pair

METHOD = CounterMethod(
    "random",
    "chance",
    place=10,
    assigned=True,
    # All candidates score alike, so that ties give what chance gives.
    build=lambda taught: by_pair(lambda supporting, candidate: 0.0),
)
