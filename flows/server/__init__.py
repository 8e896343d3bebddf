"""Prefect servers: start one for a run, wait for one that is away, and its automations."""
