"""Encoders that only the published table uses: word means and skip-thought."""
