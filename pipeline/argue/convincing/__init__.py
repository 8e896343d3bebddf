"""Which of two arguments is more convincing, and in which order many of them come."""
