"""Key point matching and generation (KPA 2021)."""
