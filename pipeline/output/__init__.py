"""What people look at: Markdown pages, the HTML report, data frames, exports."""

# The default port of the report's server.
REPORT_PORT = 8420
