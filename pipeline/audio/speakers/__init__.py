"""Who speaks when: turns, speaker embeddings, and which speaker said which word."""
