"""Panels of a speech's page. Each panel takes the run's data and the facts of the speech."""
