"""What people look at: Markdown pages, the HTML report, data frames, exports."""
