"""Training on the key point data: a fast matcher, a cross-encoder that can teach it, and thresholds."""
