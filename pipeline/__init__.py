"""rostrum: recorded speeches in, arguments out."""
