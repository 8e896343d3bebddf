"""Every setting: one file with one small model per stage.

The description of a field is its help text everywhere: `rostrum settings`, the documentation, the form in the UI.
"""
