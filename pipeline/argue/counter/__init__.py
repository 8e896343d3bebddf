"""Which speech answers which: every method takes a supporting speech and candidates, and gives a score a candidate."""
