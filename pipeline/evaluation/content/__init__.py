"""How much of the expected content is covered (ROUGE for spoken content)."""
