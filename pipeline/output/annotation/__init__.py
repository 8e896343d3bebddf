"""A speech with all that a run found in it: what the exports and the report's downloads are made of."""
