"""Training of mention detectors, and of skip-thought."""
