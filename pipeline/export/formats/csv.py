"""Tables of everything as CSV: one file per table."""

from pipeline.export.formats._tables import table_format

FORMAT = table_format(".csv", lambda frame, path: frame.to_csv(path, index=False))
