"""Which speech answers which (Orbach et al. 2020)."""
