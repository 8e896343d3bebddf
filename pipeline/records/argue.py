"""What was argued: the records of the detectors."""
