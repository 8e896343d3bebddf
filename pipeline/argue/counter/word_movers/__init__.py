"""Word Mover's Distance between the sentences of two speeches."""
