"""From people's votes on pairs of arguments to a graph of which one convinces more, and a rank of each argument."""
