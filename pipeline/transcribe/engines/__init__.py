"""One file per recogniser; `transcribe.engine` chooses it by the file's name.

A file has what `pipeline.transcribe.recogniser.Engine` names: the functions `weights`, `side_by_side` and `load`, and
`IGNORES`, the settings of `transcribe` that it does not use. Its docstring begins with its name and says what it is.
"""
