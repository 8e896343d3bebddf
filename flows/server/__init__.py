"""Prefect servers: starts one for a run, waits for one that does not answer, and sets up automations."""
