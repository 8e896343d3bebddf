"""Tables of everything as Parquet: one file per table."""

from pipeline.export.formats._tables import table_format

FORMAT = table_format(".parquet", lambda frame, path: frame.to_parquet(path, index=False))
