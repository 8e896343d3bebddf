"""The data, the methods and the tables of `rostrum evaluate counter`."""
