"""Files of other programs that rostrum reads. Where it also writes them, both directions stand in one module.

What is only written is an export format: see `pipeline.output.exports`.
"""
