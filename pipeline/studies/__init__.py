"""Studies by people: what they are asked, who gets what, forms in a browser, and labels from the answers.

A study goes these steps; each is a module:

- `making`, with `source` and `tasks`: draws items from a run, a corpus or a data set, and assigns them.
- `study`, `items`: the study's folder with the answers, and what a worker is asked.
- `server`, `sessions`, `pages`: forms in a browser, by a server or as files. `exchange`: other programs' forms.
- `labels`, `quality`: labels from answers, how far workers agree, how good they are.
- `collect`, `output`: writes all of it, as corpora and evaluations read it, and as a page; finds problems of a folder.
"""
