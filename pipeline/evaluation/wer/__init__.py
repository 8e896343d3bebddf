"""Word error rates of given or made transcripts against the reference."""
