"""Which known arguments a speech mentions (Mirkin et al. 2018)."""
