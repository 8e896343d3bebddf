"""The data, the methods and the figures of `rostrum evaluate convincing`."""
