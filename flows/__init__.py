"""Prefect, and only Prefect: the flow, its server, its pages, deployments, and the commands that need it."""
