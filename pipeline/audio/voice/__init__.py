"""How something is said: pitch, loudness, voice quality, emphasis and pauses."""
