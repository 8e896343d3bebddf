"""Training of mention detectors."""
