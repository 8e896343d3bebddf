"""Files of other programs that rostrum reads. If it also writes them, both directions are in one module.

Formats that are only written are in `pipeline.export.formats`.
"""
