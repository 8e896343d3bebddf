"""Panels of a motion's page. Each panel takes the run's data and the motion."""
