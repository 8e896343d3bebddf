"""From votes on pairs of arguments to gold labels, graphs and ranks (Habernal and Gurevych 2016)."""
