"""Operating rostrum: `doctor` checks the machine, `clean` finds leftovers, `metrics`, `transcripts` one by one."""
