"""What people look at: Markdown pages, the HTML report, data frames, exports."""

# Where the report is served unless the user says otherwise.
REPORT_PORT = 8420
