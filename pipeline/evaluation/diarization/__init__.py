"""Diarization error rate against RTTM."""
