"""What each page shows of a run, before it is HTML or Markdown.

A page is made of panels. Each panel is one file in the folder of its page (`front`, `motion`, `speech`), with one
template of the same name in `pipeline/output/report/templates`. `run_data` reads a run once for all pages.
"""
