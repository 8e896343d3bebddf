"""Which speech answers which.

Every method scores the opposing speeches of a motion, the candidates, by how likely each was recorded in answer to a
given supporting speech. `methods` has one file per method; `method` says what a file has. `ranker` combines the scores,
`assignment` looks at the whole motion at once, and `judge` puts it all into a record. `loading` loads what the
settings ask for. `texts` is what a method reads in one speech, `comparison` how the sentences of two compare.
"""
