"""Key points: which ones an argument makes, which ones a debate comes down to, and how often each is made."""
