"""From people's votes on pairs of arguments to a graph of which convinces more than which, and a rank of each."""
