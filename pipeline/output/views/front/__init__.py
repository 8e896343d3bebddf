"""Panels of the front page: the run at a glance. Each panel takes the run's data."""
