"""Finds, fetches and verifies models. The sha256 of a model says which weights it has."""

from pipeline.models.catalogue import CATALOGUE, Archive, HubModel, Model, WeightFile
from pipeline.models.downloads import DownloadProgress, official_name
from pipeline.models.fetching import Plan, carry_out, fetch, plan
from pipeline.models.finding import (
    Found,
    Status,
    cache_folder,
    fetch_whisper,
    find,
    hub_status,
    is_on_hub,
    status,
    usable,
    verify,
)

__all__ = [
    "CATALOGUE",
    "Archive",
    "Found",
    "HubModel",
    "Model",
    "Plan",
    "DownloadProgress",
    "Status",
    "WeightFile",
    "cache_folder",
    "carry_out",
    "fetch",
    "fetch_whisper",
    "find",
    "hub_status",
    "is_on_hub",
    "official_name",
    "plan",
    "status",
    "usable",
    "verify",
]
