"""What one sentence is to another: same point, for or against, on topics that were not learnt from."""
