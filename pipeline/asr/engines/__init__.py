"""One file per recogniser; `transcribe.engine` chooses it by the file's name.

A file has the two functions of `pipeline.asr.recogniser.Engine`, `weights` and `load`, and `IGNORES`: the settings of
`transcribe` that it does not use. Its docstring begins with its name and says what it is.
"""
