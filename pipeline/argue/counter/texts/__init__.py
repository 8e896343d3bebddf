"""One speech as the methods read it: its words and stems, terms, word sequences, cue words, reported sentences."""
