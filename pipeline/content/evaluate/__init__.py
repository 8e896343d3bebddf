"""The data, the study and the tables of `rostrum evaluate content`."""
