"""The data, the methods and the tables of `rostrum evaluate counter`."""

# Candidates are the opposing speeches of the motion, or those of all motions; by other speakers, or by anybody.
PROTOCOLS = ("motion", "motion, any speaker", "retrieval", "retrieval, any speaker")
