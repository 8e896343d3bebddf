"""A speech with everything that a run found in it. Exports and the report's downloads are made from it."""
