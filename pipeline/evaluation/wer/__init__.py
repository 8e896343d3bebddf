"""Word error rate of existing transcripts, or of Whisper."""
