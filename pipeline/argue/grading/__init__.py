"""A score for a spoken answer, learned from answers that people have scored, and what it rests on."""
