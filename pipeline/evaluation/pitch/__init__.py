"""Pitch trackers against a laryngograph."""
