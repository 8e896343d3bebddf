"""What the methods read in one speech: its words and stems, terms, word sequences, cue words, reported sentences."""
