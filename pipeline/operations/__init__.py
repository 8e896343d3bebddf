"""Operating rostrum: `doctor` checks the machine, `clean` finds leftovers, `metrics`, `transcribing` recordings."""
