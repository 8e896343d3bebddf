"""Which argument convinces (Habernal and Gurevych 2016)."""
