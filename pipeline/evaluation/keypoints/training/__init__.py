"""What the key point data teaches: a fast matcher, a cross-encoder that can teach it, and thresholds."""
