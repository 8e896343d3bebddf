"""What every command shares: lazy loading, Tab completion, progress, tables and paths."""
