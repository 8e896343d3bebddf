"""Every setting: one file with one small model per stage.

The description of a field is its help text in `rostrum settings`, in docs/settings.md and in the forms of the UI.
"""
